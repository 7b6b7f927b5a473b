// What a program and the process that holds its power mode say to each other: a request is a letter
// and, to set a mode, its text; an answer is the state, or an error of its class.
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
// Throws the error that the message holds, of the class that it had.
HolderState state_of_message(const std::string& message);

}  // namespace ridgewatt::platform
