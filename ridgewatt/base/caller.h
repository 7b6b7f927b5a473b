// Who called sudo: what the program writes as root belongs to that user.
#pragma once

#include <sys/types.h>

#include <optional>

namespace ridgewatt {

struct CallingUser {
  uid_t user = 0;
  gid_t group = 0;
};

// By SUDO_UID and SUDO_GID; nothing unless this runs as root for another user.
std::optional<CallingUser> calling_user();

}  // namespace ridgewatt
