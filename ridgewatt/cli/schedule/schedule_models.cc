#include "ridgewatt/cli/schedule/schedule_models.h"

#include <memory>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::cli {
namespace {

std::shared_ptr<const workload::DeployedWorkload> deployed(const std::string& model,
                                                           WorkloadKind kind, Runtime runtime,
                                                           workload::Precision precision) {
  workload::DeployOptions options;
  options.kind = kind;
  options.runtime = runtime;
  options.precision = precision;
  return std::make_shared<const workload::DeployedWorkload>(model, options);
}

constexpr char kUsualInference[] = "[1,2,4,8,16,32]";

}  // namespace

std::vector<int> batches_to_schedule(const workload::DeployedWorkload& model) {
  if (model.options().kind == WorkloadKind::kTraining) return {answer::usual_batch(model)};
  if (const auto fixed = answer::fixed_batch(model)) return {*fixed};
  return {1, 2, 4, 8, 16, 32};
}

void ScheduleModels::add_to(CLI::App& command) {
  command.add_option("--inference", inference,
                     "Model of the urgent inference, in place of a sweep: ONNX file or zoo:NAME");
  command.add_option("--training", training,
                     "Model of the training, in place of a sweep (several take turns)");
  command.add_option("--device", device,
                     "Board whose twin says what the models cost; without it the board at hand");
  command.add_option("--modes", modes, std::string("Modes of the models: ") + kModesHelp)
      ->capture_default_str();
  quantity(command.add_option("--inference-batch", inference_batches,
                              "Batches that --inference may have"),
           count().within(1, 65536))
      ->delimiter(',')
      ->default_str(kUsualInference);
  quantity(command.add_option("--training-batch", training_batch, "Batch of --training"),
           count().within(1, 65536))
      ->default_str("16");
  listed_choice(command, "--inference-runtime", inference_runtime, "What runs --inference")
      ->capture_default_str();
  listed_choice(command, "--inference-precision", inference_precision,
                "What --inference computes in (all but fp32 by peak ratios, not validated)")
      ->capture_default_str();
  listed_choice(command, "--training-precision", training_precision, "What --training computes in")
      ->capture_default_str();
}

void ScheduleModels::check(const CLI::App& command) const {
  if (!inference.empty() && command.count("--inference-sweep") > 0) {
    throw UsageError("the inference is a model or a sweep, not both", "--inference");
  }
  if (!training.empty() && command.count("--training-sweep") > 0) {
    throw UsageError("the training is a model or a sweep, not both", "--training");
  }
  if (empty()) {
    refuse_without_effect(command, {"--device", "--modes"}, "without --inference or --training");
  }
  if (inference.empty()) {
    refuse_without_effect(command,
                          {"--inference-batch", "--inference-runtime", "--inference-precision"},
                          "without --inference");
  }
  if (training.empty()) {
    refuse_without_effect(command, {"--training-batch", "--training-precision"},
                          "without --training");
  }
}

void ScheduleModels::add_sweeps(const Context& context,
                                schedule::ScheduleWorkloads& workloads) const {
  if (empty()) return;
  const std::string board = board_or_at_hand(context, device);
  if (!inference.empty()) {
    const auto model =
        deployed(inference, WorkloadKind::kInference, inference_runtime, inference_precision);
    const answer::EstimateQuestion question{
        .modes = modes,
        .batches = inference_batches.empty() ? batches_to_schedule(*model) : inference_batches};
    workloads.inference = answer::estimate_sweep(question, model, board);
    workloads.uses.push_back(answer::device_use(question, model, board));
  }
  for (const auto& name : training) {
    const auto model =
        deployed(name, WorkloadKind::kTraining, Runtime::kPytorchEager, training_precision);
    const answer::EstimateQuestion question{
        .modes = modes,
        .batches = training_batch == 0 ? batches_to_schedule(*model) : std::vector{training_batch}};
    workloads.background.push_back({answer::estimate_sweep(question, model, board), 0});
    workloads.uses.push_back(answer::device_use(question, model, board));
  }
}

}  // namespace ridgewatt::cli
