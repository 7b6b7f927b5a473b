// ridgewatt evaluate choices: which few of some modes predict the others best.
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/sweep_names.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/evaluate/mode_choice.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/sweep/points.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateChoices {
  std::string sweep, workload, modes;
  bool keep_outliers = false;
  evaluate::ChoiceOptions choice;
};

// "a", "b", .. in the order of the file; numbers from the 27th.
std::string letter(std::size_t place) {
  return place < 26 ? std::string(1, static_cast<char>('a' + place)) : std::to_string(place + 1);
}

report::Table mode_table(const std::vector<PowerMode>& modes) {
  const auto knobs = report::knob_columns(modes);
  std::vector<report::Column> columns = {{"name"}};
  report::append(columns, knobs);
  report::Table table(columns);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    std::vector<report::Cell> row = {letter(i)};
    for (auto& cell : report::knob_cells(modes[i], knobs)) row.push_back(std::move(cell));
    table.add_row(std::move(row));
  }
  return table;
}

report::Table choice_table(const std::vector<evaluate::ChoiceScore>& scores) {
  report::Table table({{"modes"},
                       {.name = "others_time_pct", .heading = "time of the others (%)"},
                       {.name = "others_power_pct", .heading = "power (%)", .rank = 1},
                       {.name = "others_energy_pct", .heading = "energy of the others (%)"},
                       {.name = "all_time_pct", .heading = "time of all rows (%)"},
                       {.name = "all_power_pct", .heading = "power of all (%)", .rank = 1},
                       {.name = "all_energy_pct", .heading = "energy of all rows (%)"}});
  for (const auto& score : scores) {
    std::string names;
    for (const std::size_t place : score.chosen)
      names += (names.empty() ? "" : " ") + letter(place);
    table.add_row({names, score.others_time_pct, score.others_power_pct, score.others_energy_pct,
                   score.all_time_pct, score.all_power_pct, score.all_energy_pct});
  }
  return table;
}

void run(const Context& context, const EvaluateChoices& options) {
  const Sweep sweep =
      read_trusted_sweep(context, options.sweep, options.keep_outliers, options.workload);
  std::vector<PowerMode> modes;
  for (const auto& point : read_points(options.modes)) modes.push_back(point.mode);
  evaluate::ChoiceOptions choice = options.choice;
  choice.seed = context.seed;
  const auto scores = evaluate::score_choices(sweep, modes, choice);
  std::vector<double> others_pct;
  for (const auto& score : scores) others_pct.push_back(score.others_time_pct);
  if (context.json()) {
    return print(context, Json{{"modes", mode_table(modes).to_json()},
                               {"choices", choice_table(scores).to_json()},
                               {"median_others_time_pct", median(others_pct)}});
  }
  if (!context.csv()) {
    print_aside(context, mode_table(modes));
    std::cout << '\n';
  }
  print(context, choice_table(scores));
  remark(context, fmt::format("{} choices of {} modes; error of time over the others: best {:.3g}, "
                              "median {:.3g}, worst {:.3g} %",
                              scores.size(), choice.count, others_pct.front(), median(others_pct),
                              others_pct.back()));
}

}  // namespace

void add_evaluate_choices(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "choices",
      "Learn from every choice of a few among some modes, score it on the others and on the sweep",
      "ridgewatt evaluate choices --sweep resnet18.csv --modes ten.csv --count 4 --top 5");
  auto options = std::make_shared<EvaluateChoices>();
  input_file(command->add_option("--sweep", options->sweep, "Sweep CSV that is scored"))
      ->required();
  command->add_option("--workload", options->workload,
                      std::string("Which sweep of the file: ") + kSweepNames);
  input_file(command->add_option("--modes", options->modes,
                                 "CSV of the modes to choose among, each a row of the sweep"))
      ->required();
  quantity(command->add_option("--count", options->choice.count, "Modes chosen"),
           count().within(1, 100))
      ->capture_default_str();
  name_choice(*command, "--method", options->choice.method, {predict::predictor_methods()},
              "Predictor, as of predict")
      ->capture_default_str();
  quantity(command->add_option("--threads", options->choice.threads, "Threads; 0: all"),
           count().within(0, 1024))
      ->capture_default_str();
  command->add_flag("--keep-outliers", options->keep_outliers,
                    "Use rows that the quality check flags");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
