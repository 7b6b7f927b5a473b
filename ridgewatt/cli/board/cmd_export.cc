// ridgewatt export: the machine's power, energy, clocks and temperatures for Prometheus.
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/monitor/metrics.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {
namespace {

struct ExportCommand {
  DeviceOptions device;
  std::string textfile;
  double every_s = 15;
  double rate_hz = 20;
  std::int64_t count = 0;
  std::vector<std::string> campaigns;
};

std::string campaigns_text(const std::vector<std::string>& plans) {
  std::vector<report::CampaignLook> looks;
  for (const auto& plan : plans) looks.push_back(report::look_for_metrics(plan));
  return report::campaign_metrics(looks);
}

void export_campaigns(const ExportCommand& options) {
  if (options.textfile.empty()) {
    std::cout << campaigns_text(options.campaigns);
    return;
  }
  monitor::keep_writing({.every_s = options.every_s, .count = options.count},
                        [&] { write_output(options.textfile, campaigns_text(options.campaigns)); });
}

void run(const Context& context, const ExportCommand& options) {
  if (context.json() || context.csv()) {
    throw UsageError("export prints only the text format of Prometheus", "",
                     "omit --format; for JSON use `ridgewatt sensors --format json`");
  }
  if (options.textfile.empty() && options.count > 0) {
    throw UsageError("--count has no effect without --textfile", "", "give both");
  }
  if (!options.campaigns.empty()) return export_campaigns(options);
  const auto device = options.device.open(context);
  if (options.textfile.empty()) {
    std::cout << monitor::metrics_once(*device.sysfs, options.rate_hz, device.provenance());
    return;
  }
  monitor::keep_metrics(*device.sysfs, options.rate_hz, device.provenance(),
                        {.every_s = options.every_s, .count = options.count},
                        [&](const std::string& text) { write_output(options.textfile, text); });
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  const auto [command, options, add] =
      define<ExportCommand>(app, context, "export", "Metrics for Prometheus",
                            "ridgewatt export\n  ridgewatt export --textfile "
                            "/var/lib/prometheus/node-exporter/ridgewatt.prom --every 15",
                            run);
  add.output(
      "--textfile", options.textfile,
      "Update this file for node_exporter until Ctrl+C, with energy counters [print the metrics "
      "once, without energy counters]");
  add.number("--every", options.every_s, seconds().within(0.1, 3600), "Seconds between two writes");
  add.sampling(options.rate_hz);
  add.inputs("--campaign", options.campaigns,
             "Plan of a campaign: export its progress, in place of this machine's power");
  add.optional("--count", options.count, count(), "Stop after N writes (0: never)");
  add_device_options(command, options.device);
}

}  // namespace ridgewatt::cli
