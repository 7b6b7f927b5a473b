// Fits engines to measured cells, all of them together: an engine's coefficients are drawn to the
// mean of all engines as far as its own cells leave them open, and the mean to what physics says.
//
//   const EngineFits fits = fit_engines(rows);
//   fits.of("vllm").step_s(work, hardware);
//   fits.of("mlc");  // of no rows: the mean of the others, and how far engines lie around it
//
// Maximum a posteriori of a hierarchical model (Gelman et al., Bayesian Data Analysis, 2013,
// chapter 5), in logarithms; means and engines in turn.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "ridgewatt/llm/engine.h"

namespace ridgewatt::llm {

// One measured cell. NaN: not measured.
struct EngineRow {
  std::string engine;        // "llama.cpp b5283": what releases change is not the same engine
  std::string model;         // "llama-3.2-1b" of the zoo
  std::string quantization;  // recipe, or as the source calls it
  std::string board, mode;
  double prompt_tokens = 0, generated_tokens = 0;
  EngineHardware hardware;
  EngineWork decode, prompt;
  double step_s = std::numeric_limits<double>::quiet_NaN();
  double prompt_s = std::numeric_limits<double>::quiet_NaN();
  double decode_power_w = std::numeric_limits<double>::quiet_NaN();
  double prefill_power_w = std::numeric_limits<double>::quiet_NaN();
  // Shares of the power above idle that the mean over a phase shows: meters lag (kMeterLagS).
  double decode_metered = 1, prefill_metered = 1;
  bool fitted = true;  // false: never learned from, only judged
  // All rails of a board whose twin is carried: tells what the board draws, not what the engine
  // does.
  double board_power_w = std::numeric_limits<double>::quiet_NaN();
  // Judged alone: a whole request of one sequence, and what GPU and CPU draw of a token.
  double request_s = std::numeric_limits<double>::quiet_NaN();
  double rail_token_j = std::numeric_limits<double>::quiet_NaN();
  double rail_share = std::numeric_limits<double>::quiet_NaN();  // of these in decode_power_w
};

// What a meter shows of a phase in the mean, where it lags behind the power.
double metered_w(double power_w, double idle_w, double metered);
double metered_decode_w(const Engine& engine, const EngineRow& row);
double metered_prefill_w(const Engine& engine, const EngineRow& row);

class EngineFits {
 public:
  explicit EngineFits(std::span<const EngineRow> rows);
  // Fitted, or of no rows: drawn from the others.
  Engine of(std::string_view name) const;

 private:
  std::map<std::string, Engine, std::less<>> engines_;
  Engine mean_;  // of all engines; deviations are of the mean
};
inline EngineFits fit_engines(std::span<const EngineRow> rows) {
  return EngineFits(rows);
}

}  // namespace ridgewatt::llm
