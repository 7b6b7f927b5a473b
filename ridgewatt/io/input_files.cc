#include "ridgewatt/io/input_files.h"

#include <sys/stat.h>

#include <mutex>
#include <set>
#include <utility>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

struct Register {
  std::mutex mutex;
  std::set<std::pair<dev_t, ino_t>> files;
};

Register& noted() {
  static Register files;
  return files;
}

void note(const struct stat& status) {
  if (!S_ISREG(status.st_mode) || status.st_size == 0) return;
  const std::lock_guard lock(noted().mutex);
  noted().files.emplace(status.st_dev, status.st_ino);
}

}  // namespace

void note_input(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) == 0) note(status);
}

void note_input(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) note(status);
}

void refuse_input(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  const std::lock_guard lock(noted().mutex);
  if (!noted().files.contains({status.st_dev, status.st_ino})) return;
  throw UsageError("cannot replace a file that the command reads", path,
                   "name another file for the result");
}

}  // namespace ridgewatt
