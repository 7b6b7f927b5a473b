// ridgewatt evaluate in-place: tuning a running program against a restart for every profile, and
// whether drift is noticed, on fake boards in simulated time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/evaluate/in_place_scores.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateInPlace {
  std::vector<std::string> models = {"zoo:mobilenet_v2"}, devices = {"orin-nano-8gb"};
  std::int64_t batch = 4;
  WorkloadKind kind = WorkloadKind::kInference;
  int trials = 10, first = 1, profiles = 15;
  bool drift = false, every = false;
};

// The disturbances that are tried: another process and a thermal step of the sizes that are asked
// for, and smaller ones, which show where noticing ends.
std::vector<platform::FakeDisturbance> disturbances() {
  std::vector<platform::FakeDisturbance> all;
  const auto add = [&](double time, double power, double celsius, const char* process) {
    platform::FakeDisturbance one;
    one.time = time;
    one.power = power;
    one.celsius = celsius;
    one.process = process;
    all.push_back(one);
  };
  add(1.25, 1.08, 0, "4242 other.py");
  add(1.1, 1.03, 0, "4242 other.py");
  add(1, 1.1, 25, "");
  add(1, 1.06, 15, "");
  add(1.15, 1, 0, "");
  return all;
}

double share_of(std::size_t count, std::size_t all) {
  return all > 0 ? 100.0 * static_cast<double>(count) / static_cast<double>(all) : 0;
}

report::Table answers_table(
    const std::map<std::string, std::vector<evaluate::InPlaceTrial>>& groups) {
  report::Table table(
      {{"goal"},
       {"trials"},
       {.name = "penalty_pct", .heading = "penalty (%)", .digits = 3},
       {.name = "restart_penalty_pct", .heading = "with restarts (%)", .digits = 3},
       {.name = "valid_pct", .heading = "valid (%)", .digits = 3},
       {.name = "restart_valid_pct", .heading = "with restarts (%)", .digits = 3},
       {.name = "search_s", .heading = "search (s)", .digits = 3},
       {.name = "restart_search_s", .heading = "with restarts (s)", .digits = 4},
       {.name = "windows", .digits = 3},
       {.name = "minibatches", .digits = 4, .rank = 1},
       {.name = "left_modes", .heading = "modes left", .digits = 2, .rank = 1},
       {.name = "over_pct", .heading = "above the limit (% of time)", .digits = 2},
       {.name = "most_over_pct", .heading = "worst search (%)", .digits = 2},
       {.name = "worst_excess_pct", .heading = "by at most (%)", .digits = 2},
       {.name = "longest_over_ms", .heading = "longest (ms)", .digits = 3},
       {.name = "time_effect_ms", .heading = "pace changed after (ms)", .digits = 3, .rank = 1},
       {.name = "power_effect_ms", .heading = "power after (ms)", .digits = 3, .rank = 1},
       {.name = "drifts", .heading = "false drift", .rank = 1}});
  for (const auto& group : groups) {
    const auto& trials = group.second;
    const auto mean_of = [&](auto field) {
      double sum = 0;
      for (const auto& one : trials) sum += static_cast<double>(one.*field);
      return sum / static_cast<double>(trials.size());
    };
    const auto most_of = [&](auto value) {
      double most = 0;
      for (const auto& one : trials) most = std::max<double>(most, value(one));
      return most;
    };
    using Trial = evaluate::InPlaceTrial;
    const double over_s = mean_of(&Trial::over_limit_s), search_s = mean_of(&Trial::search_s);
    table.add_row({group.first, static_cast<std::int64_t>(trials.size()),
                   100 * mean_of(&Trial::penalty), 100 * mean_of(&Trial::restart_penalty),
                   100 * mean_of(&Trial::valid), 100 * mean_of(&Trial::restart_valid), search_s,
                   mean_of(&Trial::restart_search_s), mean_of(&Trial::windows),
                   mean_of(&Trial::minibatches), mean_of(&Trial::over_limit),
                   100 * over_s / search_s,
                   100 * most_of([](const Trial& one) { return one.over_limit_s / one.search_s; }),
                   100 * most_of([](const Trial& one) { return one.worst_excess; }),
                   1e3 * most_of([](const Trial& one) { return one.longest_over_limit_s; }),
                   1e3 * mean_of(&Trial::time_effect_s), 1e3 * mean_of(&Trial::power_effect_s),
                   mean_of(&Trial::drifts) * static_cast<double>(trials.size())});
  }
  return table;
}

report::Table drift_table(const std::map<std::string, std::vector<evaluate::DriftTrial>>& groups) {
  report::Table table(
      {{"disturbance"},
       {"trials"},
       {.name = "noticed_pct", .heading = "noticed within 5 windows (%)", .digits = 3},
       {.name = "cause_pct", .heading = "cause named (%)", .digits = 3},
       {.name = "median_windows", .heading = "windows (median)", .digits = 2},
       {.name = "false_pct", .heading = "false alarms (%)", .digits = 3},
       {.name = "penalty_pct", .heading = "penalty (%)", .digits = 3},
       {.name = "windows", .digits = 3, .rank = 1},
       {.name = "renewed", .digits = 2, .rank = 1}});
  for (const auto& [name, trials] : groups) {
    std::size_t noticed = 0, named = 0, alarms = 0;
    std::vector<double> after;
    double penalty = 0, windows = 0, renewed = 0;
    for (const auto& one : trials) {
      if (one.noticed_after > 0 && one.noticed_after <= 5) ++noticed;
      if (one.noticed_after > 0) after.push_back(one.noticed_after);
      if (one.noticed_after > 0 && one.cause != "unknown") ++named;
      alarms += one.alarm_before ? 1 : 0;
      penalty += one.penalty, windows += one.windows, renewed += one.renewed;
    }
    const auto count = static_cast<double>(trials.size());
    const bool none = name == "none";
    table.add_row({name, static_cast<std::int64_t>(trials.size()),
                   none ? report::Cell() : report::Cell(share_of(noticed, trials.size())),
                   none ? report::Cell() : report::Cell(share_of(named, trials.size())),
                   after.empty() ? report::Cell() : report::Cell(median(after)),
                   share_of(alarms, trials.size()), 100 * penalty / count, windows / count,
                   renewed / count});
  }
  return table;
}

void run(const Context& context, const EvaluateInPlace& options) {
  std::map<std::string, std::vector<evaluate::InPlaceTrial>> answers;
  std::map<std::string, std::vector<evaluate::DriftTrial>> drifts;
  const std::size_t all =
      options.models.size() * options.devices.size() * static_cast<std::size_t>(options.trials);
  Progress progress("trials", all, context.quiet);
  std::size_t done = 0;
  for (const auto& device : options.devices) {
    for (const auto& model : options.models) {
      evaluate::InPlaceSetting setting;
      setting.board = device;
      setting.model = model;
      setting.cost = *workload::DeployedWorkload(model, {.kind = options.kind})
                          .at(static_cast<int>(options.batch));
      setting.profiles = options.profiles;
      for (int i = 0; i < options.trials; ++i) {
        progress.update(done++, fmt::format("{} on {}", model, device));
        const auto seed = static_cast<std::uint64_t>(options.first + i);
        if (options.drift) {
          for (auto& trial : evaluate::drift_trials(setting, seed, disturbances())) {
            drifts[trial.disturbance].push_back(trial);
          }
        } else {
          for (auto& trial : evaluate::in_place_trials(setting, seed)) {
            answers[options.every ? model + " on " + device + ": " + trial.goal : trial.goal]
                .push_back(trial);
          }
        }
      }
    }
  }
  progress.update(all);
  print(context, options.drift ? drift_table(drifts) : answers_table(answers));
}

}  // namespace

void add_evaluate_in_place(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "in-place",
      "Tune a running program against a restart for every profile, on fake boards in simulated "
      "time",
      "ridgewatt evaluate in-place --trials 5\n  ridgewatt evaluate in-place --drift --trials 5");
  auto options = std::make_shared<EvaluateInPlace>();
  command->add_option("--model", options->models, "zoo:NAME or an ONNX file, repeatable")
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_option("--device", options->devices, "Board that is faked, repeatable")
      ->allow_extra_args(false)
      ->capture_default_str();
  quantity(command->add_option("--batch", options->batch, "Minibatch size"),
           count().within(1, 1 << 20))
      ->capture_default_str();
  add_training(*command, options->kind, "Training steps instead of inference");
  quantity(command->add_option("--trials", options->trials, "Seeds per model and board"),
           count().within(1, 1e6))
      ->capture_default_str();
  quantity(command->add_option("--first-seed", options->first, "The first of them"),
           count().within(1, 1e9))
      ->capture_default_str();
  quantity(command->add_option("--profiles", options->profiles, "Windows that choose"),
           count().within(1, 1e6))
      ->capture_default_str();
  command->add_flag("--drift", options->drift, "Disturb the searches and score what is noticed");
  command->add_flag("--per-model", options->every, "A row per model, board and goal");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
