#include "ridgewatt/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int close() {
    const int result = fd_ >= 0 ? ::close(fd_) : 0;
    fd_ = -1;
    return result;
  }

 private:
  int fd_;
};

}  // namespace

std::string read_file(const std::string& path, std::size_t limit_bytes) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw_errno(errno, "cannot open file", path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_errno(errno, "cannot read file", path);
  if (S_ISDIR(status.st_mode)) throw InputError("is a directory, not a file", path);
  std::string content;
  if (S_ISREG(status.st_mode)) {
    if (static_cast<std::size_t>(status.st_size) > limit_bytes) {
      throw InputError(fmt::format("file is larger than {} bytes", limit_bytes), path);
    }
    content.reserve(static_cast<std::size_t>(status.st_size));
  }
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_errno(errno, "cannot read file", path);
    if (count == 0) return content;
    content.append(buffer, static_cast<std::size_t>(count));
    if (content.size() > limit_bytes) {
      throw InputError(fmt::format("file is larger than {} bytes", limit_bytes), path);
    }
  }
}

void write_file_atomically(const std::string& path, std::string_view content) {
  std::string temporary = path + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) throw_errno(errno, "cannot write file", path);
  const auto fail = [&](int error_number) {
    ::unlink(temporary.c_str());
    throw_errno(error_number, "cannot write file", path);
  };
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = ::write(file.get(), content.data() + written, content.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    written += static_cast<std::size_t>(count);
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(file.get(), 0666 & ~mask) != 0 || ::fsync(file.get()) != 0 || file.close() != 0 ||
      ::rename(temporary.c_str(), path.c_str()) != 0) {
    fail(errno);
  }
}

}  // namespace ridgewatt
