#include "ridgewatt/cli/profile_options.h"

#include "ridgewatt/cli/vocabulary.h"
#include "ridgewatt/platform/jetson_identity.h"

namespace ridgewatt::cli {

void add_profile_options(CLI::App& command, ProfileOptions& options, double& max_celsius) {
  quantity(command.add_option("--settle", options.settle_s, "Longest wait for steady power"),
           seconds().within(0, 3600))
      ->capture_default_str()
      ->group(kMeasuringGroup);
  quantity(command.add_option("--settle-window", options.settle_window_s,
                              "Power is steady when two windows of this length agree"),
           seconds().within(0.01, 60))
      ->capture_default_str()
      ->group(kMeasuringGroup);
  quantity(
      command.add_option("--window", options.measure.window.minibatches,
                         "Clean minibatches per point; the command is ended after them (0: never)"),
      count().within(0, 1e6))
      ->capture_default_str()
      ->group(kMeasuringGroup);
  quantity(command.add_option("--warm-up", options.measure.window.warm_up, "Minibatches left out"),
           count().within(1, 1e6))
      ->capture_default_str()
      ->group(kMeasuringGroup);
  quantity(
      command.add_option("--idle", options.measure.idle_s, "Seconds of idle baseline per mode"),
      seconds().within(0, 3600))
      ->capture_default_str()
      ->group(kMeasuringGroup);
  quantity(command.add_option("--max-celsius", max_celsius, "Abort above this temperature"),
           celsius())
      ->capture_default_str()
      ->group(kMeasuringGroup);
}

void name_campaign(const LocalDevice& device, ProfileOptions& options) {
  const auto jetson = identify_jetson(*device.sysfs);
  auto& campaign = options.campaign;
  campaign.board = device.name != "local" ? device.name : jetson ? jetson->board : "local";
  campaign.provenance = device.fake ? "fake" : "measured";
  if (campaign.workload.empty()) campaign.workload = options.measure.command[0];
}

}  // namespace ridgewatt::cli
