#include "ridgewatt/cli/options/token_options.h"

#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"

namespace ridgewatt::cli {

void add_token_options(CLI::App& command, TokenOptions& options) {
  const OptionAdder add(command, kLanguageGroup);
  auto& server = options.server;
  add.text("--server", server.url,
           "Send requests to the language-model server at this URL; COMMAND, if given, starts the "
           "server")
      ->type_name("URL");
  add.choice("--api", server.api, "API of the server");
  add.text("--model", server.model, "Name of the model on the server [the server's first]");
  add.number("--prompt", server.prompt_tokens, count().within(1, 1 << 20), "Tokens of a prompt");
  add.number("--generate", server.output_tokens, count().within(1, 1 << 20), "Tokens of an answer");
  add.number("--concurrency", server.concurrency, count().within(1, 1024), "Requests in parallel");
  add.number("--requests", server.requests, count().within(1, 1e6), "Total number of requests");
  add.flag("--llama-bench", options.llama_bench,
           "COMMAND is llama-bench with -o jsonl: read its results");
}

void finish_token_options(const CLI::App& command, const Context& context, TokenOptions& options) {
  if (!options.asks_server()) {
    refuse_without_effect(command,
                          {"--api", "--prompt", "--generate", "--concurrency", "--requests"},
                          "without --server", "give --server URL");
  } else if (options.llama_bench) {
    throw UsageError("--llama-bench has no effect with --server", "", "omit it");
  }
  options.server.seed = context.seed;
  if (const auto key = environment_variable("RIDGEWATT_API_KEY")) options.server.api_key = *key;
  if (options.asks_server()) options.server.check();
}

}  // namespace ridgewatt::cli
