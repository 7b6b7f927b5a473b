// The cost of a model: work, traffic, parameters, memory and kernels of one minibatch, in total, by
// node and by kernel, for inference or a training step.
//
//   Model model = load_workload("zoo:resnet50");
//   WorkloadCost cost = workload_cost(model, {.batch = 16});
//   double intensity = cost.arithmetic_intensity();
//
// Each batch needs a new shape inference, about a millisecond for a ResNet-50. Load the model once,
// then call workload_cost for every batch.
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

// The rules by which operations are counted.
enum class Convention {
  kFull,  // 2 per multiply-accumulate (MAC), and element-wise work
  kMacs,  // multiply-accumulates only, 1 each: torchvision's GFLOPS
  // Rules and byte model of the Pagoda artifact (cost/pagoda_convention.h); training counts as
  // three inferences.
  kPagoda,
};
constexpr auto enum_names(Convention) {
  return named<Convention>(
      {{Convention::kFull, "full"}, {Convention::kMacs, "macs"}, {Convention::kPagoda, "pagoda"}});
}

struct CostOptions {
  std::optional<std::int64_t> batch = {};         // samples; absent: as exported, or 1
  std::map<std::string, std::int64_t> dims = {};  // other symbolic extents by name
  std::vector<ValueInfo> inputs = {};  // concrete inputs; they override `batch` and `dims`
  WorkloadKind kind = WorkloadKind::kInference;
  Optimizer optimizer = Optimizer::kSgd;
  Precision precision = Precision::kStored;
  Convention convention = Convention::kFull;
  // Runtime whose kernels are counted. Absent: `traffic` determines the kernels.
  std::optional<Runtime> runtime = {};
  // Precision of unquantized operations in an INT8 engine.
  Precision fallback = Precision::kFp16;
  // Whether operators between quantizations compute with 8-bit integers.
  bool integers = true;
  TrafficModel traffic = TrafficModel::kFused;
  double cache_bytes = 0;  // size of the device's last-level cache, for TrafficModel::kFused
};

// Cost of one node of the graph (or of an executed body), summed over its executions in a
// minibatch.
struct NodeCost {
  double macs = 0;
  double flops = 0;    // by the chosen Convention, forward and backward
  double int_ops = 0;  // of quantized operators and integer arithmetic
  double read_bytes = 0;
  double write_bytes = 0;
};

// The cost of a model by node and by kernel, with totals.
struct Analysis {
  ExecutionPlan plan;           // the nodes that run; refers to the model
  std::vector<NodeCost> nodes;  // one per step of the plan
  WorkloadCost workload;        // the same cost by kernel
  InferSummary shapes;  // inferred shapes; for omissions and assumptions see workload.caveats

  double macs = 0;
  double flops = 0;
  double int_ops = 0;
  double read_bytes = 0;
  double write_bytes = 0;
  double parameter_count = 0;
  double parameter_bytes = 0;
  double peak_memory_bytes = 0;
  double kernels = 0;  // number of launched kernels
  double bytes() const { return read_bytes + write_bytes; }
  double arithmetic_intensity() const { return bytes() > 0 ? flops / bytes() : 0; }
};

// Loads a model file or "zoo:NAME". Throws the errors of load_model() and find_zoo_entry().
Model load_workload(const std::string& path);

// Returns the traffic model that counts: eager frameworks fuse nothing.
TrafficModel traffic_model(const CostOptions& options);

// Infers the shapes of the model and counts its cost. `model` must outlive the result. Throws the
// errors of infer().
Analysis analyze(Model& model, const CostOptions& options = {});

// Like analyze(), but returns only the kernels.
WorkloadCost workload_cost(Model& model, const CostOptions& options = {});

// The computation of the forward cost of a node.
struct Explanation {
  std::string node;
  std::string op;
  std::string formula;      // "2 * outputs * k"
  std::string substituted;  // "2 * 1000 * 2048"
  Terms::Recorded terms;    // outputs = 1000, k = 2048
  OpCost cost;              // of one execution
  double count = 1;         // number of executions
  std::string remark;       // reason why the node has no cost; or empty
};

// Throws NotFoundError if no node with that name runs.
Explanation explain_node(const Analysis& analysis, std::string_view node);

}  // namespace ridgewatt::workload
