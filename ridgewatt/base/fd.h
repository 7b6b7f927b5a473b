// Owners of file descriptors, pipes and shared memory, which release them in the destructor.
//
//   const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
//   if (!file) throw_errno(errno, "cannot open", path);
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <utility>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

class OwnedFd {
 public:
  explicit OwnedFd(int fd = -1) : fd_(fd) {}
  OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFd& operator=(OwnedFd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  ~OwnedFd() { reset(); }
  void reset() { close(); }
  // Closes the descriptor and returns the result of ::close(), which can report that an earlier
  // write failed. Returns 0 if there is no descriptor.
  int close() { return fd_ >= 0 ? ::close(std::exchange(fd_, -1)) : 0; }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// Both ends of a pipe. Programs started by this process do not inherit them. The constructor throws
// IoError.
struct Pipe {
  OwnedFd read_end, write_end;

  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw_errno(errno, "cannot create a pipe", "");
    read_end = OwnedFd(ends[0]);
    write_end = OwnedFd(ends[1]);
  }
};

// Zero-initialized memory that a process shares with its forked children. The constructor throws
// IoError.
class SharedMapping {
 public:
  explicit SharedMapping(std::size_t bytes) : bytes_(bytes) {
    void* mapped =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw_errno(errno, "cannot create shared memory", "mmap");
    data_ = mapped;
  }
  SharedMapping(const SharedMapping&) = delete;
  SharedMapping& operator=(const SharedMapping&) = delete;
  ~SharedMapping() { ::munmap(data_, bytes_); }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace ridgewatt
