#include "ridgewatt/answer/layers/engine_work.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridgewatt::answer {
namespace {

using trace::EngineLayer;
using trace::EngineTensor;
using workload::OpClass;
using workload::Precision;

constexpr double kMostElements = 1e15;  // chosen: a tensor of a petabyte means a broken file

struct FormatWord {
  std::string_view word;
  int bits;
  Precision precision;
};
// Words of formats that are no words of precisions.
constexpr std::array kFormats = std::to_array<FormatWord>({
    {"signed char", 8, Precision::kInt8},
    {"bool", 8, Precision::kFp32},
    {"int4", 4, Precision::kInt8},
    {"int64", 64, Precision::kFp32},
    {"long", 64, Precision::kFp32},
    {"double", 64, Precision::kFp32},
    {"int", 32, Precision::kFp32},
    {"byte", 8, Precision::kFp32},
});

// The longest name or word of a precision in the format applies ("bfloat16" contains "float16"),
// else the first of kFormats.
std::optional<FormatWord> find_format(std::string_view format) {
  static const NameSet kPrecisions = name_set<Precision>();
  const std::string lower = lower_case(format);
  std::optional<FormatWord> found;
  const auto consider = [&](std::string_view word, std::string_view name) {
    const auto precision = find_name<Precision>(name);
    if (!precision || lower.find(word) == std::string::npos) return;
    const ArithmeticRow& arithmetic = workload::arithmetic_row(*precision);
    if (name != arithmetic.name || (found && found->word.size() >= word.size())) return;
    found = FormatWord{word, arithmetic.bits, *precision};
  };
  for (const std::string& name : kPrecisions.names) consider(name, name);
  for (const auto& [word, name] : kPrecisions.synonyms) consider(word, name);
  for (const auto& [word, name] : common_synonyms()) consider(word, name);
  if (found) return found;
  for (const FormatWord& entry : kFormats) {
    if (lower.find(entry.word) != std::string::npos) return entry;
  }
  return std::nullopt;
}

struct TypeWord {
  std::string_view word;
  OpClass op_class;
};
// Words in TensorRT's layer types and in the names of PyTorch's operators.
constexpr std::array<TypeWord, 24> kTypes = {{
    {"attention", OpClass::kAttention},
    {"conv", OpClass::kConv},
    {"ool", OpClass::kPooling},
    {"oftMax", OpClass::kSoftmax},
    {"softmax", OpClass::kSoftmax},
    {"norm", OpClass::kNormalization},
    {"Norm", OpClass::kNormalization},
    {"Reduce", OpClass::kReduction},
    {"sum", OpClass::kReduction},
    {"mean", OpClass::kReduction},
    {"PointWise", OpClass::kElementwise},
    {"ElementWise", OpClass::kElementwise},
    {"Activation", OpClass::kElementwise},
    {"Scale", OpClass::kElementwise},
    {"aten::add", OpClass::kElementwise},
    {"aten::mul", OpClass::kElementwise},
    {"relu", OpClass::kElementwise},
    {"elu", OpClass::kElementwise},
    {"sigmoid", OpClass::kElementwise},
    {"copy", OpClass::kDataMovement},
    {"cat", OpClass::kDataMovement},
    {"Shuffle", OpClass::kDataMovement},
    {"Slice", OpClass::kDataMovement},
    {"Gather", OpClass::kDataMovement},
}};

std::optional<double> product_of(const std::vector<std::int64_t>& extents) {
  double product = 1;
  for (const std::int64_t extent : extents) {
    if (extent < 0) return std::nullopt;
    product *= static_cast<double>(extent);
  }
  return product <= kMostElements ? std::optional(product) : std::nullopt;
}

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool is_deconvolution(const EngineLayer& layer) {
  return has(layer.parameter_type, "Deconvolution") || has(layer.layer_type, "Deconvolution");
}

bool is_convolution(const EngineLayer& layer) {
  return layer.parameter_type == "Convolution" || is_deconvolution(layer);
}

bool is_product(const EngineLayer& layer) {
  for (const std::string_view word :
       {"MatrixMultiply", "MatMul", "Gemm", "gemm", "FullyConnected"}) {
    if (has(layer.parameter_type, word) || has(layer.layer_type, word)) return true;
  }
  return false;
}

// Each output element (each input element of a transposed convolution) is multiplied once with each
// weight of its filter.
std::optional<double> convolution_macs(const EngineLayer& layer) {
  if (layer.inputs.empty() || layer.outputs.empty() || layer.kernel.empty()) return std::nullopt;
  const auto& in = layer.inputs[0].dims;
  const auto inputs = product_of(in), outputs = product_of(layer.outputs[0].dims);
  const auto window = product_of(layer.kernel);
  // The channel axis precedes the filter's axes, with or without a batch axis.
  if (!inputs || !outputs || !window || in.size() <= layer.kernel.size()) return std::nullopt;
  if (layer.groups < 1) return std::nullopt;
  const auto groups = static_cast<double>(layer.groups);
  if (is_deconvolution(layer)) {
    return *inputs * *window * static_cast<double>(layer.out_maps) / groups;
  }
  const auto channels = static_cast<double>(in[in.size() - layer.kernel.size() - 1]);
  return *outputs * *window * channels / groups;
}

// [.., M, K] times [.., K, N], either operand transposed or not. The length of each sum is the
// number of elements of the first operand divided by the number of rows of the output.
std::optional<double> product_macs(const EngineLayer& layer) {
  if (layer.inputs.empty() || layer.outputs.empty() || layer.outputs[0].dims.empty()) {
    return std::nullopt;
  }
  const auto outputs = product_of(layer.outputs[0].dims);
  const auto inputs = product_of(layer.inputs[0].dims);
  const auto columns = static_cast<double>(layer.outputs[0].dims.back());
  if (!outputs || !inputs || columns < 1 || *outputs < 1) return std::nullopt;
  return *outputs * *inputs / (*outputs / columns);
}

std::optional<double> tensor_bytes(const std::vector<EngineTensor>& tensors) {
  double bytes = 0;
  for (const auto& tensor : tensors) {
    const auto elements = product_of(tensor.dims);
    const int bits = format_bits(tensor.format);
    if (tensor.dims.empty() && bits == 0) continue;  // an input that is not a tensor
    if (!elements || bits == 0) return std::nullopt;
    bytes += *elements * bits / 8;
  }
  return bytes;
}

}  // namespace

int format_bits(std::string_view format) {
  const auto found = find_format(format);
  return found ? found->bits : 0;
}

std::optional<LayerWork> engine_work(const EngineLayer& layer) {
  if (engine_kind(layer) != LayerKind::kWork) return LayerWork{};
  if (is_convolution(layer) || is_product(layer)) {
    const auto macs = is_convolution(layer) ? convolution_macs(layer) : product_macs(layer);
    if (!macs) return std::nullopt;
    return LayerWork{*macs, 2 * *macs};
  }
  if (layer.parameter_type == "Pooling") {
    const auto outputs = output_elements(layer);
    const auto window = product_of(layer.window);
    if (!outputs || !window || layer.window.empty()) return std::nullopt;
    return LayerWork{0, *outputs * *window};
  }
  return std::nullopt;
}

std::optional<double> engine_traffic_bytes(const EngineLayer& layer) {
  if (engine_kind(layer) == LayerKind::kNothing) return 0;
  if (layer.inputs.empty() || layer.outputs.empty()) return std::nullopt;
  const auto inputs = tensor_bytes(layer.inputs), outputs = tensor_bytes(layer.outputs);
  if (!inputs || !outputs) return std::nullopt;
  return *inputs + *outputs + layer.weight_count * format_bits(layer.weight_type) / 8 +
         layer.bias_count * format_bits(layer.bias_type) / 8;
}

Precision engine_precision(const EngineLayer& layer) {
  if (layer.inputs.empty()) return Precision::kFp32;
  const auto found = find_format(layer.inputs[0].format);
  const Precision precision = found ? found->precision : Precision::kFp32;
  return precision == Precision::kFp32 && has(layer.tactic, "tf32") ? Precision::kTf32 : precision;
}

LayerKind engine_kind(const EngineLayer& layer) {
  if (layer.layer_type == "NoOp" || layer.layer_type == "Constant") return LayerKind::kNothing;
  const bool copy = layer.layer_type == "Reformat" || layer.parameter_type == "Reformat";
  return copy ? LayerKind::kReformat : LayerKind::kWork;
}

std::optional<OpClass> engine_class(const EngineLayer& layer) {
  if (is_convolution(layer)) {
    const auto spatial =
        layer.outputs.empty() ? std::vector<std::int64_t>{} : layer.outputs[0].dims;
    const auto axes = std::min(layer.kernel.size(), spatial.size());
    const bool point = std::all_of(spatial.end() - static_cast<std::ptrdiff_t>(axes), spatial.end(),
                                   [](std::int64_t extent) { return extent == 1; });
    if (axes > 0 && point && product_of(layer.kernel) == 1.0) return OpClass::kGemm;
    return layer.groups > 1 && layer.groups == layer.out_maps ? OpClass::kDepthwiseConv
                                                              : OpClass::kConv;
  }
  if (is_product(layer)) return OpClass::kGemm;
  for (const auto& type : kTypes) {
    if (has(layer.parameter_type, type.word) || has(layer.layer_type, type.word)) {
      return type.op_class;
    }
  }
  return std::nullopt;
}

std::optional<double> output_elements(const EngineLayer& layer) {
  return layer.outputs.empty() ? std::nullopt : product_of(layer.outputs[0].dims);
}

}  // namespace ridgewatt::answer
