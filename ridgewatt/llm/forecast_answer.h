// The input and the result of a forecast (llm/forecast.h): a request to a language model, and its
// time, power and energy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/llm/stored_type.h"

#pragma GCC visibility push(default)

namespace ridgewatt::llm {

enum class StepPhase { kPrefill, kDecode };
constexpr auto enum_names(StepPhase) {
  return named<StepPhase>({{StepPhase::kPrefill, "prefill"}, {StepPhase::kDecode, "decode"}});
}

struct PhaseWork {
  StepPhase phase = StepPhase::kDecode;
  double work_flop = 0;
  double traffic_bytes = 0;
  double intensity() const { return work_flop / traffic_bytes; }
};

struct Request {
  std::int64_t prompt_tokens = 512;
  std::int64_t generated_tokens = 256;
  std::int64_t concurrency = 1;  // sequences decoded together, each with its own prompt
  StoredType kv_type = StoredType::kF16;
};

// A modeled figure with its median and the 90 % interval from `low` to `high`.
struct PredictedValue {
  double value = 0;
  double low = 0, high = 0;

  PredictedValue operator*(double factor) const {
    return {value * factor, low * factor, high * factor};
  }
};

struct Forecast {
  PredictedValue ttft_s;  // time of the prompt, including the first token
  PredictedValue tpot_s;  // time of each later token of a sequence, mean over the generation
  // Output tokens of all sequences per second during decoding: concurrency / tpot_s.
  PredictedValue tokens_per_s;
  // On the rails of the board, including idle power. These and the energies are NaN on a board
  // whose power is not modelled.
  PredictedValue prefill_power_w, decode_power_w;
  double idle_w = 0;                // idle power on the same rails
  PredictedValue joules_per_token;  // during decoding, per output token of any sequence
  PredictedValue request_j;         // of one request, from the prompt to the last token
  double request_s = 0;
  bool power_known() const { return decode_power_w.value > 0; }
  // Whether the power of a phase exceeds the limit of the board. On a Jetson, the model does not
  // lower the clocks. On a discrete GPU, the power at the lowest clock is compared.
  bool over_limit = false;
  std::string limited_by;  // what takes most of a decode step: "weights", "cache", "launches", ..
  // Figures or interval ends that were limited by physical bounds: "decode_power_w: the module's
  // limit".
  std::vector<std::string> bounded_by;
  // Reasons for a wide interval in this mode, in addition to Forecaster::widened_by().
  std::vector<std::string> widened_by;
};

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
