// A file descriptor with an owner: closed on every way out.
#pragma once

#include <unistd.h>

#include <utility>

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
  // What ::close says: of a written file the last chance to hear of an error. 0 when none is held.
  int close() { return fd_ >= 0 ? ::close(std::exchange(fd_, -1)) : 0; }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

}  // namespace ridgewatt
