#include "ridgewatt/base/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace ridgewatt {

void use_large_pages(void* begin, std::size_t bytes) {
  constexpr std::uintptr_t kLarge = 2U << 20;  // of x86-64 and of arm64 with pages of 4 KB
  const auto from = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (from + kLarge - 1) / kLarge * kLarge;
  const std::uintptr_t last = (from + bytes) / kLarge * kLarge;
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace ridgewatt
