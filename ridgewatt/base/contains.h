// Whether a range has an element that is equal to a value, like std::ranges::contains of C++23.
//
//   if (contains(names, "auto")) ..
#pragma once

#include <algorithm>
#include <iterator>

namespace ridgewatt {

template <class Range, class Value>
constexpr bool contains(const Range& range, const Value& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

}  // namespace ridgewatt
