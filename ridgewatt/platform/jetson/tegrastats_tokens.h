// Parses the values of a tegrastats line, with one function per kind of token. Values are
// recognized by their form. No function throws.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/platform/tegrastats.h"

namespace ridgewatt::platform {

// Unreadable words of a token, for TegrastatsLine::unknown.
using UnreadWords = std::vector<std::string>;

// Parses "1282/62795MB"; `detail` is the text in parentheses.
std::optional<TegrastatsMemory> read_tegrastats_memory(std::string_view name,
                                                       std::string_view value,
                                                       std::string_view detail);

// Parses "2399mW/2399mW[/3mW]" or "2399/2399". A single value must have a unit. An unreadable part
// does not affect the other parts if one of them has a unit.
std::optional<TegrastatsRail> read_tegrastats_rail(std::string_view name, std::string_view value,
                                                   UnreadWords& unread);

// Parses "42.5C[/50C]".
std::optional<TegrastatsTemperature> read_tegrastats_temperature(std::string_view name,
                                                                 std::string_view value,
                                                                 UnreadWords& unread);

// Parses "off", "150", "7%", "7%@408", "7%@[305,306]", "@[1,2,3]", "@44". A clock of -1 is unknown.
std::optional<TegrastatsClock> read_tegrastats_clock(std::string_view name, std::string_view value,
                                                     UnreadWords& unread);

// Parses a list of cores: the elements between the brackets, and the text after them ("@2601": a
// clock of all cores). An unreadable element does not change the numbers of the other cores. Empty
// if no element can be read.
std::optional<std::vector<TegrastatsClock>> read_tegrastats_cores(
    const std::vector<std::string>& elements, std::string_view suffix, UnreadWords& unread);

}  // namespace ridgewatt::platform
