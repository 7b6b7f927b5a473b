// ridgewatt evaluate llm: errors of language model estimates on public runs, held out in turn.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/llm/engine_file.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateLlm {
  std::vector<std::string> rows;
  std::string output;
  bool parameters = false;
};

void print_llm_scores(const Context& context, const EvaluateLlm& command) {
  const evaluate::LlmScores scores = evaluate::score_llm(command.rows);
  if (!command.output.empty()) {
    write_output(command.output, llm::engines_toml(scores.fitted));
    if (command.output == "-") return;
  }
  print(context, evaluate::llm_scores_result(scores, command.parameters));
}

}  // namespace

void add_evaluate_llm(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateLlm>(
      evaluate, context, "llm",
      "Score the models of language-model engines on public runs: time per token, time to first "
      "token and power; each pair of model and quantization is predicted without its own rows",
      "ridgewatt evaluate llm llm-agx-orin-32gb.csv llm-boards.csv", print_llm_scores);
  add.input("ROWS", options.rows,
            "CSV files: runtime, model, quantization, prompt_tokens, generated_tokens, ttft_ms, "
            "tpot_ms, decode_power_w; or board, power_mode, runtime, workload, precision, batch, "
            "sequence, metric, value")
      ->required();
  add.flag("--parameters", options.parameters, "Also print the fitted parameters");
  add.output("-o,--output", options.output,
             "File to write: the engines fitted to all rows, as shipped");
}

}  // namespace ridgewatt::cli
