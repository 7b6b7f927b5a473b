// ridgewatt schedule measure-sharing: how two programs slow each other down on one device.
#include "ridgewatt/answer/schedule_run.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/schedule_report.h"

namespace ridgewatt::cli {
namespace {

struct SharingCommand {
  DeviceOptions device;
  answer::SharingQuestion question;
};

void run(const Context& context, const SharingCommand& options) {
  const auto device = options.device.open(context);
  RowOrigin origin;
  origin.board = device.name;
  origin.provenance = device.provenance();
  check_table_options(context, with_origin(context, report::measured_sharing_table({}), origin));
  const auto found = answer::measure_sharing(*device.sysfs, options.question,
                                             [&](const auto& text) { remark(context, text); });
  print(context, with_origin(context, report::measured_sharing_table(found), origin));
}

}  // namespace

void add_schedule_measure_sharing(CLI::App& schedule, Context& context) {
  const auto [command, options, add] = define<SharingCommand>(
      schedule, context, "measure-sharing",
      "Measure how two programs slow each other down: each alone, in turns, and at the same time",
      "ridgewatt schedule measure-sharing 'python3 a.py' 'python3 b.py' --duration 120", run);
  auto& asked = options.question;
  add.text("A", asked.a, "Command of the first worker, for the shell")->required();
  add.text("B", asked.b, "Command of the second worker, for the shell")->required();
  add.number("--duration", asked.sharing.duration_s, seconds().positive(),
             "Time to measure in s, after both workers have connected");
  add.number(
      "--rounds", asked.sharing.rounds, count().within(2, 1000),
      "Number of rounds; a round runs A alone, B alone, both in turns, and both at the same time");
  add.number("--start-within", asked.sharing.start_within_s, seconds().positive(),
             "Time within which both workers must connect, in s");
  add.sampling(asked.rate_hz);
  add.socket(asked.socket);
  add_device_options(command, options.device);
}

}  // namespace ridgewatt::cli
