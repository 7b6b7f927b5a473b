// How language models are run for a measurement: options of `measure` and `profile`.
#pragma once

#include <string>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/measure/token_server.h"

namespace ridgewatt::cli {

// Where the help lists them.
inline constexpr char kLanguageGroup[] = "Language models";

struct TokenOptions {
  measure::ServerQuestion server;  // asked when its URL is given
  bool llama_bench = false;
  bool asks_server() const { return !server.url.empty(); }
};

// --server, --api, --model, --prompt, --generate, --concurrency, --requests and --llama-bench.
void add_token_options(CLI::App& command, TokenOptions& options);

// Refuses what says nothing without --server; takes the seed of the command, and the key of the
// server from RIDGEWATT_API_KEY.
void finish_token_options(const CLI::App& command, const Context& context, TokenOptions& options);

}  // namespace ridgewatt::cli
