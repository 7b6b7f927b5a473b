// What is known of boards, as tables and JSON, each number with its source.
#pragma once

#include "ridgewatt/device/board.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// One row per board: size of its mode space (of the selected BSP) and its peaks in the top mode.
Table board_list_table(const std::vector<Board>& boards);
// One row a fact: key as in the board file, value, status, source.
Table board_fact_table(const Board& board);
// One row a preset of the selected BSP: its mode, SMs and peaks. Precisions without a rate are
// empty cells.
Table preset_table(const Board& board);
// One row a power mode of the selected BSP; the CSV is what `estimate --modes FILE` reads.
Table mode_table(const Board& board);

// Everything: silicon, BSPs with knob tables and presets, peaks, twin parameters, provenance.
// With `modes` the modes of the selected BSP too.
Json board_to_json(const Board& board, bool modes = false);

}  // namespace ridgewatt::report
