// Stable sorting of vectors.
//
//   sort_stably(rows, [](const Row& a, const Row& b) { return a.time_s < b.time_s; });
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace ridgewatt {

// The order in which a stable sort puts `count` elements: the index of the first element, and so
// on.
std::vector<std::size_t> stable_order(
    std::size_t count, const std::function<bool(std::size_t a, std::size_t b)>& before);

// stable_order() is compiled once. std::stable_sort takes 2 KB of machine code for each type.
template <class T, class Before>
void sort_stably(std::vector<T>& items, const Before& before) {
  auto order = stable_order(items.size(), [&](std::size_t a, std::size_t b) {
    return before(std::as_const(items[a]), std::as_const(items[b]));
  });
  for (std::size_t start = 0; start < order.size(); ++start) {
    if (order[start] == start) continue;
    T first = std::move(items[start]);
    std::size_t to = start;
    while (order[to] != start) {
      const std::size_t from = std::exchange(order[to], to);
      items[to] = std::move(items[from]);
      to = from;
    }
    order[to] = to;
    items[to] = std::move(first);
  }
}

}  // namespace ridgewatt
