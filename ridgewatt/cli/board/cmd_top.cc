// ridgewatt top: live power and load of a board on the terminal; plain text in a pipe.
#include <cstdint>
#include <string>

#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/sensors_report.h"
#include "ridgewatt/screen/terminal.h"
#include "ridgewatt/screen/top.h"

namespace ridgewatt::cli {
namespace {

constexpr std::size_t kTextWidth = 100;  // columns of plain text

struct TopCommand {
  DeviceOptions device;
  screen::TopOptions view;
  std::int64_t count = 0;
  bool once = false;
};

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
      std::cout << report::monitor_csv(now, monitor.history().back(), first);
    } else {
      std::cout << (first ? "" : "\n") << screen::look_text(device, monitor, now, kTextWidth);
    }
    first = false;
    return static_cast<bool>(std::cout.flush());
  };
  screen::watch_plainly(device, options.view, count, look);
}

void run(const Context& context, TopCommand& options) {
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
  const auto [command, options, add] = define<TopCommand>(
      app, context, "top", "Live view of power, clocks, loads and modes",
      "ridgewatt top\n  ridgewatt top --device fake:agx-orin\n  ridgewatt top --once\n  "
      "ridgewatt top --count 10 --every 1 --format json",
      run);
  add_device_options(command, options.device);
  auto& monitor = options.view.monitor;
  add.number("--every", monitor.look_s, seconds().within(0.1, 60), "Seconds between two updates");
  add.sampling(monitor.rate_hz);
  auto* once = add.flag("--once", options.once, "Print one reading as plain text, then stop");
  add.optional("--count", options.count, count().within(1, 1e9), "Print N readings, then stop")
      ->excludes(once);
  add.flag("--read-only", options.view.read_only, "Disable the keys that change the power mode");
}

}  // namespace ridgewatt::cli
