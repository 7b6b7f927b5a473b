// ridgewatt govern: holds a goal over hours while a program runs on a board, or on a simulated day.
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <optional>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/board/govern_phases.h"
#include "ridgewatt/cli/board/govern_tables.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/end_by_signal.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/govern/modes.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/report/job_text.h"

namespace ridgewatt::cli {
namespace {

struct GovernCommand {
  DeviceOptions device;
  std::string model, samples, log, deadline;
  WorkloadKind kind = WorkloadKind::kInference;
  workload::Precision precision = workload::Precision::kFp32;
  Runtime runtime = Runtime::kPytorchEager;
  int batch = 0;
  double dataset_size = 0, epochs = 1, minibatches = 0;
  std::optional<double> day_energy_j, max_power_w, max_latency_ms;
  double hours = 24, arrival_hz = 0;
  bool simulate = false;
  govern::PolicyOptions policy;
  govern::LiveOptions live;
  GovernPhases phases;
  std::optional<pid_t> process;  // that runs already
  platform::JetsonModeControl::Options control;
};

// Seconds from now to the next HH:MM of the local clock; nothing where `text` is not one.
std::optional<double> until_clock(const std::string& text, std::time_t now) {
  const auto parts = split(text, ':');
  if (parts.size() != 2 || parts[1].size() != 2) return std::nullopt;
  const auto hour = parse_int(parts[0]), minute = parse_int(parts[1]);
  if (!hour || !minute || *hour < 0 || *hour > 23 || *minute < 0 || *minute > 59) {
    throw UsageError("there is no such time of day", text, "give HH:MM, 00:00 to 23:59");
  }
  std::tm then{};
  ::localtime_r(&now, &then);
  then.tm_hour = static_cast<int>(*hour);
  then.tm_min = static_cast<int>(*minute);
  then.tm_sec = 0;
  then.tm_isdst = -1;
  std::time_t end = std::mktime(&then);
  if (end <= now) {
    ++then.tm_mday;
    then.tm_isdst = -1;
    end = std::mktime(&then);
  }
  return std::difftime(end, now);
}

double deadline_s(const std::string& text) {
  if (const auto clock = until_clock(text, std::time(nullptr))) return *clock;
  return parse_double(read_quantity(text, seconds().positive())).value();
}

// What is chosen among, and what is known of it.
struct Known {
  twin::Twin twin;
  std::shared_ptr<const workload::DeployedWorkload> workload;
  std::vector<OperatingPoint> points;
  govern::ModePrior prior;
  std::string name;
};

// As asked, or that of the model.
int batch_of(const GovernCommand& options, const Known& known) {
  if (options.batch > 0) return options.batch;
  return known.workload ? answer::fixed_batch(*known.workload).value_or(1) : 1;
}

govern::Goal goal_of(const GovernCommand& options, const Known& known) {
  govern::Goal goal;
  goal.batch = batch_of(options, known);
  if (options.max_power_w) goal.power_w = *options.max_power_w;
  if (options.max_latency_ms) goal.latency_s = *options.max_latency_ms / 1e3;
  goal.minibatches = options.minibatches;
  if (options.dataset_size > 0) {
    goal.minibatches = std::ceil(options.dataset_size * options.epochs / goal.batch);
  }
  if (!options.deadline.empty()) {
    goal.end_s = deadline_s(options.deadline);
    if (!(goal.minibatches > 0)) {
      throw UsageError("a deadline needs the size of the job", "--deadline",
                       "give --minibatches N, or --dataset-size N, --epochs E and --batch B");
    }
  }
  if (options.day_energy_j) {
    goal.energy_j = *options.day_energy_j;
    goal.end_s = options.hours * report::kSecondsPerHour;
  }
  goal.check();
  return goal;
}

Known known_of(const Context& context, const GovernCommand& options, const std::string& board,
               const KnobSpace& space) {
  Known known{twin::load_twin(load_board(board)), nullptr, {}, {}, {}};
  if (!options.samples.empty()) {
    Sweep rows = read_trusted_sweep(context, options.samples, false);
    std::vector<Observation> taken;
    for (const auto& row : rows.observations) {
      if (options.batch > 0 && row.point.batch > 0 && row.point.batch != options.batch) continue;
      if (!row.point.mode.governor.empty()) continue;
      taken.push_back(row);
      known.points.push_back(row.point);
    }
    if (taken.empty()) {
      throw InputError("no row is of fixed clocks at this batch", options.samples, "see --batch");
    }
    known.prior = govern::profiled_prior(taken);
    known.name = rows.workload;
    return known;
  }
  if (options.model.empty()) {
    throw UsageError("what the program runs is not known", "",
                     "give --model MODEL and --batch N, or profiled points with --samples FILE");
  }
  known.workload = std::make_shared<const workload::DeployedWorkload>(
      options.model,
      workload::DeployOptions{
          .kind = options.kind, .precision = options.precision, .runtime = options.runtime});
  const int batch = batch_of(options, known);
  const twin::TwinModel model(known.twin, known.workload);
  say_caveats(context, model.estimator(batch).cost().caveats);
  known.points = govern::promising_modes(space, batch, model);
  known.prior = govern::twin_prior(known.points, govern::periods_by(known.twin, known.workload));
  known.name = known.workload->name();
  return known;
}

// The CSV of --log: a file is whole after every step, standard output gets the new lines alone.
class StepLog {
 public:
  explicit StepLog(std::string path) : path_(std::move(path)) {}
  void write(const std::vector<GovernStepRow>& steps) {
    if (path_.empty()) return;
    std::ostringstream text;
    govern_steps_table(steps).print_csv(text);
    const std::string whole = text.str();
    if (path_ != "-") return write_output(path_, whole);
    // The header names the knobs that occur: with another one it begins anew.
    const bool goes_on = whole.starts_with(printed_);
    write_output(path_, goes_on ? whole.substr(printed_.size()) : whole);
    printed_ = whole;
  }

 private:
  std::string path_, printed_;
};

void finish(const Context& context, const GovernResult& result) {
  if (context.json()) return print(context, govern_to_json(result));
  print(context, govern_table(result));
}

// A day on the board's twin, perturbed as fake boards are.
void simulate(const Context& context, const GovernCommand& options) {
  const std::string board = board_or_at_hand(
      context, options.device.device == "local" ? std::string() : options.device.device);
  const Known known = known_of(context, options, board, knob_space(load_board(board)));
  if (!known.workload) {
    throw UsageError("a simulated day is of a model", "--simulate", "give --model MODEL");
  }
  const platform::FakeLoad load(known.twin, *known.workload->at(options.batch), context.seed);
  const auto played = govern::day_board(
      known.points, [&](const PowerMode& mode) { return load.truth(mode); },
      [&](const PowerMode& mode) { return twin::idle_power_w(known.twin, mode); });
  GovernResult result;
  result.goal = goal_of(options, known);
  govern::DayOptions day;
  day.length_s = result.goal.end_s < govern::Goal::kNone ? result.goal.end_s
                                                         : options.hours * report::kSecondsPerHour;
  day.rate_hz = options.arrival_hz;
  govern::Policy policy(result.goal, known.prior, govern::idle_powers(known.twin, known.points),
                        options.policy);
  const govern::DayOutcome held =
      govern::govern_day(policy, played, govern::Day(day, context.seed), true);
  std::vector<GovernStepRow> steps;
  double minibatches = 0, energy_j = 0;
  for (const auto& step : held.steps) {
    minibatches += step.seen.minibatches;
    energy_j += step.seen.energy_j;
    steps.push_back({step.begin_s,
                     known.points[step.decision.mode.value_or(policy.rest_mode())].mode,
                     !step.decision.mode, step.decision, step.seen, minibatches, energy_j});
  }
  result.device = board;
  result.workload = known.name;
  result.how = held.done ? "simulated" : "the job was not done in twice its time";
  result.end_s = held.end_s;
  result.minibatches = held.minibatches;
  result.energy_j = held.energy_j;
  result.late_share = held.late_share;
  result.over_share = held.over_share;
  result.switches = held.switches;
  result.trials = held.trials;
  result.modes = known.points.size();
  StepLog(options.log).write(steps);
  finish(context, result);
}

void govern_live(const Context& context, GovernCommand options) {
  const auto device = options.device.open(context);
  options.control.state_folder = options.device.state_folder;
  platform::JetsonModeControl control(*device.sysfs, options.control);
  const std::string board =
      device.fake ? platform::board_of_fake(platform::fake_board_mark(device.sysfs->root()).name)
                  : board_or_at_hand(context, "");
  const Known known = known_of(context, options, board, control.space());
  GovernResult result;
  result.goal = goal_of(options, known);
  govern::Policy policy(result.goal, known.prior, govern::idle_powers(known.twin, known.points),
                        options.policy);
  std::vector<GovernStepRow> steps;
  StepLog log(options.log);
  std::size_t over = 0, late = 0;
  if (options.process) {
    options.live.open = [&] {
      return std::make_unique<measure::LiveProgram>(*device.sysfs, control, *options.process);
    };
  }
  const std::string program =
      options.process ? fmt::format("process {}", *options.process) : options.live.command[0];
  const auto governed = [&] {
    return govern::govern_program(
        *device.sysfs, policy, known.points,
        [&](const PowerMode& mode) {
          control.apply(mode);
          control.check_safety();
        },
        options.live,
        [&](const govern::LiveStep& step) {
          control.check_safety();
          const govern::Window& seen = step.seen;
          over +=
              seen.duration_s > 0 && seen.energy_j > 1.02 * result.goal.power_w * seen.duration_s;
          late +=
              seen.minibatches > 0 && seen.duration_s / seen.minibatches > result.goal.latency_s;
          steps.push_back(
              {step.begin_s, known.points[step.decision.mode.value_or(policy.rest_mode())].mode,
               !step.decision.mode, step.decision, step.seen, step.minibatches, step.energy_j});
          log.write(steps);
        });
  };
  govern::LiveOutcome outcome;
  try {
    outcome = governed();
  } catch (const measure::InterruptedError& error) {
    control.restore();
    end_by_signal(error.signal());
  }
  control.restore();
  const auto count = static_cast<double>(std::max<std::size_t>(steps.size(), 1));
  result.device = device.name;
  result.workload = known.name;
  result.provenance = device.provenance();
  result.how = outcome.end;
  result.end_s = outcome.end_s;
  result.minibatches = outcome.minibatches;
  result.energy_j = outcome.energy_j;
  result.over_share = static_cast<double>(over) / count;
  result.late_share = static_cast<double>(late) / count;
  result.switches = outcome.switches;
  result.trials = outcome.trials;
  result.modes = known.points.size();
  if (outcome.minibatches == 0) {
    throw NotFoundError("the program marked no minibatches", program, "see docs/guide/measure.md");
  }
  finish(context, result);
  check_status(outcome.status, {program});
}

// One program, that is started here or runs already.
void check_program(const GovernCommand& options) {
  if (options.process && !options.live.command.empty()) {
    throw UsageError("--pid and a command say two programs", options.live.command[0],
                     "give one of them");
  }
  if (!options.process && options.live.command.empty()) {
    throw UsageError("there is no program to govern", "govern",
                     "give it after --, or --pid N, or --simulate for a day on the board's twin");
  }
}

void run(const Context& context, const GovernCommand& options, const CLI::App& command) {
  if (options.phases.given()) {
    refuse_without_effect(
        command,
        {"--deadline",     "--minibatches", "--dataset-size", "--epochs",     "--day-energy",
         "--hours",        "--max-power",   "--max-latency",  "--model",      "--samples",
         "--batch",        "--training",    "--precision",    "--runtime",    "--step",
         "--least-step",   "--log",         "--idle",         "--time-scale", "--simulate",
         "--arrival-rate", "--sampling-hz"},
        "with --phase-mode", "the modes are given, no goal chooses them");
    check_program(options);
    return govern_phases(context, options.phases, options.device, options.live.command,
                         options.process, options.control);
  }
  refuse_without_effect(command, {"--least-phase"}, "without --phase-mode");
  if (!(options.dataset_size > 0)) {
    refuse_without_effect(command, {"--epochs"}, "without --dataset-size");
  } else {
    refuse_without_effect(command, {"--minibatches"}, "with --dataset-size", "give one of them");
  }
  if (!options.samples.empty()) {
    refuse_without_effect(command, {"--model", "--precision", "--runtime", "--training"},
                          "with --samples");
  }
  if (options.deadline.empty()) {
    refuse_without_effect(command, {"--minibatches", "--dataset-size"}, "without --deadline");
  }
  if (options.simulate) {
    refuse_without_effect(command,
                          {"COMMAND", "--time-scale", "--idle", "--sampling-hz", "--sysroot",
                           "--state-dir", "--pid", "--phase-mode"},
                          "with --simulate");
    if (options.max_latency_ms && !(options.arrival_hz > 0)) {
      throw UsageError("requests must come", "--max-latency", "give --arrival-rate");
    }
    return simulate(context, options);
  }
  refuse_without_effect(command, {"--arrival-rate"}, "without --simulate",
                        "a program shows how many requests come");
  check_program(options);
  if (options.process) {
    refuse_without_effect(command, {"--idle"}, "with --pid", "a program that runs does not rest");
  }
  govern_live(context, options);
}

}  // namespace

void add_govern(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "govern", "Hold a deadline, a budget or a limit over hours",
      "ridgewatt govern --deadline 14:00 --minibatches 20000 --model zoo:resnet18 --training "
      "--batch 16 -- python3 train.py\n"
      "  ridgewatt govern --simulate --device agx-orin --day-energy 400Wh --model zoo:resnet50");
  auto options = std::make_shared<GovernCommand>();
  command->add_option("COMMAND", options->live.command, "Program that is governed, after --");
  quantity(command->add_option("--pid", options->process,
                               "A process that runs already and marks into a file, in place of "
                               "COMMAND"),
           count().within(1, 1 << 30));
  add_device_options(*command, options->device);
  add_phase_options(*command, options->phases);
  command->add_option("--deadline", options->deadline,
                      "When the job is to be done: HH:MM of the local clock, or a time from now");
  quantity(command->add_option("--minibatches", options->minibatches, "Minibatches of the job"),
           count().within(1, 1e12));
  quantity(command->add_option("--dataset-size", options->dataset_size, "Samples of the job"),
           count().within(1, 1e12));
  quantity(command->add_option("--epochs", options->epochs, "Epochs of the job"),
           number().positive())
      ->capture_default_str();
  quantity(command->add_option("--day-energy", options->day_energy_j,
                               "Energy that may be used within --hours"),
           joules().positive());
  quantity(command->add_option("--hours", options->hours,
                               "Length of the day of --day-energy, and of a simulated one"),
           hours().within(1e-4, 240))
      ->capture_default_str();
  quantity(command->add_option("--max-power", options->max_power_w, "Power cap"),
           watts().positive());
  quantity(command->add_option("--max-latency", options->max_latency_ms,
                               "Limit on the latency of a request"),
           milliseconds().positive());
  command->add_option("--model", options->model,
                      "What the program runs, zoo:NAME or an ONNX file: its twin is the prior");
  input_file(command->add_option("--samples", options->samples,
                                 "Profiled points to choose among, in place of --model"));
  quantity(command->add_option("--batch", options->batch, "Minibatch size of the program"),
           count().within(1, 1 << 20));
  add_training(*command, options->kind, "The program trains");
  add_precision(*command, options->precision);
  add_runtime(*command, options->runtime);
  add_strict(*command, context);
  quantity(command->add_option("--step", options->policy.step_s, "Between two decisions, at most"),
           seconds().within(0.1, 3600))
      ->capture_default_str();
  quantity(command->add_option("--least-step", options->policy.least_step_s,
                               "Between two decisions, at least"),
           seconds().within(0.05, 3600))
      ->capture_default_str();
  output_file(
      command->add_option("--log", options->log, "Write every step to this CSV, whole after each"));
  quantity(command->add_option("--sampling-hz", options->live.rate_hz, "Power sampling rate"),
           hertz().within(1, 1000))
      ->capture_default_str();
  quantity(command->add_option("--idle", options->live.rest_s,
                               "Measure power at rest so long before the program, 0: not at all"),
           seconds().within(0, 3600))
      ->capture_default_str();
  quantity(command->add_option("--time-scale", options->live.time_scale,
                               "The program runs X times faster than its board (fake-run --speed)"),
           number().within(0.01, 1000))
      ->capture_default_str();
  command->add_flag("--simulate", options->simulate,
                    "A random day on the twin of --device, by --seed, in place of a program");
  quantity(command->add_option("--arrival-rate", options->arrival_hz,
                               "Requests per second at the simulated day's peak"),
           hertz().positive());
  command->callback([&context, options, command] { run(context, *options, *command); });
}

}  // namespace ridgewatt::cli
