// Reads fields of result files. Fields may be absent or have an unexpected type, because the file
// may come from anybody.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::report {

// Empty if absent or not a finite number.
std::optional<double> number_at(const Json& json, const std::string& key);
// Empty if absent or not a text.
std::string text_at(const Json& json, const std::string& key);
// The array of objects with this key; empty if there is none.
Json rows_at(const Json& json, const std::string& key);
// A column for values of a file. Clocks keep all digits.
Column column_of_file(const std::string& name);
Cell cell_at(const Json& json, const std::string& key);
// "yes" or "no"; empty if absent.
Cell truth_at(const Json& json, const std::string& key);

// The knobs in a nested "mode", or in the object itself.
PowerMode mode_at(const Json& json);
// Empty unless time_ms and power_w are present.
std::optional<Observation> observation_at(const Json& json);
// "17.3 ms"; and its interval, "14 to 21.4", if the keys `key`_lo_`unit` and `key`_hi_`unit` exist.
std::string quantity_at(const Json& json, const std::string& key, const std::string& unit);
std::string interval_at(const Json& json, const std::string& key, const std::string& unit);
// "17.3 ms (14 to 21.4)".
std::string with_interval_at(const Json& json, const std::string& key, const std::string& unit);

// Workload, board, provenance, runtime and twin, as stated in the result.
FigureSource source_at(const Json& json);

}  // namespace ridgewatt::report
