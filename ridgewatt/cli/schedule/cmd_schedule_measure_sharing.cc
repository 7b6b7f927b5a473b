// ridgewatt schedule measure-sharing: what two programs do to each other on one device.
#include <fmt/format.h>

#include "ridgewatt/answer/schedule_run.h"
#include "ridgewatt/base/clock.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/schedule_report.h"
#include "ridgewatt/schedule/program_keeper.h"
#include "ridgewatt/schedule/stop_on_signal.h"
#include "ridgewatt/schedule/worker_socket.h"

namespace ridgewatt::cli {
namespace {

struct SharingCommand {
  DeviceOptions device;
  std::string a, b, socket;
  schedule::SharingOptions sharing;
  double rate_hz = 100;
};

void run(const Context& context, const SharingCommand& options) {
  const auto device = options.device.open(context);
  RowOrigin origin;
  origin.board = device.name;
  origin.provenance = device.provenance();
  check_table_options(context, with_origin(context, report::measured_sharing_table({}), origin));
  schedule::SharingPolicy policy(options.sharing);
  schedule::ExecutorOptions executor_options;
  executor_options.socket_path =
      options.socket.empty() ? schedule::default_worker_socket() : options.socket;
  executor_options.duration_s = options.sharing.duration_s + options.sharing.start_within_s;
  executor_options.policy = &policy;
  schedule::KeeperOptions keeper_options;
  keeper_options.socket_path = executor_options.socket_path;
  keeper_options.restart = false;
  keeper_options.on_event = [&context](const std::string& text) { remark(context, text); };
  if (!context.quiet) {
    executor_options.on_event = [&context](double time_s, const std::string& text) {
      remark(context, fmt::format("{:.3f} s: {}", time_s, text));
    };
  }
  schedule::Executor executor(executor_options);
  policy.on_end = [&executor] { executor.stop(); };
  const schedule::StopOnSignal stop(executor);
  answer::SharingPower power(*device.sysfs, options.rate_hz, executor_options.duration_s);
  const auto program = [](const char* name, const std::string& command) {
    return schedule::KeptProgram{name, WorkloadKind::kTraining, {"/bin/sh", "-c", command}};
  };
  schedule::ProgramKeeper keeper({program("A", options.a), program("B", options.b)},
                                 keeper_options);
  const double origin_s = monotonic_s();
  executor.run();
  power.stop();
  keeper.stop();
  const auto found = answer::with_power(policy.result(), power, origin_s);
  print(context, with_origin(context, report::measured_sharing_table(found), origin));
}

}  // namespace

void add_schedule_measure_sharing(CLI::App& schedule, Context& context) {
  const auto [command, options, add] = define<SharingCommand>(
      schedule, context, "measure-sharing",
      "Measure how two programs slow each other down: each alone, in turns, and at the same time",
      "ridgewatt schedule measure-sharing 'python3 a.py' 'python3 b.py' --duration 120", run);
  add.text("A", options.a, "Command of the first worker, for the shell")->required();
  add.text("B", options.b, "Command of the second worker, for the shell")->required();
  add.number("--duration", options.sharing.duration_s, seconds().positive(),
             "Time to measure in s, after both workers have connected");
  add.number(
      "--rounds", options.sharing.rounds, count().within(2, 1000),
      "Number of rounds; a round runs A alone, B alone, both in turns, and both at the same time");
  add.number("--start-within", options.sharing.start_within_s, seconds().positive(),
             "Time within which both workers must connect, in s");
  add.sampling(options.rate_hz);
  add.socket(options.socket);
  add_device_options(command, options.device);
}

}  // namespace ridgewatt::cli
