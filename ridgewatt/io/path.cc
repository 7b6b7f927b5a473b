#include "ridgewatt/io/path.h"

#include <filesystem>

namespace ridgewatt {

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string absolute_path(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).string();
}

bool is_descriptor(const std::string& path) {
  return folder_of(path) == "/dev/fd";
}

}  // namespace ridgewatt
