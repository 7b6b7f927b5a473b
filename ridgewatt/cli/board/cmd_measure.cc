// ridgewatt measure: time, energy and power of any program.
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/measure/run_conditions.h"
#include "ridgewatt/report/measure_report.h"

namespace ridgewatt::cli {
namespace {

struct MeasureCommand {
  DeviceOptions device;
  measure::MeasureOptions measure;
  std::string minibatches_file;
  std::string series_file;
  bool full_fan = false;
  measure::CacheOptions cache;
};

void run(const Context& context, const MeasureCommand& options) {
  const auto device = options.device.open(context);
  const measure::RunCache cache(options.cache);
  std::optional<measure::FullFan> fan;
  if (options.full_fan) fan.emplace(*device.sysfs, options.device.state_folder);
  cache.prepare();
  auto measurement = measure::measure_command(*device.sysfs, options.measure);
  if (fan) fan->check();
  measurement.conditions = measure::condition_words(options.full_fan, options.cache);
  const Provenance provenance = device.provenance();
  if (context.json())
    print(context, report::measurement_to_json(measurement, options.measure.command, provenance));
  else
    print(context, report::measurement_table(measurement, provenance));
  if (!options.minibatches_file.empty()) {
    write_output(options.minibatches_file, report::minibatches_csv(measurement));
  }
  if (!options.series_file.empty())
    write_output(options.series_file, report::series_csv(measurement));
  check_status(measurement.status, options.measure.command);
}

}  // namespace

void add_measure(CLI::App& app, Context& context) {
  auto* command = add_command(app, context, "measure", "Time, energy and power of a program",
                              "ridgewatt measure -- python3 train.py");
  auto options = std::make_shared<MeasureCommand>();
  add_device_options(*command, options->device);
  quantity(command->add_option("--sampling-hz", options->measure.rate_hz, "Power sampling rate"),
           hertz().within(1, 1000))
      ->capture_default_str();
  quantity(
      command->add_option("--idle", options->measure.idle_s, "Seconds of idle baseline before"),
      seconds().within(0, 3600))
      ->capture_default_str();
  quantity(command->add_option("--warm-up", options->measure.window.warm_up,
                               "Minibatches that do not count"),
           count().within(1, 1e6))
      ->capture_default_str();
  input_file(
      command->add_option("--meter", options->measure.meter,
                          "CSV that an external meter writes meanwhile (docs/guide/measure.md)"));
  command->add_flag("--meter-total", options->measure.meter_is_total,
                    "The meter's power counts, not the rails'");
  command
      ->add_option("--residency", options->measure.watched_files,
                   "Tell what the page cache holds of this file or folder, before and after")
      ->type_name("PATH");
  add_condition_options(*command, options->full_fan, options->cache);
  output_file(
      command->add_option("--minibatches-csv", options->minibatches_file,
                          "Write time, stall, compute and energy of each minibatch to this CSV"));
  output_file(
      command->add_option("--series-csv", options->series_file,
                          "Write power, clocks, loads and temperatures over time to this CSV"));
  command->add_option("COMMAND", options->measure.command, "Program and its arguments, after --")
      ->required();
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
