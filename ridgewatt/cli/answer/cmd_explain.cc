// ridgewatt explain: why a measured time differs from what the hardware can do, from numbers or
// from a program that is watched.
#include <sys/wait.h>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/measure/program_watch.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/platform/mode_holder.h"
#include "ridgewatt/report/explain_report.h"

namespace ridgewatt::cli {
namespace {

constexpr std::string_view kFake = "fake:";

struct ExplainCommand {
  answer::ExplainQuestion question;
  std::vector<std::string> program;
  std::optional<int> process;
  std::optional<double> for_s;
  std::string then;
  bool apply = false;

  bool changes() const { return apply || !then.empty(); }
};

// Its power, and what was seen of it.
void take_watch(const measure::SeenProgram& found, std::optional<measure::SeenRun>& seen,
                std::optional<double>& power_w) {
  seen = found.seen;
  if (!power_w && found.measurement.total) power_w = found.measurement.total->mean_w;
}

// A minibatch by its marks. Other programs make the mean longer than the median: the number is that
// of the marks.
double marked_s(const measure::SeenProgram& found, std::optional<measure::SeenRun>& seen) {
  if (found.measurement.minibatches.empty()) {
    throw NotFoundError("the program marked no minibatches, so its time is not known", "",
                        "give --measured, or mark minibatches (docs/guide/measure.md)");
  }
  seen->marked_s = found.measurement.summary.time_s;
  return *seen->marked_s;
}

void make_change(const std::string& line) {
  constexpr int kErrors = 2;  // what it prints is no part of the result
  ChildProcess change({.words = {"/bin/sh", "-c", line}, .output = kErrors});
  const int status = change.wait();
  check_status(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), {line});
}

// Sets the mode that was meant, if that removes the cause; it comes back with the holder. False:
// the most probable cause is another one.
bool set_mode(const Context& context, answer::ExplainQuestion& question,
              platform::ModeHolder& holder) {
  answer::ExplainQuestion before = question;
  before.removed.reset();
  const answer::ExplainAnswer found = answer::explain(before);
  const answer::SlowCause cause = question.removed.value_or(found.rows.front().cause);
  if (!answer::is_of_mode(cause)) {
    remark(context,
           "no mode is set, because no mode removes the cause " + std::string(name_of(cause)));
    question.removed.reset();
    return false;
  }
  question.removed = cause;
  const platform::HeldMode held = holder.set(mode_text(found.mode));
  remark(context, "power mode during the second run: " + describe(held.applied));
  return true;
}

// Runs or attaches, and fills in what the user did not say.
void watch(const Context& context, ExplainCommand& command) {
  constexpr double kUsualS = 20;
  answer::ExplainQuestion& question = command.question;
  const auto device = platform::open_local_device(
      platform::is_local_device(question.device) ? question.device : "local", "", context.seed);
  if (device.fake) {
    question.device = platform::local_board(*device.sysfs)
                          .value_or(platform::board_of_fake(question.device.substr(kFake.size())));
  }
  std::optional<platform::ModeHolder> holder;
  if (command.apply) holder.emplace(*device.sysfs);  // before threads
  platform::PowerMeter meter(*device.sysfs);
  const auto run_program = [&] {
    if (command.process) {
      return measure::watch_process(*device.sysfs, *command.process,
                                    command.for_s.value_or(kUsualS), meter);
    }
    measure::MeasureOptions options;
    options.command = command.program;
    auto found = measure::measure_and_watch(*device.sysfs, options, command.for_s, meter);
    check_status(found.measurement.status, command.program);
    return found;
  };
  const measure::SeenProgram found = run_program();
  take_watch(found, question.seen, question.power_w);
  const bool stated = question.measured_s || question.samples_per_s || question.of_language();
  if (!stated) question.measured_s = marked_s(found, question.seen);
  if (!command.changes()) return;
  if (!command.then.empty()) make_change(command.then);
  if (command.apply && !set_mode(context, question, *holder)) return;
  const measure::SeenProgram since = run_program();
  take_watch(since, question.after_seen, question.after_power_w);
  question.after_s = marked_s(since, question.after_seen);
}

void check_explain(const CLI::App& command, const ExplainCommand& asked) {
  check_parameters(command, answer::explain_parameters(), &asked.question);
  if (asked.process) {
    refuse_without_effect(command, {"COMMAND"}, "with --pid");
  } else if (asked.program.empty()) {
    refuse_without_effect(command, {"--for"}, "without --pid or COMMAND");
    refuse_without_effect(command, {"--then", "--apply"}, "without COMMAND");
  }
  if (!asked.changes() && !asked.question.after_s) {
    refuse_without_effect(command, {"--removed"}, "without --after, --then or --apply");
  }
  if (!asked.changes()) return;
  if (asked.apply) refuse_without_effect(command, {"--then"}, "with --apply");
  if (asked.process) refuse_without_effect(command, {"--then", "--apply"}, "with --pid");
  refuse_without_effect(
      command,
      {"--measured", "--samples-per-second", "--after", "--tokens-per-second", "--first-token"},
      "with --then or --apply: the marks of the program tell the times");
}

void run(const Context& context, ExplainCommand& command, const CLI::App& app) {
  check_explain(app, command);
  if (command.process || !command.program.empty()) watch(context, command);
  answer::ExplainQuestion& question = command.question;
  question.device = board_or_local(context, question.device);
  const answer::ExplainAnswer found = answer::explain(question);
  say_caveats(context, found.caveats);
  print(context, report::explain_result(found));
}

}  // namespace

void add_explain(CLI::App& app, Context& context) {
  const auto [command, asked, add] = define<ExplainCommand, &ExplainCommand::question>(
      app, context, answer::explain_parameters(),
      "ridgewatt explain zoo:resnet50 --device orin-nano-8gb --measured 45ms\n"
      "  ridgewatt explain zoo:yolov8n --device agx-orin --runtime tensorrt --precision fp16 "
      "--samples-per-second 60 --power 22W --claimed 4ms\n"
      "  ridgewatt explain zoo:llama-3.1-8b --device agx-orin --runtime llama.cpp --quantization "
      "q4_k_m --tokens-per-second 7 --first-token 900ms\n"
      "  ridgewatt explain zoo:resnet50 --batch 8 --for 20s -- python3 infer.py",
      run);
  add.optional("--pid", asked.process, count().within(1, 1 << 22),
               "Watch this process instead of a command");
  add.optional("--for", asked.for_s, seconds().positive(),
               "Time to watch [a command: to its end; a process: 20 s]");
  add.text("--then", asked.then,
           "Command line that makes a change; COMMAND then runs again, to check the cause that the "
           "change removed");
  add.flag("--apply", asked.apply,
           "If the cause is a power mode or clock: run COMMAND again in --mode; the old mode is "
           "restored afterwards");
  add.text("COMMAND", asked.program, "Program to run and watch, and its arguments, after --");
  add_strict(command, context);
}

}  // namespace ridgewatt::cli
