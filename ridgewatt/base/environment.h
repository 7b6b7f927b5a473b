// Environment variables. An empty one counts as unset.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace ridgewatt {

inline std::optional<std::string> environment_variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

// The folder of the user's state, such as ~/.local/state.
inline std::optional<std::string> user_state_folder() {
  if (auto state = environment_variable("XDG_STATE_HOME")) return state;
  if (const auto home = environment_variable("HOME")) return *home + "/.local/state";
  return std::nullopt;
}

}  // namespace ridgewatt
