// ridgewatt evaluate runtimes: estimates of runtimes against public measurements, left out in turn.
#include <fmt/format.h>

#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/report/calibrate_report.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateRuntimes {
  std::string rows;
  bool parameters = false;
};

Json scores_json(const evaluate::RuntimeScores& scores) {
  return {{"groups", report::runtime_group_table(scores).to_json()},
          {"rows", report::runtime_score_table(scores).to_json()},
          {"within_90_pct_interval", scores.within},
          {"parameters", report::runtime_parameter_table(scores.fit.twins).to_json()},
          {"left_out", report::runtime_left_out_table(scores.rows.left_out).to_json()}};
}

void print_scores(const Context& context, const EvaluateRuntimes& command,
                  const evaluate::RuntimeScores& scores) {
  print(context, report::runtime_score_table(scores));
  if (context.csv()) return;
  std::cout << fmt::format("\n{} of {} rows within their 90 % interval, each without its model\n\n",
                           scores.within, scores.rows.rows.size());
  print_aside(context, report::runtime_group_table(scores));
  if (command.parameters) {
    std::cout << '\n';
    print_aside(context, report::runtime_parameter_table(scores.fit.twins));
  }
  if (scores.rows.left_out.empty()) return;
  std::cout << "\nRows that are not used:\n\n";
  print_aside(context, report::runtime_left_out_table(scores.rows.left_out));
}

void run(const Context& context, const EvaluateRuntimes& command) {
  const auto facts = report::runtime_fact_table(evaluate::check_runtime_facts());
  if (command.rows.empty()) {
    return context.json() ? print(context, Json{{"facts", facts.to_json()}})
                          : print(context, facts);
  }
  const evaluate::RuntimeScores scores = evaluate::score_runtimes(command.rows);
  if (context.json()) {
    Json json = scores_json(scores);
    json["facts"] = facts.to_json();
    return print(context, json);
  }
  print_scores(context, command, scores);
  if (context.csv()) return;
  std::cout << "\nPublished facts, by what ships:\n\n";
  print_aside(context, facts);
}

}  // namespace

void add_evaluate_runtimes(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "runtimes",
      "Runtimes against public measurements: every row predicted without its model, its board and "
      "its precision in turn; without ROWS published facts alone",
      "ridgewatt evaluate runtimes vision.csv");
  auto options = std::make_shared<EvaluateRuntimes>();
  input_file(command->add_option(
      "ROWS", options->rows,
      "CSV: source, date, board, jetpack, power_mode, runtime, workload, precision, batch, "
      "sequence, metric, value, note"));
  command->add_flag("--parameters", options->parameters, "Also print the fitted parameters");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
