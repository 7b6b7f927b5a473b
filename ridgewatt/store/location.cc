#include "ridgewatt/store/location.h"

#include <algorithm>

#include "ridgewatt/base/error.h"

namespace ridgewatt::store {
namespace {

[[noreturn]] void fail_for_password() {
  throw UsageError(
      "the address of the store contains a password, which other users of this machine can see", "",
      "put the password into a file: ?passfile=FILE, ~/.pgpass or PGPASSFILE");
}

}  // namespace

bool is_postgresql(const std::string& location) {
  return location.starts_with("postgresql://") || location.starts_with("postgres://");
}

void refuse_password(const std::string& location) {
  if (location.find("password=") != std::string::npos) fail_for_password();
  if (!is_postgresql(location)) return;
  const auto begin = location.find("://") + 3;
  const auto user_end = location.rfind('@', std::min(location.find('?'), location.size()));
  if (user_end == std::string::npos || user_end < begin) return;
  if (location.substr(begin, user_end - begin).find(':') != std::string::npos) fail_for_password();
}

std::string shown_location(const std::string& location) {
  return is_postgresql(location) ? location.substr(0, location.find('?')) : location;
}

}  // namespace ridgewatt::store
