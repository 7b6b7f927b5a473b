// Options of `measure` and `profile` for language models.
#pragma once

#include <string>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/measure/token_server.h"

namespace ridgewatt::cli {

// Heading of these options in the help.
inline constexpr char kLanguageGroup[] = "Language models";

struct TokenOptions {
  measure::ServerQuestion server;  // used if its URL is given
  bool llama_bench = false;
  bool asks_server() const { return !server.url.empty(); }
};

// Adds --server, --api, --model, --prompt, --generate, --concurrency, --requests and --llama-bench.
void add_token_options(CLI::App& command, TokenOptions& options);

// Throws UsageError for options that have no effect without --server. Sets the seed of the command,
// and the server's key from RIDGEWATT_API_KEY.
void finish_token_options(const CLI::App& command, const Context& context, TokenOptions& options);

}  // namespace ridgewatt::cli
