// Cross-validation of the engine fit. Each measurement is predicted from a fit without the rows of
// the same engine, model and quantization. On boards with few measurements, the fit leaves out all
// rows of the same engine and model.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/llm/engine_fit.h"

namespace ridgewatt::llm {

// A predicted and a measured figure. NaN: not measured.
struct LeftOutFigure {
  double measured = 0;
  double predicted = 0;
  double log_sd = 0;  // standard deviation of the logarithm from the fit
  double error() const { return predicted / measured - 1; }
  double log_error() const;
  bool known() const;
};
struct LeftOutCell {
  const EngineRow* row = nullptr;
  std::size_t learned_from = 0;  // remaining rows of the engine in the fit
  Engine engine;                 // fitted without the row
  LeftOutFigure step, prompt, decode_power, prefill_power;
};
// One cell for each row, in the same order. `rows` must outlive the result.
std::vector<LeftOutCell> left_out_cells(std::span<const EngineRow> rows);

// Factors on the log deviations, chosen so that 90 % of the left-out cells lie within 1.645
// deviations; every (engine, model, quantization) has the same weight. At least 1, since few cells
// cannot show that an interval is too wide.
struct EngineScales {
  double step = 1, prompt = 1, decode_power = 1, prefill_power = 1;
};
// Returns the factors from the cells of all engines except `without`. Empty: no engine is left out.
EngineScales engine_scales(std::span<const LeftOutCell> cells, std::string_view without = "");

// Measured power of a board above idle, divided by the predicted power. The prediction uses the
// scaled twin of the board and engines that were fitted on other boards. If only the GPU and CPU
// rails were measured, the prediction is multiplied by the share of these rails on boards with all
// rails, after subtracting leakage.
struct BoardDraw {
  std::string board;
  double dynamic = 1;
  std::size_t rows = 0;
};
// Returns the boards that have cells with measured power in modes with fitted rows. The cells of
// one model or one engine can be left out.
std::vector<BoardDraw> board_draws(std::span<const LeftOutCell> cells,
                                   std::string_view without_model = "",
                                   std::string_view without_engine = "");
// Returns BoardDraw::dynamic of the board; 1 if `draws` lacks the board.
double dynamic_of(std::span<const BoardDraw> draws, std::string_view board);
// Median share of GPU and CPU rails in power above idle, without their leakage; NaN without cells.
double rail_share_of(std::span<const LeftOutCell> cells);

}  // namespace ridgewatt::llm
