#include "ridgewatt/io/input_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

// Device, inode and creation time. The inode alone is not enough, because a new file may reuse the
// inode of a removed one.
using FileIdentity =
    std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::int64_t, std::uint32_t>;

// Returns the identity of a regular file that is not empty; nullopt for any other.
std::optional<FileIdentity> identity_of(int folder, const char* path, int flags) {
  struct statx status {};
  const unsigned wanted = STATX_BASIC_STATS | STATX_BTIME;
  if (::statx(folder, path, flags, wanted, &status) != 0) return std::nullopt;
  if (!S_ISREG(status.stx_mode) || status.stx_size == 0) return std::nullopt;
  return FileIdentity{status.stx_dev_major, status.stx_dev_minor, status.stx_ino,
                      status.stx_btime.tv_sec, status.stx_btime.tv_nsec};
}

struct Register {
  std::mutex mutex;
  std::set<FileIdentity> files;
};

Register& noted() {
  static Register files;
  return files;
}

void note(const std::optional<FileIdentity>& file) {
  if (!file) return;
  const std::lock_guard lock(noted().mutex);
  noted().files.insert(*file);
}

}  // namespace

void note_input(int fd) {
  note(identity_of(fd, "", AT_EMPTY_PATH));
}

void note_input(const std::string& path) {
  note(identity_of(AT_FDCWD, path.c_str(), 0));
}

void refuse_input(const std::string& path) {
  const auto file = identity_of(AT_FDCWD, path.c_str(), 0);
  if (!file) return;
  const std::lock_guard lock(noted().mutex);
  if (!noted().files.contains(*file)) return;
  throw UsageError("cannot replace a file that the command reads", path,
                   "name another file for the result");
}

}  // namespace ridgewatt
