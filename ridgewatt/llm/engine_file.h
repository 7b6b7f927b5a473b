// Engines as data: engines/language_models.toml, which is embedded into the library.
//
//   write(engines_toml(ship_engines(rows)));  // how the file is made
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/llm/engine_fit.h"
#include "ridgewatt/llm/forecast.h"

namespace ridgewatt::llm {

struct EngineFile {
  std::vector<ShippedEngine> engines;
  std::vector<BoardDraw> boards;
};
// The engines of forecast.h, fitted to `rows`; their intervals from leaving out in turn. An engine
// of no rows is drawn from the others.
EngineFile ship_engines(std::span<const EngineRow> rows);
std::string engines_toml(const EngineFile& file);
// InputError names the key of `source` that is wrong.
EngineFile parse_engines(std::string_view toml, const std::string& source);

// The embedded one.
const EngineFile& shipped_engine_file();

}  // namespace ridgewatt::llm
