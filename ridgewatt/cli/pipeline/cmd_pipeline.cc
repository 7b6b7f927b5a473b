// ridgewatt pipeline: what an epoch of training costs, what limits it, what would relieve it.
#include <fmt/format.h>

#include "ridgewatt/answer/epochs.h"
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/pipeline/simulate_pipeline.h"
#include "ridgewatt/report/caveats_json.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/origin_columns.h"

namespace ridgewatt::cli {
namespace {

struct PipelineCommand {
  std::string model;
  std::string device;
  ModeOptions mode;
  std::string storage = "nvme";
  double sample_kb = 100;
  std::optional<double> cache_gb;
  std::optional<double> preprocess_ms;
  double hand_over_ms = 0;
  double compute_ms = 0;
  int simulate = 0;
  bool batch_given = false;
  pipeline::PipelineConfig config;
};

answer::EpochAnswer answer_of(const Context& context, const PipelineCommand& options) {
  pipeline::PipelineConfig config = options.config;
  config.storage = pipeline::find_storage(options.storage);
  config.sample_bytes = options.sample_kb * 1e3;
  if (options.cache_gb) config.cache_bytes = *options.cache_gb * 1e9;
  config.preprocess_s_per_sample = options.preprocess_ms.value_or(0) * 1e-3;
  config.hand_over_s = options.hand_over_ms * 1e-3;
  if (options.model.empty() == (options.compute_ms <= 0)) {
    throw UsageError("give either a MODEL or --compute-time", "pipeline");
  }
  if (options.model.empty()) {
    config.compute_s = options.compute_ms * 1e-3;
    return answer::epochs_of_times(config);
  }
  const auto workload = std::make_shared<const workload::DeployedWorkload>(
      options.model, workload::DeployOptions{.kind = WorkloadKind::kTraining});
  if (!options.batch_given) config.batch = answer::usual_batch(*workload);
  answer::EpochQuestion question{config, options.mode.mode(), {}};
  if (options.cache_gb) question.cache_bytes = config.cache_bytes;
  if (options.preprocess_ms) question.preprocess_s_per_sample = config.preprocess_s_per_sample;
  const std::string device = board_or_at_hand(context, options.device);
  return answer::epochs_on_twin(question, workload, device);
}

// Without any of them energy is not known.
bool has_power(const pipeline::PipelineConfig& config) {
  return config.base_w > 0 || config.compute_w > 0 || config.core_w > 0;
}

report::Table epoch_table(const std::vector<std::pair<std::string, pipeline::EpochCost>>& epochs,
                          bool known_power) {
  report::Table table({{"epoch"},
                       {"minibatch_ms", "minibatch (ms)"},
                       {.name = "minibatch_stall_ms", .heading = "its stall (ms)", .rank = 1},
                       {.name = "minibatch_j", .heading = "minibatch (J)", .rank = 1},
                       {"time_s", "time (s)"},
                       {"compute_s", "compute (s)"},
                       {"stall_s", "stall (s)"},
                       {"energy_j", "energy (J)"},
                       {.name = "start_s", .rank = 2},
                       {.name = "fetch_ms", .rank = 2},
                       {.name = "preprocess_ms", .rank = 2},
                       {.name = "hand_over_ms", .heading = "hand-over (ms)", .rank = 2},
                       {.name = "compute_ms", .rank = 2},
                       {"binds"}});
  for (const auto& [name, cost] : epochs) {
    const report::Cell unknown;
    table.add_row({name, cost.interval_s * 1e3, cost.stall_s / cost.minibatches * 1e3,
                   known_power ? cost.energy_j / cost.minibatches : unknown, cost.time_s,
                   cost.compute_s, cost.stall_s, known_power ? cost.energy_j : unknown,
                   cost.start_s, cost.stages.fetch_s * 1e3, cost.stages.preprocess_s * 1e3,
                   cost.stages.hand_over_s * 1e3, cost.stages.compute_s * 1e3,
                   std::string(name_of(cost.bound))});
  }
  return table;
}

report::Table change_table(const std::vector<pipeline::WhatIf>& changes,
                           const pipeline::EpochCost& first, const pipeline::EpochCost& later) {
  report::Table table(
      {{"change"},
       {.name = "first_time_s", .heading = "epoch 0 (s)", .rank = 1},
       {.name = "first_ratio", .heading = "epoch 0, times", .digits = 3, .rank = 1},
       {"later_time_s", "later (s)"},
       {"later_ratio", "later, times", 3},
       {.name = "later_stall_s", .heading = "later stall (s)", .rank = 3},
       {.name = "later_energy_ratio", .heading = "later energy, times", .digits = 3, .rank = 2},
       {"binds"}});
  for (const auto& change : changes) {
    table.add_row(
        {change.change, change.first.time_s, change.first.time_s / first.time_s,
         change.later.time_s, change.later.time_s / later.time_s, change.later.stall_s,
         later.energy_j > 0 ? report::Cell(change.later.energy_j / later.energy_j) : report::Cell(),
         std::string(name_of(change.later.bound))});
  }
  return table;
}

void check(const CLI::App& command, const PipelineCommand& options) {
  if (options.model.empty()) {
    refuse_without_effect(
        command, {"--device", "--cpu-cores", "--cpu-mhz", "--gpu-mhz", "--mem-mhz", "--governor"},
        "with --compute-time", "times that are given are of no board");
  } else {
    refuse_without_effect(command, {"--cores", "--base-power", "--compute-power", "--core-power"},
                          "with a MODEL", "the twin of --device knows them");
  }
  if (options.simulate == 0) refuse_without_effect(command, {"--cv"}, "without --simulate");
}

void run(const Context& context, const PipelineCommand& options) {
  const answer::EpochAnswer answer = answer_of(context, options);
  if (answer.caveats) say_caveats(context, *answer.caveats);
  std::vector<std::pair<std::string, pipeline::EpochCost>> epochs;
  for (const int epoch : {0, 1}) {
    epochs.emplace_back(epoch == 0 ? "0" : "later", pipeline::epoch_cost(answer.config, epoch));
    if (options.simulate > 0) {
      epochs.emplace_back(
          epoch == 0 ? "0, simulated" : "later, simulated",
          pipeline::simulate_epochs(answer.config, epoch, context.seed, options.simulate));
    }
  }
  const pipeline::EpochCost first = pipeline::epoch_cost(answer.config, 0);
  const pipeline::EpochCost later = pipeline::epoch_cost(answer.config, 1);
  const report::Table epoch_rows = epoch_table(epochs, has_power(answer.config));
  const report::Table changes = change_table(answer.changes, first, later);
  std::string relief = "nothing in the table";
  if (!answer.changes.empty() && answer.changes.front().later.time_s < 0.99 * later.time_s) {
    relief = fmt::format("{}: later epochs take {:.1f} % less", answer.changes.front().change,
                         100 * (1 - answer.changes.front().later.time_s / later.time_s));
  }
  if (context.json()) {
    Json json = {{"provenance", answer.provenance},
                 {"page_cache_gb", answer.config.cache_bytes / 1e9},
                 {"epochs", epoch_rows.to_json()},
                 {"relief", relief},
                 {"what_if", changes.to_json()}};
    if (answer.caveats) report::add_caveats(*answer.caveats, json);
    if (answer.clocks != PowerMode{}) json["clocks"] = report::mode_to_json(answer.clocks);
    report::add_origin(json, answer.origin);
    return print(context, json);
  }
  if (context.csv()) return print(context, report::with_origin(changes, {answer.origin}));
  std::cout << answer.provenance << "\n\n";
  print_aside(context, epoch_rows);
  if (pipeline::miss_share(answer.config, 1) > 0) {
    std::cout << fmt::format(
        "\npage cache: {:.3g} GB of RAM for {:.3g} GB of data; later epochs read {:.3g} % anew\n",
        answer.config.cache_bytes / 1e9, answer.config.samples * answer.config.sample_bytes / 1e9,
        100 * pipeline::miss_share(answer.config, 1));
  }
  std::cout << "\nbinds: " << name_of(later.bound) << "; relieved most by " << relief << "\n\n";
  print(context, changes);
}

}  // namespace

void add_pipeline(CLI::App& app, Context& context) {
  auto* command = add_command(app, context, "pipeline",
                              "What an epoch of training costs, what limits it and what would help",
                              "ridgewatt pipeline zoo:mobilenet_v3 --device agx-xavier "
                              "--dataset-size 23080 --preprocess-time 13 "
                              "--hand-over-time 9 --workers 1");
  auto options = std::make_shared<PipelineCommand>();
  auto& config = options->config;
  command->add_option("MODEL", options->model,
                      "ONNX file or zoo:NAME; trained on the board's twin");
  command->add_option("--device", options->device, kBoardHelp);
  add_strict(*command, context);
  add_mode_options(*command, options->mode);
  quantity(command->add_option("--compute-time", options->compute_ms,
                               "Measured compute of a minibatch instead"),
           milliseconds().positive());
  quantity(command->add_option("--dataset-size", config.samples, "Samples of the data set"),
           count().within(1, 1e12))
      ->capture_default_str();
  quantity(command->add_option("--sample-size", options->sample_kb, "Size of a sample"),
           kilobytes())
      ->capture_default_str();
  quantity(command->add_option("--batch", config.batch, "Minibatch size"),
           count().within(1, 1 << 20))
      ->capture_default_str();
  quantity(command->add_option("--workers", config.workers, "Loader workers"),
           count().within(0, 1024))
      ->capture_default_str();
  quantity(command->add_option("--prefetch", config.prefetch, "Minibatches ahead, per worker"),
           count().within(1, 1024))
      ->capture_default_str();
  quantity(command->add_option("--cores", config.cores, "CPU cores (with --compute-time)"),
           count().within(1, 1024))
      ->capture_default_str();
  name_choice(*command, "--storage", options->storage, {pipeline::list_storages()},
              "What the data set lies on")
      ->capture_default_str();
  quantity(command->add_option("--cache-size", options->cache_gb,
                               "RAM left to the page cache; with a MODEL what a minibatch leaves "
                               "of the board's memory where it is not given, else as much as "
                               "there is data"),
           gigabytes());
  quantity(command->add_option("--preprocess-time", options->preprocess_ms,
                               "Preprocessing of a sample at the highest CPU clock; with a MODEL "
                               "the twin's own loader where it is not given"),
           milliseconds());
  quantity(command->add_option("--hand-over-time", options->hand_over_ms,
                               "Hand-over of a minibatch from worker to main process"),
           milliseconds());
  quantity(command->add_option("--worker-slowdown", config.worker_slowdown,
                               "A worker's time over the main process's while reading storage"),
           number().within(1, 100));
  quantity(
      command->add_option("--base-power", config.base_w, "Power at rest (with --compute-time)"),
      watts());
  quantity(command->add_option("--compute-power", config.compute_w, "Extra power while computing"),
           watts());
  quantity(command->add_option("--core-power", config.core_w, "Extra power per preprocessing core"),
           watts());
  quantity(command->add_option("--cv", config.storage_cv,
                               "Variation of loading from storage, for --simulate"),
           number().within(0, 10));
  quantity(command->add_option("--simulate", options->simulate, "Simulate N epochs too"),
           count().within(0, 1000));
  command->callback([&context, options, command] {
    check(*command, *options);
    options->batch_given = command->count("--batch") > 0;
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
