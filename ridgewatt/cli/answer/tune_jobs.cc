// `tune` for a job with a deadline or an energy, for a periodic task, and for a day's energy.
#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/jobs.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/job_text.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/origin_columns.h"

namespace ridgewatt::cli {
namespace {

constexpr char kJobGroup[] = "Jobs and days";

// A way with the name it is shown by.
struct NamedWay {
  std::string name;
  govern::JobWay way;
};

std::string wait_text(govern::Wait wait) {
  switch (wait) {
    case govern::Wait::kIdle:
      return "idle";
    case govern::Wait::kRest:
      return "rest";
    case govern::Wait::kSleep:
      return "asleep";
  }
  return "";
}

// A row per stretch of a way.
report::Table ways_table(const std::vector<NamedWay>& ways, const answer::ModeCosts& costs) {
  std::vector<PowerMode> modes;
  for (const auto& [name, way] : ways) {
    for (const auto& part : way.parts) modes.push_back(costs.points[part.mode].mode);
  }
  std::vector<report::Column> columns = {{"way"}, {"does"}};
  const auto knobs = report::knob_columns(modes);
  report::append(columns, knobs);
  report::append(columns, {{.name = "time_h", .heading = "time (h)"},
                           {.name = "samples", .digits = 6},
                           {.name = "power_w", .heading = "power (W)"},
                           {.name = "energy_wh", .heading = "energy (Wh)"},
                           {.name = "total_wh", .heading = "in all (Wh)"},
                           {.name = "total_lo_wh", .heading = "from (Wh)", .rank = 1},
                           {.name = "total_hi_wh", .heading = "to (Wh)", .rank = 1}});
  report::Table table(std::move(columns));
  for (const auto& [name, way] : ways) {
    const predict::Estimate total = costs.energy_of(way);
    for (const auto& part : way.parts) {
      const OperatingPoint& point = costs.points[part.mode];
      std::vector<report::Cell> row = {name, part.wait ? wait_text(*part.wait) : "work"};
      for (auto& cell : report::knob_cells(point.mode, knobs)) row.push_back(std::move(cell));
      row.emplace_back(part.time_s / report::kSecondsPerHour);
      row.emplace_back(part.wait ? report::Cell() : report::Cell(part.minibatches * point.batch));
      row.emplace_back(part.energy_j / part.time_s);
      row.emplace_back(part.energy_j / report::kJoulesPerWh);
      const bool last = &part == &way.parts.back();
      for (const double energy_j : {total.mean, total.lo, total.hi}) {
        row.emplace_back(last ? report::Cell(energy_j / report::kJoulesPerWh) : report::Cell());
      }
      table.add_row(std::move(row));
    }
  }
  return table;
}

Json way_json(const std::string& name, const govern::JobWay& way, const answer::ModeCosts& costs) {
  const predict::Estimate time_s = costs.time_of(way), energy_j = costs.energy_of(way);
  Json parts = Json::array();
  for (const auto& part : way.parts) {
    parts.push_back({{"does", part.wait ? wait_text(*part.wait) : "work"},
                     {"mode", report::mode_to_json(costs.points[part.mode].mode)},
                     {"time_s", part.time_s},
                     {"samples", part.minibatches * costs.points[part.mode].batch},
                     {"energy_j", part.energy_j}});
  }
  return {{"way", name},
          {"job_time_s", time_s.mean},
          {"job_time_lo_s", time_s.lo},
          {"job_time_hi_s", time_s.hi},
          {"job_energy_j", energy_j.mean},
          {"job_energy_lo_j", energy_j.lo},
          {"job_energy_hi_j", energy_j.hi},
          {"parts", std::move(parts)}};
}

void print_ways(const Context& context, const std::string& headline, Json question,
                const std::vector<NamedWay>& ways, const answer::ModeCosts& costs) {
  if (costs.caveats) say_caveats(context, *costs.caveats);
  if (context.json()) {
    Json json{{"question", std::move(question)}, {"provenance", name_of(Provenance::kModelled)}};
    report::add_origin(json, costs.origin);
    json["ways"] = Json::array();
    for (const auto& [name, way] : ways) json["ways"].push_back(way_json(name, way, costs));
    return print(context, json);
  }
  const report::Table table = ways_table(ways, costs);
  if (context.csv()) return print(context, report::with_origin(table, {costs.origin}));
  std::cout << escape_terminal(costs.workload) << "\n\n  " << headline << "\n\n";
  print(context, table);
  std::cout << '\n' << escape_terminal(costs.remark) << '\n';
}

std::optional<govern::Sleep> sleep_of(const JobOptions& options, const answer::ModeCosts& costs) {
  if (!options.sleep_power_w) return std::nullopt;
  double rest_w = costs.costs.front().idle_w;
  for (const auto& cost : costs.costs) rest_w = std::min(rest_w, cost.idle_w);
  return govern::Sleep{*options.sleep_power_w, *options.sleep_s,
                       options.sleep_energy_j.value_or(rest_w * *options.sleep_s)};
}

void ask_job(const Context& context, const TuneOptions& options, const answer::ModeCosts& costs) {
  const int batch = costs.points.front().batch;
  govern::Job job;
  job.minibatches = std::ceil(options.dataset_size * options.epochs / batch - 1e-9);
  if (options.job.deadline_s) job.end_s = *options.job.deadline_s;
  if (options.job.job_energy_j) job.energy_j = *options.job.job_energy_j;
  if (options.goal.max_power_w) job.power_w = *options.goal.max_power_w;
  const govern::JobWays ways = govern::ways_of_job(costs.costs, job, sleep_of(options.job, costs));
  if (!ways.mix) {
    const bool late = ways.least_time_s > job.end_s;
    throw NoSolutionError("no way of the job keeps the goal",
                          late ? "--deadline" : "--max-job-energy",
                          late ? "the fastest takes " + report::duration_text(ways.least_time_s)
                               : "the least is " + report::energy_text(ways.least_energy_j));
  }
  std::vector<NamedWay> named = {{"best mix", *ways.mix}};
  if (ways.fixed) named.push_back({"best single mode", *ways.fixed});
  if (job.end_s < govern::Job::kNone) {
    if (ways.race) named.push_back({"race to rest", *ways.race});
    if (ways.steady) named.push_back({"slow and steady", *ways.steady});
  }
  Json question{{"samples", options.dataset_size * options.epochs}, {"batch", batch}};
  if (options.job.deadline_s) question["deadline_s"] = *options.job.deadline_s;
  if (options.job.job_energy_j) question["job_energy_j"] = *options.job.job_energy_j;
  if (options.goal.max_power_w) question["power_w"] = *options.goal.max_power_w;
  print_ways(context,
             fmt::format("{}: {}", report::job_text({ways.mix->end_s, ways.mix->energy_j}),
                         job.end_s < govern::Job::kNone
                             ? "the least energy until the deadline, what follows the job counted"
                             : "the least time within the energy"),
             std::move(question), named, costs);
}

report::Table period_table(const std::vector<std::pair<std::string, govern::PeriodWay>>& ways,
                           double period_s, const answer::ModeCosts& costs) {
  std::vector<PowerMode> modes;
  for (const auto& [name, way] : ways) modes.push_back(costs.points[way.mode].mode);
  std::vector<report::Column> columns = {{"way"}};
  const auto knobs = report::knob_columns(modes);
  report::append(columns, knobs);
  report::append(columns, {{.name = "work_ms", .heading = "work (ms)"},
                           {"wait"},
                           {.name = "energy_j", .heading = "energy per period (J)"},
                           {.name = "power_w", .heading = "mean power (W)"},
                           {.name = "over_best_pct", .heading = "over the best (%)", .digits = 3}});
  report::Table table(std::move(columns));
  for (const auto& [name, way] : ways) {
    std::vector<report::Cell> row = {name};
    for (auto& cell : report::knob_cells(costs.points[way.mode].mode, knobs)) {
      row.push_back(std::move(cell));
    }
    row.emplace_back(1e3 * way.work_s);
    row.emplace_back(wait_text(way.wait));
    row.emplace_back(way.energy_j);
    row.emplace_back(way.energy_j / period_s);
    row.emplace_back(100 * (way.energy_j / ways.front().second.energy_j - 1));
    table.add_row(std::move(row));
  }
  return table;
}

void ask_period(const Context& context, const TuneOptions& options,
                const answer::ModeCosts& costs) {
  govern::Period period{.period_s = *options.job.period_s};
  if (options.goal.max_power_w) period.power_w = *options.goal.max_power_w;
  const govern::PeriodWays ways =
      govern::ways_of_period(costs.costs, period, sleep_of(options.job, costs));
  if (!ways.best) {
    throw NoSolutionError("no mode is done within the period", "--period",
                          "the fastest takes " + report::duration_text(ways.least_time_s));
  }
  std::vector<std::pair<std::string, govern::PeriodWay>> named = {{"best", *ways.best}};
  const auto add = [&](const char* name, const std::optional<govern::PeriodWay>& way) {
    if (way) named.emplace_back(name, *way);
  };
  add("idle in the mode", ways.idle);
  add("rest in between", ways.rest);
  add("asleep in between", ways.asleep);
  add("race to idle", ways.race);
  add("slow and steady", ways.steady);
  if (costs.caveats) say_caveats(context, *costs.caveats);
  const report::Table table = period_table(named, period.period_s, costs);
  if (context.json()) {
    Json json{{"question", {{"period_s", period.period_s}, {"batch", costs.points[0].batch}}},
              {"provenance", name_of(Provenance::kModelled)}};
    report::add_origin(json, costs.origin);
    json["ways"] = table.to_json();
    return print(context, json);
  }
  if (context.csv()) return print(context, report::with_origin(table, {costs.origin}));
  std::cout << escape_terminal(costs.workload)
            << fmt::format(", a minibatch of {} every {:g} s\n\n", costs.points[0].batch,
                           period.period_s);
  print(context, table);
  std::cout << '\n' << escape_terminal(costs.remark) << '\n';
}

void ask_day(const Context& context, const TuneOptions& options, const answer::ModeCosts& costs) {
  govern::Supply supply;
  supply.energy_j = options.job.day_energy_j.value_or(options.job.battery_j.value_or(0));
  if (!options.job.solar.empty()) {
    supply.solar_w = govern::parse_solar(read_file(options.job.solar), options.job.solar);
  }
  const double held_w = govern::held_power_w(supply);
  const double cap_w = options.goal.max_power_w.value_or(govern::Job::kNone);
  std::vector<govern::ModeCost> allowed;
  answer::ModeCosts under = costs;
  under.points.clear(), under.costs.clear();
  for (std::size_t i = 0; i < costs.costs.size(); ++i) {
    if (costs.costs[i].power_w > cap_w) continue;
    under.points.push_back(costs.points[i]);
    under.costs.push_back(costs.costs[i]);
  }
  const auto none = [&](const std::string& advice) {
    return NoSolutionError("no work can be done all day long", fmt::format("{:.3g} W", held_w),
                           advice);
  };
  if (under.costs.empty()) throw none("every mode draws more than --max-power");
  const auto mix = govern::most_work(under.costs, held_w, supply.length_s);
  const auto one = govern::most_work_of_one(under.costs, held_w, supply.length_s);
  if (!mix || !one) throw none("the board draws more than that at rest");
  const auto samples = [&](const govern::JobWay& way) {
    double sum = 0;
    for (const auto& part : way.parts) sum += part.minibatches * under.points[part.mode].batch;
    return sum;
  };
  Json question{{"held_power_w", held_w},
                {"samples_per_hour", samples(*mix) * report::kSecondsPerHour / supply.length_s}};
  print_ways(context,
             fmt::format("{:.4g} W can be drawn all day long: {:.4g} samples per hour", held_w,
                         samples(*mix) * report::kSecondsPerHour / supply.length_s),
             std::move(question), {{"best mix", *mix}, {"best single mode", *one}}, under);
}

}  // namespace

void add_job_options(CLI::App& command, JobOptions& options) {
  const auto in_group = [](CLI::Option* option) { option->group(kJobGroup); };
  in_group(quantity(command.add_option("--deadline", options.deadline_s,
                                       "Time within which the job is to be done"),
                    seconds().positive()));
  in_group(quantity(
      command.add_option("--max-job-energy", options.job_energy_j, "Energy that the job may take"),
      joules().positive()));
  in_group(quantity(command.add_option("--period", options.period_s,
                                       "A minibatch every so often: what to do in between"),
                    seconds().positive()));
  in_group(quantity(command.add_option("--day-energy", options.day_energy_j,
                                       "Energy of a day: how much work that is"),
                    joules().positive()));
  in_group(quantity(command.add_option("--battery", options.battery_j,
                                       "Capacity of a battery, for a day or with --solar"),
                    joules().positive()));
  in_group(input_file(command.add_option("--solar", options.solar,
                                         "Power of the sun over a day, CSV: hour, power_w")));
  in_group(quantity(command.add_option("--sleep-power", options.sleep_power_w,
                                       "Power while suspended; without it nothing sleeps"),
                    watts()));
  in_group(quantity(command.add_option("--sleep-time", options.sleep_s,
                                       "Time to suspend and to wake, both together"),
                    seconds()));
  in_group(quantity(command.add_option("--sleep-energy", options.sleep_energy_j,
                                       "Energy that this takes; without it power at rest"),
                    joules()));
}

bool JobOptions::asked() const {
  return deadline_s || job_energy_j || period_s || day_energy_j || battery_j || !solar.empty();
}

void check_job_options(const CLI::App& command, const TuneOptions& options) {
  const JobOptions& job = options.job;
  if (!job.sleep_power_w) {
    refuse_without_effect(command, {"--sleep-time", "--sleep-energy"}, "without --sleep-power");
  } else if (!job.sleep_s) {
    throw UsageError("how long it takes to suspend and to wake is not known", "--sleep-power",
                     "give --sleep-time");
  }
  if (!job.asked()) {
    return refuse_without_effect(command, {"--sleep-power"},
                                 "without --deadline, --max-job-energy or --period");
  }
  const bool of_job = job.deadline_s || job.job_energy_j;
  const bool of_day = job.day_energy_j || job.battery_j || !job.solar.empty();
  if (of_job + of_day + job.period_s.has_value() > 1) {
    throw UsageError("a job, a period and a day are questions of their own", "tune",
                     "ask one of them");
  }
  const std::string when = of_job ? "for a job" : of_day ? "for a day" : "for a period";
  refuse_without_effect(
      command,
      {"--minimize",     "--max-time",      "--max-energy",  "--max-slowdown",  "--max-latency",
       "--arrival-rate", "--energy-weight", "--time-weight", "--confidence",    "--strategy",
       "--verify",       "--sweep",         "--samples",     "--profiles",      "--trace",
       "--reference",    "--workload",      "--campaign",    "--keep-outliers", "--observations",
       "--time-budget",  "--minibatches",   "--min-gain",    "--noise"},
      when);
  if (of_job && !(options.dataset_size > 0)) {
    throw UsageError("the size of the job is not known", "tune",
                     "give --dataset-size, and --epochs");
  }
  if (!of_job) refuse_without_effect(command, {"--dataset-size", "--epochs"}, when);
  if (of_day) {
    refuse_without_effect(command, {"--sleep-power"}, when);
    if (job.day_energy_j) {
      refuse_without_effect(command, {"--battery", "--solar"}, "with --day-energy");
    } else if (!job.solar.empty() && !job.battery_j) {
      throw UsageError("the sun does not shine at night", "--solar", "give --battery CAPACITY");
    }
  }
  if (options.device == "all" || platform::is_local_device(options.device)) {
    throw UsageError("goals of a job or a day are asked of one board's twin", "--device",
                     "give --device BOARD; `ridgewatt govern` holds them on a board");
  }
  if (options.question.batches.size() > 1) {
    throw UsageError("goals of a job or a day are asked at one batch", "--batch");
  }
}

void tune_job(const Context& context, TuneOptions options) {
  if (options.model.empty()) {
    throw UsageError("nothing to tune", "", "give MODEL --device BOARD");
  }
  options.device = board_or_at_hand(context, options.device);
  const auto workload = std::make_shared<const workload::DeployedWorkload>(
      options.model, workload::DeployOptions{.kind = options.kind,
                                             .precision = options.precision,
                                             .dims = dims_of(options.dims),
                                             .runtime = options.runtime});
  const std::vector<int>& batches = options.question.batches;
  const int batch = batches.empty() ? answer::usual_batch(*workload) : batches.front();
  const answer::ModeCosts costs = answer::mode_costs(workload, options.device, batch);
  if (options.job.period_s) return ask_period(context, options, costs);
  if (options.job.deadline_s || options.job.job_energy_j) return ask_job(context, options, costs);
  ask_day(context, options, costs);
}

}  // namespace ridgewatt::cli
