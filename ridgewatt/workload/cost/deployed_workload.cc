#include "ridgewatt/workload/deployed_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/workload/cost/eager_kernels.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/infer/bind_symbols.h"
#include "ridgewatt/workload/infer/extent_names.h"
#include "ridgewatt/workload/runtimes/fusion_rules.h"

namespace ridgewatt::workload {

// Costing infers shapes in the model itself, so only one batch can be costed at a time.
struct DeployedWorkload::Loaded {
  std::mutex mutex;
  Model model;
  int batch = 1;  // the batch that the file fixes
  bool has_batch = true;
};

namespace {

constexpr std::int64_t kMostBatch = 1 << 20;  // maximum value of --batch

void refuse_narrow(const DeployOptions& options) {
  const bool half = kPrecisionRows[options.precision].inference.parameters == 16;
  if (half && is_on_cpu(options.runtime)) {
    throw NotSupportedError(
        fmt::format("{} converts {} to fp32, and these conversions are not modelled",
                    name_of(options.runtime), name_of(options.precision)),
        "", "omit --precision");
  }
  // PyTorch's 8-bit engines run on the CPU. On the GPU, PyTorch widens 8-bit weights before use.
  const bool on_cpu = is_eager(options.runtime) && narrow_bits(options.precision) > 0;
  if (computes_in(options.runtime, options.precision) && !on_cpu) return;
  const bool processor = is_on_cpu(options.runtime);
  const bool integers = runtime_rules(options.runtime).modelled.empty();
  throw NotSupportedError(fmt::format("{} cannot compute in {}{}", name_of(options.runtime),
                                      name_of(options.precision), processor ? "" : " on a GPU"),
                          "",
                          !processor ? "use --precision fp16, or --runtime tensorrt"
                          : integers ? "give a quantized model, and omit --precision"
                                     : "omit --precision");
}

// On a GPU, only TensorRT has integer kernels. The other runtimes convert to floating point.
bool multiplies_integers(Runtime runtime) {
  const RuntimeRow& row = kRuntimeRows[runtime];
  return row.on_cpu || (row.narrow && !row.eager);
}

// Whether a converter may have folded batch normalizations into the convolutions: half of the
// convolutions have a bias, and no node normalizes.
bool may_be_folded(const Graph& graph) {
  constexpr int kLeast = 5;  // chosen: transformers have fewer convolutions
  int convolutions = 0, biased = 0;
  for (const Node& node : graph.nodes) {
    if (node.op.ends_with("Normalization")) return false;
    if (node.op != "Conv" && node.op != "ConvTranspose") continue;
    ++convolutions;
    biased += node.inputs.size() > 2 && node.inputs[2] != kNoTensor ? 1 : 0;
  }
  return convolutions >= kLeast && 2 * biased >= convolutions;
}

constexpr char kMayBeFolded[] =
    "the file has no batch normalization: if the exporter folded it into the convolutions, PyTorch "
    "itself takes longer";

}  // namespace

DeployedWorkload::DeployedWorkload(const std::string& model, DeployOptions options)
    : name_(model), options_(std::move(options)), loaded_(std::make_shared<Loaded>()) {
  loaded_->model = load_workload(model);
  const auto fixed = fixed_batch(loaded_->model);
  if (fixed && *fixed <= kMostBatch) loaded_->batch = static_cast<int>(*fixed);
  loaded_->has_batch = fixed || leaves_batch_open(loaded_->model);
}

DeployedWorkload::DeployedWorkload(std::map<int, std::shared_ptr<const WorkloadCost>> costs)
    : costs_(std::move(costs)) {}

DeployedWorkload::DeployedWorkload(std::string name, std::shared_ptr<Loaded> loaded,
                                   DeployOptions options)
    : name_(std::move(name)), options_(std::move(options)), loaded_(std::move(loaded)) {}

DeployedWorkload DeployedWorkload::with(DeployOptions options) const {
  return {name_, loaded_, std::move(options)};
}

bool DeployedWorkload::has_batch() const {
  return !loaded_ || loaded_->has_batch;
}

std::shared_ptr<const WorkloadCost> DeployedWorkload::at(int batch) const {
  const std::lock_guard lock(mutex_);
  const int usual = loaded_ ? loaded_->batch : costs_.empty() ? 1 : costs_.begin()->first;
  const int samples = batch > 0 ? batch : usual;
  auto& known = costs_[samples];
  if (known) return known;
  if (!loaded_)
    throw UsageError("the cost of the workload is not known at this batch size",
                     std::to_string(samples), "give a batch size whose cost was given");
  CostOptions cost;
  cost.batch = samples;
  cost.dims = options_.dims;
  cost.kind = options_.kind;
  cost.optimizer = options_.optimizer;
  cost.precision = options_.precision;
  const bool eager = is_eager(options_.runtime);
  if (!eager && options_.kind == WorkloadKind::kTraining) refuse_training(options_.runtime);
  refuse_narrow(options_);
  cost.integers = multiplies_integers(options_.runtime);
  cost.runtime = options_.runtime;
  const std::lock_guard alone(loaded_->mutex);
  WorkloadCost counted = workload_cost(loaded_->model, cost);
  refuse_unmodelled(counted, options_.runtime);
  counted.batch = samples;
  counted.runtime = options_.runtime;
  if (eager && !name_.starts_with("zoo:") && may_be_folded(loaded_->model.graph)) {
    counted.caveats.assumptions.emplace_back(kMayBeFolded);
  }
  known = std::make_shared<const WorkloadCost>(std::move(counted));
  return known;
}

double DeployedWorkload::image_side() const {
  if (loaded_) {
    const std::lock_guard alone(loaded_->mutex);
    Model& model = loaded_->model;
    infer(model, {.dims = options_.dims});  // assumes a side that the file leaves open
    for (const TensorId id : model.graph.inputs) {
      const Tensor& input = model.tensors[static_cast<std::size_t>(id)];
      // Keys and values of past tokens have four extents, too.
      if (std::any_of(input.symbols.begin(), input.symbols.end(), names_past)) continue;
      const auto& shape = input.shape;
      if (shape && shape->size() == 4 && shape->back() > 0) {
        return static_cast<double>(shape->back());
      }
    }
  }
  throw UsageError("image= has no effect, because the model does not take images", name_,
                   "omit it");
}

WorkloadCost scale_image(const WorkloadCost& cost, double area_ratio) {
  WorkloadCost scaled = cost;
  scaled.input_bytes *= area_ratio;
  scaled.input_elements *= area_ratio;
  scaled.workspace_bytes *= area_ratio;
  scaled.peak_memory_bytes =
      cost.parameter_bytes + (cost.peak_memory_bytes - cost.parameter_bytes) * area_ratio;
  for (auto& kernel : scaled.kernels) {
    if (kernel.phase == Phase::kOptimizer) continue;
    kernel.work_flop *= area_ratio;
    kernel.work_int_op *= area_ratio;
    kernel.macs *= area_ratio;
    kernel.read_bytes =
        kernel.weight_bytes + area_ratio * (kernel.read_bytes - kernel.weight_bytes);
    kernel.write_bytes *= area_ratio;
    kernel.output_elements *= area_ratio;
  }
  return scaled;
}

}  // namespace ridgewatt::workload
