// Operators that create tensors: constants, ranges, random numbers, windows.
#include <cmath>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

void constant(InferContext& c) {
  const Node& node = c.node();
  for (const char* name : {"value", "sparse_value"}) {
    const Attribute* tensor = node.find(name);
    if (tensor != nullptr && !tensor->tensors.empty()) {
      ValueInfo value = tensor->tensors.front();
      value.kind = ValueKind::kTensor;
      return c.set(0, std::move(value));
    }
  }
  const auto make = [&](DataType type, bool is_scalar, std::size_t count, Constant content) {
    c.set(0, type, is_scalar ? Shape{} : Shape{static_cast<std::int64_t>(count)});
    c.set_content(0, std::move(content));
  };
  for (const char* name : {"value_int", "value_ints"}) {
    if (const Attribute* a = node.find(name)) {
      return make(DataType::kInt64, a->name == "value_int", a->ints.size(), {a->ints, {}, {}});
    }
  }
  for (const char* name : {"value_float", "value_floats"}) {
    if (const Attribute* a = node.find(name)) {
      return make(DataType::kFloat, a->name == "value_float", a->floats.size(),
                  {{}, a->floats, {}});
    }
  }
  for (const char* name : {"value_string", "value_strings"}) {
    if (const Attribute* a = node.find(name)) {
      return make(DataType::kString, a->name == "value_string", a->strings.size(),
                  {{}, {}, a->strings});
    }
  }
  c.fail("the node has no attribute with the value of the constant");
}

// Extents from the content of an input. Unknown extents are kUnknownDim.
std::optional<Shape> shape_from(const InferContext& c, std::size_t input) {
  const auto* values = c.ints(input);
  if (values == nullptr) {
    const Shape* length = c.shape(input);
    if (length == nullptr || length->size() != 1 || (*length)[0] < 0 || (*length)[0] > 64) {
      return std::nullopt;
    }
    return Shape(static_cast<std::size_t>((*length)[0]), kUnknownDim);
  }
  Shape shape;
  for (const std::int64_t value : *values) {
    if (value != kUnknownInt && value < 0)
      c.fail("the shape has the negative dimension " + std::to_string(value));
    shape.push_back(value == kUnknownInt ? kUnknownDim : value);
  }
  return shape;
}

void constant_of_shape(InferContext& c) {
  const Attribute* value = c.node().find("value");
  DataType type = DataType::kFloat;
  Constant one = {{}, {0.0}, {}};
  bool known = true;
  if (value != nullptr && !value->tensors.empty()) {
    type = value->tensors.front().dtype;
    known = static_cast<bool>(value->tensors.front().constant);
    if (known) one = *value->tensors.front().constant;
  }
  c.set(0, type, shape_from(c, 0));
  const std::int64_t count = c.foldable(0);
  if (!known || count < 0) return;
  c.set_content(0, pick(one, std::vector<std::int64_t>(static_cast<std::size_t>(count), 0)));
}

void range(InferContext& c) {
  const DataType type = c.dtype(0);
  const auto* starts = c.known_ints(0);
  const auto* limits = c.known_ints(1);
  const auto* deltas = c.known_ints(2);
  if (starts != nullptr && limits != nullptr && deltas != nullptr && starts->size() == 1 &&
      limits->size() == 1 && deltas->size() == 1) {
    const std::int64_t start = starts->front();
    const std::int64_t delta = deltas->front();
    if (delta == 0) c.fail("the step is 0");
    std::int64_t span = 0;
    if (__builtin_sub_overflow(limits->front(), start, &span) || delta == INT64_MIN) {
      c.fail("the range is too large");
    }
    // ceil(span / delta), without overflow.
    std::int64_t count = (span > 0) == (delta > 0) ? span / delta : 0;
    if (count > 0 || ((span > 0) == (delta > 0) && span != 0)) count += span % delta != 0 ? 1 : 0;
    c.set(0, type, Shape{std::max<std::int64_t>(count, 0)});
    Constant content;
    for (std::int64_t i = 0; i < c.foldable(0); ++i) content.ints.push_back(start + i * delta);
    c.set_content(0, std::move(content));
    return;
  }
  const auto* from = c.known_reals(0);
  const auto* to = c.known_reals(1);
  const auto* by = c.known_reals(2);
  if (from != nullptr && to != nullptr && by != nullptr && from->size() == 1 && to->size() == 1 &&
      by->size() == 1 && by->front() != 0) {
    const double count = std::ceil((to->front() - from->front()) / by->front());
    if (std::isfinite(count) && count < 0x1p48) {
      return c.set(0, type, Shape{static_cast<std::int64_t>(std::max(count, 0.0))});
    }
  }
  c.set(0, type, Shape{kUnknownDim});
}

DataType typed(const InferContext& c, DataType fallback) {
  if (c.node().find("dtype") == nullptr) return fallback;
  return data_type_from_number(c.node().integer("dtype", 0)).value_or(DataType::kUndefined);
}

void random_tensor(InferContext& c) {
  const auto* shape = c.node().integers("shape");
  c.set(0, typed(c, DataType::kFloat),
        shape != nullptr ? std::optional<Shape>(*shape) : std::nullopt);
}
void random_like(InferContext& c) {
  c.set(0, typed(c, c.dtype(0)), c.input(0).shape);
}

void eye_like(InferContext& c) {
  c.set(0, typed(c, c.dtype(0)), c.input(0).shape);
}

void multinomial(InferContext& c) {
  const Shape* shape = c.shape(0);
  c.set(0, typed(c, DataType::kInt32),
        Shape{shape != nullptr && !shape->empty() ? (*shape)[0] : kUnknownDim,
              c.node().integer("sample_size", 1)});
}

// BlackmanWindow, HannWindow, HammingWindow.
void window(InferContext& c) {
  const auto type = data_type_from_number(c.node().integer("output_datatype", 1));
  const auto size = c.known_int(0);
  if (size && *size < 0) c.fail("a size is negative");
  c.set(0, type.value_or(DataType::kUndefined), Shape{size.value_or(kUnknownDim)});
}

// Output: weights [spectrogram bins, filters].
void mel_weights(InferContext& c) {
  const auto type = data_type_from_number(c.node().integer("output_datatype", 1));
  const auto filters = c.known_int(0);
  const auto transform = c.known_int(1);
  const std::int64_t bins = transform && *transform >= 0 ? *transform / 2 + 1 : kUnknownDim;
  c.set(0, type.value_or(DataType::kUndefined),
        Shape{bins, filters && *filters >= 0 ? *filters : kUnknownDim});
}

constexpr OpEntry kGeneratorOps[] = {
    {.name = "Constant", .shape = constant},
    {.name = "ConstantOfShape", .shape = constant_of_shape},
    {.name = "Range", .shape = range},
    {.name = "EyeLike", .shape = eye_like},
    {.name = "RandomNormal", .shape = random_tensor},
    {.name = "RandomUniform", .shape = random_tensor},
    {.name = "RandomNormalLike", .shape = random_like},
    {.name = "RandomUniformLike", .shape = random_like},
    {.name = "Bernoulli", .shape = random_like},
    {.name = "Multinomial", .shape = multinomial},
    {.name = "BlackmanWindow", .shape = window},
    {.name = "HannWindow", .shape = window},
    {.name = "HammingWindow", .shape = window},
    {.name = "MelWeightMatrix", .shape = mel_weights},
};

}  // namespace

std::span<const OpEntry> generator_ops() {
  return kGeneratorOps;
}

}  // namespace ridgewatt::workload
