#include "ridgewatt/base/caller.h"

#include <unistd.h>

#include <cstdint>
#include <limits>

#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

std::optional<std::uint32_t> id_of(const char* name) {
  const auto text = environment_variable(name);
  const auto number = text ? parse_int(*text) : std::nullopt;
  // The largest value means "no change" to chown.
  if (!number || *number < 0 || *number >= std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*number);
}

}  // namespace

std::optional<CallingUser> calling_user() {
  if (::geteuid() != 0) return std::nullopt;
  const auto user = id_of("SUDO_UID");
  const auto group = id_of("SUDO_GID");
  if (!user || !group || *user == 0) return std::nullopt;
  return CallingUser{*user, *group};
}

}  // namespace ridgewatt
