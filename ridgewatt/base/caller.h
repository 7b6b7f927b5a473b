// Finds the user who called sudo, so that files which the program writes as root can be given to
// that user.
#pragma once

#include <sys/types.h>

#include <optional>

namespace ridgewatt {

struct CallingUser {
  uid_t user = 0;
  gid_t group = 0;
};

// Returns the user from SUDO_UID and SUDO_GID. Absent unless the program runs as root for another
// user.
std::optional<CallingUser> calling_user();

}  // namespace ridgewatt
