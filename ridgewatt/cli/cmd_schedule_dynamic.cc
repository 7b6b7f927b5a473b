// ridgewatt schedule dynamic: arrivals whose rate changes, re-planning against an oracle.
#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/schedule_commands.h"
#include "ridgewatt/cli/schedule_options.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/dynamic.h"
#include "ridgewatt/schedule/plan_search.h"

namespace ridgewatt::cli {
namespace {

struct ScheduleDynamicCommand {
  ScheduleOptions schedule;
  std::string arrivals = "bursty", strategy = "auto";
  int profiles = 15, traces = 1;
  BurstyOptions bursty;
  SimulationOptions simulation;
  DynamicOptions dynamic;
  double mode_change_ms = 200;
};

// What is profiled before serving begins: a search at the lowest, a middle and the highest rate,
// each with the budget and knowing what the one before saw.
std::vector<Candidate> profile(const Context& context, const ScheduleDynamicCommand& options,
                               const PlanSpace& space, PlanProblem problem) {
  if (options.strategy == "exhaustive") return space.candidates();
  const auto [low, high] =
      std::minmax_element(options.bursty.rates_hz.begin(), options.bursty.rates_hz.end());
  PlanSearchOptions search;
  search.strategy = options.strategy;
  search.profiles = options.profiles;
  search.seed = context.seed;
  search.fill_idle = true;
  for (const double rate : {*high, std::sqrt(*low * *high), *low}) {
    problem.arrival_rate_hz = rate * (1 + options.dynamic.head_room);
    const auto summary = PlanSearch(space, problem, replay(space), search).run();
    search.known.insert(search.known.end(), summary.profiled.begin(), summary.profiled.end());
  }
  std::vector<Candidate> result;
  for (const std::size_t point : search.known) result.push_back(space.candidates()[point]);
  return result;
}

std::vector<Cell> row_of(const std::string& trace, const DynamicSummary& summary,
                         std::size_t profiled) {
  const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  return {trace,
          count(summary.requests),
          count(summary.windows),
          count(summary.feasible),
          100 * summary.met_share(),
          summary.training_hz(),
          summary.oracle_training_hz(),
          100 * summary.regret(),
          count(summary.plans_changed),
          count(summary.mode_changes),
          100 * summary.static_met_share(),
          summary.static_training_hz(),
          count(profiled)};
}

void run(const Context& context, ScheduleDynamicCommand options) {
  if (options.schedule.infer.empty()) throw UsageError("nothing arrives", "--infer");
  if (options.bursty.rates_hz.empty()) throw UsageError("give at least one rate", "--rates");
  if (options.schedule.rate == 0) options.schedule.rate = options.bursty.rates_hz.front();
  options.dynamic.mode_change_s = options.mode_change_ms / 1e3;
  const PlanProblem problem = options.schedule.problem();
  const PlanSpace space(join_sweeps(options.schedule.workloads(context)));
  const auto candidates = profile(context, options, space, problem);
  Table table({{"trace", ""},
               {"requests", ""},
               {"windows", ""},
               {"feasible_windows", "feasible"},
               {"met_percent", "p99 met (%)"},
               {"training_throughput", "training (1/s)"},
               {"oracle_throughput", "oracle (1/s)"},
               {"regret_percent", "regret (%)"},
               {"plan_changes", "plans"},
               {"mode_changes", "modes"},
               {"static_met_percent", "static met (%)"},
               {"static_throughput", "static (1/s)"},
               {"profiled", ""}});
  DynamicSummary all;
  for (int trace = 0; trace < options.traces; ++trace) {
    Random random = Random(context.seed).fork(static_cast<std::uint64_t>(trace));
    const auto arrivals =
        options.arrivals == "bursty"
            ? bursty_arrivals(options.bursty, options.simulation.duration_s, random)
            : read_arrivals(options.arrivals);
    options.simulation.seed = context.seed + static_cast<std::uint64_t>(trace);
    const auto summary = run_dynamic(candidates, space.candidates(), problem, arrivals,
                                     options.simulation, options.dynamic);
    table.add_row(row_of(std::to_string(trace), summary, candidates.size()));
    all.add(summary);
  }
  if (options.traces > 1) table.add_row(row_of("all", all, candidates.size()));
  print(context, table);
}

}  // namespace

void add_schedule_dynamic(CLI::App& schedule, Context& context) {
  auto* command = add_command(
      schedule, context, "dynamic", "Re-plan while the arrival rate changes, against an oracle",
      "ridgewatt schedule dynamic --train T.csv --infer I.csv --max-latency 1000 --max-power 40 "
      "--duration 3600 --traces 5");
  auto options = std::make_shared<ScheduleDynamicCommand>();
  options->simulation.duration_s = 3600;
  options->schedule.add_to(*command);
  command->add_option("--arrivals", options->arrivals, "bursty, or a CSV of time stamps (time_s)")
      ->capture_default_str();
  command->add_option("--rates", options->bursty.rates_hz, "Rates of the bursty process, 1/s")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--dwell", options->bursty.mean_dwell_s, "Mean time between jumps in s")
      ->capture_default_str();
  command->add_option("--duration", options->simulation.duration_s, "Length of a trace in s")
      ->capture_default_str();
  command->add_option("--traces", options->traces, "How many traces")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  std::vector<std::string> names(plan_strategy_names().begin(), plan_strategy_names().end());
  command->add_option("--strategy", options->strategy, "How modes are profiled beforehand")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_option("--profiles", options->profiles, "Profiles for each of three rates")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command
      ->add_option("--head-room", options->dynamic.head_room, "Plan for this share more arrivals")
      ->capture_default_str();
  command
      ->add_option("--hysteresis", options->dynamic.hysteresis,
                   "Change a good plan only for this share more training")
      ->capture_default_str();
  command->add_option("--mode-change", options->mode_change_ms, "Cost of a mode change in ms")
      ->capture_default_str();
  command
      ->add_option("--jitter", options->simulation.jitter,
                   "Coefficient of variation of minibatch times")
      ->capture_default_str();
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
