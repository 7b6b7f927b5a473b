// The page cache as the kernel tells it: what of a file lies in memory (mincore), how to drop it
// (posix_fadvise), and what a process has read (/proc/PID/io).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridgewatt {

struct Residency {
  std::int64_t pages = 0;  // of all files
  std::int64_t resident = 0;
  double share() const {
    return pages > 0 ? static_cast<double>(resident) / static_cast<double>(pages) : 0;
  }
};
// Pages of `paths` in the page cache. Throws NotFoundError, PermissionError or IoError.
Residency page_cache_residency(const std::vector<std::string>& paths);
// Asks the kernel to drop the files' clean pages; no privilege is needed.
void drop_page_cache(const std::vector<std::string>& paths);

struct IoCounts {
  std::int64_t read_calls = 0;
  std::int64_t read_bytes = 0;     // through system calls, from wherever
  std::int64_t storage_bytes = 0;  // fetched from storage
};
// Of this process since it began; zeros where the kernel does not count.
IoCounts own_io_counts();

}  // namespace ridgewatt
