#include "ridgewatt/workload/infer/infer_context.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/workload/infer/bind_symbols.h"
#include "ridgewatt/workload/infer/broadcast.h"
#include "ridgewatt/workload/infer/extent_names.h"
#include "ridgewatt/workload/infer/interpreter.h"

namespace ridgewatt::workload {

const Shape* InferContext::shape(std::size_t index) const {
  if (!has_input(index)) return nullptr;
  const Tensor& tensor = input(index);
  return tensor.shape ? &*tensor.shape : nullptr;
}

DataType InferContext::dtype(std::size_t index) const {
  return has_input(index) ? input(index).dtype : DataType::kUndefined;
}

const Constant* InferContext::constant(std::size_t index) const {
  if (!has_input(index)) return nullptr;
  const Tensor& tensor = input(index);
  const Constant* content = tensor.constant.get();
  if (content == nullptr) return nullptr;
  const std::size_t stored =
      content->ints.size() + content->floats.size() + content->strings.size();
  const auto count = tensor.element_count();
  return count && static_cast<std::size_t>(*count) == stored ? content : nullptr;
}

const std::vector<std::int64_t>* InferContext::ints(std::size_t index) const {
  const Constant* content = constant(index);
  if (content == nullptr || !content->floats.empty() || !content->strings.empty()) return nullptr;
  return &content->ints;
}

const std::vector<std::int64_t>* InferContext::known_ints(std::size_t index) const {
  const std::vector<std::int64_t>* values = ints(index);
  if (values == nullptr) return nullptr;
  const bool known = std::find(values->begin(), values->end(), kUnknownInt) == values->end();
  return known ? values : nullptr;
}

const std::vector<double>* InferContext::known_reals(std::size_t index) const {
  const Constant* content = constant(index);
  if (content == nullptr || !content->ints.empty() || !content->strings.empty()) return nullptr;
  for (const double value : content->floats) {
    if (std::isnan(value)) return nullptr;
  }
  return &content->floats;
}

std::optional<std::int64_t> InferContext::known_int(std::size_t index) const {
  const std::vector<std::int64_t>* values = known_ints(index);
  if (values == nullptr || values->size() != 1) return std::nullopt;
  return values->front();
}

const std::vector<std::int64_t>* InferContext::ints_of(std::string_view attribute,
                                                       std::size_t index) const {
  if (const auto* values = node_->integers(attribute)) return values;
  return known_ints(index);
}

void InferContext::set(std::size_t output, ValueInfo value) {
  if (!has_output(output)) return;
  static_cast<ValueInfo&>(this->value(node_->outputs[output])) = std::move(value);
}

void InferContext::set(std::size_t output, DataType dtype, std::optional<Shape> shape) {
  ValueInfo value;
  value.dtype = dtype;
  value.shape = std::move(shape);
  set(output, std::move(value));
}

std::int64_t InferContext::foldable(std::size_t output) const {
  if (!has_output(output)) return -1;
  const Tensor& tensor = this->output(output);
  if (tensor.kind != ValueKind::kTensor) return -1;
  const auto count = tensor.element_count();
  const std::int64_t most = is_floating(tensor.dtype) ? kMaxConstantFloats : kMaxConstantInts;
  return count && *count <= most ? *count : -1;
}

void InferContext::set_content(std::size_t output, Constant content) {
  const std::int64_t count = foldable(output);
  const std::size_t given = content.ints.size() + content.floats.size() + content.strings.size();
  if (count < 0 || given != static_cast<std::size_t>(count)) return;
  value(node_->outputs[output]).constant = std::make_shared<const Constant>(std::move(content));
}

std::size_t InferContext::axis(std::int64_t axis, std::size_t rank) const {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) {
    fail("axis " + std::to_string(axis) + " is outside a tensor of rank " + std::to_string(rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

std::int64_t InferContext::exported_batch() const {
  return interpreter_->exported_batch();
}
std::int64_t InferContext::batch() const {
  return interpreter_->batch();
}

bool InferContext::may_drop_branches() const {
  return interpreter_->may_drop_branches();
}

bool InferContext::may_follow_loops() const {
  return interpreter_->may_follow_loops();
}

const std::map<std::string, std::int64_t>& InferContext::bound() const {
  return interpreter_->summary().bound;
}

bool InferContext::is_given(const std::string& symbol) const {
  return interpreter_->summary().bound_by_user.contains(symbol);
}

void InferContext::remark(std::string text) {
  auto& remarks = interpreter_->summary().remarks;
  if (!contains(remarks, text)) {
    remarks.push_back(std::move(text));
  }
}

ValueInfo InferContext::with_declared(TensorId input, ValueInfo given) const {
  const Tensor& tensor = model_->tensors[static_cast<std::size_t>(input)];
  if (!tensor.declared) return given;
  const ValueInfo& declared = *tensor.declared;
  if (given.dtype == DataType::kUndefined && !given.shape && !given.element) {
    given.kind = declared.kind;
    given.element = declared.element;
  }
  if (given.kind != declared.kind) return given;
  if (given.dtype == DataType::kUndefined) given.dtype = declared.dtype;
  if (!declared.shape || !interpreter_->trusts_file()) return given;
  Shape stated = *declared.shape;
  bind_known_symbols(tensor.symbols, bound(), stated);
  if (!given.shape) {
    given.shape = std::move(stated);
  } else if (given.shape->size() == stated.size()) {
    for (std::size_t i = 0; i < stated.size(); ++i) {
      (*given.shape)[i] = merge_extents((*given.shape)[i], stated[i]);
    }
  }
  return given;
}

ValueInfo InferContext::declared_alone(TensorId input) {
  ValueInfo value = with_declared(input, {});
  if (!value.shape) return value;
  const Tensor& tensor = model_->tensors[static_cast<std::size_t>(input)];
  for (std::size_t axis = 0; axis < value.shape->size(); ++axis) {
    std::int64_t& extent = (*value.shape)[axis];
    if (extent != kUnknownDim) continue;
    const bool named = axis < tensor.symbols.size() && !tensor.symbols[axis].empty();
    const std::string name =
        named ? tensor.symbols[axis] : tensor.name + "." + std::to_string(axis);
    extent = names_batch(name) ? batch() : 1;
    if (!names_batch(name)) interpreter_->summary().assumed[name] = 1;
  }
  return value;
}

void InferContext::run(Graph& body) {
  interpreter_->run_body(body);
}

std::int64_t add_extents(std::int64_t a, std::int64_t b) {
  if (a == kUnknownDim || b == kUnknownDim) return kUnknownDim;
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum) || sum > kMaxElements) {
    throw InputError("a dimension of a tensor is larger than 2^48");
  }
  return sum;
}

std::int64_t multiply_extents(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return 0;
  if (a == kUnknownDim || b == kUnknownDim) return kUnknownDim;
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product > kMaxElements) {
    throw InputError("a dimension of a tensor is larger than 2^48");
  }
  return product;
}

std::int64_t product(const Shape& shape, std::size_t begin, std::size_t end) {
  std::int64_t result = 1;
  for (std::size_t i = begin; i < end; ++i) result = multiply_extents(result, shape[i]);
  return result;
}

std::int64_t extent_of(const Shape* shape, std::size_t axis) {
  return shape != nullptr && axis < shape->size() ? (*shape)[axis] : kUnknownDim;
}

std::int64_t merge_extents(std::int64_t a, std::int64_t b) {
  return a == kUnknownDim ? b : a;
}

std::optional<Shape> broadcast(const OpContext& context, const Shape* a, const Shape* b) {
  if (a == nullptr || b == nullptr) return std::nullopt;
  const std::size_t rank = std::max(a->size(), b->size());
  Shape result(rank);
  for (std::size_t i = 0; i < rank; ++i) {  // from the last axis
    const std::int64_t x = i < a->size() ? (*a)[a->size() - 1 - i] : 1;
    const std::int64_t y = i < b->size() ? (*b)[b->size() - 1 - i] : 1;
    std::int64_t& extent = result[rank - 1 - i];
    if (x == y || y == 1) {
      extent = x;
    } else if (x == 1) {
      extent = y;
    } else if (x == kUnknownDim || y == kUnknownDim) {
      extent = std::max(x, y);  // the unknown extent is 1 or equal to the known one
    } else {
      context.fail("shapes " + format_shape(*a) + " and " + format_shape(*b) +
                   " cannot be broadcast");
    }
  }
  return result;
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  const std::size_t shift = to.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1 && from[i] != to[shift + i]) return false;
  }
  return true;
}

bool same_info(const ValueInfo& a, const ValueInfo& b) {
  if (a.kind != b.kind || a.dtype != b.dtype || a.shape != b.shape) return false;
  if (static_cast<bool>(a.items) != static_cast<bool>(b.items)) return false;
  if (a.items && a.items != b.items) {
    if (!std::equal(a.items->begin(), a.items->end(), b.items->begin(), b.items->end(),
                    same_info)) {
      return false;
    }
  }
  if (static_cast<bool>(a.element) != static_cast<bool>(b.element)) return false;
  if (a.element && a.element != b.element && !same_info(*a.element, *b.element)) return false;
  if (a.constant == b.constant) return true;
  if (!a.constant || !b.constant) return false;
  return a.constant->ints == b.constant->ints && a.constant->floats == b.constant->floats &&
         a.constant->strings == b.constant->strings;
}

ValueInfo join(const ValueInfo& a, const ValueInfo& b) {
  if (same_info(a, b)) return a;
  ValueInfo result;
  if (a.kind != b.kind) return result;
  result.kind = a.kind;
  if (a.dtype == b.dtype) result.dtype = a.dtype;
  if (a.shape && b.shape && a.shape->size() == b.shape->size()) {
    result.shape = a.shape;
    for (std::size_t i = 0; i < a.shape->size(); ++i) {
      if ((*a.shape)[i] != (*b.shape)[i]) (*result.shape)[i] = kUnknownDim;
    }
  }
  if (!a.element || !b.element) {
    result.element = a.element ? a.element : b.element;
  } else {
    result.element = std::make_shared<ValueInfo>(join(*a.element, *b.element));
  }
  if (a.shape == b.shape && a.constant && b.constant &&
      a.constant->ints.size() == b.constant->ints.size() && a.constant->floats.empty() &&
      b.constant->floats.empty() && a.constant->strings.empty() && b.constant->strings.empty()) {
    Constant both = *a.constant;
    for (std::size_t i = 0; i < both.ints.size(); ++i) {
      if (both.ints[i] != b.constant->ints[i]) both.ints[i] = kUnknownInt;
    }
    result.constant = std::make_shared<const Constant>(std::move(both));
  }
  return result;
}

Constant pick(const Constant& from, const std::vector<std::int64_t>& indices) {
  Constant result;
  for (const std::int64_t index : indices) {
    const auto at = static_cast<std::size_t>(index);
    if (!from.floats.empty()) {
      result.floats.push_back(index < 0 || at >= from.floats.size()
                                  ? std::numeric_limits<double>::quiet_NaN()
                                  : from.floats[at]);
    } else if (!from.strings.empty()) {
      result.strings.push_back(index < 0 || at >= from.strings.size() ? "" : from.strings[at]);
    } else {
      result.ints.push_back(index < 0 || at >= from.ints.size() ? kUnknownInt : from.ints[at]);
    }
  }
  return result;
}

std::vector<std::int64_t> strides_of(const Shape& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    // The strides of an empty tensor may overflow, but no element uses them.
    strides[i - 1] = static_cast<std::int64_t>(static_cast<std::uint64_t>(strides[i]) *
                                               static_cast<std::uint64_t>(shape[i]));
  }
  return strides;
}

void same_as_input(InferContext& context) {
  const Tensor& input = context.input(0);
  context.set(0, input.dtype, input.shape);
}

void fold_same_content(InferContext& context) {
  if (const Constant* content = context.constant(0)) context.set_content(0, *content);
}

void same_as_input_bool(InferContext& context) {
  context.set(0, DataType::kBool, context.input(0).shape);
}

void broadcast_all(InferContext& context) {
  std::optional<Shape> shape = context.input(0).shape;
  for (std::size_t i = 1; i < context.input_count(); ++i) {
    if (!context.has_input(i)) continue;
    shape = broadcast(context, shape ? &*shape : nullptr, context.shape(i));
  }
  context.set(0, context.dtype(0), std::move(shape));
}

}  // namespace ridgewatt::workload
