// Fuzz target: inferring and costing a graph of operators with any opset, ranks, extents, types,
// attributes and contents ends in a cost or in an Error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "ridgewatt/base/error.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload {
namespace {

// Takes decisions from the fuzzer's bytes. After the last byte, each decision is 0.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data, size) {}

  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : next() % limit; }
  bool coin() { return (next() & 1) != 0; }
  bool done() const { return at_ >= data_.size(); }

  // Mostly small numbers, sometimes numbers that break arithmetic.
  std::int64_t number() {
    constexpr std::int64_t kOdd[] = {-1,
                                     -2,
                                     INT64_MAX,
                                     INT64_MIN,
                                     INT32_MAX,
                                     INT64_MIN + 1,
                                     kMaxElements,
                                     -kMaxElements,
                                     kMaxElements - 1};
    const std::size_t byte = next();
    if (byte < 200) return static_cast<std::int64_t>(byte % 8);
    if (byte < 230) return -static_cast<std::int64_t>(byte % 6);
    return kOdd[byte % std::size(kOdd)];
  }
  std::int64_t extent() {
    constexpr std::int64_t kExtents[] = {1, 1, 2, 3, 4, 5, 8, 16, 0, kUnknownDim, 1 << 20};
    return kExtents[next() % std::size(kExtents)];
  }

 private:
  std::size_t next() { return done() ? 0 : data_[at_++]; }
  std::span<const std::uint8_t> data_;
  std::size_t at_ = 0;
};

constexpr std::string_view kNames[] = {"axis",
                                       "axes",
                                       "perm",
                                       "keepdims",
                                       "to",
                                       "shape",
                                       "group",
                                       "kernel_shape",
                                       "strides",
                                       "pads",
                                       "dilations",
                                       "starts",
                                       "ends",
                                       "split",
                                       "num_heads",
                                       "scales",
                                       "k",
                                       "equation",
                                       "block_size",
                                       "blocksize",
                                       "mode",
                                       "auto_pad",
                                       "hidden_size",
                                       "layout",
                                       "direction",
                                       "broadcast",
                                       "axis_w",
                                       "batch_dims",
                                       "kv_num_heads",
                                       "q_num_heads",
                                       "transA",
                                       "transB",
                                       "output_shape",
                                       "output_padding",
                                       "dtype",
                                       "output_dtype",
                                       "sorted",
                                       "noop_with_empty_axes",
                                       "allowzero",
                                       "new_axis",
                                       "qkv_hidden_sizes",
                                       "do_rotary",
                                       "local_window_size",
                                       "past_present_share_buffer",
                                       "ceil_mode",
                                       "storage_order",
                                       "num_outputs",
                                       "channels_last",
                                       "start",
                                       "end",
                                       "reduction",
                                       "N",
                                       "K",
                                       "block_size_k",
                                       "bits",
                                       "onesided",
                                       "inverse"};
constexpr std::string_view kTexts[] = {"SAME_UPPER", "VALID",       "bidirectional", "none",
                                       "ij,jk->ik",  "...i,i->...", "bij,bjk",       "not_larger",
                                       ",",          "CRD"};
constexpr DataType kTypes[] = {DataType::kFloat,  DataType::kInt64,     DataType::kInt32,
                               DataType::kBool,   DataType::kFloat16,   DataType::kInt8,
                               DataType::kString, DataType::kUndefined, DataType::kInt4};

Attribute attribute(Choices& choices) {
  Attribute made;
  made.name = kNames[choices.below(std::size(kNames))];
  const std::size_t count = 1 + choices.below(5);
  for (std::size_t i = 0; i < count; ++i) {
    made.ints.push_back(choices.number());
    made.floats.push_back(static_cast<double>(choices.number()) / 2);
  }
  made.strings.emplace_back(kTexts[choices.below(std::size(kTexts))]);
  return made;
}

// Content that fits the type and shape, in the form in which the reader stores it.
void fill(Choices& choices, Tensor& tensor) {
  const auto count = tensor.element_count();
  if (!count || *count > 64) return;
  Constant content;
  for (std::int64_t i = 0; i < *count; ++i) {
    if (is_floating(tensor.dtype)) {
      content.floats.push_back(static_cast<double>(choices.number()) / 2);
    } else if (tensor.dtype == DataType::kString) {
      content.strings.emplace_back(kTexts[choices.below(std::size(kTexts))]);
    } else {
      content.ints.push_back(choices.number());
    }
  }
  tensor.constant = std::make_shared<const Constant>(std::move(content));
}

TensorId add_tensor(Choices& choices, Model& model, TensorRole role) {
  Tensor tensor;
  tensor.name = "t" + std::to_string(model.tensors.size());
  tensor.role = role;
  tensor.dtype = kTypes[choices.below(std::size(kTypes))];
  Shape shape;
  for (std::size_t rank = choices.below(6); shape.size() < rank;) {
    const std::int64_t extent = choices.extent();
    shape.push_back(role == TensorRole::kInitializer && extent < 0 ? 2 : extent);
  }
  tensor.shape = shape;
  if (role == TensorRole::kInitializer) {
    tensor.is_constant = true;
    fill(choices, tensor);
  } else if (choices.coin()) {
    tensor.declared = std::make_shared<const ValueInfo>(tensor);
    tensor.symbols.assign(shape.size(), choices.coin() ? "N" : "");
  }
  model.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(model.tensors.size() - 1);
}

void add_node(Choices& choices, Model& model, std::vector<TensorId>& known) {
  const auto ops = all_ops();
  // Two bytes, because there are more operators than one byte can select.
  const OpEntry& entry = *ops[(choices.below(256) * 256 + choices.below(256)) % ops.size()];
  Node node;
  node.op = entry.name;
  node.domain = entry.domain;
  node.name = node.op + std::to_string(model.graph.nodes.size());
  node.opset = 1 + static_cast<int>(choices.below(24));
  for (std::size_t left = choices.below(6); left > 0; --left) {
    node.inputs.push_back(choices.below(12) == 0 ? kNoTensor : known[choices.below(known.size())]);
  }
  for (std::size_t left = choices.below(5); left > 0; --left) {
    node.attributes.push_back(attribute(choices));
  }
  for (std::size_t left = 1 + choices.below(3); left > 0; --left) {
    const TensorId output = add_tensor(choices, model, TensorRole::kActivation);
    node.outputs.push_back(output);
    known.push_back(output);
  }
  model.graph.nodes.push_back(std::move(node));
}

Model any_model(Choices& choices) {
  Model model;
  std::vector<TensorId> known;
  for (std::size_t left = 1 + choices.below(3); left > 0; --left) {
    const TensorId input = add_tensor(choices, model, TensorRole::kInput);
    Tensor& tensor = model.tensors.back();
    tensor.declared = std::make_shared<const ValueInfo>(tensor);
    model.graph.inputs.push_back(input);
    known.push_back(input);
  }
  for (std::size_t left = choices.below(5); left > 0; --left) {
    known.push_back(add_tensor(choices, model, TensorRole::kInitializer));
    model.graph.initializers.push_back(known.back());
  }
  for (std::size_t left = 12; left > 0 && !choices.done(); --left) add_node(choices, model, known);
  model.graph.outputs.push_back(known.back());
  return model;
}

void price(Model& model, const CostOptions& options) {
  try {
    const WorkloadCost cost = workload_cost(model, options);
    if (!std::isfinite(cost.work_flop()) || !std::isfinite(cost.traffic_bytes())) std::abort();
  } catch (const Error&) {  // refused
  }
}

}  // namespace
}  // namespace ridgewatt::workload

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ridgewatt;
  using namespace ridgewatt::workload;
  Choices choices(data, size);
  Model model;
  try {
    model = any_model(choices);
  } catch (const InputError&) {
    return 0;  // a shape that the reader refuses
  }
  price(model, {});
  price(model, {.batch = 3, .kind = WorkloadKind::kTraining});
  price(model, {.runtime = Runtime::kTensorRt});
  price(model, {.precision = Precision::kInt8, .runtime = Runtime::kTensorRt});
  price(model, {.runtime = Runtime::kOnnxRuntime});
  price(model, {.runtime = Runtime::kTorchCompile});
  return 0;
}
