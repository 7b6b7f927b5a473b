// The values of a tegrastats line, one function per kind of token. Each goes by the shape of the
// value; none throws.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/platform/tegrastats.h"

namespace ridgewatt::platform {

// What a token holds that could not be read: words that go to TegrastatsLine::unknown.
using UnreadWords = std::vector<std::string>;

// "1282/62795MB" and the text in parentheses without them.
std::optional<TegrastatsMemory> read_tegrastats_memory(std::string_view name,
                                                       std::string_view value,
                                                       std::string_view detail);

// "2399mW/2399mW[/3mW]", or without units. A single value must have its unit. A part that cannot be
// read costs only itself where another one names the unit.
std::optional<TegrastatsRail> read_tegrastats_rail(std::string_view name, std::string_view value,
                                                   UnreadWords& unread);

// "42.5C[/50C]".
std::optional<TegrastatsTemperature> read_tegrastats_temperature(std::string_view name,
                                                                 std::string_view value,
                                                                 UnreadWords& unread);

// "off", "150", "7%", "7%@408", "7%@[305,306]", "@[1,2,3]", "@44". A clock of -1 is not known.
std::optional<TegrastatsClock> read_tegrastats_clock(std::string_view name, std::string_view value,
                                                     UnreadWords& unread);

// A list of cores: what stands between the brackets, and what follows them ("@2601": a clock that
// all have). An element that cannot be read costs only itself: the others keep their numbers.
// Nothing when no element can be read.
std::optional<std::vector<TegrastatsClock>> read_tegrastats_cores(
    const std::vector<std::string>& elements, std::string_view suffix, UnreadWords& unread);

}  // namespace ridgewatt::platform
