// Reads and writes engines/language_models.toml, the file of fitted engines that is embedded into
// the library.
//
//   write(engines_toml(ship_engines(rows, left_out_cells(rows))));  // how the file is created
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/llm/engine_fit.h"
#include "ridgewatt/llm/engine_left_out.h"
#include "ridgewatt/llm/forecast.h"

namespace ridgewatt::llm {

struct EngineFile {
  std::vector<ShippedEngine> engines;
  std::vector<BoardDraw> boards;
};
// Fits the engines of forecast.h to `rows` and computes the widths of their intervals from `cells`,
// the cross-validation of the rows. An engine without rows gets the mean of the other engines.
EngineFile ship_engines(std::span<const EngineRow> rows, std::span<const LeftOutCell> cells);
std::string engines_toml(const EngineFile& file);
// Throws InputError that names the faulty key of `source`.
EngineFile parse_engines(std::string_view toml, const std::string& source);

// The embedded file.
const EngineFile& shipped_engine_file();

}  // namespace ridgewatt::llm
