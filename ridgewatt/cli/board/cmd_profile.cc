// ridgewatt profile: a program's time and power over power modes, into a store.
#include "ridgewatt/answer/profile.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/interrupt_note.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/cli/options/token_options.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/measure/token_profile.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {
namespace {

struct ProfileCommand {
  DeviceOptions device;
  measure::ProfileOptions profile;
  std::string database;
  answer::ModeWish wish;
  std::string samples;
  platform::JetsonModeControl::Options control;
  TokenOptions tokens;
  bool phases = false;  // prefill and decode are separate points
};

measure::ProfileSummary profiled(const platform::LocalDevice& device,
                                 platform::JetsonModeControl& control, store::Store& store,
                                 const std::vector<PowerMode>& modes, ProfileCommand& options) {
  if (!options.phases) {
    return measure::profile(*device.sysfs, control, store, modes, options.profile);
  }
  measure::TokenProfileOptions tokens{options.profile, std::nullopt, options.tokens.llama_bench};
  if (options.tokens.asks_server()) {
    tokens.server = options.tokens.server;
    tokens.server->warm_up = options.profile.measure.window.warm_up;
  }
  return measure::profile_tokens(*device.sysfs, control, store, modes, tokens);
}

// Checks the combination of options for language models.
void check_tokens(const CLI::App& command, const Context& context, ProfileCommand& options) {
  finish_token_options(command, context, options.tokens);
  const bool server = options.tokens.asks_server();
  if (options.phases && (server || options.tokens.llama_bench)) {
    throw UsageError("--phases has no effect with --server or --llama-bench", "", "omit it");
  }
  options.phases = options.phases || server || options.tokens.llama_bench;
  if (options.profile.measure.command.empty() && !server) {
    throw UsageError("profile has no program to profile", "",
                     "give a program after --, or --server URL");
  }
  if (!server) refuse_without_effect(command, {"--model"}, "without --server");
  if (!options.phases) return;
  refuse_without_effect(command,
                        {"--kind", "--settle", "--settle-window", "--window", "--fill-cache",
                         "--drop-cache", "--again"},
                        "for a language model");
  if (server) {
    refuse_without_effect(command, {"--batch"}, "with --server", "give --concurrency");
    options.profile.batch = options.tokens.server.concurrency;
  } else if (options.profile.batch == 0) {
    options.profile.batch = 1;
  }
  auto& workload = options.profile.series.workload;
  if (workload.empty() && server) {
    workload = options.tokens.server.model.empty() ? options.tokens.server.url
                                                   : options.tokens.server.model;
  }
}

void run(const Context& context, ProfileCommand& options, const CLI::App& command) {
  check_tokens(command, context, options);
  if (options.wish.ways() != 1) {
    throw UsageError("profile needs the modes to profile", "",
                     "give one of --modes FILE, --sample N and --suggest N");
  }
  check_table_options(context, report::profile_result({}, ""));
  const auto device = options.device.open(context);
  options.control.state_folder = options.device.state_folder;
  platform::JetsonModeControl control(*device.sysfs, options.control);
  auto& profile_options = options.profile;
  measure::name_series(device, profile_options);
  profile_options.quiet = context.quiet;
  store::Store store = store::Store::made_at_first_write(options.database);
  if (options.wish.suggest > 0 && !options.samples.empty()) {
    options.wish.samples = read_trusted_sweep(context, options.samples, false);
  }
  const auto modes = answer::wished_modes(control.space(), options.wish, profile_options.batch,
                                          profile_options.series.board, context.seed);
  InterruptNote note;
  note.set(kept_points(options.database));
  const auto summary = profiled(device, control, store, modes, options);
  print(context, report::profile_result(summary, options.database));
  if (summary.failed > 0) {
    std::cout.flush();
    throw Error("some modes could not be profiled", summary.failures[0]);
  }
}

}  // namespace

void add_profile(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<ProfileCommand>(
      app, context, "profile", "Time and power of a program over power modes",
      "ridgewatt profile points.db --device fake:agx-orin --suggest 20 --batch "
      "16 -- ridgewatt fake-run zoo:resnet50 --device fake:agx-orin --minibatches 1000",
      run);
  add_device_options(command, options.device);
  auto& profile_options = options.profile;
  add.place("STORE", options.database, "Store to add to; finished points are skipped (see --again)")
      ->required();
  add_mode_wish(command, options.wish, "the board's");
  add.input("--samples", options.samples,
            "Sweep CSV of the points that are already known, for --suggest");
  add_series(add, profile_options.series);
  add.optional("--batch", profile_options.batch, count().within(1, 1 << 20),
               "Minibatch size of the command");
  add.choice("--again", profile_options.again,
             "Measure stored points again, each as a new repeat: every point, or those with flags");
  add.sampling(profile_options.measure.rate_hz);
  add_profile_options(command, profile_options, options.control);
  add_token_options(command, options.tokens);
  OptionAdder(command, kLanguageGroup)
      .flag("--phases", options.phases,
            "COMMAND marks the phases prefill and decode; store a point for each phase");
  add.text("COMMAND", profile_options.measure.command, "Program, after --");
}

}  // namespace ridgewatt::cli
