// Power modes of a board, and what applying one did, as JSON and tables.
#pragma once

#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// presets (id, name, mode of upper limits), governors, knobs (levels by field), modes (count).
Json mode_list_to_json(const platform::JetsonModeControl& control);
Table mode_list_table(const platform::JetsonModeControl& control);

// mode (upper limits), fixed (cpu, gpu, mem), governor, gpu_governor, preset.
Json mode_state_to_json(const platform::ModeState& state);
Table mode_state_table(const platform::ModeState& state);

// requested, applied, dry_run, writes (path, value), changed_by_board (path, wanted, found).
Json apply_to_json(const platform::ApplySummary& summary, bool dry_run);
Table writes_table(const platform::WriteSummary& summary);

}  // namespace ridgewatt::report
