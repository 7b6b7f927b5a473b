#include "ridgewatt/pipeline/page_cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"

namespace ridgewatt::pipeline {
namespace {

// Owns an open file.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!fd_) throw_errno(errno, "cannot open", path);
  }
  int fd() const { return fd_.get(); }
  std::size_t size() const {
    struct stat status {};
    return ::fstat(fd(), &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  }

 private:
  OwnedFd fd_;
};

std::size_t page_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// For each page of the file: 1 if it is in the page cache, else 0.
std::vector<unsigned char> resident_pages(const std::string& path) {
  const OpenFile file(path);
  const std::size_t size = file.size();
  std::vector<unsigned char> pages((size + page_bytes() - 1) / page_bytes(), 0);
  if (pages.empty()) return pages;
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd(), 0);
  if (mapped == MAP_FAILED) throw_errno(errno, "cannot map the file into memory", path);
  const int failed = ::mincore(mapped, size, pages.data());
  const int error = errno;
  ::munmap(mapped, size);
  if (failed != 0) throw_errno(error, "cannot query the page cache", path);
  for (auto& page : pages) page &= 1;
  return pages;
}

// Reads the pages marked in `wanted`, without read-ahead of the kernel. Empty: reads all pages.
void read_pages(const std::string& path, const std::vector<unsigned char>& wanted) {
  const OpenFile file(path);
  if (!wanted.empty()) ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_RANDOM);
  const std::size_t page = page_bytes(), pages = (file.size() + page - 1) / page;
  std::vector<char> buffer(page);
  for (std::size_t i = 0; i < pages; ++i) {
    if (!wanted.empty() && (i >= wanted.size() || wanted[i] == 0)) continue;
    if (::pread(file.fd(), buffer.data(), page, static_cast<off_t>(i * page)) < 0) {
      throw_errno(errno, "cannot read", path);
    }
  }
}

}  // namespace

Residency page_cache_residency(const std::vector<std::string>& paths) {
  Residency total;
  for (const auto& path : paths) {
    const auto pages = resident_pages(path);
    total.pages += static_cast<std::int64_t>(pages.size());
    total.resident += std::count(pages.begin(), pages.end(), 1);
  }
  return total;
}

std::vector<std::string> files_below(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code error;
  if (fs::is_regular_file(path, error)) files.push_back(path);
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code unseen;
    if (at->is_regular_file(unseen)) files.push_back(at->path().string());
  }
  if (files.empty()) throw NotFoundError("has no regular files", path, "give a folder with files");
  std::sort(files.begin(), files.end());
  return files;
}

PageCacheState::PageCacheState(std::vector<std::string> paths) : paths_(std::move(paths)) {
  for (const auto& path : paths_) resident_.push_back(resident_pages(path));
}

void PageCacheState::fill() const {
  for (const auto& path : paths_) read_pages(path, {});
}

PageCacheState::~PageCacheState() {
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    try {  // a file that no longer exists has no pages
      if (resident_pages(paths_[i]) == resident_[i]) continue;
      drop_page_cache({paths_[i]});
      read_pages(paths_[i], resident_[i]);
    } catch (const Error&) {
    }
  }
}

void drop_page_cache(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    const OpenFile file(path);
    // Dirty pages cannot be dropped, so they are written first. fdatasync would also flush the
    // cache of the device, once per file.
    ::sync_file_range(
        file.fd(), 0, 0,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    if (const int error = ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED); error != 0) {
      throw_errno(error, "cannot drop the page cache", path);
    }
  }
}

}  // namespace ridgewatt::pipeline
