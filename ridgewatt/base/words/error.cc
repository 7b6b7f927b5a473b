#include "ridgewatt/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace ridgewatt {
namespace {

// If a message begins with one of these verbs, its subject goes before it (tools/check_messages.py
// reads this list).
constexpr std::array<std::string_view, 14> kVerbs = {"is",   "are",   "was",   "were",     "has",
                                                     "have", "holds", "lacks", "needs",    "says",
                                                     "does", "names", "must",  "cannot be"};

bool is_said_of_something(std::string_view what) {
  return std::any_of(kVerbs.begin(), kVerbs.end(), [&](std::string_view verb) {
    return what.starts_with(verb) && what.substr(verb.size()).starts_with(' ');
  });
}

std::string join(std::string_view what, std::string_view where, std::string_view hint) {
  std::string line(what);
  if (!where.empty()) {
    line = is_said_of_something(what) ? fmt::format("{} {}", where, what)
                                      : fmt::format("{}: {}", what, where);
  }
  return hint.empty() ? line : fmt::format("{}: {}", line, hint);
}

}  // namespace

Error::Error(std::string_view what, std::string_view where, std::string_view hint)
    : std::runtime_error(join(what, where, hint)) {}

void throw_errno(int error_number, std::string_view what, std::string_view where) {
  const std::string reason = std::generic_category().message(error_number);
  switch (error_number) {
    case ENOENT:
    case ENODEV:
    case ENOTDIR:
      throw NotFoundError(what, where, reason);
    case EACCES:
    case EPERM:
    case EROFS:
      throw PermissionError(what, where, reason);
    default:
      throw IoError(what, where, reason);
  }
}

}  // namespace ridgewatt
