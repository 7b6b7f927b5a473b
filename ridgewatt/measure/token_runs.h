// Runs of language models: when each request was sent, when its tokens came, and what reading the
// prompt (prefill) and writing the answer (decode) cost.
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

// Times are on one clock; which one, the run says.
struct TokenRequest {
  double begin_s = 0;  // it was sent
  double first_s = 0;  // its first token came; begin_s: there was no prompt to read
  double end_s = 0;    // its last token came; first_s: nothing was decoded
  double prompt_tokens = 0;
  double output_tokens = 0;
  std::vector<double> token_times_s = {};  // of each piece of the answer; empty: not known

  // Tokens between the first token and the last, of which decoding is made.
  double decoded_tokens() const;
};

// Energy and time of one kind of moments, summed over all of them.
struct SpanCost {
  double time_s = 0;
  double energy_j = 0;
  double error_j = 0;  // bound, as integrate_power's
  std::size_t samples = 0;
  double power_w() const { return time_s > 0 ? energy_j / time_s : 0; }
  double power_error_w() const { return time_s > 0 ? error_j / time_s : 0; }
};

// What requests cost, split by what they did. With several at once some read prompts while others
// decode: that time belongs to neither alone, so it is kept separate.
struct TokenCost {
  SpanCost prefill;  // every request that was open read its prompt
  SpanCost decode;   // every one decoded
  SpanCost both;     // some this, some that
  SpanCost between;  // none was open, from the first to the last
  std::size_t requests = 0;
  double output_tokens = 0;   // of all requests
  double decoded_tokens = 0;  // that came while all requests decoded
  std::optional<double> idle_w;

  SpanCost open() const;  // prefill, decode and both
  // Of decoding, per token of any sequence; nothing where no token was decoded alone.
  std::optional<EnergySum> joules_per_token() const;
  // Of whole requests, per token of the answers and per request.
  std::optional<EnergySum> request_joules_per_token() const;
  std::optional<EnergySum> request_j() const;
  // The same with what the idle board draws taken out; nothing without idle_w.
  std::optional<EnergySum> less_idle(const std::optional<EnergySum>& energy, double time_s) const;
};

// A time over many requests or tokens. What is absent is not known.
struct TokenTime {
  double mean_s = 0;
  std::optional<double> deviation_s = {};
  std::optional<double> median_s = {};
  std::optional<double> p90_s = {};
  std::optional<double> p99_s = {};
};

enum class TokenClock {
  kNone,       // no time stamps: energy cannot be split
  kMonotonic,  // CLOCK_MONOTONIC of the machine, also Python's perf_counter on Linux
  kUnix,       // since 1970
};

// One configuration that was run. Lengths are means over its requests; 0: none, or not known.
struct TokenRun {
  std::string source;        // "llama-bench", "aiperf", "vllm bench serve", "llama.cpp server"
  std::string engine;        // "llama.cpp", "vllm", ..; empty: not known
  std::string model;         // as the source names it
  std::string quantization;  // a recipe of llm/recipe.h, or as the source names it; empty: unknown
  double prompt_tokens = 0;
  double output_tokens = 0;
  double depth_tokens = 0;  // in the cache before the prompt
  double concurrency = 0;   // requests at once
  std::size_t requests = 0;
  std::size_t failed = 0;
  std::optional<TokenTime> ttft;  // from sending a request to its first token
  // Of every further token of a request: per request its decoding over its tokens.
  std::optional<TokenTime> tpot;
  std::optional<TokenTime> gap;               // from one piece of an answer to the next
  std::optional<double> output_tokens_per_s;  // of all requests together
  std::optional<double> prompt_tokens_per_s;  // while a prompt is read
  TokenClock clock = TokenClock::kNone;
  std::vector<TokenRequest> timeline;
  std::optional<TokenCost> cost;   // where power was recorded
  std::vector<std::string> notes;  // what a reader of the figures should know
};

// Fills what follows from the timeline: lengths, requests, times and tokens per second.
void summarize(TokenRun& run);

// Results of llama-bench (-o json, jsonl, csv, md), of aiperf or genai-perf
// (profile_export_aiperf.json and .csv, profile_export.jsonl with time stamps), of `vllm bench
// serve` (with time stamps from --save-detailed) and `vllm bench latency`, distinguished by
// content. Throws InputError for what is none of them, is damaged, or says what cannot be.
std::vector<TokenRun> read_token_runs(const std::string& path);
// The same, with the energy of the power that was recorded at the same time (read_power_log), for
// which results need time stamps: NotSupportedError. `power_path` empty: the same.
std::vector<TokenRun> read_token_runs(const std::string& path, const std::string& power_path,
                                      const std::optional<double>& idle_w);
std::vector<TokenRun> parse_token_runs(std::string_view text, const std::string& source);

// llama-bench measures prompts and answers apart: every prompt with the answers of the same model,
// those at the depth of the prompt before those at none (and a note). Other runs stay.
std::vector<TokenRun> with_joined_phases(const std::vector<TokenRun>& runs);

// The quantization that the name of a file or of llama-bench's model type holds ("llama 8B Q4_K -
// Medium": q4_k_m); empty: none.
std::string quantization_named(std::string_view text);

// The requests that a program marks: phases "prefill" and "decode", each decode belonging to the
// prefill before it; a minibatch mark inside is a token.
std::vector<TokenRequest> requests_of(const std::vector<TimedMark>& marks, double end_s);

// `power` is on the clock of the requests. NotSupportedError where there is no request, or no
// sample of power during them.
TokenCost split_energy(std::span<const TokenRequest> requests, const PowerTrace& power,
                       std::optional<double> idle_w = std::nullopt);

// A recorded power trace: the CSV of a meter (time_s: CLOCK_MONOTONIC, or unix_s; power_w, or
// voltage_v and current_a). InputError as read_meter, and where `clock` is another one.
PowerTrace read_power_log(const std::string& path, TokenClock clock);

}  // namespace ridgewatt::measure
