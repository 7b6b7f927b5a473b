#include "ridgewatt/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "ridgewatt/base/caller.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/input_files.h"
#include "ridgewatt/io/output_file.h"
#include "ridgewatt/io/path.h"

namespace ridgewatt {

// Limit for a terminal or another character device, since /dev/zero and /dev/full never end.
// Chosen: more than anyone types.
constexpr std::size_t kDeviceLimitBytes = std::size_t{16} << 20;

std::string read_file(const std::string& path, std::size_t limit_bytes) {
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw_errno(errno, "cannot open file", path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_errno(errno, "cannot read file", path);
  if (S_ISDIR(status.st_mode)) throw InputError("is a folder, not a file", path);
  if (S_ISCHR(status.st_mode)) limit_bytes = std::min(limit_bytes, kDeviceLimitBytes);
  std::string content;
  if (S_ISREG(status.st_mode)) {
    if (static_cast<std::size_t>(status.st_size) > limit_bytes) {
      throw InputError(fmt::format("the file is larger than {} bytes", limit_bytes), path);
    }
    content.reserve(static_cast<std::size_t>(status.st_size));
    note_input(file.get());
  }
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_errno(errno, "cannot read file", path);
    if (count == 0) return content;
    content.append(buffer, static_cast<std::size_t>(count));
    if (content.size() > limit_bytes) {
      throw InputError(fmt::format("the file is larger than {} bytes", limit_bytes), path);
    }
  }
}

namespace {

[[noreturn]] void fail_to_write(const std::string& path, int error = errno) {
  throw_errno(error, "cannot write file", path);
}

void write_all(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t count = ::write(fd, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_write(path);
    content.remove_prefix(static_cast<std::size_t>(count));
  }
}

// Blocks the signals that end a program while a named temporary file exists.
class SignalPause {
 public:
  SignalPause() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~SignalPause() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalPause(const SignalPause&) = delete;
  SignalPause& operator=(const SignalPause&) = delete;

 private:
  sigset_t before_{};
};

// Sets mode and owner to those of the file that is replaced, or else to those of a new file.
void dress(int fd, const std::string& path, bool for_user) {
  struct stat old {};
  if (::stat(path.c_str(), &old) == 0) {
    if (::fchmod(fd, old.st_mode & 07777) != 0) fail_to_write(path);
    [[maybe_unused]] const int kept = ::fchown(fd, old.st_uid, old.st_gid);  // only root may
    return;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(fd, 0666 & ~mask) != 0) fail_to_write(path);
  const auto caller = for_user ? calling_user() : std::nullopt;
  if (caller && ::fchown(fd, caller->user, caller->group) != 0) {
    throw_errno(errno, "cannot change the owner of the file to the calling user", path);
  }
}

// Opens an unnamed file in the folder of `path`. On failure the descriptor is negative and errno is
// set.
OwnedFd open_unnamed(const std::string& path) {
  return OwnedFd(::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
}

// A temporary file in the folder of `path`. If the file system supports it, the file has no name
// and disappears even if the program is killed.
class NewFile {
 public:
  // `begun`: an unnamed file with the first part of the content; may be closed.
  NewFile(const std::string& path, OwnedFd begun)
      : path_(path), file_(begun.get() >= 0 ? std::move(begun) : open_unnamed(path)) {
    if (file_.get() >= 0) return;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
      fail_to_write(path);
    }
    name_ = path + ".XXXXXX";
    file_ = OwnedFd(::mkostemp(name_.data(), O_CLOEXEC));
    if (file_.get() < 0) {
      name_.clear();
      fail_to_write(path);
    }
  }
  ~NewFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  int get() const { return file_.get(); }
  // Replaces `path`.
  void replace() {
    if (name_.empty()) give_name();
    if (file_.close() != 0 || ::rename(name_.c_str(), path_.c_str()) != 0) {
      fail_to_write(path_);
    }
    name_.clear();
  }

 private:
  // linkat() cannot replace a file. So this links the file to an unused name, which replace() then
  // renames.
  void give_name() {
    const std::string self = fmt::format("/proc/self/fd/{}", file_.get());
    for (int attempt = 0; attempt < 100; ++attempt) {
      const std::string name = fmt::format("{}.{}-{}", path_, ::getpid(), attempt);
      if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
        name_ = name;
        return;
      }
      if (errno != EEXIST) break;
    }
    fail_to_write(path_);
  }

  std::string path_, name_;
  OwnedFd file_;
};

void replace_file(const std::string& path, std::string_view content, bool for_user,
                  OwnedFd begun = OwnedFd()) {
  const SignalPause pause;
  NewFile file(path, std::move(begun));
  write_all(file.get(), content, path);
  dress(file.get(), path, for_user);
  if (::fsync(file.get()) != 0) fail_to_write(path);
  file.replace();
}

// Returns the descriptor that a name such as /dev/stdout means; -1: any other file.
int named_descriptor(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const auto number = parse_int(path.substr(folder.size()));
    if (number && *number >= 0 && *number < 1 << 20) return static_cast<int>(*number);
  }
  return -1;
}

// Returns the target of a link, even if the target does not exist yet.
std::string follow_links(std::string path) {
  for (int hops = 0; hops < 40; ++hops) {
    char target[PATH_MAX];
    const ssize_t size = ::readlink(path.c_str(), target, sizeof target);
    if (size < 0) return path;
    const std::string next(target, static_cast<std::size_t>(size));
    path = next.starts_with('/') ? next : folder_of(path) + "/" + next;
    if (named_descriptor(path) >= 0) return path;
  }
  fail_to_write(path, ELOOP);
}

void write_in_place(const std::string& path, std::string_view content) {
  const OwnedFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) fail_to_write(path);
  write_all(file.get(), content, path);
}

}  // namespace

void write_file_atomically(const std::string& path, std::string_view content) {
  replace_file(path, content, false);
}

namespace {

// Where write_output() writes.
struct Destination {
  std::string target;     // `path` without links
  int descriptor = -1;    // -1: a file
  bool in_place = false;  // a FIFO or character device
};

// Throws for a destination that write_output() refuses.
Destination destination_of(const std::string& path) {
  if (path.empty()) throw InputError("the file name is empty", "", "name a file, or - to print");
  Destination found{follow_links(path)};
  found.descriptor = named_descriptor(found.target);
  struct stat status {};
  if (found.descriptor >= 0) return found;
  if (::stat(found.target.c_str(), &status) != 0) {
    if (errno == ENOENT) return found;
    fail_to_write(path);
  }
  if (S_ISDIR(status.st_mode)) throw InputError("is a folder, not a file", path);
  if (S_ISBLK(status.st_mode)) throw InputError("is a block device, not a file", path);
  if (S_ISSOCK(status.st_mode)) throw InputError("is a socket, not a file", path);
  if (::faccessat(AT_FDCWD, found.target.c_str(), W_OK, AT_EACCESS) != 0) {
    fail_to_write(path);
  }
  found.in_place = !S_ISREG(status.st_mode);
  return found;
}

// `begun`: an unnamed file with the first part of the content; may be closed.
void write_rest(const std::string& path, std::string_view content, OwnedFd begun) {
  const Destination to = destination_of(path);
  if (to.descriptor >= 0) return write_all(to.descriptor, content, path);
  if (to.in_place) return write_in_place(to.target, content);
  replace_file(to.target, content, true, std::move(begun));
}

// Returns whether writing to `target` replaces or creates a file.
bool is_replaced(const std::string& target) {
  struct stat status {};
  if (target.empty() || named_descriptor(target) >= 0) return false;
  return ::stat(target.c_str(), &status) == 0 ? S_ISREG(status.st_mode) : errno == ENOENT;
}

}  // namespace

void write_output(const std::string& path, std::string_view content) {
  write_rest(path, content, OwnedFd());
}

void check_output(const std::string& path) {
  const Destination to = destination_of(path);
  if (to.descriptor >= 0 || to.in_place || open_unnamed(to.target).get() >= 0) return;
  if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) {  // no unnamed files here
    if (::faccessat(AT_FDCWD, folder_of(to.target).c_str(), W_OK | X_OK, AT_EACCESS) == 0) return;
  }
  fail_to_write(path);
}

void OutputFile::append(std::string_view text) {
  constexpr std::size_t kMostHeldBytes = std::size_t{1} << 20;
  if (failure_) return;
  text_ += text;
  if (text_.size() >= kMostHeldBytes && spills_) spill();
}

void OutputFile::spill() {
  try {
    if (file_.get() < 0) {
      const std::string target = follow_links(path_);
      if (is_replaced(target)) file_ = open_unnamed(target);
    }
    if (file_.get() < 0) {
      spills_ = false;  // kept in memory until finish(), which reports any error
      return;
    }
    write_all(file_.get(), text_, path_);
    text_.clear();
  } catch (const Error&) {
    failure_ = std::current_exception();
    spills_ = false;
  }
}

void OutputFile::finish() {
  if (failure_) std::rethrow_exception(failure_);
  if (file_.get() >= 0 && !is_replaced(follow_links(path_))) {
    throw IoError("the file was replaced while its content was computed", path_,
                  "run the command again");
  }
  write_rest(path_, text_, std::move(file_));
}

void keep_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // open() returns the lowest free descriptor, which is `fd`. The wrong access mode makes output
    // and input fail, so that the error is reported.
    [[maybe_unused]] const int opened =
        ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

}  // namespace ridgewatt
