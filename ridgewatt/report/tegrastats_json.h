// tegrastats lines as results.
#pragma once

#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/tegrastats.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// An array with one object per line: line, time, memory, rails (name to power_mw, average_mw,
// maximum_mw), clocks (name to MHz, or a list of MHz; 0 when off), loads (name to percent),
// temperatures (name to degrees Celsius, null when the zone has no power), temperature_maxima,
// edp_limit_mhz, not_connected (count) and unknown (words). A name that occurs twice gets " (2)".
Json tegrastats_to_json(const std::vector<platform::TegrastatsLine>& lines);

// One row per reading of every line: kind (rail, clock, limit, load, temperature, memory, unknown),
// name, value, unit, average, maximum (of a rail or zone; the size of a memory), note.
Table tegrastats_table(const std::vector<platform::TegrastatsLine>& lines);

}  // namespace ridgewatt::report
