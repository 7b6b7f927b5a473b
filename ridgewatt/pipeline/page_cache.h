// The page cache as the kernel reports it: which pages of a file are in memory (mincore), and how
// to drop them (posix_fadvise).
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
// Pages of `paths` in the page cache. Throws NotFoundError, PermissionError or IoError.
Residency page_cache_residency(const std::vector<std::string>& paths);
// Asks the kernel to drop the files' clean pages; no privilege is needed.
void drop_page_cache(const std::vector<std::string>& paths);

// The files below a folder, or the file itself, by name. Throws NotFoundError if there is none.
std::vector<std::string> files_below(const std::string& path);

// Puts files into the page cache or drops them, and finally restores the former state: pages that
// were in memory are read again, the others are dropped.
class PageCacheState {
 public:
  explicit PageCacheState(std::vector<std::string> paths);
  ~PageCacheState();
  PageCacheState(const PageCacheState&) = delete;
  PageCacheState& operator=(const PageCacheState&) = delete;
  void fill() const;  // reads everything
  void drop() const { drop_page_cache(paths_); }

 private:
  std::vector<std::string> paths_;
  std::vector<std::vector<unsigned char>> resident_;  // a byte for each page of each file
};

}  // namespace ridgewatt::pipeline
