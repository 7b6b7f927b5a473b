// Messages between a program and the process that controls its power mode (ModeHolder). A request
// is a letter, followed by the mode if it sets one. An answer is the state or an error with its
// class.
#pragma once

#include <cstddef>
#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/mode_holder.h"

namespace ridgewatt::platform {

inline constexpr std::size_t kLongestMessage = 1 << 16;
inline constexpr char kSetRequest = 's';
inline constexpr char kRestoreRequest = 'r';
inline constexpr char kStateRequest = '?';

std::string state_message(const HolderState& state);
std::string error_message(const Error& error);
// Throws the error in the message, with its original class.
HolderState state_of_message(const std::string& message);

}  // namespace ridgewatt::platform
