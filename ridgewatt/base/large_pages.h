// Memory in large pages where the system has them: a fault for every 2 MB, not for every 4 KB.
//
//   std::vector<Row> rows;
//   reserve_large(rows, 90'480);
#pragma once

#include <cstddef>
#include <vector>

namespace ridgewatt {

// Asks for large pages for memory that was not touched yet. What the system makes of it is its own
// affair: nothing fails.
void use_large_pages(void* begin, std::size_t bytes);

template <typename T>
void reserve_large(std::vector<T>& values, std::size_t count) {
  values.reserve(count);
  use_large_pages(static_cast<void*>(values.data() + values.size()),
                  (values.capacity() - values.size()) * sizeof(T));
}

}  // namespace ridgewatt
