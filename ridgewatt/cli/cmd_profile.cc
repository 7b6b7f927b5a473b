// ridgewatt profile: a program's time and power over power modes, into a store.
#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/device_options.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/platform/jetson_identity.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::cli {
namespace {

struct Options {
  DeviceOptions device;
  ProfileOptions profile;
  std::string database;
  std::string modes_file;
  std::int64_t sample = 0;
  double max_celsius = 100;
};

// The modes of a sweep file, or a random part of the board's grid.
std::vector<PowerMode> modes_of(const Context& context, const Options& options,
                                const JetsonModeControl& control) {
  if (!options.modes_file.empty()) {
    std::vector<PowerMode> modes;
    for (const auto& sweep : read_sweeps(options.modes_file)) {
      for (const auto& point : sweep.points()) modes.push_back(point.mode);
    }
    return modes;
  }
  const KnobSpace space = control.space();
  const auto count = std::min(space.size(), static_cast<std::size_t>(options.sample));
  std::vector<PowerMode> modes;
  for (const auto i : Random(context.seed).sample(space.size(), count)) modes.push_back(space[i]);
  return modes;
}

void run(const Context& context, Options& options) {
  if (options.modes_file.empty() == (options.sample == 0)) {
    throw UsageError("give either --modes FILE or --sample N", "profile");
  }
  const auto device = options.device.open(context);
  JetsonModeControl control(*device.sysfs,
                            {options.device.state_folder, options.max_celsius, false});
  auto& profile_options = options.profile;
  const auto jetson = identify_jetson(*device.sysfs);
  auto& campaign = profile_options.campaign;
  campaign.board = device.name != "local" ? device.name : jetson ? jetson->board : "local";
  campaign.provenance = device.fake ? "fake" : "measured";
  if (campaign.workload.empty()) campaign.workload = profile_options.measure.command[0];
  profile_options.quiet = context.quiet;
  Store store(options.database);
  const auto modes = modes_of(context, options, control);
  const auto summary = profile(*device.sysfs, control, store, modes, profile_options);
  if (context.json()) {
    print(Json{{"measured", summary.measured},
               {"skipped", summary.skipped},
               {"failed", summary.failed},
               {"failures", summary.failures},
               {"store", options.database}});
  } else {
    Table table({{"measured"}, {"skipped"}, {"failed"}});
    table.add_row({std::int64_t{summary.measured}, std::int64_t{summary.skipped},
                   std::int64_t{summary.failed}});
    print(context, table);
  }
  if (summary.failed > 0) {
    std::cout.flush();
    throw Error("modes could not be profiled", summary.failures[0]);
  }
}

}  // namespace

void add_profile(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "profile", "A program's cost over power modes",
                  "ridgewatt profile points.db --device fake:agx-orin --sample 20 --batch "
                  "16 -- ridgewatt fake-run zoo:resnet50 --device fake:agx-orin");
  auto options = std::make_shared<Options>();
  options->profile.campaign.kind = "inference";
  add_device_options(*command, options->device);
  auto& profile_options = options->profile;
  command->add_option("STORE", options->database, "Store to add to; finished points are skipped")
      ->required();
  command->add_option("--modes", options->modes_file, "Modes to profile: a file with knob columns");
  command->add_option("--sample", options->sample, "Modes drawn from the board's grid, by --seed")
      ->check(CLI::PositiveNumber);
  command->add_option("--workload", profile_options.campaign.workload, "Name of the workload");
  command->add_option("--kind", profile_options.campaign.kind, "training, inference, ..")
      ->capture_default_str();
  command->add_option("--batch", profile_options.batch, "Minibatch size of the command");
  command->add_option("--settle", profile_options.settle_s, "At most so long for steady power")
      ->capture_default_str();
  command
      ->add_option("--settle-window", profile_options.settle_window_s,
                   "Power is steady when two windows of so many seconds agree")
      ->check(CLI::Range(0.01, 60.0))
      ->capture_default_str();
  command->add_option("--rate", profile_options.measure.rate_hz, "Power samples a second")
      ->check(CLI::Range(1.0, 1000.0))
      ->capture_default_str();
  command->add_option("--idle", profile_options.measure.idle_s, "Seconds of idle baseline a mode")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  command->add_option("--max-celsius", options->max_celsius, "Abort above this temperature")
      ->capture_default_str();
  command->add_option("COMMAND", profile_options.measure.command, "Program, after --")->required();
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
