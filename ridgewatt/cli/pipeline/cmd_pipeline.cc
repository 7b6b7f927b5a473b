// ridgewatt pipeline: what an epoch of training costs, what limits it, and remedies.
#include "ridgewatt/answer/epochs.h"
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/measure_report.h"

namespace ridgewatt::cli {
namespace {

struct PipelineCommand {
  std::string model;
  std::string device;
  ModeOptions mode;
  std::string storage = "nvme";
  std::optional<double> cache_bytes, preprocess_s;
  int simulate = 0;
  bool batch_given = false;
  pipeline::PipelineConfig config;
};

answer::EpochAnswer answer_of(const Context& context, const PipelineCommand& options) {
  pipeline::PipelineConfig config = options.config;
  config.storage = pipeline::find_storage(options.storage);
  if (options.cache_bytes) config.cache_bytes = *options.cache_bytes;
  config.preprocess_s_per_sample = options.preprocess_s.value_or(0);
  if (options.model.empty()) return answer::epochs_of_times(config);
  const auto workload = std::make_shared<const workload::DeployedWorkload>(
      options.model, workload::DeployOptions{.kind = WorkloadKind::kTraining});
  if (!options.batch_given) config.batch = answer::usual_batch(*workload);
  answer::EpochQuestion question{config, options.mode.mode(), options.preprocess_s,
                                 options.cache_bytes};
  const std::string device = board_or_local(context, options.device);
  return answer::epochs_on_twin(question, workload, device);
}

void check(const CLI::App& command, const PipelineCommand& options) {
  if (options.model.empty() == (options.config.compute_s <= 0)) {
    throw UsageError("pipeline needs exactly one of MODEL and --compute-time", "");
  }
  if (options.model.empty()) {
    refuse_without_effect(
        command, {"--device", "--cpu-cores", "--cpu-mhz", "--gpu-mhz", "--mem-mhz", "--governor"},
        "with --compute-time", "stated times do not belong to a board");
  } else {
    refuse_without_effect(command, {"--cores", "--base-power", "--compute-power", "--core-power"},
                          "with a MODEL", "the twin of --device knows them");
  }
  if (options.simulate == 0) refuse_without_effect(command, {"--cv"}, "without --simulate");
}

void run(const Context& context, PipelineCommand& options, const CLI::App& command) {
  check(command, options);
  options.batch_given = option_given(command, "--batch");
  const answer::EpochAnswer answer = answer_of(context, options);
  print(context, answer.caveats,
        report::epochs_result(answer, answer::epochs_of(answer, options.simulate, context.seed)));
}

}  // namespace

void add_pipeline(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<PipelineCommand>(
      app, context, "pipeline",
      "Time and energy of a training epoch, what limits it and what would help",
      "ridgewatt pipeline zoo:mobilenet_v3 --device agx-xavier "
      "--dataset-size 23080 --preprocess-time 13 "
      "--hand-over-time 9 --workers 1",
      run);
  auto& config = options.config;
  config.sample_bytes = 100e3;
  add.model("MODEL", options.model,
            "ONNX file or zoo:NAME; the board's twin estimates its training");
  add.words("--device", options.device, {answer::boards, answer::local_board}, kBoardHelp);
  add_strict(command, context);
  add_mode_options(command, options.mode);
  add.optional("--compute-time", config.compute_s, milliseconds().positive(),
               "Measured computation time of a minibatch, in place of MODEL");
  add.number("--dataset-size", config.samples, count().within(1, 1e12), "Samples of the data set");
  add.number("--sample-size", config.sample_bytes, kilobytes(), "Size of a sample");
  add.batch(config.batch);
  add.number("--workers", config.workers, count().within(0, 1024), "Loader workers");
  add.number("--prefetch", config.prefetch, count().within(1, 1024),
             "Minibatches that each worker loads ahead");
  add.number("--cores", config.cores, count().within(1, 1024), "CPU cores (with --compute-time)");
  add.one_of("--storage", options.storage, {pipeline::list_storages()}, "Storage of the data set");
  add.optional("--cache-size", options.cache_bytes, gigabytes(),
               "RAM available to the page cache [with MODEL: the memory that a minibatch leaves "
               "free; else the size of the data set]");
  add.optional("--preprocess-time", options.preprocess_s, milliseconds(),
               "Time to preprocess a sample at the highest CPU clock [with MODEL: from the twin]");
  add.optional(
      "--hand-over-time", config.hand_over_s, milliseconds(),
      "Time to hand a minibatch from a worker to the main process [with MODEL: from the board]");
  add.optional("--worker-slowdown", config.worker_slowdown, number().within(1, 100),
               "Slowdown of a worker relative to the main process while it reads from storage");
  add.optional("--base-power", config.base_w, watts(), "Idle power (with --compute-time)");
  add.optional("--compute-power", config.compute_w, watts(), "Extra power while computing");
  add.optional("--core-power", config.core_w, watts(), "Extra power per preprocessing core");
  add.optional("--cv", config.storage_cv, number().within(0, 10),
               "Coefficient of variation of the time to load from storage, for --simulate");
  add.optional("--simulate", options.simulate, count().within(0, 1000), "Also simulate N epochs");
}

}  // namespace ridgewatt::cli
