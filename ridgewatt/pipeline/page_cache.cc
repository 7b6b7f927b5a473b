#include "ridgewatt/pipeline/page_cache.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

// An open file, for as long as it lives.
class OpenFile {
 public:
  explicit OpenFile(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0) throw_errno(errno, "cannot open", path);
  }
  ~OpenFile() { ::close(fd_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }
  std::size_t size() const {
    struct stat status {};
    return ::fstat(fd_, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  }

 private:
  int fd_;
};

}  // namespace

Residency page_cache_residency(const std::vector<std::string>& paths) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  Residency total;
  std::vector<unsigned char> pages;
  for (const auto& path : paths) {
    const OpenFile file(path);
    const std::size_t size = file.size();
    if (size == 0) continue;
    void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file.fd(), 0);
    if (mapped == MAP_FAILED) throw_errno(errno, "cannot map", path);
    pages.assign((size + page - 1) / page, 0);
    const int failed = ::mincore(mapped, size, pages.data());
    const int error = errno;
    ::munmap(mapped, size);
    if (failed != 0) throw_errno(error, "cannot ask for residency", path);
    total.pages += static_cast<std::int64_t>(pages.size());
    total.resident +=
        std::count_if(pages.begin(), pages.end(), [](auto p) { return (p & 1) != 0; });
  }
  return total;
}

void drop_page_cache(const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    const OpenFile file(path);
    // Dirty pages stay, so they are written first; fdatasync would also flush the device's own
    // cache, once for every file.
    ::sync_file_range(
        file.fd(), 0, 0,
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    if (const int error = ::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED); error != 0) {
      throw_errno(error, "cannot drop the page cache", path);
    }
  }
}

IoCounts own_io_counts() {
  IoCounts counts;
  std::ifstream in("/proc/self/io");
  std::string key;
  std::int64_t value = 0;
  while (in >> key >> value) {
    if (key == "rchar:") counts.read_bytes = value;
    if (key == "syscr:") counts.read_calls = value;
    if (key == "read_bytes:") counts.storage_bytes = value;
  }
  return counts;
}

}  // namespace ridgewatt
