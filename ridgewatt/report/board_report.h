// Reports about boards: their data with sources, and the power modes of the local board.
#pragma once

#include "ridgewatt/device/board.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// One row per board: the size of its mode space (with the selected BSP) and its peaks in the top
// mode.
Table board_list_table(const std::vector<Board>& boards);
// One row per fact: key as in the board file, value, status, source.
Table board_fact_table(const Board& board);
// One row per preset of the selected BSP: its mode, SMs and peaks. A precision without a rate has
// an empty cell.
Table preset_table(const Board& board);
// The facts and presets of a board; with `modes`, its modes instead.
Result board_result(const Board& board, bool modes);
// One row per power mode of the selected BSP, in the CSV format of `estimate --modes FILE`.
Table mode_table(const Board& board);

// All data: chip, BSPs with knob tables and presets, peaks, twin parameters, provenance. With
// `modes` also the modes of the selected BSP.
Json board_to_json(const Board& board, bool modes = false);

// JSON keys: presets (id, name, mode of upper limits), governors, knobs (levels by field), modes
// (count).
Result mode_list_result(const platform::JetsonModeControl& control);
// All given modes, in the format of `predict --query` and `profile --modes`.
Table mode_grid_table(const std::vector<PowerMode>& modes);
// JSON keys: mode (upper limits), fixed (cpu, gpu, mem), governor, gpu_governor, preset.
Result mode_state_result(const platform::ModeState& state);
// JSON keys: requested, applied, dry_run, writes (path, value), changed_by_board (path, wanted,
// found).
Result apply_result(const platform::ApplySummary& summary, bool dry_run);
// A line for the terminal. `gpu_governor`: empty if none was set.
std::string applied_text(const platform::ApplySummary& summary, const std::string& gpu_governor);
Table writes_table(const platform::WriteSummary& summary);
// Results for a POWER_MODEL section of nvpmodel.conf and for a new fake board.
Json power_model_json(int id, const std::string& name, const PowerMode& mode,
                      const std::string& text);
Json fake_board_json(const std::string& board, const std::string& folder, std::uint64_t seed);

}  // namespace ridgewatt::report
