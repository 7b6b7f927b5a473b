#include "ridgewatt/schedule/worker_socket.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "ridgewatt/base/error.h"

namespace ridgewatt::schedule {
namespace {

constexpr const char* kHint = "give --socket PATH, or set XDG_RUNTIME_DIR to a folder of your own";

// The folder of the user; created if it does not exist.
std::string fallback_folder() {
  if (::geteuid() == 0) return "/run/ridgewatt";
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home != '/')
    throw NotFoundError("there is no folder for the socket", "", kHint);
  const std::string parent = std::string(home) + "/.local/state/ridgewatt";
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error) throw_errno(error.value(), "cannot create the folder of the socket", parent);
  return parent + "/run";
}

void require_private(const std::string& folder) {
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) {
    throw_errno(errno, "cannot read the folder of the socket", folder);
  }
  const char* fault = nullptr;
  if (!S_ISDIR(status.st_mode))
    fault = "the folder of the socket is not a folder";
  else if (status.st_uid != ::geteuid())
    fault = "the folder of the socket belongs to another user";
  else if ((status.st_mode & 022) != 0)
    fault = "the folder of the socket can be written by others";
  if (fault != nullptr) throw PermissionError(fault, folder, kHint);
}

}  // namespace

std::string default_worker_socket() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  std::string folder = runtime != nullptr ? runtime : "";
  // A trailing slash would make lstat follow a link.
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  if (folder.empty()) {
    folder = fallback_folder();
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
      throw_errno(errno, "cannot create the folder of the socket", folder);
    }
  }
  require_private(folder);
  return folder + "/ridgewatt.sock";
}

}  // namespace ridgewatt::schedule
