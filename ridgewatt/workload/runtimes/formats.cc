#include "ridgewatt/workload/runtimes/formats.h"

#include <algorithm>
#include <map>
#include <set>

#include "ridgewatt/workload/runtimes/groups.h"

namespace ridgewatt::workload {
namespace {

enum class Layout : std::uint8_t { kPlanes, kVectors, kAny };

constexpr int kBindingBits = 32;

class Formatter {
 public:
  Formatter(const ValueGraph& graph, RuntimeKernels& lowered)
      : graph_(graph), plan_(graph.plan()), lowered_(lowered) {
    layout_.assign(plan_.model->tensors.size(), Layout::kPlanes);
    explicit_ = std::any_of(plan_.steps.begin(), plan_.steps.end(),
                            [](const Step& step) { return step.quantized; });
    for (const TensorId id : plan_.model->graph.inputs) {
      if (is_floating(plan_.tensor(id).dtype)) wide_.insert(plan_.root(id));
    }
  }

  void run() {
    lowered_.wide_bindings = true;
    const auto count = static_cast<int>(lowered_.labels.size());
    // Copies for concatenations, in the order of kernels.
    const std::size_t parts = lowered_.copies.size();
    std::size_t part = 0;
    for (int k = 0; k < count; ++k) {
      for (; part < parts && lowered_.copies[part].before <= k; ++part) {
        layout(plan_.root(lowered_.copies[part].target)) =
            layout(plan_.root(lowered_.copies[part].source));
      }
      Layout taken = Layout::kAny;
      bool wide = false;
      for (const int s : kernel(k).steps) {
        for (const TensorId in : step(s).node->inputs) {
          if (in != kNoTensor && !plan_.is_constant(in)) read(k, s, in, taken, wide);
        }
      }
      write(k, taken, wide);
    }
    for (const TensorId id : plan_.model->graph.outputs) deliver(id, count);
    for (const TensorId root : wide_) {
      if (!narrowed_.contains(root)) set_bits(root, kBindingBits);
    }
  }

 private:
  const Step& step(int i) const { return plan_.steps[static_cast<std::size_t>(i)]; }
  const Kernel& kernel(int k) const {
    return lowered_.kernels.kernels[static_cast<std::size_t>(k)];
  }
  const KernelLabel& label(int k) const { return lowered_.labels[static_cast<std::size_t>(k)]; }
  Layout& layout(TensorId root) { return layout_[static_cast<std::size_t>(root)]; }

  int bits(TensorId root) const {
    const int own = lowered_.bits[static_cast<std::size_t>(root)];
    const DataType type = plan_.tensor(root).dtype;
    return own > 0 && is_floating(type) ? own : lowered_.widths.bits(type, false);
  }
  void set_bits(TensorId root, int bits) {
    lowered_.bits[static_cast<std::size_t>(root)] = static_cast<std::uint8_t>(bits);
  }

  static bool is_convolution(OpClass op_class) {
    return op_class == OpClass::kConv || op_class == OpClass::kDepthwiseConv;
  }

  // The layout that a kernel reads.
  Layout wanted(int k, TensorId root) const {
    const KernelLabel& l = label(k);
    const Step& head = step(kernel(k).steps.front());
    if (l.op_class == OpClass::kConv) {
      if (!reads_image(plan_, head)) return Layout::kVectors;
      return integer(l) && explicit_ ? Layout::kAny : first_layout(l);
    }
    if (l.op_class == OpClass::kDepthwiseConv) {
      return is_wide(l.precision) ? Layout::kAny : Layout::kVectors;
    }
    if (l.op_class == OpClass::kPooling) {
      // INT8 convolutions write vectors of 32, and no kernel pools FP16 in this layout.
      return explicit_ && bits(root) == 16 ? Layout::kPlanes : Layout::kAny;
    }
    return works_on_rows(l) || head.node->op == "Transpose" ? Layout::kPlanes : Layout::kAny;
  }

  static bool works_on_rows(const KernelLabel& label) {
    if (kOpClassRows[label.op_class].rows) return true;
    return label.op_class == OpClass::kNormalization &&
           (label.op.find("LayerNorm") != std::string::npos ||
            label.op.find("RMSNorm") != std::string::npos);
  }

  static bool integer(const KernelLabel& label) { return !arithmetic_row(label.precision).floats; }

  static bool is_wide(Precision precision) { return arithmetic_row(precision).bits == 32; }
  static Layout first_layout(const KernelLabel& l) {
    return is_wide(l.precision) ? Layout::kPlanes : Layout::kVectors;
  }

  // With one pixel or one channel, all layouts are the same.
  bool is_image(TensorId id) const {
    const auto& shape = plan_.tensor(id).shape;
    if (!shape || shape->size() < 3 || (*shape)[1] <= 1) return false;
    return std::any_of(shape->begin() + 2, shape->end(), [](std::int64_t e) { return e > 1; });
  }

  // True if the tensor is a transposed view: its reader expects channels last.
  bool is_transposed(TensorId id) const {
    for (int depth = 0; depth < 8; ++depth) {
      const int producer = plan_.producer_of(id);
      if (producer < 0 || step(producer).kind != StepKind::kView) return false;
      if (step(producer).node->op == "Transpose") return true;
      id = step(producer).node->inputs[0];
    }
    return false;
  }

  void read(int k, int s, TensorId in, Layout& taken, bool& wide) {
    const TensorId root = graph_.value(step(s), in);
    const int producer = graph_.producer(root);
    const bool inside =
        producer >= 0 && lowered_.kernels.kernel_of[static_cast<std::size_t>(producer)] == k;
    if (inside || !is_floating(plan_.tensor(root).dtype)) return;
    Layout want = wanted(k, root);
    if (want == Layout::kPlanes && is_transposed(in)) want = Layout::kAny;
    const bool image = is_image(want == Layout::kVectors ? in : root);
    const bool moves = want != Layout::kAny && image && want != layout(root);
    const bool quantizes = step(s).node->op == "QuantizeLinear";
    const bool input = producer < 0 && plan_.producer_of(root) < 0;
    const bool narrows =
        wide_.contains(root) && bits(root) < kBindingBits && !quantizes && (input || moves);
    if (moves || narrows) copy(k, root, want == Layout::kAny ? layout(root) : want);
    if (taken == Layout::kAny && image) {
      taken = moves ? want : layout(root);
      wide = wide_.contains(root) && !narrowed_.contains(root);
    }
  }

  void copy(int k, TensorId root, Layout want) {
    if (!copied_.insert({root, want}).second) return;
    const bool wide = wide_.contains(root) && bits(root) < kBindingBits;
    const int from = wide ? kBindingBits : bits(root);
    if (wide && narrowed_.insert(root).second && plan_.producer_of(root) >= 0) {
      lowered_.written_bits.emplace_back(root, kBindingBits);
    }
    lowered_.copies.push_back(
        {.before = k,
         .step = kernel(k).steps.front(),
         .name = "Reformat of " + plan_.tensor(root).name + " for " + label(k).name,
         .source = root,
         .elements = graph_.elements(root),
         .read_bits = from,
         .write_bits = bits(root)});
  }

  void write(int k, Layout taken, bool wide) {
    const KernelLabel& l = label(k);
    const Step& head = step(kernel(k).steps.front());
    const bool first = l.op_class == OpClass::kConv && reads_image(plan_, head);
    Layout result = taken == Layout::kVectors ? taken : Layout::kPlanes;
    if (l.op_class == OpClass::kConv) result = first ? first_layout(l) : Layout::kVectors;
    if (works_on_rows(l)) result = Layout::kPlanes;
    const bool computes = l.op_class == OpClass::kPooling || l.op_class == OpClass::kElementwise;
    for (const int s : kernel(k).steps) {
      for (const TensorId out : step(s).node->outputs) {
        if (out == kNoTensor) continue;
        const TensorId root = plan_.root(out);
        if (!is_floating(plan_.tensor(root).dtype) || bits(root) == kBindingBits) {
          layout(root) = of_result(out, result);
          continue;
        }
        const bool integers_out = bits(root) == 8;
        const bool writes_wide = first && explicit_ && integer(l);
        if (writes_wide || (computes && wide && !integers_out)) wide_.insert(root);
        layout(root) = writes_wide ? Layout::kPlanes : of_result(out, result);
      }
    }
  }

  // Tokens are stored in rows, even if they come from an image.
  Layout of_result(TensorId out, Layout layout) const {
    constexpr std::size_t kImageRank = 4;
    const auto& shape = plan_.tensor(out).shape;
    return shape && shape->size() < kImageRank ? Layout::kPlanes : layout;
  }

  void deliver(TensorId id, int end) {
    const TensorId root = plan_.root(id);
    const int producer = graph_.producer(root);
    if (producer < 0 || !is_floating(plan_.tensor(root).dtype)) return;
    const int k = lowered_.kernels.kernel_of[static_cast<std::size_t>(producer)];
    const bool vectors = layout(root) == Layout::kVectors && is_image(root);
    const bool narrow = bits(root) < kBindingBits && !wide_.contains(root);
    if (!vectors && narrow && integer(label(k))) {
      set_bits(root, kBindingBits);
      return;
    }
    if (!vectors && !narrow) return;
    lowered_.copies.push_back({.before = end,
                               .step = producer,
                               .name = "Reformat of " + plan_.tensor(id).name,
                               .source = root,
                               .elements = graph_.elements(id),
                               .read_bits = bits(root),
                               .write_bits = kBindingBits});
  }

  const ValueGraph& graph_;
  const ExecutionPlan& plan_;
  RuntimeKernels& lowered_;
  bool explicit_ = false;       // the graph states what is quantized
  std::vector<Layout> layout_;  // by root
  std::set<std::pair<TensorId, Layout>> copied_;
  std::set<TensorId> wide_;      // roots written in FP32 although the engine uses a narrower type
  std::set<TensorId> narrowed_;  // roots in wide_ that are read through a copy
};

}  // namespace

void add_format_copies(const ValueGraph& graph, RuntimeKernels& lowered) {
  Formatter(graph, lowered).run();
}

}  // namespace ridgewatt::workload
