// The blocked layout of ONNX Runtime's convolutions on a processor.
#include <algorithm>
#include <set>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/workload/runtimes/activations.h"
#include "ridgewatt/workload/runtimes/formats.h"
#include "ridgewatt/workload/runtimes/fusion_rules.h"

namespace ridgewatt::workload {
namespace {

// Source: profiles of ONNX Runtime 1.30 (tools/runtimes), which names these copies ReorderInput and
// ReorderOutput.
constexpr std::int64_t kBlock = 16;  // channels, with AVX-512
// Required alignment of the channels that a convolution reads.
constexpr std::int64_t kAlignment = 4;

class Blocker {
 public:
  Blocker(const ValueGraph& graph, RuntimeKernels& lowered)
      : graph_(graph), plan_(graph.plan()), lowered_(lowered) {
    blocked_.assign(plan_.model->tensors.size(), false);
  }

  void run() {
    const auto count = static_cast<int>(lowered_.labels.size());
    for (int k = 0; k < count; ++k) add(k);
    for (const TensorId id : plan_.model->graph.outputs) {
      const TensorId root = plan_.root(id);
      if (blocked_[static_cast<std::size_t>(root)]) copy(count, producer_kernel(root), root, false);
    }
  }

 private:
  const Kernel& kernel(int k) const {
    return lowered_.kernels.kernels[static_cast<std::size_t>(k)];
  }
  const Step& step(int i) const { return plan_.steps[static_cast<std::size_t>(i)]; }
  std::int64_t extent(TensorId id, std::size_t axis) const {
    const auto& shape = plan_.tensor(id).shape;
    return shape && axis < shape->size() ? (*shape)[axis] : 0;
  }
  bool is_image(TensorId id) const {
    const auto& shape = plan_.tensor(id).shape;
    return shape && shape->size() == 4;
  }
  int producer_kernel(TensorId root) const {
    const int producer = graph_.producer(root);
    return producer < 0 ? 0 : lowered_.kernels.kernel_of[static_cast<std::size_t>(producer)];
  }

  // Tensors that the kernel reads from other kernels, without duplicates.
  std::vector<TensorId> reads(int k) const {
    std::vector<TensorId> found;
    for (const int s : kernel(k).steps) {
      for (const TensorId in : step(s).node->inputs) {
        if (in == kNoTensor || plan_.is_constant(in)) continue;
        const TensorId root = graph_.value(step(s), in);
        const int producer = graph_.producer(root);
        const bool inside =
            producer >= 0 && lowered_.kernels.kernel_of[static_cast<std::size_t>(producer)] == k;
        if (!inside && !contains(found, root)) {
          found.push_back(root);
        }
      }
    }
    return found;
  }

  // True if the convolution writes blocks of channels.
  bool writes_blocks(const Step& head) const {
    const TensorId in = head.node->inputs[0], out = head.node->outputs[0];
    const bool fixed = head.node->inputs.size() > 1 && plan_.is_constant(head.node->inputs[1]);
    if (head.node->op != "Conv" || head.quantized || !fixed) return false;
    if (!is_image(in) || !is_image(out)) return false;
    const std::int64_t group = std::max<std::int64_t>(head.node->integer("group", 1), 1);
    const std::int64_t read = extent(in, 1), written = extent(out, 1);
    if (group == 1) return read < kBlock || read % kAlignment == 0;
    const bool depthwise = read == group && written == group;
    return depthwise ? read % (kBlock / 2) == 0
                     : read / group % kBlock == 0 && written / group % kBlock == 0;
  }
  bool reads_blocks(const Step& head) const { return extent(head.node->inputs[0], 1) >= kBlock; }

  // True if the output keeps the layout of the inputs: pooling, and pointwise work on equal shapes.
  bool keeps_blocks(int k, const std::vector<TensorId>& inputs) const {
    const KernelLabel& label = lowered_.labels[static_cast<std::size_t>(k)];
    const TensorId out = step(kernel(k).steps.front()).node->outputs[0];
    const bool all = !inputs.empty() && std::all_of(inputs.begin(), inputs.end(), [&](TensorId in) {
      return blocked_[static_cast<std::size_t>(in)] && is_image(in);
    });
    if (!all || out == kNoTensor || !is_image(out)) return false;
    constexpr std::string_view kPooling = "MaxPool|AveragePool|GlobalAveragePool|GlobalMaxPool";
    const bool whole = std::all_of(inputs.begin(), inputs.end(),
                                   [&](TensorId in) { return extent(in, 1) % kBlock == 0; });
    if (is_among(label.op, kPooling)) return whole;
    if (label.op == "Concat") return whole;
    if (label.op == "Resize" || label.op == "Upsample") {
      return whole && step(kernel(k).steps.front()).cost.flops == 0;  // nearest mode
    }
    return (is_among(label.op, "Add|Sum|Mul") || is_among(label.op, activations::kOnBlocks)) &&
           std::all_of(inputs.begin(), inputs.end(), [&](TensorId in) {
             return plan_.tensor(in).shape == plan_.tensor(out).shape;
           });
  }

  void add(int k) {
    const std::vector<TensorId> inputs = reads(k);
    const Step& head = step(kernel(k).steps.front());
    const OpClass op_class = lowered_.labels[static_cast<std::size_t>(k)].op_class;
    bool blocked = false;
    if ((op_class == OpClass::kConv || op_class == OpClass::kDepthwiseConv) &&
        writes_blocks(head)) {
      blocked = lowered_.labels[static_cast<std::size_t>(k)].blocks = true;
      for (const TensorId in : inputs) {
        const bool image = in == graph_.value(head, head.node->inputs[0]);
        read(k, in, !image || reads_blocks(head));
      }
    } else if (keeps_blocks(k, inputs)) {
      blocked = true;
    } else {
      for (const TensorId in : inputs) read(k, in, false);
    }
    for (const int s : kernel(k).steps) {
      for (const TensorId out : step(s).node->outputs) {
        if (out != kNoTensor) blocked_[static_cast<std::size_t>(plan_.root(out))] = blocked;
      }
    }
  }

  void read(int k, TensorId root, bool blocks) {
    if (blocked_[static_cast<std::size_t>(root)] != blocks && is_image(root)) {
      copy(k, k, root, blocks);
    }
  }

  void copy(int before, int of, TensorId root, bool blocks) {
    if (!copied_.insert({root, blocks}).second) return;
    lowered_.copies.push_back({.before = before,
                               .step = kernel(of).steps.front(),
                               .name = "Reorder of " + plan_.tensor(root).name,
                               .source = root,
                               .elements = graph_.elements(root),
                               .read_bits = 32,
                               .write_bits = 32});
  }

  const ValueGraph& graph_;
  const ExecutionPlan& plan_;
  RuntimeKernels& lowered_;
  std::vector<bool> blocked_;  // by root
  std::set<std::pair<TensorId, bool>> copied_;
};

}  // namespace

void add_block_copies(const ValueGraph& graph, RuntimeKernels& lowered) {
  Blocker(graph, lowered).run();
}

}  // namespace ridgewatt::workload
