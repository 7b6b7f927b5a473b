// tegrastats lines as results.
#pragma once

#include <vector>

#include "ridgewatt/base/json.h"
#include "ridgewatt/platform/tegrastats.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt {

// An array with one object a line: line, time, memory, rails (name to power_mw, average_mw,
// maximum_mw), clocks (name to MHz, or a list of MHz; 0 when off), loads (name to percent),
// temperatures (name to degrees Celsius, null when the zone has no power), temperature_maxima,
// not_connected (count) and unknown (words). A name that occurs twice gets " (2)".
Json tegrastats_to_json(const std::vector<TegrastatsLine>& lines);

// One row for every rail of every line.
Table tegrastats_table(const std::vector<TegrastatsLine>& lines);

}  // namespace ridgewatt
