// ridgewatt explain: why a measured time differs from what the hardware can do, from numbers or
// from a program that is watched.
#include "ridgewatt/answer/explain.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/measure/program_watch.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/report/explain_report.h"

namespace ridgewatt::cli {
namespace {

constexpr std::string_view kFake = "fake:";

struct ExplainCommand {
  answer::ExplainQuestion question;
  std::vector<std::string> program;
  std::optional<int> process;
  std::optional<double> for_s;
};

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
  platform::PowerMeter meter(*device.sysfs);
  measure::SeenProgram found;
  if (command.process) {
    found = measure::watch_process(*device.sysfs, *command.process, command.for_s.value_or(kUsualS),
                                   meter);
  } else {
    measure::MeasureOptions options;
    options.command = command.program;
    found = measure::measure_and_watch(*device.sysfs, options, command.for_s, meter);
    check_status(found.measurement.status, command.program);
  }
  question.seen = found.seen;
  if (!question.power_w && found.measurement.total) {
    question.power_w = found.measurement.total->mean_w;
  }
  if (question.measured_s || question.samples_per_s || question.of_language()) return;
  if (found.measurement.minibatches.empty()) {
    throw NotFoundError("the program marked no minibatches", "",
                        "state the measured time, or mark them (docs/guide/measure.md)");
  }
  // Other programs make the mean longer than the median: the number is that of the marks.
  question.measured_s = question.seen->marked_s = found.measurement.summary.time_s;
}

void check_explain(const CLI::App& command, const ExplainCommand& asked) {
  check_parameters(command, answer::explain_parameters(), &asked.question);
  if (asked.process) {
    refuse_without_effect(command, {"COMMAND"}, "with --pid");
  } else if (asked.program.empty()) {
    refuse_without_effect(command, {"--for"}, "without --pid or COMMAND");
  }
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
  const auto [command, asked, add] = define<ExplainCommand>(
      app, context, "explain", "Why a measured time is not what the hardware can do",
      "ridgewatt explain zoo:resnet50 --device orin-nano-8gb --measured 45ms\n"
      "  ridgewatt explain zoo:yolov8n --device agx-orin --runtime tensorrt --precision fp16 "
      "--samples-per-second 60 --power 22W --claimed 4ms\n"
      "  ridgewatt explain zoo:llama-3.1-8b --device agx-orin --runtime llama.cpp --quantization "
      "q4_k_m --tokens-per-second 7 --first-token 900ms\n"
      "  ridgewatt explain zoo:resnet50 --batch 8 --for 20s -- python3 infer.py",
      run);
  add_parameters(command, answer::explain_parameters(), &asked.question);
  add.optional("--pid", asked.process, count().within(1, 1 << 22),
               "Watch this process instead of a command");
  add.optional("--for", asked.for_s, seconds().positive(),
               "Watch for so long [a command to its end; a process 20 s]");
  add.text("COMMAND", asked.program, "Program to run and watch, and its arguments, after --");
  add_strict(command, context);
}

}  // namespace ridgewatt::cli
