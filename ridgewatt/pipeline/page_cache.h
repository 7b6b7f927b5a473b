// Reads which pages of a file are in the page cache (mincore) and drops pages from it
// (posix_fadvise).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridgewatt::pipeline {

struct Residency {
  std::int64_t pages = 0;  // of all files
  std::int64_t resident = 0;
  double share() const {
    return pages > 0 ? static_cast<double>(resident) / static_cast<double>(pages) : 0;
  }
};
// Counts the pages of `paths` in the page cache. Throws NotFoundError, PermissionError or IoError.
Residency page_cache_residency(const std::vector<std::string>& paths);
// Asks the kernel to drop the clean pages of the files. Needs no privilege.
void drop_page_cache(const std::vector<std::string>& paths);

// The files below a folder, or the file itself, sorted by name. Throws NotFoundError if there is
// none.
std::vector<std::string> files_below(const std::string& path);

// Puts files into the page cache or drops them. The destructor restores the original state: it
// reads pages that were in memory and drops the others.
class PageCacheState {
 public:
  explicit PageCacheState(std::vector<std::string> paths);
  ~PageCacheState();
  PageCacheState(const PageCacheState&) = delete;
  PageCacheState& operator=(const PageCacheState&) = delete;
  void fill() const;  // reads all files completely
  void drop() const { drop_page_cache(paths_); }

 private:
  std::vector<std::string> paths_;
  std::vector<std::vector<unsigned char>> resident_;  // one byte per page, for each file
};

}  // namespace ridgewatt::pipeline
