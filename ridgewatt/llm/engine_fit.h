// Fits the coefficients of all engines together to measurements. Where the measurements of an
// engine say little, its coefficients are shrunk toward the mean of all engines. The mean is shrunk
// toward a prior.
//
//   const EngineFits fits = fit_engines(rows);
//   fits.of("vllm").step_s(work, hardware);
//   fits.of("mlc");  // without rows: the mean of the other engines and its spread
//
// Maximum a posteriori estimate of a hierarchical model (Gelman et al., Bayesian Data Analysis,
// 2013, chapter 5), in logarithms. Means and engines are updated in turn.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "ridgewatt/llm/engine.h"

namespace ridgewatt::llm {

// One measurement. NaN: not measured.
struct EngineRow {
  std::string engine;        // "llama.cpp b5283"; other releases are other engines
  std::string model;         // "llama-3.2-1b" of the zoo
  std::string quantization;  // a recipe, or the name in the source
  std::string board, mode;
  double prompt_tokens = 0, generated_tokens = 0;
  EngineHardware hardware;
  EngineWork decode, prompt;
  double step_s = std::numeric_limits<double>::quiet_NaN();
  double prompt_s = std::numeric_limits<double>::quiet_NaN();
  double decode_power_w = std::numeric_limits<double>::quiet_NaN();
  double prefill_power_w = std::numeric_limits<double>::quiet_NaN();
  // Share of the power above idle that a meter shows in its mean over a phase, because meters lag.
  double decode_metered = 1, prefill_metered = 1;
  bool fitted = true;  // false: the row is only scored
  // Power of all rails, on a board with a scaled twin. It determines the power of the board, not
  // that of the engine.
  double board_power_w = std::numeric_limits<double>::quiet_NaN();
  // Only scored: the time of a whole request of one sequence, and the energy of GPU and CPU per
  // token.
  double request_s = std::numeric_limits<double>::quiet_NaN();
  double rail_token_j = std::numeric_limits<double>::quiet_NaN();
  // Share of the GPU and CPU rails in decode_power_w.
  double rail_share = std::numeric_limits<double>::quiet_NaN();
};

// Returns the mean power that a lagging meter shows: idle_w + metered x (power_w - idle_w).
double metered_w(double power_w, double idle_w, double metered);
double metered_decode_w(const Engine& engine, const EngineRow& row);
double metered_prefill_w(const Engine& engine, const EngineRow& row);

class EngineFits {
 public:
  explicit EngineFits(std::span<const EngineRow> rows);
  // Returns a fitted engine or, for an unknown name, the mean of the fitted engines.
  Engine of(std::string_view name) const;

 private:
  std::map<std::string, Engine, std::less<>> engines_;
  Engine mean_;  // of all engines, with the deviations of an engine around it
};
inline EngineFits fit_engines(std::span<const EngineRow> rows) {
  return EngineFits(rows);
}

}  // namespace ridgewatt::llm
