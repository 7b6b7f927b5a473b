#include "ridgewatt/cli/answer/tune_command.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/workload_options.h"
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
  const Board board = load_board(options.device);
  for (const auto& preset : presets(board)) {
    const PowerMode& nearest = knobs.nearest(preset.mode);
    if (nearest == names[0].mode) continue;
    names.push_back({(nearest == preset.mode ? "" : "near ") + preset.name, nearest});
  }
  return names;
}

void name_presets(TuneReport& report, const Board& board) {
  std::vector<std::string> names;
  std::vector<double> drawn_w;
  const auto name = [&](ComparedPoint& point) {
    point.preset = preset_name(board, point.point.mode);
    names.push_back(point.preset);
    drawn_w.push_back(point.cost.power_w.mean);
  };
  if (report.answer) name(*report.answer);
  if (report.miss) name(*report.miss);
  for (auto& other : report.others) name(other);
  report.preset_note = preset_note(names, drawn_w);
}

void add_mends(TuneReport& report, std::span<const OperatingPoint> points,
               std::span<const Prediction> costs, Caution caution) {
  if (report.answer) return;
  for (const auto& [kind, value, point] : relaxations(report.goal, points, costs, caution)) {
    report.mends.push_back({kind, value, points[point]});
  }
}

void add_job(TuneReport& report) {
  if (!(report.job_samples > 0) || !report.answer) return;
  const auto& [point, cost] = std::pair(report.answer->point, report.answer->cost);
  report.job = job_cost(cost.time_s.mean, cost.energy_j.mean, point.batch, report.job_samples);
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
  add_job(report);
  std::vector<OperatingPoint> points;
  std::vector<Prediction> costs;
  for (const auto& step : summary.steps) {
    points.push_back(step.seen.point);
    costs.push_back(exactly(step.seen));
  }
  add_mends(report, points, costs, Caution::kMeans);
  if (!report.answer && summary.steps.size() < space.size()) {
    report.advice = fmt::format("only {} of {} points were profiled: raise --profiles",
                                summary.steps.size(), space.size());
  }
  return report;
}

namespace {

// What to do without an answer, in one line.
std::string how_to_mend(const TuneReport& report) {
  std::string text;
  if (!report.fits_memory && report.advice.empty()) {
    const bool smaller = !report.batches.empty() && report.batches.front() > 1;
    text = smaller ? "choose a smaller --batch" : "choose a board with more memory";
    const std::string boards = mend_text({}, report.boards);
    return boards.empty() ? text : text + "; " + boards;
  }
  text = mend_text(report.mends, report.boards);
  if (text.empty() && report.advice.empty()) return "no single limit mends it: loosen several";
  if (text.empty()) return report.advice;
  return report.advice.empty() ? text : text + "; " + report.advice;
}

}  // namespace

void print_report(const Context& context, const TuneReport& report, bool trace) {
  if (report.caveats) say_caveats(context, *report.caveats);
  if (context.json()) {
    print(context, tune_to_json(report));
  } else if (context.csv()) {
    const Table table = trace ? trace_table(report) : tune_table(report);
    print(context, with_origin(table, {report.origin}));
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
    throw NoSolutionError("no answer within the limits", describe_goal(report.goal),
                          how_to_mend(report));
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
    print(context, json);
  } else {
    if (!context.csv() && answered) {
      std::cout << escape_terminal(describe_goal(reports.front().goal)) << ", modelled, "
                << reports.front().origin.runtime << "\n\n";
    }
    std::vector<RowOrigin> origins;
    for (const auto& report : reports) origins.push_back(report.origin);
    const Table table = ranking_table(reports);
    print(context, context.csv() && !origins.empty() ? with_origin(table, origins) : table);
  }
  if (!answered) throw NoSolutionError("no board has an answer within the limits");
}

}  // namespace ridgewatt::cli
