#include "ridgewatt/cli/language/language_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::cli {

void LanguageOptions::add_to(CLI::App& command) {
  llm::Request& request = question.request;
  input_file(command.add_option("MODEL", model,
                                "GGUF, safetensors, config.json, a folder with them, or zoo:NAME"))
      ->required();
  command.add_option("--device", device, "Board, board file, or all; without it the board at hand");
  command.add_option("--runtime", runtime,
                     "llama.cpp, vllm, sglang, tensorrt-llm, mlc, pytorch, several, or all [the "
                     "first that runs the quantization]");
  command.add_option("--quantization", quantization,
                     "stored, a name (f16, q4_k_m, awq ..), several, or all [as stored, or four "
                     "bits as the runtime has them]");
  quantity(command.add_option("--prompt", request.prompt_tokens, "Tokens of the prompt")
               ->capture_default_str(),
           count().within(1, 1 << 24));
  quantity(command
               .add_option("--generate", request.generated_tokens,
                           "Tokens that are generated, the first one included")
               ->capture_default_str(),
           count().within(1, 1 << 24));
  quantity(command
               .add_option("--concurrency", request.concurrency,
                           "Sequences at once, each with its own prompt")
               ->capture_default_str(),
           count().within(1, 65536));
  listed_choice(command, "--kv-type", question.kv_type, "Type of the cache of keys and values")
      ->capture_default_str();
  command.add_option("--modes", question.modes, kModesHelp)->capture_default_str();
  quantity(command.add_option("--reserve-gb", reserve_gb,
                              "Kept for the system and others [as the board file says]"),
           gigabytes());
}

answer::LanguageAnswer LanguageOptions::ask(const Context& context, const CLI::App& command) const {
  const llm::LanguageModel read = llm::read_language_model(model);
  answer::LanguageQuestion asked = question;
  asked.runtimes = answer::runtimes_named(runtime);
  asked.quantizations = answer::quantizations_named(read, quantization);
  if (command.count("--reserve-gb") > 0) asked.reserve_bytes = reserve_gb * 1e9;
  return answer::ask_language(asked, read, answer::boards_named(board_or_at_hand(context, device)));
}

void say_left_out(const Context& context, const answer::LanguageAnswer& found) {
  constexpr std::size_t kMostTold = 3;
  if (context.json()) return;
  std::vector<std::string> reasons;
  for (const auto& [what, reason] : found.left_out) {
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(reason);
    }
  }
  for (std::size_t i = 0; i < std::min(kMostTold, reasons.size()); ++i) {
    remark(context, "left out: " + reasons[i]);
  }
  if (reasons.size() > kMostTold) {
    remark(context, fmt::format("left out besides: {} more (--format json lists them)",
                                reasons.size() - kMostTold));
  }
}

}  // namespace ridgewatt::cli
