// Every cell predicted without its like: (model, quantization) of an engine from what is left of
// its cells and the other engines; on boards with few cells without the whole model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/llm/engine_fit.h"

namespace ridgewatt::llm {

// A predicted figure and the measured one. NaN: not measured.
struct LeftOutFigure {
  double measured = 0;
  double predicted = 0;
  double log_sd = 0;  // what the fit says about it
  double error() const { return predicted / measured - 1; }
  double log_error() const;
  bool known() const;
};
struct LeftOutCell {
  const EngineRow* row = nullptr;
  std::size_t learned_from = 0;  // cells of the engine that were left
  Engine engine;                 // without it
  LeftOutFigure step, prompt, decode_power, prefill_power;
};
// One for each row, in their order. Rows must outlive the result.
std::vector<LeftOutCell> left_out_cells(std::span<const EngineRow> rows);

// By what deviations of figures must be multiplied so that nine tenths of the cells that were left
// out lie within 1.645 of them; every (engine, model, quantization) counts the same. At least 1:
// few cells do not show that an interval is too wide.
struct EngineScales {
  double step = 1, prompt = 1, decode_power = 1, prefill_power = 1;
};
// Of the cells of all engines but `without`, which is asked for; empty: of all.
EngineScales engine_scales(std::span<const LeftOutCell> cells, std::string_view without = "");

// What a board draws for work, compared with what its carried twin and engines that were fitted
// elsewhere say. Cells of boards that show GPU and CPU alone are compared with the share that these
// have where all rails are known, less what they leak.
struct BoardDraw {
  std::string board;
  double dynamic = 1;
  std::size_t rows = 0;
};
// Of boards with such cells whose step is fitted to, without those of one model or one engine.
std::vector<BoardDraw> board_draws(std::span<const LeftOutCell> cells,
                                   std::string_view without_model = "",
                                   std::string_view without_engine = "");
// 1 where there is none.
double dynamic_of(std::span<const BoardDraw> draws, std::string_view board);
// Share of GPU and CPU in what power is above idle, less what these leak; NaN without cells.
double rail_share_of(std::span<const LeftOutCell> cells);

}  // namespace ridgewatt::llm
