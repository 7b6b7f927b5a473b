// ridgewatt govern: holds a goal over hours while a program runs on a board, or on a simulated day.
#include <fmt/format.h>

#include "ridgewatt/answer/govern.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/interrupt_note.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/end_by_signal.h"
#include "ridgewatt/cli/options/mode_text.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/report/job_report.h"
#include "ridgewatt/report/measure_report.h"

namespace ridgewatt::cli {
namespace {

struct GovernCommand {
  DeviceOptions device;
  answer::GovernQuestion question;
  std::string samples, log;
  bool simulate = false;
  govern::LiveOptions live;
  answer::PhasesQuestion phases;
  std::optional<pid_t> process;  // a program that already runs
  platform::JetsonModeControl::Options control;
};

// The CSV of --log. A file is complete after every step; standard output gets only the new lines.
class StepLog {
 public:
  explicit StepLog(std::string path) : path_(std::move(path)) {}
  void write(const std::vector<answer::GovernStep>& steps) {
    if (path_.empty()) return;
    const std::string whole = report::govern_steps_table(steps).csv();
    if (path_ != "-") return write_output(path_, whole);
    // The header names the knobs that occur. If it changes, the whole table is printed again.
    const bool goes_on = whole.starts_with(printed_);
    write_output(path_, goes_on ? whole.substr(printed_.size()) : whole);
    printed_ = whole;
  }

 private:
  std::string path_, printed_;
};

// Says once that the goal cannot be reached.
class Unreachable {
 public:
  Unreachable(const Context& context, const govern::Goal& goal) : context_(context), goal_(goal) {}
  void see(const govern::Decision& plan, double now_s = 0) {
    const std::string text = said_ ? "" : report::unreachable_text(goal_, plan);
    if (text.empty()) return;
    said_ = true;
    remark(context_,
           now_s > 0 ? fmt::format("from {}: {}", report::duration_text(now_s), text) : text);
  }

 private:
  const Context& context_;
  const govern::Goal& goal_;
  bool said_ = false;
};

answer::GovernPlan plan_of(const Context& context, GovernCommand& options, const std::string& board,
                           const KnobSpace& space) {
  auto& question = options.question;
  question.seed = context.seed;
  if (!options.samples.empty()) {
    question.samples = read_trusted_sweep(context, options.samples, false);
  }
  auto plan = answer::govern_plan(question, board, space);
  if (plan.caveats) say_caveats(context, *plan.caveats);
  return plan;
}

// Simulates a day on the board's twin, with the random changes of a fake board.
void simulate(const Context& context, GovernCommand& options) {
  check_table_options(context, report::govern_result({}));
  const std::string board = board_or_local(
      context, options.device.device == "local" ? std::string() : options.device.device);
  const auto plan = plan_of(context, options, board, knob_space(load_board(board)));
  Unreachable unreachable(context, plan.goal);
  unreachable.see(answer::first_plan(options.question, plan));
  const auto found = answer::govern_day(options.question, plan);
  for (const auto& step : found.steps) unreachable.see(step.decision, step.begin_s);
  StepLog(options.log).write(found.steps);
  print(context, report::govern_result(found));
}

constexpr char kRestored[] = "the original mode is restored";

void govern_live(const Context& context, GovernCommand& options) {
  check_table_options(context, report::govern_result({}));
  const auto device = options.device.open(context);
  options.control.state_folder = options.device.state_folder;
  platform::JetsonModeControl control(*device.sysfs, options.control);
  const std::string board =
      device.fake ? platform::board_of_fake(platform::fake_board_mark(device.sysfs->root()).name)
                  : board_or_local(context, "");
  const auto plan = plan_of(context, options, board, control.space());
  if (options.process) {
    options.live.open = [&] {
      return std::make_unique<measure::LiveProgram>(*device.sysfs, control, *options.process);
    };
  }
  const std::string program =
      options.process ? fmt::format("process {}", *options.process) : options.live.command[0];
  StepLog log(options.log);
  Unreachable unreachable(context, plan.goal);
  unreachable.see(answer::first_plan(options.question, plan));
  const auto see = [&](const std::vector<answer::GovernStep>& steps) {
    log.write(steps);
    unreachable.see(steps.back().decision, steps.back().begin_s);
  };
  const std::string kept =
      kRestored +
      (options.log.empty() ? std::string() : "; the decisions so far are in " + options.log);
  InterruptNote note;
  note.set(kept);
  try {
    const auto found =
        answer::govern_here(options.question, plan, device, control, options.live, see);
    if (found.minibatches == 0) {
      throw NotFoundError("the program marked no minibatches", program,
                          "see docs/guide/measure.md");
    }
    print(context, report::govern_result(found));
    check_status(found.status, {program});
  } catch (const measure::InterruptedError& error) {
    remark(context, "interrupted: " + kept);
    end_by_signal(error.signal());
  }
}

void hold_phases(const Context& context, GovernCommand& options) {
  check_table_options(context, report::phases_result({}, "", Provenance::kMeasured));
  const auto device = options.device.open(context);
  options.control.state_folder = options.device.state_folder;
  platform::JetsonModeControl control(*device.sysfs, options.control);
  options.phases.command = options.live.command;
  options.phases.process = options.process;
  InterruptNote note;
  note.set(kRestored);
  try {
    const auto found =
        answer::govern_phases(options.phases, device, control, &report::mode_of_answer);
    print(context, report::phases_result(found.outcome, device.name, device.provenance()));
    check_status(found.status, options.live.command);
  } catch (const measure::InterruptedError& error) {
    remark(context, std::string("interrupted: ") + kRestored);
    end_by_signal(error.signal());
  }
}

// Throws UsageError unless there is one program, either to start or already running.
void check_program(const GovernCommand& options) {
  if (options.process && !options.live.command.empty()) {
    throw UsageError("--pid and COMMAND both give a program", options.live.command[0],
                     "give one of them");
  }
  if (!options.process && options.live.command.empty()) {
    throw UsageError("govern needs a program", "",
                     "give it after --, or --pid N, or --simulate for a day on the board's twin");
  }
}

void run(const Context& context, GovernCommand& options, const CLI::App& command) {
  if (!options.phases.modes.empty()) {
    refuse_without_effect(
        command,
        {"--deadline",     "--minibatches", "--dataset-size", "--epochs",     "--day-energy",
         "--hours",        "--max-power",   "--max-latency",  "--model",      "--samples",
         "--batch",        "--training",    "--precision",    "--runtime",    "--step",
         "--least-step",   "--log",         "--idle",         "--time-scale", "--simulate",
         "--arrival-rate", "--sampling-hz"},
        "with --phase-mode", "the modes are given, so no goal chooses them");
    check_program(options);
    return hold_phases(context, options);
  }
  refuse_without_effect(command, {"--least-phase"}, "without --phase-mode");
  if (!(options.question.dataset_size > 0)) {
    refuse_without_effect(command, {"--epochs"}, "without --dataset-size");
  } else {
    refuse_without_effect(command, {"--minibatches"}, "with --dataset-size", "give one of them");
  }
  if (!options.samples.empty()) {
    refuse_without_effect(command, {"--model", "--precision", "--runtime", "--training"},
                          "with --samples");
  }
  if (options.question.deadline.empty()) {
    refuse_without_effect(command, {"--minibatches", "--dataset-size"}, "without --deadline");
  }
  if (options.simulate) {
    refuse_without_effect(command,
                          {"COMMAND", "--time-scale", "--idle", "--sampling-hz", "--sysroot",
                           "--state-dir", "--pid", "--phase-mode"},
                          "with --simulate");
    if (options.question.max_latency_s && !(options.question.arrival_hz > 0)) {
      throw UsageError("--max-latency needs an arrival rate", "", "give --arrival-rate");
    }
    return simulate(context, options);
  }
  refuse_without_effect(command, {"--arrival-rate"}, "without --simulate",
                        "a program reports how many requests arrive");
  check_program(options);
  if (options.process) {
    refuse_without_effect(command, {"--idle"}, "with --pid",
                          "a running program is never suspended");
  }
  govern_live(context, options);
}

}  // namespace

void add_govern(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<GovernCommand>(
      app, context, "govern",
      "Choose power modes over hours so that a deadline, an energy budget or a limit is met",
      "ridgewatt govern --deadline 14:00 --minibatches 20000 --model zoo:resnet18 --training "
      "--batch 16 -- python3 train.py\n"
      "  ridgewatt govern --simulate --device agx-orin --day-energy 400Wh --model zoo:resnet50",
      run);
  auto& asked = options.question;
  add.text("COMMAND", options.live.command, "Program to govern, after --");
  add.optional(
      "--pid", options.process, count().within(1, 1 << 30),
      "Process id of a running program that marks its minibatches in a file, in place of COMMAND");
  add_device_options(command, options.device);
  proposes(add.repeated(
               "--phase-mode", options.phases.modes,
               std::string("PHASE=MODE: power mode of a phase that the program marks (one option "
                           "per phase), in place of a goal; MODE is ") +
                   kModeText),
           {answer::phase_presets});
  add.number("--least-phase", options.phases.least_times, number().within(0, 1e6),
             "Do not change the mode for a phase that usually lasts less than X times the time to "
             "change to its mode and back");
  add.text("--deadline", asked.deadline,
           "Time by which the job must be done: HH:MM of the local clock, or a duration from now");
  add.optional("--minibatches", asked.minibatches, count().within(1, 1e12),
               "Minibatches of the job");
  add.optional("--dataset-size", asked.dataset_size, count().within(1, 1e12), "Samples of the job");
  add.number("--epochs", asked.epochs, number().positive(), "Epochs of the job");
  add.optional("--day-energy", asked.day_energy_j, joules().positive(),
               "Energy budget for --hours");
  add.number("--hours", asked.day_s, hours().within(1e-4, 240),
             "Length of the day of --day-energy, or of the simulated day");
  add.optional("--max-power", asked.max_power_w, watts().positive(), "Power cap");
  add.optional("--max-latency", asked.max_latency_s, milliseconds().positive(),
               "Limit on the latency of a request");
  add.model(
      "--model", asked.model,
      "Model that the program runs, zoo:NAME or an ONNX file; the twin's estimates for it are "
      "the prior");
  add.input("--samples", options.samples, "Profiled points to choose among, in place of --model");
  add.optional("--batch", asked.batch, count().within(1, 1 << 20), "Minibatch size of the program");
  add.training(asked.deployed.kind, "The program trains (otherwise it runs inference)");
  add.stated(
      "--precision", asked.deployed.precision,
      "Number format in which MODEL computes: " + joined_names<workload::Precision>() +
          " (formats other than fp32 are modelled by ratios of peak rates and are not validated)");
  add.stated("--runtime", asked.deployed.runtime, "What runs MODEL: " + joined_names<Runtime>());
  add_strict(command, context);
  add.number("--step", asked.policy.step_s, seconds().within(0.1, 3600),
             "Maximum time between two decisions");
  add.number("--least-step", asked.policy.least_step_s, seconds().within(0.05, 3600),
             "Minimum time between two decisions");
  add.output("--log", options.log, "Write each decision to this CSV as soon as it is made");
  add.sampling(options.live.rate_hz);
  add.number("--idle", options.live.rest_s, seconds().within(0, 3600),
             "Time to measure idle power before the program starts (0: do not measure it)");
  add.number("--time-scale", options.live.time_scale, number().within(0.01, 1000),
             "The program runs X times as fast as on its board (fake-run --speed)");
  add.flag("--simulate", options.simulate,
           "Simulate a random day (--seed) on the twin of --device, in place of a program");
  add.optional("--arrival-rate", asked.arrival_hz, hertz().positive(),
               "Peak requests per second of the simulated day");
}

}  // namespace ridgewatt::cli
