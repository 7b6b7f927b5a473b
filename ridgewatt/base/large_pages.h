// Allocates memory in large pages if the system supports it. There is then one page fault per 2 MiB
// instead of per 4 KiB.
//
//   std::vector<Row> rows;
//   reserve_large(rows, 90'480);
#pragma once

#include <cstddef>
#include <vector>

namespace ridgewatt {

// Requests large pages for memory that was not accessed yet. The system may ignore the request;
// there is no error.
void use_large_pages(void* begin, std::size_t bytes);

template <typename T>
void reserve_large(std::vector<T>& values, std::size_t count) {
  values.reserve(count);
  use_large_pages(static_cast<void*>(values.data() + values.size()),
                  (values.capacity() - values.size()) * sizeof(T));
}

}  // namespace ridgewatt
