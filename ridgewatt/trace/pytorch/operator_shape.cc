#include "ridgewatt/trace/pytorch/operator_shape.h"

#include <algorithm>
#include <array>

#include "ridgewatt/base/text.h"
#include "ridgewatt/trace/text/fields.h"

namespace ridgewatt::trace {
namespace {

// Positions of a convolution's parameters in its inputs.
struct ConvolutionInputs {
  std::string_view op;
  std::size_t stride, padding, dilation, groups;
};
// The schemas of PyTorch's native_functions.yaml.
constexpr std::array<ConvolutionInputs, 8> kConvolutions = {{
    {"aten::conv1d", 3, 4, 5, 6},
    {"aten::conv2d", 3, 4, 5, 6},
    {"aten::conv3d", 3, 4, 5, 6},
    {"aten::convolution", 3, 4, 5, 8},
    {"aten::_convolution", 3, 4, 5, 8},
    {"aten::cudnn_convolution", 3, 2, 4, 5},
    {"aten::cudnn_convolution_relu", 3, 4, 5, 6},
    {"aten::_conv_depthwise2d", 4, 5, 6, 99},
}};

// Parses "[2, 2]" or "1".
std::vector<std::int64_t> numbers_of(const Json* concrete, std::size_t index) {
  std::vector<std::int64_t> numbers;
  if (concrete == nullptr || !concrete->is_array() || index >= concrete->size()) return numbers;
  const Json& entry = (*concrete)[index];
  if (!entry.is_string()) return numbers;
  std::string text = entry.get<std::string>();
  std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
  for (const auto& part : split(text, ',')) {
    if (const auto number = parse_int(part)) numbers.push_back(*number);
  }
  return numbers;
}

std::int64_t at_or(const std::vector<std::int64_t>& numbers, std::size_t axis,
                   std::int64_t fallback) {
  return numbers.empty() ? fallback : numbers[std::min(axis, numbers.size() - 1)];
}

bool is_extent(std::int64_t value) {
  return value > 0 && value < (std::int64_t{1} << 32);
}

void shape_convolution(const ConvolutionInputs& at, const Json* concrete, EngineLayer& layer) {
  if (layer.inputs.size() < 2) return;
  const auto& image = layer.inputs[0].dims;
  const auto& filter = layer.inputs[1].dims;
  const std::size_t rank = image.size();
  if (rank < 3 || filter.size() != rank) return;
  if (!std::all_of(image.begin(), image.end(), is_extent)) return;
  if (!std::all_of(filter.begin(), filter.end(), is_extent)) return;
  const auto transposed = numbers_of(concrete, 6);
  const bool has_transposed = at.groups == 8;  // input 6 states whether it is transposed
  if (has_transposed && !transposed.empty() && transposed[0] != 0) return;
  layer.parameter_type = "Convolution";
  layer.kernel.assign(filter.begin() + 2, filter.end());
  layer.out_maps = filter[0];
  layer.groups = std::max<std::int64_t>(1, image[1] / filter[1]);
  const auto stride = numbers_of(concrete, at.stride);
  const auto padding = numbers_of(concrete, at.padding);
  const auto dilation = numbers_of(concrete, at.dilation);
  if (stride.empty() || padding.empty()) return;  // recorded without "Concrete Inputs"
  std::vector<std::int64_t> out = {image[0], filter[0]};
  for (std::size_t axis = 0; axis + 2 < rank; ++axis) {
    const std::int64_t reach = at_or(dilation, axis, 1) * (filter[axis + 2] - 1) + 1;
    const std::int64_t room = image[axis + 2] + 2 * at_or(padding, axis, 0) - reach;
    const std::int64_t step = at_or(stride, axis, 1);
    if (room < 0 || step < 1) return;
    out.push_back(room / step + 1);
  }
  layer.outputs.push_back({"output", out, layer.inputs[0].format});
}

// The matrices of a product: [.., M, K] and [.., K, N], or [N, K] for linear.
void shape_product(const std::string& op, EngineLayer& layer) {
  const bool add = op == "aten::addmm" || op == "aten::baddbmm";
  const std::size_t first = add ? 1 : 0;
  if (layer.inputs.size() < first + 2) return;
  const auto& a = layer.inputs[first].dims;
  const auto& b = layer.inputs[first + 1].dims;
  if (a.size() < 2 || b.size() < 2) return;
  if (!std::all_of(a.begin(), a.end(), is_extent)) return;
  if (!std::all_of(b.begin(), b.end(), is_extent)) return;
  layer.parameter_type = "MatrixMultiply";
  std::vector<std::int64_t> out = a;
  out.back() = op == "aten::linear" ? b[b.size() - 2] : b.back();
  layer.outputs.push_back({"output", out, layer.inputs[first].format});
  if (add) std::rotate(layer.inputs.begin(), layer.inputs.begin() + 1, layer.inputs.end());
}

}  // namespace

std::optional<EngineLayer> operator_shape(const std::string& op, const Json& args) {
  const Json* dims = find_field(args, "Input Dims");
  if (dims == nullptr || !dims->is_array()) return std::nullopt;
  const Json* types = find_field(args, "Input type");
  EngineLayer layer;
  layer.name = op;
  layer.layer_type = op;
  for (std::size_t i = 0; i < dims->size(); ++i) {
    EngineTensor input;
    input.dims = whole_numbers(&(*dims)[i]);
    if (types != nullptr && types->is_array() && i < types->size() && (*types)[i].is_string()) {
      input.format = (*types)[i].get<std::string>();
    }
    layer.inputs.push_back(std::move(input));
  }
  const Json* concrete = find_field(args, "Concrete Inputs");
  for (const auto& at : kConvolutions) {
    if (op == at.op) shape_convolution(at, concrete, layer);
  }
  for (const char* product :
       {"aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm", "aten::matmul", "aten::linear"}) {
    if (op == product) shape_product(op, layer);
  }
  return layer;
}

}  // namespace ridgewatt::trace
