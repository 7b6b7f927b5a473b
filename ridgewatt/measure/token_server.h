// Measures a server of language models under requests of known lengths: the time of each token and
// the power of the board during the run. The server is llama.cpp's llama-server or one with
// OpenAI's protocol (vLLM, SGLang, TensorRT-LLM, MLC). Power is always that of this machine, even
// if the server runs on another machine.
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
  kAuto,       // the protocol that the server supports
  kLlamaCpp,   // POST /completion
  kOpenAi,     // POST /v1/completions
  kOpenAiChat  // POST /v1/chat/completions, with words instead of token numbers
};
constexpr auto enum_names(TokenApi) {
  return named<TokenApi>({{TokenApi::kAuto, "auto"},
                          {TokenApi::kLlamaCpp, "llama.cpp"},
                          {TokenApi::kOpenAi, "openai"},
                          {TokenApi::kOpenAiChat, "openai-chat"}});
}

struct ServerQuestion {
  std::string url;  // "http://127.0.0.1:8080"; a trailing /v1 is ignored
  TokenApi api = TokenApi::kAuto;
  std::string model;  // name in the server; empty: its first model
  // Each prompt consists of different random token numbers, so that a prompt cache has no effect.
  int prompt_tokens = 512;
  int output_tokens = 128;  // ignore_eos is set, so that every answer has this length
  int concurrency = 1;      // open requests at a time
  int requests = 8;
  int warm_up = 1;         // requests before the measurement, which are not part of the result
  double timeout_s = 600;  // limit for one request
  double ready_s = 600;    // limit until a server started here is ready
  std::uint64_t seed = 1;
  std::string api_key = {};  // sent as "Authorization: Bearer"; empty: no such header

  // Throws UsageError that names the field, its value and what it must be.
  void check() const;
};

// Sends the requests and waits for all answers. `tick` is called every 50 ms; an
// exception from it ends the requests. Failed requests are counted. If all fail, throws the first
// request's error.
TokenRun ask_server(const ServerQuestion& question, const std::function<void()>& tick = {});

// Starts a server; the destructor ends the server and its children (SIGTERM, after ten seconds
// SIGKILL).
class ServerProgram {
 public:
  // Starts `command` and waits until the server reports that it is ready. Throws IoError if it ends
  // earlier or is not ready within ready_s, and the errors of starting a program.
  ServerProgram(const std::vector<std::string>& command, const ServerQuestion& question);
  ~ServerProgram();
  ServerProgram(const ServerProgram&) = delete;
  ServerProgram& operator=(const ServerProgram&) = delete;

 private:
  class State;
  std::unique_ptr<State> state_;
};

// The measurement of a machine and the runs of a language model during it. A run has a cost if the
// machine has a power sensor.
struct TokenMeasurement {
  Measurement measurement;
  std::vector<TokenRun> runs;
};

// Sends the warm-up requests, measures idle power with the model loaded, then samples power during
// the requests. If `options` has a command, it is the server: it is started first and ended last.
// Throws the errors of ask_server(), ServerProgram and MeasureOptions::check().
TokenMeasurement measure_server(const platform::Sysfs& sysfs, const MeasureOptions& options,
                                const ServerQuestion& question, platform::PowerMeter& meter);

// Runs llama-bench, the command of `options`, with "-o jsonl". llama-bench prints a line when a
// test ends, with the duration of each repetition. The start of each repetition is derived from
// these durations. Throws InputError if the output is not a result. With another output format the
// runs have no cost, and a note says so.
TokenMeasurement measure_llama_bench(const platform::Sysfs& sysfs, const MeasureOptions& options,
                                     platform::PowerMeter& meter);

// The requests that a command marked as phases "prefill" and "decode"; empty if it marked none.
std::vector<TokenRun> marked_token_runs(const Measurement& measurement);

}  // namespace ridgewatt::measure
