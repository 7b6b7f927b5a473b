// ridgewatt schedule simulate: what a plan does under real arrivals.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/schedule/schedule_commands.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/origin_columns.h"
#include "ridgewatt/report/schedule_figures.h"
#include "ridgewatt/report/schedule_report.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::cli {
namespace {

struct SimulateOptions {
  std::string plan;  // a result of `schedule plan`, in place of `schedule`
  ScheduleOptions schedule;
  std::string arrivals = "poisson";  // an ArrivalProcess, or a file
  std::vector<double> burst_rates = {10, 30, 60, 90, 120};
  double burst_dwell_s = 60;
  double duration_s = 600;
  std::vector<schedule::Sharing> sharing = {
      schedule::Sharing::kManaged, schedule::Sharing::kPriority, schedule::Sharing::kNative};
  schedule::SimulationOptions simulation;
  double mode_change_ms = 0;
  bool full_batches = false, interference_given = false;
  std::string power_csv, timeline_csv, arrivals_csv;
  FigureFiles figures;
};

// `duration_s` becomes a recorded trace's own where that is shorter.
std::vector<double> make_arrivals(const SimulateOptions& options, std::uint64_t seed, double rate,
                                  double& duration_s) {
  Random random(seed);
  const auto process = find_word<schedule::ArrivalProcess>(options.arrivals);
  if (!process) {
    auto recorded = schedule::read_arrivals(options.arrivals);
    duration_s = schedule::recorded_duration_s(recorded, duration_s);
    return recorded;
  }
  switch (*process) {
    case schedule::ArrivalProcess::kConstant:
      return schedule::constant_arrivals(rate, options.duration_s);
    case schedule::ArrivalProcess::kPoisson:
      return schedule::poisson_arrivals(rate, options.duration_s, random);
    case schedule::ArrivalProcess::kBursty:
      break;
  }
  return schedule::bursty_arrivals({options.burst_rates, options.burst_dwell_s}, options.duration_s,
                                   random);
}

std::vector<report::Cell> row_of(const std::string& sharing, const schedule::Simulation& result) {
  const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  return {sharing,
          count(result.requests),
          result.mean_latency_s * 1e3,
          result.p50_s * 1e3,
          result.p95_s * 1e3,
          result.p99_s * 1e3,
          result.worst_s * 1e3,
          count(result.violations),
          count(result.unserved),
          count(result.longest_queue),
          result.training_throughput_hz,
          result.mean_power_w,
          result.peak_power_w,
          result.energy_j,
          result.busy_share};
}

const std::vector<report::Column> kColumns = {{"sharing"},
                                              {"requests"},
                                              {.name = "latency_mean_ms", .rank = 4},
                                              {.name = "latency_p50_ms", .rank = 3},
                                              {.name = "latency_p95_ms", .rank = 4},
                                              {"latency_p99_ms"},
                                              {"latency_worst_ms"},
                                              {"violations", "late"},
                                              {.name = "unserved", .rank = 2},
                                              {.name = "longest_queue", .rank = 5},
                                              {"training_throughput", "training (1/s)"},
                                              {.name = "power_mean_w", .rank = 1},
                                              {"power_peak_w"},
                                              {.name = "energy_j", .rank = 2},
                                              {.name = "busy_share", .rank = 5}};

std::string power_to_csv(const schedule::Simulation& result, double bin_s) {
  std::string text = "time_s,power_w\n";
  for (std::size_t i = 0; i < result.power_w.size(); ++i) {
    text += fmt::format("{},{}\n", static_cast<double>(i) * bin_s, result.power_w[i]);
  }
  return text;
}

std::string timeline_to_csv(const schedule::Simulation& result) {
  std::string text = "kind,start_s,end_s,requests,power_w\n";
  for (const auto& s : result.timeline) {
    text +=
        fmt::format("{},{},{},{},{}\n", name_of(s.kind), s.start_s, s.end_s, s.batch, s.power_w);
  }
  return text;
}

// What is simulated: the plan, and the plans that there were to choose from.
struct Planned {
  report::PlannedServing serving;
  schedule::Plan plan;
  schedule::PlanTable others;
};

Planned read_plan(const std::string& path) {
  report::PlannedServing planned = report::read_planned(path);
  const schedule::Plan plan = schedule::plan_with(planned.serving.candidate, planned.problem);
  schedule::PlanTable others({planned.serving.candidate});
  return {std::move(planned), plan, std::move(others)};
}

Planned make_plan(const Context& context, const ScheduleOptions& options) {
  const schedule::PlanProblem problem = options.problem();
  const schedule::ScheduleWorkloads workloads = options.workloads(context);
  const auto [candidates, idle_source] = answer::planned_points(workloads, options.idle_power_w);
  schedule::PlanTable plans(candidates);
  const schedule::Plan plan = plans.best(problem);
  if (!plan.feasible) throw NoSolutionError("no plan meets the constraints", plan.miss);
  return {{problem, schedule::make_serving_plan(plan, candidates), schedule::plan_origin(workloads),
           idle_source},
          plan,
          std::move(plans)};
}

// The first six cycles, the distributions, and the plans for other budgets.
std::vector<ridgewatt::report::Figure> simulation_figures(
    const schedule::Plan& plan, const schedule::PlanTable& table,
    const schedule::PlanProblem& problem, const report::FigureSource& source,
    const std::vector<std::pair<std::string, schedule::Simulation>>& results) {
  const double until_s = 6 * plan.cycle.period_s;
  std::vector<double> power_w, latency_s;
  for (int i = 0; i <= 20; ++i) power_w.push_back(10 + 2 * i);
  for (int i = 0; i <= 15; ++i) latency_s.push_back(0.5 + 0.1 * i);
  const schedule::Simulation& first = results.front().second;
  return {report::cycle_timeline(first, until_s, source),
          report::cycle_power(first, until_s, plan.candidate.idle_power_w, source),
          report::latency_distribution(results, problem.max_latency_s, source),
          report::throughput_map(table, problem, power_w, latency_s, source)};
}

// As files of their own in a folder, or all in one file.
void write_figures(const FigureFiles& files, const std::vector<ridgewatt::report::Figure>& figures,
                   const report::Table& results) {
  constexpr const char* kNames[] = {"timeline.svg", "power.svg", "latency.svg", "throughput.svg"};
  for (const auto& folder : files.folders()) {
    make_folder(folder);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      write_output(folder + "/" + kNames[i], report::to_svg(figures[i]));
    }
  }
  constexpr char kTitle[] = "A plan under simulated arrivals";
  const auto page_of = [&] {
    report::HtmlReport page(kTitle);
    for (const auto& figure : figures) page.figure(figure);
    page.table("Ways of sharing", results);
    return page.html();
  };
  files.write([&] { return report::to_svg(figures, kTitle); }, page_of);
}

void check(const CLI::App& command, const SimulateOptions& options) {
  options.schedule.models.check(command);
  if (!options.plan.empty()) {
    refuse_without_effect(
        command,
        {"--inference-sweep", "--training-sweep", "--non-urgent", "--switch-cost",
         "--keep-outliers", "--non-urgent-rate", "--arrival-rate", "--max-latency", "--max-power",
         "--bound", "--inference", "--training", "--idle-power", "--busy-share"},
        "with PLAN", "the plan says it");
  }
  if (find_word<schedule::ArrivalProcess>(options.arrivals) != schedule::ArrivalProcess::kBursty) {
    refuse_without_effect(command, {"--burst-rates", "--burst-dwell"}, "without --arrivals bursty");
  }
  if (!options.schedule.has_inference() && options.plan.empty()) {
    refuse_without_effect(command,
                          {"--arrivals", "--arrivals-csv", "--full-batches", "--late-last"},
                          "without inference");
  }
}

void run(const Context& context, const SimulateOptions& options) {
  const Planned planned =
      options.plan.empty() ? make_plan(context, options.schedule) : read_plan(options.plan);
  const auto& [problem, serving, origin, idle_source] = planned.serving;
  const schedule::Plan& plan = planned.plan;
  schedule::SimulationOptions simulation = options.simulation;
  simulation.duration_s = options.duration_s;
  const auto arrivals =
      plan.candidate.inference
          ? make_arrivals(options, context.seed, problem.arrival_rate_hz, simulation.duration_s)
          : std::vector<double>{};
  simulation.max_latency_s = problem.max_latency_s;
  simulation.mode_change_s = options.mode_change_ms / 1e3;
  simulation.deadline_dispatch = !options.full_batches;
  simulation.timeline_segments =
      options.timeline_csv.empty() && options.figures.empty() && !context.with_figures ? 0
                                                                                       : 100'000;
  simulation.seed = context.seed;
  if (!options.arrivals_csv.empty()) {
    write_output(options.arrivals_csv, schedule::write_arrivals_csv(arrivals));
  }
  std::string interference_source{options.interference_given ? std::string_view("given")
                                                             : schedule::kNativeInterferenceSource};
  const auto native = schedule::forecast_sharing(plan.candidate);
  if (native && native->busy_known) {
    simulation.shared_power_w = native->power_w.value;
    if (!options.interference_given) {
      simulation.interference = std::max(0.501, native->factor.value);  // it has to be above 0.5
      interference_source = "modelled: by how much of its time each program keeps the device busy";
    }
  }
  report::Table table(kColumns);
  std::vector<std::pair<std::string, schedule::Simulation>> results;
  for (std::size_t i = 0; i < options.sharing.size(); ++i) {
    simulation.sharing = options.sharing[i];
    results.emplace_back(name_of(simulation.sharing),
                         schedule::simulate(serving, arrivals, simulation));
    const schedule::Simulation& result = results.back().second;
    table.add_row(row_of(results.back().first, result));
    if (i > 0) continue;
    if (!options.power_csv.empty()) {
      write_output(options.power_csv, power_to_csv(result, simulation.power_bin_s));
    }
    if (!options.timeline_csv.empty()) write_output(options.timeline_csv, timeline_to_csv(result));
  }
  std::vector<report::Figure> figures;
  if ((!options.figures.empty() || context.with_figures) && !results.empty()) {
    const report::FigureSource source(
        origin.workload, origin.board, Provenance::kModelled,
        fmt::format("simulated from {} sweeps", name_of(origin.provenance)));
    figures = simulation_figures(plan, planned.others, problem, source, results);
    if (!options.figures.empty()) write_figures(options.figures, figures, table);
  }
  if (context.json()) {
    Json json;
    json["plan"] = report::plan_to_json(plan);
    json["arrivals"] = options.arrivals;
    json["seed"] = context.seed;
    json["provenance"] = name_of(Provenance::kModelled);
    json["idle_power"] = idle_source;
    json["interference"] = {{"factor", simulation.interference}, {"source", interference_source}};
    report::add_origin(json["sweeps"], origin);
    json["results"] = table.to_json();
    if (context.with_figures) {
      report::HtmlReport page("");
      for (const auto& figure : figures) page.figure(figure);
      json["figures"] = page.figures();
    }
    print(context, json);
  } else {
    print(context, context.csv() ? report::with_origin(table, {origin}) : table);
    remark(context, fmt::format("idle power: {}", idle_source));
    const auto& ways = options.sharing;
    if (std::find(ways.begin(), ways.end(), schedule::Sharing::kNative) != ways.end()) {
      remark(context, fmt::format("native: interference {:.3f}, {}", simulation.interference,
                                  interference_source));
    }
  }
}

}  // namespace

void add_schedule_simulate(CLI::App& schedule, Context& context) {
  auto* command =
      add_command(schedule, context, "simulate", "Simulate the plan under real arrivals",
                  "ridgewatt schedule simulate --training-sweep T.csv --inference-sweep I.csv "
                  "--arrival-rate 60 --max-latency 500 "
                  "--max-power 30 --arrivals poisson --duration 3600\n"
                  "  ridgewatt schedule simulate plan.json --arrivals bursty");
  auto options = std::make_shared<SimulateOptions>();
  input_file(command->add_option("PLAN", options->plan,
                                 "Result of `schedule plan --format json`, in place of all options "
                                 "that make a plan"));
  options->schedule.add_to(*command);
  options->schedule.models.add_to(*command);
  options->schedule.add_idle_power_to(*command);
  options->schedule.add_busy_share_to(*command);
  auto& simulation = options->simulation;
  command
      ->add_option("--arrivals", options->arrivals,
                   "constant, poisson, bursty, or a CSV of time stamps (column time_s)")
      ->capture_default_str();
  quantity(command->add_option("--burst-rates", options->burst_rates,
                               "Rates of the bursty process, 1/s"),
           hertz().positive())
      ->delimiter(',');
  quantity(
      command->add_option("--burst-dwell", options->burst_dwell_s, "Mean time between jumps in s"),
      seconds().positive())
      ->capture_default_str();
  quantity(command->add_option("--duration", options->duration_s,
                               "Simulated time in s; a recorded trace may end sooner"),
           seconds().positive())
      ->capture_default_str();
  listed_choices(*command, "--sharing", options->sharing,
                 joined_names<schedule::Sharing>() +
                     " (native by an ideal driver); CSV files are of the first")
      ->delimiter(',')
      ->capture_default_str();
  command->add_flag("--full-batches", options->full_batches,
                    "Always wait for a full batch, even when the latency bound suffers");
  command->add_flag("--late-last", simulation.late_last,
                    "Requests that are late anyway wait for those that can be in time");
  command->add_flag("--fill-idle", simulation.fill_idle,
                    "Train whenever no batch is due, beyond the minibatches of the cycle");
  quantity(command->add_option("--jitter", simulation.jitter,
                               "Coefficient of variation of minibatch times"),
           number().within(0, 10))
      ->capture_default_str();
  quantity(
      command->add_option("--mode-change", options->mode_change_ms, "Cost of a mode change in ms"),
      milliseconds())
      ->capture_default_str();
  quantity(command->add_option("--interference", simulation.interference,
                               "Of native sharing: two programs at once each run at 1 / (2 x it) "
                               "of their speed alone (measure it with schedule run "
                               "--measure-interference)"),
           number().within(0.51, 100))
      ->capture_default_str();
  quantity(command->add_option("--power-bin", simulation.power_bin_s,
                               "Resolution of power over time in s"),
           seconds().positive())
      ->capture_default_str();
  output_file(command->add_option("--power-csv", options->power_csv, "Write power over time"));
  output_file(command->add_option("--timeline-csv", options->timeline_csv,
                                  "Write who held the device when"));
  options->figures.add_to(*command,
                          "timeline, power, latency and throughput, "
                          "or one SVG file of each into this folder",
                          FigureForms::kFilesOrFolder);
  output_file(
      command->add_option("--arrivals-csv", options->arrivals_csv, "Write the arrivals used"));
  command->callback([&context, options, command] {
    check(*command, *options);
    options->interference_given = command->count("--interference") > 0;
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
