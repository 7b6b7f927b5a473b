// The names and synonyms of the embedded boards.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/base/suggest.h"

namespace ridgewatt {

// Returns the names that load_board() accepts: board names, names with a BSP other than the default
// ("orin-nano-8gb@super"), and synonyms of both ("orin-nano-super").
const NameSet& board_names();

// The name of this machine's CPU as a board. load_board() accepts it after `ridgewatt calibrate
// --device local` has run.
inline constexpr char kLocalBoard[] = "local";
// Returns the path of the board file of kLocalBoard: $XDG_DATA_HOME/ridgewatt/local.toml, by
// default in ~/.local/share. Empty if neither XDG_DATA_HOME nor HOME is set.
std::string local_board_path();
// Returns whether the file local_board_path() exists.
bool has_local_board();

// The name of a fake board as a device: "fake:agx-orin".
inline constexpr std::string_view kFakePrefix = "fake:";
// Returns the name after kFakePrefix; empty if the device is not a fake board.
inline std::optional<std::string> fake_name(std::string_view device) {
  if (!device.starts_with(kFakePrefix)) return std::nullopt;
  return std::string(device.substr(kFakePrefix.size()));
}

}  // namespace ridgewatt
