// Results of running language models: when each request was sent, when its tokens arrived, and what
// prefill (reading the prompt) and decode (writing the answer) cost.
//
//   const auto runs = read_token_runs("result.json");  // llama-bench, aiperf, vLLM
//   const TokenCost cost = split_energy(runs[0].timeline, total_trace, idle_w);
//   cost.joules_per_token->energy_j;                    // of decoding, with its error bound
//
// Method: docs/guide/llm_measured.md.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/measure/energy.h"
#include "ridgewatt/measure/marks.h"
#include "ridgewatt/measure/power_trace.h"

namespace ridgewatt::measure {

// One request. Its times use the clock TokenRun::clock.
struct TokenRequest {
  double begin_s = 0;  // when it was sent
  double first_s = 0;  // arrival of its first token; equal to begin_s if there was no prompt
  double end_s = 0;    // arrival of its last token; equal to first_s if nothing was decoded
  double prompt_tokens = 0;
  double output_tokens = 0;
  std::vector<double> token_times_s = {};  // arrival of each piece of the answer; empty: unknown

  // Number of tokens after the first one. Decoding produces these tokens.
  double decoded_tokens() const;
};

// Time and energy of one kind of activity, summed over all its intervals.
struct SpanCost {
  double time_s = 0;
  double energy_j = 0;
  double error_j = 0;  // bound, like EnergyEstimate::error_j; kUnknownBound below two samples
  std::size_t samples = 0;
  double power_w() const { return time_s > 0 ? energy_j / time_s : 0; }
  double power_error_w() const { return time_s > 0 ? error_j / time_s : 0; }
};

// The cost of requests, divided by activity. With concurrent requests, some may read prompts while
// others decode. That time cannot be divided, so it is counted separately.
struct TokenCost {
  SpanCost prefill;  // every open request was reading its prompt
  SpanCost decode;   // every open request was decoding
  SpanCost both;     // some open requests were reading prompts, others were decoding
  SpanCost between;  // no request was open, between the first request and the last
  std::size_t requests = 0;
  double output_tokens = 0;   // of all requests
  double decoded_tokens = 0;  // tokens that arrived during `decode`
  std::optional<double> idle_w;

  SpanCost open() const;  // prefill, decode and both
  // Energy of `decode` per token of any sequence; empty if no token arrived during `decode`.
  std::optional<EnergySum> joules_per_token() const;
  // Energy of all time with open requests, per output token and per request.
  std::optional<EnergySum> request_joules_per_token() const;
  std::optional<EnergySum> request_j() const;
  // Returns `energy` minus the energy of the idle board in `time_s`; empty without idle_w.
  std::optional<EnergySum> less_idle(const std::optional<EnergySum>& energy, double time_s) const;
};

// Statistics of a time over many requests or tokens. An empty optional is unknown.
struct TokenTime {
  double mean_s = 0;
  std::optional<double> deviation_s = {};
  std::optional<double> median_s = {};
  std::optional<double> p90_s = {};
  std::optional<double> p99_s = {};
};

enum class TokenClock {
  kNone,       // no time stamps: energy cannot be split
  kMonotonic,  // CLOCK_MONOTONIC of the machine, which Python's perf_counter also uses on Linux
  kUnix,       // since 1970
};

// One configuration that was run. Lengths are means over its requests; 0: none, or unknown.
struct TokenRun {
  std::string source;        // "llama-bench", "aiperf", "vllm bench serve", "llama.cpp server"
  std::string engine;        // "llama.cpp", "vllm", ..; empty: unknown
  std::string model;         // name in the source
  std::string quantization;  // a recipe of llm/recipe.h, or as the source names it; empty: unknown
  double prompt_tokens = 0;
  double output_tokens = 0;
  double depth_tokens = 0;  // tokens in the cache before the prompt
  double concurrency = 0;   // open requests at a time
  std::size_t requests = 0;
  std::size_t failed = 0;
  std::optional<TokenTime> ttft;  // from sending a request to its first token
  // Time of each token after the first: decoding time of a request / number of its decoded tokens.
  std::optional<TokenTime> tpot;
  std::optional<TokenTime> gap;               // between two pieces of an answer
  std::optional<double> output_tokens_per_s;  // of all requests together
  std::optional<double> prompt_tokens_per_s;  // while prompts are read
  TokenClock clock = TokenClock::kNone;
  std::vector<TokenRequest> timeline;
  std::optional<TokenCost> cost;   // empty if power was not recorded
  std::vector<std::string> notes;  // remarks for the reader of the figures
};

// Computes lengths, number of requests, times and tokens per second from the timeline.
void summarize(TokenRun& run);

// Reads the results of llama-bench (-o json, jsonl, csv, md), aiperf or genai-perf
// (profile_export_aiperf.json and .csv; profile_export.jsonl, with time stamps), `vllm bench serve`
// (with time stamps from --save-detailed) or `vllm bench latency`; the format is recognized from
// the content. Throws InputError for an unknown format and for damaged or impossible values.
std::vector<TokenRun> read_token_runs(const std::string& path);
// Also computes `cost` from power that was recorded at the same time (read_power_log). Throws
// NotSupportedError if the results have no time stamps. Empty `power_path`: no power.
std::vector<TokenRun> read_token_runs(const std::string& path, const std::string& power_path,
                                      const std::optional<double>& idle_w);
// Like read_token_runs, for the text of a file; `source` is its name in messages.
std::vector<TokenRun> parse_token_runs(std::string_view text, const std::string& source);

// llama-bench measures prefill and decode in separate tests. Joins every prefill test with decode
// tests of the same model. These are the tests at a depth equal to the length of the prompt or,
// without such tests, at depth 0, with a note. Other runs are unchanged.
std::vector<TokenRun> with_joined_phases(const std::vector<TokenRun>& runs);

// The quantization in a file name or in llama-bench's model type ("llama 8B Q4_K - Medium":
// q4_k_m); empty: none.
std::string quantization_named(std::string_view text);

// Converts a program's phases "prefill" and "decode" to requests. A decode phase belongs to the
// prefill phase before it. A minibatch mark in a decode phase is a token.
std::vector<TokenRequest> requests_of(const std::vector<TimedMark>& marks, double end_s);

// `power` must use the clock of the requests. Throws NotSupportedError if there is no request, or
// no power sample during them.
TokenCost split_energy(std::span<const TokenRequest> requests, const PowerTrace& power,
                       std::optional<double> idle_w = std::nullopt);

// Reads recorded power: CSV with time_s (CLOCK_MONOTONIC) or unix_s, and power_w, or voltage_v and
// current_a. Throws InputError for a damaged file, or if its clock is not `clock`.
PowerTrace read_power_log(const std::string& path, TokenClock clock);

}  // namespace ridgewatt::measure
