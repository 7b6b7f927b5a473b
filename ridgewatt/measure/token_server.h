// A server of language models under requests of known lengths: when each token came, and what the
// board drew during the run. llama.cpp's llama-server, or what speaks OpenAI's protocol (vLLM,
// SGLang, TensorRT-LLM, MLC); on this machine or wherever the URL says, but the power is this
// machine's.
//
//   ServerQuestion question{.url = "http://127.0.0.1:8080"};
//   const auto measured = measure_server(*device.sysfs, options, question);
//   measured.runs[0].cost->joules_per_token();
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/measure/token_runs.h"

namespace ridgewatt::measure {

enum class TokenApi {
  kAuto,       // what the server answers to
  kLlamaCpp,   // POST /completion
  kOpenAi,     // POST /v1/completions
  kOpenAiChat  // POST /v1/chat/completions, with words in place of tokens
};
constexpr auto enum_names(TokenApi) {
  return named<TokenApi>({{TokenApi::kAuto, "auto"},
                          {TokenApi::kLlamaCpp, "llama.cpp"},
                          {TokenApi::kOpenAi, "openai"},
                          {TokenApi::kOpenAiChat, "openai-chat"}});
}

struct ServerQuestion {
  std::string url;  // "http://127.0.0.1:8080"; a trailing /v1 is left out
  TokenApi api = TokenApi::kAuto;
  std::string model;  // as the server names it; empty: its first
  // Every prompt is random token numbers of its own, so that no cache of prompts helps.
  int prompt_tokens = 512;
  int output_tokens = 128;  // asked for with the end of text ignored
  int concurrency = 1;      // requests that are open at once
  int requests = 8;
  int warm_up = 1;         // requests before, which do not count
  double timeout_s = 600;  // of one request
  double ready_s = 600;    // for a server that is started here
  std::uint64_t seed = 1;
  std::string api_key = {};  // sent as "Authorization: Bearer"; empty: none

  // Throws UsageError naming the field, its value and what it must be.
  void check() const;
};

// Sends the requests and waits for them all; `tick` is called ten times per second and ends it by
// throwing. Requests that fail are counted; IoError of the first when all do.
TokenRun ask_server(const ServerQuestion& question, const std::function<void()>& tick = {});

// A program that serves while this lives; ended with its children (SIGTERM, after ten seconds
// SIGKILL).
class ServerProgram {
 public:
  // Starts it and waits until the server answers that it is ready. IoError when it ends before or
  // the time is over; throws what starting a program throws.
  ServerProgram(const std::vector<std::string>& command, const ServerQuestion& question);
  ~ServerProgram();
  ServerProgram(const ServerProgram&) = delete;
  ServerProgram& operator=(const ServerProgram&) = delete;

 private:
  class State;
  std::unique_ptr<State> state_;
};

// What was measured of a machine, and the runs of a language model in it. Runs have their cost
// where the machine shows power.
struct TokenMeasurement {
  Measurement measurement;
  std::vector<TokenRun> runs;
};

// Warm-up, then the idle baseline with the server loaded, then the requests under power sampling.
// With a command in `options` that is the server, started here and ended in the end. Throws what
// ask_server, ServerProgram and MeasureOptions::check throw.
TokenMeasurement measure_server(const platform::Sysfs& sysfs, const MeasureOptions& options,
                                const ServerQuestion& question, platform::PowerMeter& meter);

// llama-bench with "-o jsonl": a line is there when its test is over, and says how long each
// repetition took, so the repetitions are placed in time. InputError where the output is no result;
// without lines the runs have no cost and say so.
TokenMeasurement measure_llama_bench(const platform::Sysfs& sysfs, const MeasureOptions& options,
                                     platform::PowerMeter& meter);

// What a command marked as phases "prefill" and "decode"; nothing where it marked none.
std::vector<TokenRun> marked_token_runs(const Measurement& measurement);

}  // namespace ridgewatt::measure
