// ridgewatt top: what a board draws and does, live on the terminal; plain text in a pipe.
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/report/sensors_report.h"
#include "ridgewatt/screen/terminal.h"
#include "ridgewatt/screen/top.h"

namespace ridgewatt::cli {
namespace {

constexpr std::size_t kTextWidth = 100;  // of plain text

struct TopCommand {
  DeviceOptions device;
  screen::TopOptions view;
  std::int64_t count = 0;
  bool once = false;
};

std::string csv_number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? format_exact(*value) : "";
}

// A header with the rails' names before the first look, then a line per look.
void print_csv(const monitor::Monitor& monitor, const monitor::Snapshot& now, bool first) {
  std::string heading = "number,unix_time_s,since_s,total_w,energy_j,energy_error_j";
  std::string line = fmt::format("{},{},{},{},{},{}", now.number, format_exact(now.unix_time_s),
                                 format_exact(now.since_s), csv_number(now.total_w),
                                 now.has_total ? format_exact(now.total.energy_j) : "",
                                 now.has_total ? format_exact(now.total.error_j) : "");
  for (const auto& rail : now.rails) {
    heading += ',' + csv_field(rail.name + "_w") + ',' + csv_field(rail.name + "_j");
    line += ',' + csv_number(rail.power_w) + ',' + format_exact(rail.since_start.energy_j);
  }
  const auto history = monitor.history();
  const auto& point = history.back();
  heading += ",cpu_load,gpu_load,gpu_mhz,hottest_c,throttle_events,minibatches\n";
  line +=
      fmt::format(",{},{},{},{},{},{}\n", csv_number(point.cpu_load), csv_number(point.gpu_load),
                  point.gpu_clock_hz > 0 ? format_exact(mhz_of_hz(point.gpu_clock_hz)) : "",
                  csv_number(point.hottest_celsius), now.throttle_events, now.minibatches);
  std::cout << (first ? heading : "") << line;
}

void print_json(const platform::LocalDevice& device, const monitor::Monitor& monitor,
                const monitor::Snapshot& now, bool one) {
  const Json json =
      report::monitor_to_json(monitor.sensors(), now, device.provenance(), monitor.windows());
  std::cout << (one ? dump_json(json) : json.dump(-1, ' ', false, Json::error_handler_t::replace))
            << '\n';
}

void print_plainly(const Context& context, const TopCommand& options,
                   const platform::LocalDevice& device) {
  const std::int64_t count = options.once ? 1 : options.count;
  bool first = true;
  const auto look = [&](const monitor::Monitor& monitor, const monitor::Snapshot& now) {
    if (context.json()) {
      print_json(device, monitor, now, options.once);
    } else if (context.csv()) {
      print_csv(monitor, now, first);
    } else {
      std::cout << (first ? "" : "\n") << screen::look_text(device, monitor, now, kTextWidth);
    }
    first = false;
    return static_cast<bool>(std::cout.flush());
  };
  screen::watch_plainly(device, options.view, count, look);
}

void run(const Context& context, TopCommand options) {
  options.view.monitor.check();
  options.view.state_folder = options.device.state_folder;
  auto device = options.device.open(context);
  const bool plain = options.once || options.count > 0 || context.json() || context.csv() ||
                     context.output.keeps();
  if (plain) return print_plainly(context, options, device);
  const std::string why = screen::why_no_screen();
  if (why.empty()) return screen::watch(device, options.view);
  remark(context, "plain text: " + why);
  print_plainly(context, options, device);
}

}  // namespace

void add_top(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "top", "Live view of power, clocks, loads and modes",
      "ridgewatt top\n  ridgewatt top --device fake:agx-orin\n  ridgewatt top --once\n  "
      "ridgewatt top --count 10 --every 1 --format json");
  auto options = std::make_shared<TopCommand>();
  add_device_options(*command, options->device);
  auto& monitor = options->view.monitor;
  quantity(command->add_option("--every", monitor.look_s, "Seconds between two looks"),
           seconds().within(0.1, 60))
      ->capture_default_str();
  quantity(command->add_option("--sampling-hz", monitor.rate_hz, "Power sampling rate"),
           hertz().within(1, 1000))
      ->capture_default_str();
  auto* once = command->add_flag("--once", options->once, "One look as plain text, then end");
  quantity(command->add_option("--count", options->count, "Print N looks, then end"),
           count().within(1, 1e9))
      ->excludes(once);
  command->add_flag("--read-only", options->view.read_only, "No key changes the power mode");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
