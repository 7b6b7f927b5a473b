// Reads results of `vllm bench serve` (formerly benchmark_serving.py) --save-result and of `vllm
// bench latency`, which times whole batches. With --save-detailed, the former contain the times of
// every request: start_times by perf_counter, which is CLOCK_MONOTONIC on Linux.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/tokens/result_fields.h"

namespace ridgewatt::measure {
namespace {

std::optional<TokenTime> serve_time(const ResultFields& all, const std::string& name) {
  const auto part = [&](const char* statistic) {
    auto value = all.number(fmt::format("{}_{}_ms", statistic, name).c_str());
    if (value) *value *= 1e-3;
    return value;
  };
  const auto mean = part("mean");
  if (!mean || *mean <= 0) return std::nullopt;
  return TokenTime{*mean, part("std"), part("median"), part("p90"), part("p99")};
}

void add_timeline(const ResultFields& all, TokenRun& run) {
  const auto first = all.numbers("ttfts");
  const auto start = all.numbers("start_times");
  const auto prompts = all.numbers("input_lens");
  const auto outputs = all.numbers("output_lens");
  const Json* gaps = all.find("itls");
  if (first.empty() || gaps == nullptr) return;
  if (!gaps->is_array() || gaps->size() != first.size() || outputs.size() != first.size() ||
      prompts.size() != first.size() || (!start.empty() && start.size() != first.size())) {
    all.fail("ttfts, itls, input_lens, output_lens and start_times differ in length");
  }
  if (start.empty()) {
    run.notes.emplace_back(
        "the result has no start_times; a newer vLLM writes them with --save-detailed");
    return;
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (outputs[i] <= 0) continue;  // a failed request
    if (!(*gaps)[i].is_array()) all.fail("itls is not a list of lists");
    TokenRequest request{start[i], start[i] + first[i], 0, prompts[i], outputs[i], {}};
    request.token_times_s.push_back(request.first_s);
    for (const Json& gap : (*gaps)[i]) {
      request.token_times_s.push_back(request.token_times_s.back() +
                                      checked_number(gap, "itls", all.where()));
    }
    request.end_s = request.token_times_s.back();
    run.timeline.push_back(std::move(request));
  }
  if (!run.timeline.empty()) run.clock = TokenClock::kMonotonic;
}

}  // namespace

TokenRun vllm_serve(const Json& json, const std::string& source) {
  const ResultFields all(json, source);
  TokenRun run;
  run.source = "vllm bench serve";
  const std::string backend = all.has("backend") ? all.text("backend") : all.text("endpoint_type");
  run.engine = backend.empty() || backend.rfind("openai", 0) == 0 ? "vllm" : backend;
  run.model = all.text("model_id");
  run.quantization = quantization_named(run.model);
  const auto completed = all.number("completed");
  if (!completed || *completed <= 0) all.fail("no request was completed");
  add_timeline(all, run);
  summarize(run);
  run.requests = static_cast<std::size_t>(*completed);
  const double asked = all.number_or_zero("num_prompts");
  run.failed = asked > *completed ? static_cast<std::size_t>(asked - *completed) : 0;
  run.prompt_tokens = all.number_or_zero("total_input_tokens") / *completed;
  run.output_tokens = all.number_or_zero("total_output_tokens") / *completed;
  run.concurrency = all.number("max_concurrency").value_or(run.concurrency);
  for (const auto& [time, name] :
       {std::pair{&run.ttft, "ttft"}, std::pair{&run.tpot, "tpot"}, std::pair{&run.gap, "itl"}}) {
    if (auto said = serve_time(all, name)) *time = said;
  }
  if (const auto rate = all.number("output_throughput")) run.output_tokens_per_s = rate;
  if (!run.ttft && !run.tpot)
    all.fail("the result has neither the time to the first token nor the time per token");
  return run;
}

TokenRun vllm_latency(const Json& json, const std::string& source) {
  const ResultFields all(json, source);
  TokenRun run;
  run.source = "vllm bench latency";
  run.engine = "vllm";
  const auto times = all.numbers("latencies");
  if (times.empty()) all.fail("the result has no latencies");
  run.requests = times.size();
  run.gap.reset();
  run.notes.push_back(
      fmt::format("batches of whole requests took {:.4g} s on average; prompt and answer are not "
                  "timed separately",
                  token_time_of(times).mean_s));
  return run;
}

}  // namespace ridgewatt::measure
