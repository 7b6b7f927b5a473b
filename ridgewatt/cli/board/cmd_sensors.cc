// ridgewatt sensors: power, clocks and temperatures of the board, or from a tegrastats log.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/platform/tegrastats.h"
#include "ridgewatt/report/sensors_report.h"

namespace ridgewatt::cli {
namespace {

struct SensorsOptions {
  std::string tegrastats;
  DeviceOptions device;
  bool watch = false;
  double interval_s = 1;
  std::int64_t count = 0;
};

void read_log(const Context& context, const std::string& path) {
  static constexpr std::size_t kLimitBytes = std::size_t{256} << 20;
  const auto lines = platform::parse_tegrastats(read_file(path, kLimitBytes), path);
  if (context.json())
    print(context, report::tegrastats_to_json(lines));
  else
    print(context, report::tegrastats_table(lines));
}

void print_reading(const Context& context, const platform::MachineSensors& sensors,
                   const platform::MachineReading& reading, bool one_line) {
  if (context.json() && one_line)
    std::cout << schema_first(context, report::sensors_to_json(sensors, reading)).dump() << '\n';
  else if (context.json())
    print(context, report::sensors_to_json(sensors, reading));
  else
    print(context, report::sensors_table(sensors, reading));
}

void run(const Context& context, const SensorsOptions& options) {
  if (!options.tegrastats.empty()) return read_log(context, options.tegrastats);
  const auto device = options.device.open(context);
  platform::MachineSensors sensors(*device.sysfs);
  sensors.read();
  // A CPU load is the difference between two readings.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  if (!options.watch) return print_reading(context, sensors, sensors.read(), false);
  const bool terminal = ::isatty(STDOUT_FILENO) != 0 && !context.json() && !context.csv();
  for (std::int64_t i = 0; options.count == 0 || i < options.count; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::duration<double>(options.interval_s));
    if (terminal) std::cout << "\033[H\033[2J";
    print_reading(context, sensors, sensors.read(), true);
    if (!std::cout.flush()) return;
  }
}

}  // namespace

void add_sensors(CLI::App& app, Context& context) {
  const auto [command, options, add] =
      define<SensorsOptions>(app, context, "sensors", "Power, clocks, loads and temperatures",
                             "ridgewatt sensors\n  ridgewatt sensors --watch\n  ridgewatt sensors "
                             "--tegrastats log.txt --format json",
                             run);
  add.input("--tegrastats", options.tegrastats,
            "Read this tegrastats log, in place of the sensors");
  add_device_options(command, options.device);
  add.flag("--watch", options.watch, "Repeat until Ctrl+C; JSON: one object per line");
  add.number("--every", options.interval_s, seconds().within(0.01, 3600),
             "Seconds between two readings");
  add.optional("--count", options.count, count(), "Stop after N readings (0: never)");
}

}  // namespace ridgewatt::cli
