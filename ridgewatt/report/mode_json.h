// The representation of power modes in all results.
#pragma once

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// A JSON object {"cpu_cores":..,"cpu_mhz":..,"gpu_mhz":..,"mem_mhz":..} without absent knobs; a
// governor has the key "governor".
Json mode_to_json(const PowerMode& mode);
// One optional column (see Column) of this rank per knob, and one for the governor.
std::vector<Column> knob_columns(int rank = 0);
// Like knob_columns(), but a knob that one of `modes` has is not optional.
std::vector<Column> knob_columns_of(const std::vector<PowerMode>& modes, int rank = 0);
// Inverse of mode_to_json; `source` is the name in messages. Throws InputError for an invalid
// value.
PowerMode mode_from_json(const Json& json, const std::string& source);
// Reads the mode from the output of `tune --format json` in a file. If the output (of `tune llm
// --phases`) has a mode of its own for `phase`, such as "prefill_mode", returns that mode. Throws
// InputError if the file has no mode.
PowerMode mode_of_answer(const std::string& path, const std::string& phase = "");
// The cells of a mode in `columns`.
std::vector<Cell> knob_cells(const PowerMode& mode, const std::vector<Column>& columns);

}  // namespace ridgewatt::report
