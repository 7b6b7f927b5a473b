// ridgewatt schedule dynamic: arrivals whose rate changes, re-planning against a bound.
#include <algorithm>

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/schedule/schedule_commands.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/report/origin_columns.h"
#include "ridgewatt/schedule/arrivals.h"
#include "ridgewatt/schedule/dynamic.h"

namespace ridgewatt::cli {
namespace {

struct ScheduleDynamicCommand {
  ScheduleOptions schedule;
  std::string arrivals = "bursty", strategy = "auto";
  int profiles = 50, traces = 1;
  schedule::BurstyOptions bursty;
  schedule::SimulationOptions simulation;
  schedule::DynamicOptions dynamic;
  double mode_change_ms = 200;
  bool in_order = false;
};

// The rates that arrive, and how points for them are profiled.
answer::ArrivalsQuestion question_of(const Context& context,
                                     const ScheduleDynamicCommand& options) {
  const auto [low, high] =
      std::minmax_element(options.bursty.rates_hz.begin(), options.bursty.rates_hz.end());
  return {*low, *high, options.dynamic.headroom, options.strategy, options.profiles, context.seed};
}

std::vector<report::Cell> row_of(const std::string& trace, const schedule::DynamicSummary& summary,
                                 std::size_t profiled) {
  const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  return {trace,
          count(summary.requests),
          count(summary.windows),
          count(summary.possible),
          count(summary.feasible),
          100 * summary.met_share(summary.policy),
          summary.feasible > 0 ? 100.0 * static_cast<double>(summary.policy.met) /
                                     static_cast<double>(summary.feasible)
                               : 0,
          summary.policy.training_hz(),
          summary.policy.achievable_hz(),
          summary.policy.bound_hz(),
          100 * summary.policy.regret(),
          100 * summary.policy.least_regret(),
          100 * summary.highest_share_of_bound,
          count(summary.plans_changed),
          count(summary.mode_changes),
          summary.mean_power_w(),
          100 * summary.met_share(summary.constant),
          100 * summary.constant.regret(),
          count(profiled)};
}

void run(const Context& context, ScheduleDynamicCommand options) {
  if (!options.schedule.has_inference()) {
    throw UsageError("nothing arrives", "--inference",
                     "give a model, or a sweep with --inference-sweep");
  }
  if (options.bursty.rates_hz.empty()) throw UsageError("give at least one rate", "--burst-rates");
  if (!options.schedule.rate) options.schedule.rate = options.bursty.rates_hz.front();
  options.dynamic.mode_change_s = options.mode_change_ms / 1e3;
  options.dynamic.late_last = !options.in_order;
  const schedule::PlanProblem problem = options.schedule.problem();
  const schedule::ScheduleWorkloads workloads = options.schedule.workloads(context);
  const auto [points, idle_source] =
      answer::planned_points(workloads, options.schedule.idle_power_w);
  const schedule::PlanSpace space(points);
  const auto candidates =
      answer::profile_for_arrivals(space, problem, question_of(context, options));
  options.simulation.seed = context.seed;
  schedule::PlanBook book(
      candidates, problem,
      schedule::dynamic_simulation(options.simulation, problem, options.dynamic));
  report::Table table(
      {{"trace"},
       {"requests"},
       {"windows"},
       {.name = "possible_windows", .heading = "possible", .rank = 2},
       {.name = "feasible_windows", .heading = "feasible", .rank = 3},
       {"met_pct", "p99 met (%)"},
       {.name = "met_of_feasible_pct", .rank = 2},
       {"training_throughput", "training (1/s)"},
       {.name = "achievable_throughput", .heading = "achievable (1/s)", .rank = 1},
       {.name = "bound_throughput", .heading = "bound (1/s)", .rank = 1},
       {.name = "regret_pct", .rank = 1},
       {.name = "least_regret_pct", .rank = 2},
       {.name = "highest_pct_of_bound", .heading = "highest percent of bound", .rank = 4},
       {.name = "plan_changes", .rank = 4},
       {.name = "mode_changes", .rank = 4},
       {.name = "power_mean_w", .rank = 4},
       {.name = "static_met_pct", .rank = 3},
       {.name = "static_regret_pct", .rank = 3},
       {.name = "profiled", .rank = 5}});
  schedule::DynamicSummary all;
  const bool bursty =
      find_word<schedule::ArrivalProcess>(options.arrivals) == schedule::ArrivalProcess::kBursty;
  for (int trace = 0; trace < options.traces; ++trace) {
    Random random = Random(context.seed).fork(static_cast<std::uint64_t>(trace));
    const auto arrivals =
        bursty ? schedule::bursty_arrivals(options.bursty, options.simulation.duration_s, random)
               : schedule::read_arrivals(options.arrivals);
    auto simulation = options.simulation;
    if (!bursty) {
      simulation.duration_s = schedule::recorded_duration_s(arrivals, simulation.duration_s);
    }
    simulation.seed = context.seed + static_cast<std::uint64_t>(trace);
    const auto summary =
        schedule::run_dynamic(book, space.candidates(), arrivals, simulation, options.dynamic);
    table.add_row(row_of(std::to_string(trace), summary, candidates.size()));
    all.add(summary);
  }
  if (options.traces > 1) table.add_row(row_of("all", all, candidates.size()));
  print(context,
        context.csv() ? report::with_origin(table, {schedule::plan_origin(workloads)}) : table);
  if (context.json() || context.csv()) return;
  remark(context, "idle power: " + idle_source);
  if (options.simulation.jitter > 0) {
    remark(context, "the bound holds for the times of the sweeps; jitter makes them random");
  }
}

}  // namespace

void add_schedule_dynamic(CLI::App& schedule, Context& context) {
  auto* command = add_command(schedule, context, "dynamic",
                              "Re-plan while the arrival rate changes, against what is possible",
                              "ridgewatt schedule dynamic --training-sweep T.csv --inference-sweep "
                              "I.csv --max-latency 1000 --max-power 40 "
                              "--duration 3600 --traces 5");
  auto options = std::make_shared<ScheduleDynamicCommand>();
  options->simulation.duration_s = 3600;
  options->schedule.add_to(*command);
  options->schedule.models.add_to(*command);
  options->schedule.add_idle_power_to(*command);
  command->add_option("--arrivals", options->arrivals, "bursty, or a CSV of time stamps (time_s)")
      ->capture_default_str();
  quantity(command->add_option("--burst-rates", options->bursty.rates_hz,
                               "Rates of the bursty process, 1/s"),
           hertz().positive())
      ->delimiter(',')
      ->capture_default_str();
  quantity(command->add_option("--burst-dwell", options->bursty.mean_dwell_s,
                               "Mean time between jumps in s"),
           seconds().positive())
      ->capture_default_str();
  quantity(command->add_option("--duration", options->simulation.duration_s,
                               "Length of a trace in s; a recorded one may end sooner"),
           seconds().positive())
      ->capture_default_str();
  quantity(command->add_option("--traces", options->traces, "Number of traces"),
           count().within(1, 1000))
      ->capture_default_str();
  const std::vector<std::string> names(schedule::plan_strategy_names().begin(),
                                       schedule::plan_strategy_names().end());
  name_choice(*command, "--strategy", options->strategy, {names},
              "How modes are profiled beforehand")
      ->capture_default_str();
  quantity(command->add_option("--profiles", options->profiles, "Profiles for each of three rates"),
           count().within(1, 1000000))
      ->capture_default_str();
  quantity(command->add_option("--headroom", options->dynamic.headroom,
                               "Plan for this share more arrivals"),
           share().within(0, 10))
      ->capture_default_str();
  quantity(command->add_option("--hysteresis", options->dynamic.hysteresis,
                               "Change a good plan only for this share more training"),
           share().within(0, 10))
      ->capture_default_str();
  command->add_flag("--in-order", options->in_order,
                    "Requests that are late keep their turn; otherwise those that can still be in "
                    "time go before them");
  quantity(
      command->add_option("--mode-change", options->mode_change_ms, "Cost of a mode change in ms"),
      milliseconds())
      ->capture_default_str();
  quantity(command->add_option("--jitter", options->simulation.jitter,
                               "Coefficient of variation of minibatch times"),
           number().within(0, 10))
      ->capture_default_str();
  command->callback([&context, options, command] {
    options->schedule.models.check(*command);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
