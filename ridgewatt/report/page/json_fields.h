// Fields of result files that may be absent or of another type than expected: they come from
// outside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::report {

// nullopt: absent, or not a finite number.
std::optional<double> number_at(const Json& json, const std::string& key);
// Empty: absent, or not a text.
std::string text_at(const Json& json, const std::string& key);
// The array of objects of that name; empty: there is none.
Json rows_at(const Json& json, const std::string& key);
Cell cell_at(const Json& json, const std::string& key);
// "yes", "no", or empty.
Cell truth_at(const Json& json, const std::string& key);

// Of a nested "mode", or of knobs in the object itself.
PowerMode mode_at(const Json& json);
// nullopt without time_ms and power_w.
std::optional<Observation> observation_at(const Json& json);
// "17.3 ms", with "14 to 21.4" as its interval when `key`_lo_`unit` and _hi_ are there.
std::string quantity_at(const Json& json, const std::string& key, const std::string& unit);
std::string interval_at(const Json& json, const std::string& key, const std::string& unit);
// "17.3 ms (14 to 21.4)".
std::string with_interval_at(const Json& json, const std::string& key, const std::string& unit);

// Workload, board, provenance, runtime and twin as the result itself tells them.
FigureSource source_at(const Json& json);

}  // namespace ridgewatt::report
