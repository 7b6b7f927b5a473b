// Power modes of a board, and what applying one did, as JSON and tables.
#pragma once

#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt {

// presets (id, name, mode of upper limits), governors, knobs (levels by field), modes (count).
Json mode_list_to_json(const JetsonModeControl& control);
Table mode_list_table(const JetsonModeControl& control);

// mode (upper limits), fixed (cpu, gpu, mem), governor, gpu_governor, preset.
Json mode_state_to_json(const ModeState& state);
Table mode_state_table(const ModeState& state);

// requested, applied, dry_run, writes (path, value), changed_by_board (path, wanted, found).
Json apply_to_json(const ApplySummary& summary, bool dry_run);
Table writes_table(const WriteSummary& summary);

}  // namespace ridgewatt
