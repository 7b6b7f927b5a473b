// The cost of a model: work, traffic, parameters, memory and kernels of one minibatch, in total, by
// node and by kernel, for inference or a training step.
//
//   Model model = load_workload("zoo:resnet50");
//   WorkloadCost cost = workload_cost(model, {.batch = 16});
//   double intensity = cost.arithmetic_intensity();
//
// Another batch of the same model needs another shape inference, about a millisecond for a
// ResNet-50: load once, then call workload_cost for every batch.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/workload/element_widths.h"
#include "ridgewatt/workload/execution_plan.h"
#include "ridgewatt/workload/infer.h"
#include "ridgewatt/workload/traffic.h"
#include "ridgewatt/workload/training_cost.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// The definition of an operation.
enum class Convention {
  kFull,    // 2 for a multiply-accumulate, and element-wise work
  kMacs,    // multiply-accumulates only, one each: torchvision's GFLOPS
  kPagoda,  // the rules and the byte model of the Pagoda artifact, training as three inferences
};
constexpr auto enum_names(Convention) {
  return named<Convention>(
      {{Convention::kFull, "full"}, {Convention::kMacs, "macs"}, {Convention::kPagoda, "pagoda"}});
}

struct CostOptions {
  std::optional<std::int64_t> batch = {};         // samples; absent: as exported, or 1
  std::map<std::string, std::int64_t> dims = {};  // other symbolic extents by name
  std::vector<ValueInfo> inputs = {};             // concrete inputs; they override the above
  WorkloadKind kind = WorkloadKind::kInference;
  Optimizer optimizer = Optimizer::kSgd;
  Precision precision = Precision::kStored;
  Convention convention = Convention::kFull;
  // Kernels of this runtime; empty: as `traffic` says.
  std::optional<Runtime> runtime = {};
  // The precision that an INT8 engine uses for unquantized operations.
  Precision fallback = Precision::kFp16;
  TrafficModel traffic = TrafficModel::kFused;
  double cache_bytes = 0;  // last-level cache of the device, for TrafficModel::kFused
};

// One node of the graph (or of an executed body), over all its executions in the minibatch.
struct NodeCost {
  double macs = 0;
  double flops = 0;    // in the given convention; forward and backward
  double int_ops = 0;  // of quantized operators and integer arithmetic
  double read_bytes = 0;
  double write_bytes = 0;
};

struct Analysis {
  ExecutionPlan plan;           // the nodes that run; refers to the model
  std::vector<NodeCost> nodes;  // one per step of the plan
  WorkloadCost workload;        // the same by kernel
  InferSummary shapes;          // omissions and assumptions: workload.caveats

  double macs = 0;
  double flops = 0;
  double int_ops = 0;
  double read_bytes = 0;
  double write_bytes = 0;
  double parameter_count = 0;
  double parameter_bytes = 0;
  double peak_memory_bytes = 0;
  double kernels = 0;  // launched
  double bytes() const { return read_bytes + write_bytes; }
  double arithmetic_intensity() const { return bytes() > 0 ? flops / bytes() : 0; }
};

// A model file, or "zoo:NAME". Throws what load_model and find_zoo_entry throw.
Model load_workload(const std::string& path);

// Infers the model's shapes for the options and counts its cost. `model` must outlive the result.
// Throws what infer() throws.
Analysis analyze(Model& model, const CostOptions& options = {});

// Only the kernels: the input of a roofline.
WorkloadCost workload_cost(Model& model, const CostOptions& options = {});

// The derivation of the forward cost of a node.
struct Explanation {
  std::string node;
  std::string op;
  std::string formula;      // "2 * outputs * k"
  std::string substituted;  // "2 * 1000 * 2048"
  Terms::Recorded terms;    // outputs = 1000, k = 2048
  OpCost cost;              // of one execution
  double count = 1;         // executions
  std::string remark;       // the reason for a missing cost; empty if there is one
};

// Throws NotFoundError if no node of that name runs.
Explanation explain_node(const Analysis& analysis, std::string_view node);

}  // namespace ridgewatt::workload
