// The one spelling of a power mode in results.
#pragma once

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// {"cpu_cores":..,"cpu_mhz":..,"gpu_mhz":..,"mem_mhz":..}; absent knobs are absent; a governor is
// "governor".
Json mode_to_json(const PowerMode& mode);
// The columns of all knobs (with this rank; optional, see Column), and the cells of one mode in
// them.
std::vector<Column> knob_columns(int rank = 0);
// The same of rows of these modes: the knobs that one of them has are not optional.
std::vector<Column> knob_columns_of(const std::vector<PowerMode>& modes, int rank = 0);
// The mode of such an object; `source` is for messages. InputError: a value that is not a knob's.
PowerMode mode_from_json(const Json& json, const std::string& source);
std::vector<Cell> knob_cells(const PowerMode& mode, const std::vector<Column>& columns);

}  // namespace ridgewatt::report
