#include "ridgewatt/base/error.h"

#include <cerrno>
#include <system_error>

namespace ridgewatt {

void throw_errno(int error_number, const std::string& what, const std::string& where) {
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
