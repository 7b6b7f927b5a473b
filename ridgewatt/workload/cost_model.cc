#include "ridgewatt/workload/cost_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/workload/cost/eager_kernels.h"
#include "ridgewatt/workload/cost/pagoda_convention.h"
#include "ridgewatt/workload/cost/step_shape.h"
#include "ridgewatt/workload/onnx_reader.h"
#include "ridgewatt/workload/runtimes/runtime_kernels.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::workload {
namespace {

// Groups of a convolution, or directions of a recurrent layer.
double groups_of(const Node& node) {
  if (node.text("direction", "") == "bidirectional") return 2;
  return static_cast<double>(std::max<std::int64_t>(node.integer("group", 1), 1));
}

constexpr double kPagodaTrainingFactor = 3;

bool runs_eagerly(const CostOptions& options) {
  return options.runtime && is_eager(*options.runtime);
}

// Sets the totals to the sums over all kernels.
void sum_kernels(Analysis& analysis) {
  analysis.macs = analysis.flops = analysis.int_ops = 0;
  analysis.read_bytes = analysis.write_bytes = analysis.kernels = 0;
  for (const KernelCost& kernel : analysis.workload.kernels) {
    analysis.macs += kernel.macs;
    analysis.flops += kernel.work_flop;
    analysis.int_ops += kernel.work_int_op;
    analysis.read_bytes += kernel.read_bytes;
    analysis.write_bytes += kernel.write_bytes;
    analysis.kernels += kernel.launches;
  }
}

// Turns a plan into kernels, node costs and totals.
class Accountant {
 public:
  Accountant(Analysis& analysis, const CostOptions& options)
      : analysis_(analysis),
        plan_(analysis.plan),
        options_(options),
        runtime_(lowered_plan(analysis, options)),
        precision_(runtime_ ? runtime_->widths : element_widths(options.precision, options.kind)),
        sizes_(runtime_ ? TensorSizes(plan_, precision_, runtime_->bits)
                        : TensorSizes(plan_, precision_)) {
    analysis_.nodes.resize(plan_.steps.size());
  }

  void run() {
    count_parameters();
    if (training()) follow_gradients();
    const Kernels kernels = runtime_ ? runtime_->kernels : generic_kernels();
    auto traffic = forward_traffic(plan_, kernels, sizes_,
                                   {.model = options_.traffic,
                                    .cache_bytes = options_.cache_bytes,
                                    .kept = runtime_ ? runtime_->kept : flow_.saved});
    add_forward(kernels, traffic);
    if (runtime_) add_copies(traffic);
    analysis_.peak_memory_bytes =
        analysis_.parameter_bytes + largest_live_set(plan_, traffic, sizes_);
    if (training()) add_training(kernels);
    if (options_.convention == Convention::kPagoda) apply_pagoda();
    add_totals();
    analysis_.workload.caveats = caveats_of(plan_, analysis_.shapes);
  }

 private:
  bool training() const { return options_.kind == WorkloadKind::kTraining; }
  WorkloadCost& workload() { return analysis_.workload; }

  static std::optional<RuntimeKernels> lowered_plan(Analysis& analysis,
                                                    const CostOptions& options) {
    if (!options.runtime || runs_eagerly(options)) return std::nullopt;
    if (options.kind == WorkloadKind::kTraining) refuse_training(*options.runtime);
    analysis.workload.runtime = *options.runtime;
    return lower(analysis.plan, {.runtime = *options.runtime,
                                 .precision = options.precision,
                                 .fallback = options.fallback});
  }

  void follow_gradients() {
    flow_ = gradient_flow(plan_);
    if (integer_weights_ == 0) return;
    analysis_.plan.assumptions.push_back(std::to_string(integer_weights_) +
                                         (integer_weights_ == 1
                                              ? " weight is stored as integers and is"
                                              : " weights are stored as integers and are") +
                                         " not trained");
  }

  Kernels generic_kernels() const {
    return fuse(plan_,
                {.enabled = options_.traffic != TrafficModel::kUnfused, .kind = options_.kind});
  }

  void count_parameters() {
    std::map<TensorId, double> values = plan_.idle_weights;  // numbers per element, by weight
    std::set<TensorId> scales;
    for (const Step& step : plan_.steps) {
      for (const TensorId id : weights_of(plan_, step)) {
        values[id] = std::max(values[id], packed_values(plan_, step, id));
      }
      for (const TensorId id : scales_of(plan_, step)) scales.insert(id);
    }
    std::map<DataType, double> by_type;
    for (const auto& [id, packed] : values) {
      const double count = packed * sizes_.elements(id);
      analysis_.parameter_count += count;
      analysis_.parameter_bytes += sizes_.bytes(id);
      by_type[plan_.tensor(id).dtype] += count;
      if (!is_floating(plan_.tensor(id).dtype)) ++integer_weights_;
    }
    for (const TensorId id : scales) analysis_.parameter_bytes += sizes_.bytes(id);
    const auto most = std::max_element(by_type.begin(), by_type.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    if (options_.precision != Precision::kStored) {
      workload().precision = options_.precision;
      workload().arithmetic = runtime_ ? runtime_->arithmetic : options_.precision;
    } else {
      workload().precision = most == by_type.end() ? Precision::kFp32 : precision_of(most->first);
      workload().arithmetic = stored_arithmetic();
    }
  }

  // Returns the type in which most of the floating-point work is done.
  Precision stored_arithmetic() const {
    std::map<Precision, double> flops;
    for (const Step& step : plan_.steps) {
      if (step.integer || step.node->outputs.empty() || step.node->outputs[0] == kNoTensor)
        continue;
      const DataType type = plan_.tensor(step.node->outputs[0]).dtype;
      if (is_floating(type)) flops[precision_of(type)] += step.count * step.cost.flops;
    }
    const auto most = std::max_element(flops.begin(), flops.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    return most == flops.end() ? Precision::kFp32 : most->first;
  }

  void add_forward(const Kernels& kernels, const std::vector<KernelTraffic>& traffic) {
    for (std::size_t k = 0; k < kernels.kernels.size(); ++k) {
      workload().kernels.push_back(forward_kernel(kernels.kernels[k], traffic[k]));
      if (runtime_) set_label(runtime_->labels[k], workload().kernels.back());
    }
  }

  void set_label(const KernelLabel& label, KernelCost& cost) {
    cost.name = label.name;
    cost.op = label.op;
    cost.op_class = label.op_class;
    cost.blocks = label.blocks;
    cost.precision =
        label.precision == Precision::kStored ? workload().arithmetic : label.precision;
  }

  // Inserts the copies between layouts before the kernels that need them.
  void add_copies(std::vector<KernelTraffic>& traffic) {
    widen_writes(traffic);
    std::vector<KernelCost> kernels;
    std::vector<KernelTraffic> all;
    auto copy = runtime_->copies.begin();
    for (std::size_t k = 0; k <= traffic.size(); ++k) {
      for (; copy != runtime_->copies.end() && copy->before <= static_cast<int>(k); ++copy) {
        kernels.push_back(copy_kernel(*copy));
        all.push_back(copy_traffic(*copy));
      }
      if (k == traffic.size()) break;
      kernels.push_back(std::move(workload().kernels[k]));
      all.push_back(std::move(traffic[k]));
    }
    workload().kernels = std::move(kernels);
    traffic = std::move(all);
  }

  // Adds the bytes of kernels that write a tensor wider than the others read it, before a copy
  // narrows it.
  void widen_writes(const std::vector<KernelTraffic>& traffic) {
    for (const auto& [tensor, bits] : runtime_->written_bits) {
      for (std::size_t k = 0; k < traffic.size(); ++k) {
        for (const Access& write : traffic[k].writes) {
          if (write.tensor != tensor) continue;
          const double more = sizes_.elements(tensor) * bits / 8 - write.bytes;
          workload().kernels[k].write_bytes += more;
          analysis_.nodes[static_cast<std::size_t>(write.step)].write_bytes += more;
        }
      }
    }
  }

  KernelCost copy_kernel(const LayoutCopy& copy) {
    KernelCost cost;
    cost.name = copy.name;
    cost.op = "Reformat";
    cost.op_class = OpClass::kDataMovement;
    cost.node = static_cast<std::size_t>(copy.step);
    cost.read_bytes = copy.read_bytes();
    cost.write_bytes = copy.write_bytes();
    cost.output_elements = copy.elements;
    cost.launches = static_cast<int>(std::min(copy.count, 1e9));
    cost.precision = workload().arithmetic;
    NodeCost& node = analysis_.nodes[cost.node];
    node.read_bytes += cost.read_bytes;
    node.write_bytes += cost.write_bytes;
    return cost;
  }

  static KernelTraffic copy_traffic(const LayoutCopy& copy) {
    KernelTraffic traffic;
    traffic.reads.push_back({copy.source, copy.step, copy.read_bytes()});
    if (copy.target != kNoTensor) {
      traffic.writes.push_back({copy.target, copy.step, copy.write_bytes()});
    }
    return traffic;
  }

  KernelCost forward_kernel(const Kernel& kernel, const KernelTraffic& traffic) {
    const int head_index = kernel.steps[0];
    const Step& head = plan_.steps[static_cast<std::size_t>(head_index)];
    KernelCost cost;
    cost.name = head.node->name;
    cost.op = head.node->op;
    cost.op_class = class_of(plan_, head);
    cost.node = static_cast<std::size_t>(head_index);
    cost.window = window_of(plan_, head);
    cost.reduction_length = head.cost.reduction_length;
    cost.output_channels = output_channels_of(plan_, head);
    cost.row_length = row_length_of(plan_, head);
    cost.strided = is_strided(plan_, head);
    cost.groups = groups_of(*head.node);
    workload().workspace_bytes =
        std::max(workload().workspace_bytes, unrolled_bytes(plan_, sizes_, head));
    cost.launches = launches_of(plan_, head);
    cost.steps.assign(kernel.steps.begin(), kernel.steps.end());
    for (const int index : kernel.steps) {
      const Step& step = plan_.steps[static_cast<std::size_t>(index)];
      NodeCost& node = analysis_.nodes[static_cast<std::size_t>(index)];
      node.macs = step.count * step.cost.macs;
      (step.integer ? node.int_ops : node.flops) = step.count * step.cost.flops;
      cost.macs += node.macs;
      cost.work_flop += node.flops;
      cost.work_int_op += node.int_ops;
      for (const TensorId out : step.node->outputs) {
        if (out == kNoTensor) continue;
        cost.output_elements = std::max(cost.output_elements, sizes_.elements(out));
      }
    }
    add_traffic(traffic, cost);
    return cost;
  }

  void add_traffic(const KernelTraffic& traffic, KernelCost& cost) {
    const auto at = [&](int step) { return static_cast<std::size_t>(step); };
    for (const Access& read : traffic.reads) {
      const double bytes = read.bytes * plan_.steps[at(read.step)].count * passes(read);
      analysis_.nodes[at(read.step)].read_bytes += bytes;
      cost.read_bytes += bytes;
      if (plan_.is_constant(read.tensor)) cost.weight_bytes += bytes;
    }
    for (const Access& write : traffic.writes) {
      const double bytes = write.bytes * plan_.steps[at(write.step)].count;
      analysis_.nodes[at(write.step)].write_bytes += bytes;
      cost.write_bytes += bytes;
    }
  }

  // Batch statistics take a separate pass over the input before the normalization.
  double passes(const Access& read) const {
    const Step& step = plan_.steps[static_cast<std::size_t>(read.step)];
    const bool statistics = training() && step.rule != nullptr && step.rule->training_flops > 0 &&
                            step.rule->op_class == OpClass::kNormalization &&
                            options_.traffic != TrafficModel::kIdeal;
    return statistics && !plan_.is_constant(read.tensor) ? 2 : 1;
  }

  void add_training(const Kernels& kernels) {
    const bool ideal = options_.traffic == TrafficModel::kIdeal;
    for (KernelCost& kernel : backward_kernels(plan_, kernels, flow_, sizes_)) {
      if (ideal) kernel.read_bytes = kernel.write_bytes = 0;
      const Step& step = plan_.steps[kernel.node];
      if (kernel.op_class == OpClass::kConv) kernel.op_class = class_of(plan_, step);
      kernel.window = window_of(plan_, step);
      NodeCost& node = analysis_.nodes[kernel.node];
      node.macs += kernel.macs;
      node.flops += kernel.work_flop;
      node.read_bytes += kernel.read_bytes;
      node.write_bytes += kernel.write_bytes;
      workload().kernels.push_back(std::move(kernel));
    }
    const auto optimizer = optimizer_cost(plan_, flow_, sizes_, precision_, options_.optimizer);
    if (!flow_.trainable.empty()) workload().kernels.push_back(optimizer.kernel);
    analysis_.peak_memory_bytes =
        analysis_.parameter_bytes + optimizer.gradient_bytes + optimizer.state_bytes;
    for (const TensorId id : flow_.saved) analysis_.peak_memory_bytes += sizes_.bytes(id);
  }

  // The artifact counts nodes, not kernels. Each node becomes a kernel with the artifact's traffic.
  void apply_pagoda() {
    const double factor = training() ? kPagodaTrainingFactor : 1;
    workload().kernels.clear();
    analysis_.parameter_bytes = 0;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      const PagodaCost pagoda = pagoda_cost(plan_, step);
      NodeCost& node = analysis_.nodes[i];
      node = {.macs = factor * step.count * step.cost.macs,
              .flops = factor * step.count * pagoda.flops,
              .read_bytes = factor * step.count * pagoda.read_bytes,
              .write_bytes = factor * step.count * pagoda.write_bytes};
      analysis_.parameter_bytes += pagoda.weight_bytes;
      if (node.flops + node.read_bytes + node.write_bytes == 0) continue;
      KernelCost kernel;
      kernel.name = step.node->name;
      kernel.op = step.node->op;
      kernel.op_class = class_of(plan_, step);
      kernel.node = i;
      kernel.macs = node.macs;
      kernel.work_flop = node.flops;
      kernel.read_bytes = node.read_bytes;
      kernel.write_bytes = node.write_bytes;
      kernel.reduction_length = step.cost.reduction_length;
      kernel.output_elements = node.write_bytes / factor / 4;
      kernel.launches = launches_of(plan_, step);
      workload().kernels.push_back(std::move(kernel));
    }
  }

  void add_totals() {
    if (options_.convention == Convention::kMacs) {
      for (NodeCost& node : analysis_.nodes) {
        node.flops = node.macs;
        node.int_ops = 0;
      }
      for (KernelCost& kernel : workload().kernels) {
        kernel.work_flop = kernel.macs;
        kernel.work_int_op = 0;
      }
    }
    sum_kernels(analysis_);
    workload().parameter_count = analysis_.parameter_count;
    workload().parameter_bytes = analysis_.parameter_bytes;
    workload().peak_memory_bytes = analysis_.peak_memory_bytes;
    constexpr double kBindingBytes = 4;  // per element of an engine's floating-point inputs
    for (const TensorId id : plan_.model->graph.inputs) {
      const bool wide = runtime_ && runtime_->wide_bindings && is_floating(plan_.tensor(id).dtype);
      workload().input_bytes += wide ? kBindingBytes * sizes_.elements(id) : sizes_.bytes(id);
      workload().input_elements += sizes_.elements(id);
    }
  }

  Analysis& analysis_;
  const ExecutionPlan& plan_;
  const CostOptions& options_;
  std::optional<RuntimeKernels> runtime_;  // empty: fusion that any runtime might do
  ElementWidths precision_;
  TensorSizes sizes_;
  GradientFlow flow_;
  std::size_t integer_weights_ = 0;
};

Integers integers_of(const CostOptions& options) {
  if (!options.integers) return Integers::kNone;
  const bool processor = options.runtime && is_on_cpu(*options.runtime);
  return processor ? Integers::kResults : Integers::kOperands;
}

}  // namespace

Model load_workload(const std::string& path) {
  if (!is_zoo_name(path)) {
    suggest_zoo_model(path, zoo_names());
    return load_model(path);
  }
  const ZooEntry& entry = find_zoo_entry(path);
  return load_model_from_memory(entry.build(), std::string(entry.name));
}

TrafficModel traffic_model(const CostOptions& options) {
  return runs_eagerly(options) ? TrafficModel::kUnfused : options.traffic;
}

Analysis analyze(Model& model, const CostOptions& options) {
  Analysis analysis;
  analysis.shapes =
      infer(model, {.batch = options.batch, .dims = options.dims, .inputs = options.inputs});
  analysis.plan = make_plan(model, options.kind, integers_of(options));
  analysis.workload.name = model.name;
  analysis.workload.kind = options.kind;
  analysis.workload.batch = static_cast<int>(analysis.shapes.batch);
  CostOptions effective = options;
  effective.traffic = traffic_model(options);
  Accountant(analysis, effective).run();
  if (runs_eagerly(options)) {
    analysis.workload = eager_kernels(analysis.workload, analysis.plan);
    sum_kernels(analysis);
  }
  return analysis;
}

WorkloadCost workload_cost(Model& model, const CostOptions& options) {
  return analyze(model, options).workload;
}

}  // namespace ridgewatt::workload
