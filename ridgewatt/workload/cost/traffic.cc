#include "ridgewatt/workload/traffic.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/workload/plan/quantized_graph.h"

namespace ridgewatt::workload {

double TensorSizes::elements(TensorId id) const {
  return static_cast<double>(plan_->tensor(id).element_count().value_or(0));
}

double TensorSizes::bytes(TensorId id) const {
  const Tensor& tensor = plan_->tensor(id);
  // Runtimes store a sparse tensor as a dense one.
  const bool dense = tensor.kind == ValueKind::kTensor || tensor.kind == ValueKind::kSparseTensor;
  if (!dense) return 0;
  int bits = precision_->bits(tensor.dtype, plan_->is_constant(id));
  if (bits_ != nullptr && is_floating(tensor.dtype)) {
    const int own = (*bits_)[static_cast<std::size_t>(plan_->root(id))];
    if (own > 0) bits = own;
  }
  return std::ceil(elements(id) * bits / 8);
}

double TensorSizes::gradient_bytes(TensorId id) const {
  if (is_floating(plan_->tensor(id).dtype)) return bytes(id);
  return std::ceil(elements(id) * precision_->bits(DataType::kFloat, false) / 8);
}

TensorId stored_constant(const ExecutionPlan& plan, TensorId id) {
  const int producer = plan.producer_of(id);
  if (producer < 0) return id;
  const Node& node = *plan.steps[static_cast<std::size_t>(producer)].node;
  if (node.inputs.empty() || node.inputs[0] == kNoTensor) return id;
  if (node.op == "DequantizeLinear") return stored_constant(plan, node.inputs[0]);
  // A tensor that is only moved after its dequantization can be moved before it.
  if (node.op != "Transpose" && node.op != "Reshape") return id;
  const TensorId stored = stored_constant(plan, node.inputs[0]);
  return stored == node.inputs[0] ? id : stored;
}

namespace {

// Sizes, axes and similar values are passed as launch arguments.
bool is_launch_argument(const Tensor& tensor) {
  return tensor.constant && !is_floating(tensor.dtype);
}

bool is_scalar(const Tensor& tensor) {
  return tensor.element_count().value_or(2) <= 1;
}

// Adds a read. Of several reads of one tensor, only the largest counts, up to the whole tensor.
void add_read(std::vector<Access>& reads, TensorId tensor, int step, double bytes, double whole) {
  for (Access& read : reads) {
    if (read.tensor == tensor) {
      read.bytes = std::min(whole, std::max(read.bytes, bytes));
      return;
    }
  }
  reads.push_back({tensor, step, std::min(bytes, whole)});
}

class FusedTraffic {
 public:
  FusedTraffic(const ExecutionPlan& plan, const Kernels& kernels, const TensorSizes& sizes,
               const TrafficOptions& options)
      : plan_(plan), kernels_(kernels), sizes_(sizes), options_(options) {
    escapes_.assign(plan.model->tensors.size(), false);
    mark_escaping();
  }

  std::vector<KernelTraffic> run() {
    std::vector<KernelTraffic> traffic(kernels_.kernels.size());
    for (std::size_t k = 0; k < traffic.size(); ++k) {
      for (const int step : kernels_.kernels[k].steps) {
        collect_reads(static_cast<int>(k), step, traffic[k]);
        collect_writes(step, traffic[k]);
      }
    }
    if (options_.cache_bytes > 0) drop_cached(traffic);
    return traffic;
  }

 private:
  int kernel_of_tensor(TensorId root) const {
    const int step = plan_.producer_of(root);
    return step < 0 ? -1 : kernels_.kernel_of[static_cast<std::size_t>(step)];
  }

  void mark(TensorId id) { escapes_[static_cast<std::size_t>(plan_.root(id))] = true; }

  // Tensors that a later kernel, the caller or the backward pass reads.
  void mark_escaping() {
    for (const TensorId id : plan_.model->graph.outputs) mark(id);
    for (const TensorId id : options_.kept) mark(id);
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      // Views read nothing, but a sequence keeps the tensors that are put into it.
      if (step.kind == StepKind::kView && step.rule->op_class != OpClass::kOther) continue;
      for (const TensorId in : step.node->inputs) {
        if (in == kNoTensor) continue;
        const TensorId root = operand_root(plan_, step, in);
        const int from = kernel_of_tensor(root);
        if (from >= 0 && from != kernels_.kernel_of[i]) mark(root);
      }
    }
  }

  // A batch normalization that is folded into a convolution adds a bias, unless there is one
  // already.
  bool is_folded_norm(int kernel, int step) const {
    const auto& steps = kernels_.kernels[static_cast<std::size_t>(kernel)].steps;
    const Step& head = plan_.steps[static_cast<std::size_t>(steps[0])];
    return step != steps[0] && head.rule->gradient == Gradient::kContraction &&
           plan_.steps[static_cast<std::size_t>(step)].node->op == "BatchNormalization";
  }

  void collect_reads(int kernel, int index, KernelTraffic& traffic) const {
    const Step& step = plan_.steps[static_cast<std::size_t>(index)];
    const Node& node = *step.node;
    const bool folded = is_folded_norm(kernel, index);
    const bool norm = node.op == "BatchNormalization";
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoTensor) continue;
      const TensorId root = operand_root(plan_, step, node.inputs[i]);
      if (plan_.is_constant(root)) {
        // The four parameters of a normalization are folded into a scale and a shift.
        if (norm && i > (folded ? 1U : 2U)) continue;
        if (norm && folded && has_bias(kernel)) continue;
        read_constant(step, i, index, traffic);
      } else if (kernel_of_tensor(root) != kernel) {
        double bytes = std::min(sizes_.bytes(node.inputs[i]), sizes_.bytes(root));
        if (reads_part(step, i)) bytes = std::min(bytes, sizes_.bytes(node.outputs[0]));
        add_read(traffic.reads, root, index, bytes, sizes_.bytes(root));
      }
    }
  }

  bool has_bias(int kernel) const {
    const int head = kernels_.kernels[static_cast<std::size_t>(kernel)].steps[0];
    const Node& node = *plan_.steps[static_cast<std::size_t>(head)].node;
    return node.inputs.size() > 2 && node.inputs[2] != kNoTensor;
  }

  static bool reads_part(const Step& step, std::size_t input) {
    return input == 0 && step.rule != nullptr && step.rule->reads_part;
  }

  void read_constant(const Step& step, std::size_t input, int index, KernelTraffic& traffic) const {
    const TensorId id = stored_constant(plan_, plan_.root(step.node->inputs[input]));
    if (is_launch_argument(plan_.tensor(id)) || is_scalar(plan_.tensor(id))) return;
    double bytes = sizes_.bytes(id);
    if (reads_part(step, input)) bytes = std::min(bytes, sizes_.bytes(step.node->outputs[0]));
    add_read(traffic.reads, id, index, bytes, sizes_.bytes(id));
    read_scales(plan_.root(step.node->inputs[input]), id, index, traffic);
  }

  // The scales of blocks are read together with the stored weight from which `id` is computed.
  void read_scales(TensorId id, TensorId stored, int index, KernelTraffic& traffic) const {
    while (id != stored) {
      const Step& step = plan_.steps[static_cast<std::size_t>(plan_.producer_of(id))];
      for (const TensorId scale : scales_of(plan_, step)) {
        add_read(traffic.reads, scale, index, sizes_.bytes(scale), sizes_.bytes(scale));
      }
      id = step.node->inputs[0];
    }
  }

  void collect_writes(int index, KernelTraffic& traffic) const {
    for (const TensorId out : plan_.steps[static_cast<std::size_t>(index)].node->outputs) {
      if (out == kNoTensor) continue;
      const TensorId root = plan_.root(out);
      if (escapes_[static_cast<std::size_t>(root)]) {
        // A part of a concatenation is written directly into the result.
        traffic.writes.push_back({root, index, std::min(sizes_.bytes(out), sizes_.bytes(root))});
      }
    }
  }

  // Reuse distance: the bytes touched since the tensor was written or last read.
  void drop_cached(std::vector<KernelTraffic>& traffic) const {
    // Bytes touched until then, including the tensor.
    std::unordered_map<TensorId, double> touched_at;
    double touched = 0;
    for (KernelTraffic& kernel : traffic) {
      for (Access& read : kernel.reads) {
        const auto found = touched_at.find(read.tensor);
        const bool hit = found != touched_at.end() && !plan_.is_constant(read.tensor) &&
                         touched - found->second + read.bytes <= options_.cache_bytes;
        touched += read.bytes;
        if (hit) read.bytes = 0;
        touched_at[read.tensor] = touched;
      }
      for (const Access& write : kernel.writes) {
        touched += write.bytes;
        touched_at[write.tensor] = touched;
      }
    }
  }

  const ExecutionPlan& plan_;
  const Kernels& kernels_;
  const TensorSizes& sizes_;
  const TrafficOptions& options_;
  std::vector<bool> escapes_;
};

KernelTraffic unfused_traffic(const ExecutionPlan& plan, const TensorSizes& sizes, int index) {
  KernelTraffic traffic;
  const Step& step = plan.steps[static_cast<std::size_t>(index)];
  std::set<TensorId> seen;
  for (const TensorId in : step.node->inputs) {
    if (in == kNoTensor || !seen.insert(in).second) continue;
    const TensorId root = operand_root(plan, step, in);
    TensorId id = in;
    if (plan.is_constant(in)) {
      id = stored_constant(plan, plan.root(in));
    } else if (step.quantized && is_integer(plan.tensor(root).dtype)) {
      id = root;  // dequantized in the kernel
    }
    traffic.reads.push_back({operand_root(plan, step, id), index, sizes.bytes(id)});
  }
  for (const TensorId out : step.node->outputs) {
    if (out == kNoTensor) continue;
    const TensorId root = plan.root(out);
    traffic.writes.push_back({root, index, sizes.bytes(root)});
  }
  return traffic;
}

// Keeps only the first read of each tensor from outside and the writes of graph outputs.
void keep_compulsory(const ExecutionPlan& plan, std::vector<KernelTraffic>& traffic) {
  std::set<TensorId> outputs;
  for (const TensorId id : plan.model->graph.outputs) outputs.insert(plan.root(id));
  std::set<TensorId> read;
  for (KernelTraffic& kernel : traffic) {
    for (Access& access : kernel.reads) {
      const bool outside = plan.producer_of(access.tensor) < 0 || plan.is_constant(access.tensor);
      if (!outside || !read.insert(access.tensor).second) access.bytes = 0;
    }
    for (Access& access : kernel.writes) {
      if (!outputs.contains(access.tensor)) access.bytes = 0;
    }
  }
}

}  // namespace

std::vector<KernelTraffic> forward_traffic(const ExecutionPlan& plan, const Kernels& kernels,
                                           const TensorSizes& sizes,
                                           const TrafficOptions& options) {
  if (options.model == TrafficModel::kUnfused) {
    std::vector<KernelTraffic> traffic;
    for (const Kernel& kernel : kernels.kernels) {
      traffic.push_back(unfused_traffic(plan, sizes, kernel.steps[0]));
    }
    return traffic;
  }
  TrafficOptions fused = options;
  if (options.model == TrafficModel::kIdeal) fused.cache_bytes = 0;
  auto traffic = FusedTraffic(plan, kernels, sizes, fused).run();
  if (options.model == TrafficModel::kIdeal) keep_compulsory(plan, traffic);
  return traffic;
}

double largest_live_set(const ExecutionPlan& plan, const std::vector<KernelTraffic>& traffic,
                        const TensorSizes& sizes) {
  const std::size_t count = plan.model->tensors.size();
  std::vector<int> last_use(count, -1);
  const auto end = static_cast<int>(traffic.size());
  for (int k = 0; k < end; ++k) {
    for (const Access& read : traffic[static_cast<std::size_t>(k)].reads) {
      last_use[static_cast<std::size_t>(plan.root(read.tensor))] = k;
    }
  }
  for (const TensorId id : plan.model->graph.outputs) {
    last_use[static_cast<std::size_t>(plan.root(id))] = end;
  }
  double live = 0;
  for (const TensorId id : plan.model->graph.inputs) live += sizes.bytes(id);
  double most = live;
  std::vector<bool> born(count, false);  // a concatenation is written part by part
  std::vector<bool> freed(count, false);
  const auto release = [&](TensorId root, int kernel) {
    const auto index = static_cast<std::size_t>(root);
    if (plan.is_constant(root) || freed[index] || last_use[index] > kernel) return;
    freed[index] = true;
    live -= sizes.bytes(root);
  };
  for (int k = 0; k < end; ++k) {
    const KernelTraffic& kernel = traffic[static_cast<std::size_t>(k)];
    for (const Access& write : kernel.writes) {
      const auto root = static_cast<std::size_t>(plan.root(write.tensor));
      if (!born[root]) live += sizes.bytes(write.tensor);
      born[root] = true;
    }
    most = std::max(most, live);
    for (const Access& write : kernel.writes) release(plan.root(write.tensor), k);
    for (const Access& read : kernel.reads) release(plan.root(read.tensor), k);
  }
  return most;
}

}  // namespace ridgewatt::workload
