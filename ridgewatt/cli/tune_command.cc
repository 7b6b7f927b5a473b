#include "ridgewatt/cli/tune_command.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/workload_options.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt::cli {

StrategyOptions strategy_options(const Context& context, const TuneOptions& options) {
  StrategyOptions strategy;
  strategy.strategy = options.strategy.value_or("auto");
  strategy.budget.profiles = options.profiles;
  strategy.budget.minibatches = options.minibatches;
  if (options.time_budget_s) strategy.budget.time_s = *options.time_budget_s;
  strategy.seed = context.seed;
  strategy.min_gain = options.min_gain;
  strategy.noise = options.noise;
  return strategy;
}

std::vector<NamedMode> named_modes(const TuneOptions& options, const SearchSpace& space) {
  std::vector<NamedMode> names = {{"MAXN", space[space.top()].mode}};
  if (options.device.empty()) return names;
  std::vector<PowerMode> modes;
  for (const auto& point : space.points()) modes.push_back(point.mode);
  const KnobSpace knobs(std::move(modes));
  for (const auto& preset : presets(load_board(options.device))) {
    const PowerMode& nearest = knobs.nearest(preset.mode);
    if (nearest == names[0].mode) continue;
    names.push_back({(nearest == preset.mode ? "" : "near ") + preset.name, nearest});
  }
  return names;
}

TuneReport search_report(const Context& context, const TuneOptions& options,
                         const SearchSpace& space, const SearchSummary& summary) {
  TuneReport report;
  report.goal = options.goal.goal();
  report.goal.reference_time_s = summary.reference_time_s;
  report.strategy = summary.strategy;
  report.seed = context.seed;
  if (summary.answer) report.answer = compared(report.goal, "answer", *summary.answer);
  if (summary.miss) report.miss = compared(report.goal, "nearest miss", *summary.miss);
  report.profiled = summary.steps;
  report.considered = space.size();
  report.stop = summary.stop;
  report.board_time_s = summary.board_time_s;
  report.board_energy_j = summary.board_energy_j;
  report.job_samples = options.dataset_size * options.epochs;
  return report;
}

void print_report(const Context& context, const TuneReport& report, bool trace) {
  if (report.caveats) say_caveats(context, *report.caveats);
  if (context.json()) {
    print(tune_to_json(report));
  } else if (context.csv()) {
    print(context, trace ? trace_table(report) : tune_table(report));
  } else {
    for (const auto& line : tune_question(report)) std::cout << escape_terminal(line) << '\n';
    std::cout << '\n';
    for (const auto& line : tune_headline(report)) {
      std::cout << "  " << escape_terminal(line) << '\n';
    }
    std::cout << '\n';
    const bool steps = trace && !report.profiled.empty();
    if (steps)
      print_aside(context, tune_table(report));
    else
      print(context, tune_table(report));
    for (const auto& line : tune_remarks(report)) std::cout << '\n' << escape_terminal(line);
    std::cout << '\n';
    if (steps) {
      std::cout << '\n';
      print(context, trace_table(report));
    }
  }
  if (!report.answer) {
    throw NoSolutionError(
        "no answer within the limits", describe_goal(report.goal),
        report.fits_memory ? "loosen a limit or raise --profiles" : "choose a smaller --batch");
  }
}

void print_ranking(const Context& context, const std::vector<TuneReport>& reports) {
  if (!reports.empty() && reports.front().caveats) {
    say_caveats(context, *reports.front().caveats);
  }
  const bool answered = !reports.empty() && reports.front().answer;
  if (context.json()) {
    Json json = reports.empty() ? Json::object() : tune_to_json(reports.front());
    json["boards"] = Json::array();
    for (const auto& report : reports) json["boards"].push_back(tune_to_json(report));
    print(json);
  } else {
    if (!context.csv() && answered) {
      std::cout << escape_terminal(describe_goal(reports.front().goal)) << ", modelled\n\n";
    }
    print(context, ranking_table(reports));
  }
  if (!answered) throw NoSolutionError("no board has an answer within the limits");
}

}  // namespace ridgewatt::cli
