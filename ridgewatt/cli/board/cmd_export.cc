// ridgewatt export: the machine's power, energy, clocks and temperatures for Prometheus.
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <csignal>
#include <ctime>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/monitor/metrics.h"

namespace ridgewatt::cli {
namespace {

struct ExportCommand {
  DeviceOptions device;
  std::string textfile;
  double every_s = 15;
  double rate_hz = 20;
  std::int64_t count = 0;
};

constexpr double kFirstLookS = 5;  // the second look has loads too; it comes within a second

// SIGINT and SIGTERM are waited for, so that a file is never left for them half way.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~EndSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  // True when one came within that time.
  bool came_within(double seconds) const {
    timespec timeout{};
    timeout.tv_sec = static_cast<time_t>(seconds);
    timeout.tv_nsec = static_cast<long>((seconds - static_cast<double>(timeout.tv_sec)) * 1e9);
    return ::sigtimedwait(&signals_, nullptr, &timeout) > 0;
  }

 private:
  sigset_t signals_, before_;
};

void print_once(const platform::LocalDevice& device, double rate_hz) {
  const monitor::Monitor monitor(*device.sysfs, {.rate_hz = rate_hz});
  monitor.wait(1, kFirstLookS);
  std::cout << monitor::metrics_text(monitor.sensors(), monitor.snapshot(),
                                     {device.provenance(), /*counters=*/false, {}});
}

void keep_writing(const platform::LocalDevice& device, const ExportCommand& options) {
  const EndSignals signals;
  const monitor::Monitor monitor(*device.sysfs, {.rate_hz = options.rate_hz, .history = 1});
  monitor.wait(1, kFirstLookS);
  auto next = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; options.count == 0 || i < options.count; ++i) {
    if (i > 0) {
      next += std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(options.every_s));
      const std::chrono::duration<double> left = next - std::chrono::steady_clock::now();
      if (signals.came_within(std::max(0.0, left.count()))) break;
    }
    write_output(options.textfile,
                 monitor::metrics_text(monitor.sensors(), monitor.snapshot(),
                                       {device.provenance(), true, monitor.windows()}));
  }
}

void run(const Context& context, const ExportCommand& options) {
  if (context.json() || context.csv()) {
    throw UsageError("metrics have one form of text", "--format",
                     "as JSON: ridgewatt sensors --format json");
  }
  const auto device = options.device.open(context);
  if (options.textfile.empty()) {
    if (options.count > 0) throw UsageError("--count is for --textfile", "export");
    return print_once(device, options.rate_hz);
  }
  keep_writing(device, options);
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  auto* command = add_command(app, context, "export", "Metrics for Prometheus",
                              "ridgewatt export\n  ridgewatt export --textfile "
                              "/var/lib/prometheus/node-exporter/ridgewatt.prom --every 15");
  auto options = std::make_shared<ExportCommand>();
  output_file(
      command->add_option("--textfile", options->textfile,
                          "Keep writing this file for node_exporter, with counters of "
                          "energy, until Ctrl+C; without it: print once, without counters"));
  quantity(command->add_option("--every", options->every_s, "Seconds between two writes"),
           seconds().within(0.1, 3600))
      ->capture_default_str();
  quantity(command->add_option("--sampling-hz", options->rate_hz, "Power sampling rate"),
           hertz().within(1, 1000))
      ->capture_default_str();
  quantity(command->add_option("--count", options->count, "Stop after N writes (0: never)"),
           count());
  add_device_options(*command, options->device);
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
