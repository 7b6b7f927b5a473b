#include "ridgewatt/cli/options/token_options.h"

#include <cstdlib>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {

void add_token_options(CLI::App& command, TokenOptions& options) {
  auto& server = options.server;
  command
      .add_option("--server", server.url,
                  "Send requests to this server of a language model; COMMAND, if any, starts it")
      ->type_name("URL")
      ->group(kLanguageGroup);
  listed_choice(command, "--api", server.api, "What the server speaks")
      ->capture_default_str()
      ->group(kLanguageGroup);
  command.add_option("--model", server.model, "Model, as the server names it [its first]")
      ->group(kLanguageGroup);
  const auto length = [&](const char* name, int& target, const char* meaning, double least,
                          double most) {
    quantity(command.add_option(name, target, meaning), count().within(least, most))
        ->capture_default_str()
        ->group(kLanguageGroup);
  };
  length("--prompt", server.prompt_tokens, "Tokens of a prompt", 1, 1 << 20);
  length("--generate", server.output_tokens, "Tokens of an answer", 1, 1 << 20);
  length("--concurrency", server.concurrency, "Requests at once", 1, 1024);
  length("--requests", server.requests, "Requests in all", 1, 1e6);
  command
      .add_flag("--llama-bench", options.llama_bench,
                "COMMAND is llama-bench with -o jsonl: read its results")
      ->group(kLanguageGroup);
}

void finish_token_options(const CLI::App& command, const Context& context, TokenOptions& options) {
  if (!options.asks_server()) {
    refuse_without_effect(command,
                          {"--api", "--prompt", "--generate", "--concurrency", "--requests"},
                          "without --server", "give --server URL");
  } else if (options.llama_bench) {
    throw UsageError("--llama-bench has no effect with --server", "", "leave it out");
  }
  options.server.seed = context.seed;
  if (const char* key = std::getenv("RIDGEWATT_API_KEY"); key != nullptr) {
    options.server.api_key = key;
  }
  if (options.asks_server()) options.server.check();
}

}  // namespace ridgewatt::cli
