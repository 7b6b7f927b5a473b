// What a request to a language model costs: the question's request and the answer of
// llm/forecast.h.
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
  std::int64_t concurrency = 1;  // sequences that are decoded together, each with its own prompt
  StoredType kv_type = StoredType::kF16;
};

// A modelled figure: half of the true values of such figures are below `value`, 90 % between low
// and high.
struct PredictedValue {
  double value = 0;
  double low = 0, high = 0;
};

struct Forecast {
  PredictedValue ttft_s;  // the prompt and the first token
  PredictedValue tpot_s;  // of every further token of a sequence, mean over the generation
  // Output tokens of all sequences per second while decoding: concurrency / tpot_s.
  PredictedValue tokens_per_s;
  PredictedValue prefill_power_w, decode_power_w;  // of the board's rails, including idle
  double idle_w = 0;                               // of the same rails while nothing runs
  PredictedValue joules_per_token;                 // of decoding, per output token of any sequence
  PredictedValue request_j;  // of one request, from the prompt to its last token
  double request_s = 0;
  std::string limited_by;  // what limits most of a step: "weights", "cache", "launches" ..
  // Figures or ends of intervals that physics cuts: "decode_power_w: the module's limit".
  std::vector<std::string> bounded_by;
  // Why an interval is wide in this mode, in addition to what is true of all.
  std::vector<std::string> widened_by;
};

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
