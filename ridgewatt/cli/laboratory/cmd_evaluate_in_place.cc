// ridgewatt evaluate in-place: tuning a running program against a restart for every profile, and
// whether drift is noticed, on fake boards in simulated time.
#include <fmt/format.h>

#include <map>

#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/evaluate/score_tables.h"
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
  print(context,
        options.drift ? evaluate::drift_score_table(drifts) : evaluate::in_place_table(answers));
}

}  // namespace

void add_evaluate_in_place(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "in-place",
      "Tune a running program against a restart for every profile, on fake boards in simulated "
      "time",
      "ridgewatt evaluate in-place --trials 5\n  ridgewatt evaluate in-place --drift --trials 5");
  auto options = std::make_shared<EvaluateInPlace>();
  const OptionAdder add(*command);
  add.text("--model", options->models, "zoo:NAME or an ONNX file, repeatable")
      ->allow_extra_args(false)
      ->capture_default_str();
  add.text("--device", options->devices, "Board that is faked, repeatable")
      ->allow_extra_args(false)
      ->capture_default_str();
  add.number("--batch", options->batch, count().within(1, 1 << 20), "Minibatch size");
  add_training(*command, options->kind, "Training steps instead of inference");
  add.number("--trials", options->trials, count().within(1, 1e6), "Seeds per model and board");
  add.number("--first-seed", options->first, count().within(1, 1e9), "The first of them");
  add.number("--profiles", options->profiles, count().within(1, 1e6), "Windows that choose");
  add.flag("--drift", options->drift, "Disturb the searches and score what is noticed");
  add.flag("--per-model", options->every, "A row per model, board and goal");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
