// The causes of slow language models and their predictions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain/weigh.h"
#include "ridgewatt/answer/language.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/llm/forecast.h"

namespace ridgewatt::answer {

// GPU load while an engine decodes. Chosen near 1, because steps follow each other closely.
inline constexpr double kDecodeLoad = 0.95;

// The case to explain: one model, quantization, engine, board and mode.
struct LanguageCase {
  const ExplainQuestion& question;
  LanguageAnswer asked;  // has one row
  PowerMode mode;
  std::shared_ptr<const llm::EngineBoard> hardware;
  std::shared_ptr<const llm::RequestWork> work;

  const Board& board() const { return asked.boards.front(); }
  const llm::Request& request() const { return asked.question.request; }
  const llm::ShippedEngine& engine() const { return *asked.settings.front().engine; }
  // GPU load while the engine decodes; absent on a board without a GPU.
  std::optional<double> load() const {
    return board().has_gpu() ? std::optional(kDecodeLoad) : std::nullopt;
  }
  const LanguageWeights& weights() const { return asked.weights.front(); }
  const llm::Forecast& expected() const { return asked.rows.front().forecast; }
  // Factor from the forecast to a claimed time per token.
  double claim_scale() const {
    const double sequences = static_cast<double>(request().concurrency);
    return question.claimed_tokens_per_s
               ? sequences / *question.claimed_tokens_per_s / expected().tpot_s.value
               : 1;
  }
  Prognosis prognosis(const llm::Forecast& forecast, std::string setting) const;
  // The number of multiprocessors that are on in the mode of the case. It does not depend on the
  // clocks.
  int sms() const { return sms_on(board(), mode); }
  Prognosis in_mode(const PowerMode& other, std::string setting, int sms) const;
};

// Returns the possible causes and their predictions.
std::vector<WeighedCause> causes_of(const LanguageCase& of);

}  // namespace ridgewatt::answer
