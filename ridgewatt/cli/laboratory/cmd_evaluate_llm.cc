// ridgewatt evaluate llm: engines of language models against public runs, left out in turn.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/llm/engine_file.h"
#include "ridgewatt/report/calibrate_report.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateLlm {
  std::vector<std::string> rows;
  std::string output;
  bool parameters = false;
};

void print_llm_scores(const Context& context, const EvaluateLlm& command) {
  const evaluate::LlmScores scores = evaluate::score_llm(command.rows);
  llm::EngineFile shipped;
  if (command.parameters || !command.output.empty() || context.json()) {
    shipped = llm::ship_engines(scores.rows.rows);
  }
  if (!command.output.empty()) {
    write_output(command.output, llm::engines_toml(shipped));
    if (command.output == "-") return;
  }
  const auto groups = report::llm_group_table(scores.groups);
  const auto engines = report::llm_group_table(scores.engines);
  const auto totals = report::llm_group_table(scores.totals);
  const auto slopes = report::llm_slope_table(scores.slopes);
  const auto judged = report::llm_judged_table(scores.judged);
  const auto left_out = report::llm_left_out_table(scores.rows.left_out);
  if (context.json()) {
    return print(context, Json{{"groups", groups.to_json()},
                               {"engines", engines.to_json()},
                               {"totals", totals.to_json()},
                               {"slopes", slopes.to_json()},
                               {"judged", judged.to_json()},
                               {"parameters", report::llm_engine_table(shipped.engines).to_json()},
                               {"memory_counted_twice", scores.rows.memory_twice},
                               {"left_out", left_out.to_json()}});
  }
  print(context, groups);
  if (context.csv()) return;
  std::cout << "\nBy engine:\n\n";
  print_aside(context, engines);
  std::cout << "\nBy board and mode:\n\n";
  print_aside(context, totals);
  if (!scores.slopes.empty()) {
    std::cout << "\nTime per token over tokens in the cache, of what its bytes take at peak:\n\n";
    print_aside(context, slopes);
  }
  if (!scores.judged.empty()) {
    std::cout << "\nRows that nothing is fitted to:\n\n";
    print_aside(context, judged);
  }
  if (scores.rows.memory_twice > 0) {
    std::cout << "\nPowers of which the memory's rail, counted twice, was taken off: "
              << scores.rows.memory_twice << "\n";
  }
  if (command.parameters) {
    std::cout << "\nFitted to all rows:\n\n";
    print_aside(context, report::llm_engine_table(shipped.engines));
  }
  if (scores.rows.left_out.empty()) return;
  std::cout << "\nRows that are not used:\n\n";
  print_aside(context, left_out);
}

}  // namespace

void add_evaluate_llm(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "llm",
      "Engines of language models against public runs: time per token, time to the first token and "
      "power of every (model, quantization), each without its own rows",
      "ridgewatt evaluate llm llm-agx-orin-32gb.csv llm-boards.csv");
  auto options = std::make_shared<EvaluateLlm>();
  input_file(command->add_option("ROWS", options->rows,
                                 "CSV files: runtime, model, quantization, prompt_tokens, "
                                 "generated_tokens, ttft_ms, tpot_ms, decode_power_w; or board, "
                                 "power_mode, runtime, workload, precision, batch, sequence, "
                                 "metric, value"))
      ->required();
  command->add_flag("--parameters", options->parameters, "Also print the fitted parameters");
  output_file(command->add_option("-o,--output", options->output,
                                  "File of engines that is fitted to all rows, as they ship"));
  command->callback([&context, options] { print_llm_scores(context, *options); });
}

}  // namespace ridgewatt::cli
