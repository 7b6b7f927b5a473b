// ridgewatt profile: a program's time and power over power modes, into a store.
#include <algorithm>

#include "ridgewatt/answer/profile.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/token_options.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/measure/token_profile.h"
#include "ridgewatt/sweep/points.h"

namespace ridgewatt::cli {
namespace {

struct ProfileCommand {
  DeviceOptions device;
  measure::ProfileOptions profile;
  std::string database;
  std::string modes_file;
  std::string samples;
  std::int64_t sample = 0;
  std::size_t suggest = 0;
  platform::JetsonModeControl::Options control;
  TokenOptions tokens;
  bool phases = false;  // prefill and decode, each a point
};

// The modes of a file, those that the predictor proposes, or a random part of the board's grid.
std::vector<PowerMode> modes_of(const Context& context, const ProfileCommand& options,
                                const platform::JetsonModeControl& control) {
  std::vector<PowerMode> modes;
  if (!options.modes_file.empty()) {
    for (const auto& point : read_points(options.modes_file)) modes.push_back(point.mode);
    return modes;
  }
  const KnobSpace space = control.space();
  if (options.suggest == 0) {
    return answer::random_modes(space, static_cast<std::size_t>(options.sample), context.seed);
  }
  answer::LearnQuestion question{
      options.suggest, options.profile.batch, {}, options.profile.series.board};
  if (!options.samples.empty()) {
    question.samples = read_trusted_sweep(context, options.samples, false);
  }
  return answer::modes_to_learn_from(space, question);
}

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

// The parts of the language models' options that go together.
void check_tokens(const CLI::App& command, const Context& context, ProfileCommand& options) {
  finish_token_options(command, context, options.tokens);
  const bool server = options.tokens.asks_server();
  if (options.phases && (server || options.tokens.llama_bench)) {
    throw UsageError("--phases has no effect with --server and --llama-bench", "", "leave it out");
  }
  options.phases = options.phases || server || options.tokens.llama_bench;
  if (options.profile.measure.command.empty() && !server) {
    throw UsageError("give a command to profile, or --server URL", "profile -- COMMAND");
  }
  if (!server) refuse_without_effect(command, {"--model"}, "without --server");
  if (!options.phases) return;
  refuse_without_effect(
      command,
      {"--kind", "--settle", "--settle-window", "--window", "--fill-cache", "--drop-cache"},
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

void run(const Context& context, ProfileCommand& options) {
  const int ways = (options.modes_file.empty() ? 0 : 1) + (options.sample > 0 ? 1 : 0) +
                   (options.suggest > 0 ? 1 : 0);
  if (ways != 1) {
    throw UsageError("give one of --modes FILE, --sample N and --suggest N", "profile");
  }
  const auto device = options.device.open(context);
  options.control.state_folder = options.device.state_folder;
  platform::JetsonModeControl control(*device.sysfs, options.control);
  auto& profile_options = options.profile;
  measure::name_series(device, profile_options);
  profile_options.quiet = context.quiet;
  store::Store store = store::Store::made_at_first_write(options.database);
  const auto modes = modes_of(context, options, control);
  const auto summary = profiled(device, control, store, modes, options);
  if (context.json()) {
    print(context, Json{{"measured", summary.measured},
                        {"skipped", summary.skipped},
                        {"failed", summary.failed},
                        {"failures", summary.failures},
                        {"store", options.database}});
  } else {
    report::Table table({{"measured"}, {"skipped"}, {"failed"}});
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
  auto* command = add_command(
      app, context, "profile", "A program's cost over power modes",
      "ridgewatt profile points.db --device fake:agx-orin --suggest 20 --batch "
      "16 -- ridgewatt fake-run zoo:resnet50 --device fake:agx-orin --minibatches 1000");
  auto options = std::make_shared<ProfileCommand>();
  options->profile.series.kind = name_of(WorkloadKind::kInference);
  add_device_options(*command, options->device);
  auto& profile_options = options->profile;
  output_file(command->add_option("STORE", options->database,
                                  "Store to add to; finished points are skipped"))
      ->required();
  input_file(command->add_option("--modes", options->modes_file,
                                 "Modes to profile: a CSV with knob columns, and governor"));
  quantity(command->add_option("--sample", options->sample,
                               "Modes drawn from the board's grid, by --seed"),
           count().within(1, 1e6));
  quantity(command->add_option("--suggest", options->suggest, "Modes that the predictor proposes"),
           count().within(1, 1e5));
  input_file(command->add_option("--samples", options->samples,
                                 "Points that are known already, for --suggest: a sweep CSV"));
  command->add_option("--workload", profile_options.series.workload, "Name of the workload");
  command->add_option("--kind", profile_options.series.kind, "training, inference, ..")
      ->capture_default_str();
  quantity(command->add_option("--batch", profile_options.batch, "Minibatch size of the command"),
           count().within(0, 1 << 20));
  quantity(
      command->add_option("--sampling-hz", profile_options.measure.rate_hz, "Power sampling rate"),
      hertz().within(1, 1000))
      ->capture_default_str();
  add_profile_options(*command, profile_options, options->control);
  add_token_options(*command, options->tokens);
  command
      ->add_flag("--phases", options->phases,
                 "COMMAND marks the phases prefill and decode: each becomes a point")
      ->group(kLanguageGroup);
  command->add_option("COMMAND", profile_options.measure.command, "Program, after --");
  command->callback([&context, options, command] {
    check_tokens(*command, context, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
