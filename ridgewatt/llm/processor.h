// Models the time of llama.cpp on the cores of a processor without a GPU.
//
//   const ProcessorWork work = processor_work(description, tensors, request, prompt);
//   processor_step_s(twin, work, context, 2);  // a token, on two threads
//   processor_prompt_s(twin, work, 2);
//
// The time of a decode step is the sum of three terms: sqrt(r^2 + c^2) for reading the weights (r)
// and computing with them (c), a fixed time per layer, and the time of attention. A prompt takes
// the time of its products and its attention. Rates are shares of the measured peaks of the
// processor's twin (docs/methods/cpu_twin.md). Power is not modelled.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/forecast_answer.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/llm/stored_type.h"
#include "ridgewatt/twin/cpu_twin.h"

namespace ridgewatt::llm {

struct EngineWork;

// The work of a request on the cores.
struct ProcessorWork {
  // Weights of one stored type. A step reads all of them. A prompt multiplies all of them, except
  // the output head, for each of its tokens.
  struct Stored {
    StoredType type = StoredType::kF16;
    double step_elements = 0, step_bytes = 0;
    double prompt_elements = 0, head_elements = 0;
  };
  // Attention of layers with the same window, per token of context.
  struct Scores {
    double window = 0;  // in tokens; 0: all
    double flop = 0;    // operations with queries, keys and values
    double bytes = 0;   // of keys and values in the cache
  };
  std::vector<Stored> stored;
  std::vector<Scores> scores;
  double layers = 0;
  double sequences = 1;
  double prompt_tokens = 0;      // of one sequence
  double prompt_score_flop = 0;  // of all sequences
};
// `prompt` is prompt_work() of the same request.
ProcessorWork processor_work(const Description& description, std::span<const Tensor> tensors,
                             const Request& request, const EngineWork& prompt);

// Time of a decode step with `context` tokens in the cache of each sequence.
double processor_step_s(const twin::CpuTwin& twin, const ProcessorWork& work, double context,
                        int threads);
double processor_prompt_s(const twin::CpuTwin& twin, const ProcessorWork& work, int threads);
// What takes most of a step: "weights", "products", "cache" or "layers".
std::string processor_limit(const twin::CpuTwin& twin, const ProcessorWork& work, double context,
                            int threads);
// Share of the weights in types whose rate was derived from the rate of another type.
double derived_share(const ProcessorWork& work);

}  // namespace ridgewatt::llm
