// Sequences, optionals and maps.
#include <algorithm>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

using Items = std::vector<ValueInfo>;

ValueInfo without_content(ValueInfo value) {
  value.constant = nullptr;
  return value;
}

// The common type of all items.
std::shared_ptr<const ValueInfo> common_type(const Items& items,
                                             std::shared_ptr<const ValueInfo> otherwise) {
  if (items.empty()) return otherwise;
  ValueInfo common = items.front();
  for (const ValueInfo& item : items) common = join(common, item);
  return std::make_shared<const ValueInfo>(without_content(std::move(common)));
}

ValueInfo sequence_of(std::optional<Items> items, std::shared_ptr<const ValueInfo> element) {
  ValueInfo sequence;
  sequence.kind = ValueKind::kSequence;
  sequence.element = items ? common_type(*items, std::move(element)) : std::move(element);
  if (items && static_cast<std::int64_t>(items->size()) <= kMaxConstantInts) {
    sequence.items = std::make_shared<const Items>(std::move(*items));
  }
  return sequence;
}

void sequence_construct(InferContext& c) {
  Items items;
  for (std::size_t i = 0; i < c.input_count(); ++i) items.push_back(c.input(i));
  c.set(0, sequence_of(std::move(items), nullptr));
}

void sequence_empty(InferContext& c) {
  ValueInfo element;
  element.dtype =
      data_type_from_number(c.node().integer("dtype", 1)).value_or(DataType::kUndefined);
  c.set(0, sequence_of(Items{}, std::make_shared<const ValueInfo>(element)));
}

// Position in a sequence of `size` items. `size` itself is allowed for an insertion.
std::optional<std::size_t> position(const InferContext& c, std::size_t input, std::size_t size,
                                    bool inserting) {
  const auto index = c.known_int(input);
  if (!index) return std::nullopt;
  const auto count = static_cast<std::int64_t>(size);
  const std::int64_t at = *index < 0 ? *index + count : *index;
  if (at < 0 || at > (inserting ? count : count - 1)) {
    c.fail("position " + std::to_string(*index) + " is outside a sequence of length " +
           std::to_string(count));
  }
  return static_cast<std::size_t>(at);
}

void sequence_insert(InferContext& c) {
  const Tensor& sequence = c.input(0);
  std::optional<Items> items;
  if (sequence.items) {
    std::optional<std::size_t> at = sequence.items->size();
    if (c.has_input(2)) at = position(c, 2, sequence.items->size(), true);
    items = *sequence.items;
    if (at) {
      items->insert(items->begin() + static_cast<std::ptrdiff_t>(*at), c.input(1));
    } else {  // unknown position: the items are only known if all are alike
      items->push_back(c.input(1));
      const bool alike = std::all_of(items->begin(), items->end(), [&](const ValueInfo& item) {
        return same_info(without_content(item), without_content(items->front()));
      });
      if (!alike) items.reset();
    }
  }
  ValueInfo element = without_content(c.input(1));
  if (sequence.element && !sequence.items) element = join(*sequence.element, element);
  c.set(0, sequence_of(std::move(items), std::make_shared<const ValueInfo>(std::move(element))));
}

void sequence_erase(InferContext& c) {
  const Tensor& sequence = c.input(0);
  std::optional<Items> items;
  if (sequence.items && !sequence.items->empty()) {
    std::optional<std::size_t> at = sequence.items->size() - 1;
    if (c.has_input(1)) at = position(c, 1, sequence.items->size(), false);
    if (at) {
      items = *sequence.items;
      items->erase(items->begin() + static_cast<std::ptrdiff_t>(*at));
    }
  }
  c.set(0, sequence_of(std::move(items), sequence.element));
}

void sequence_at(InferContext& c) {
  const Tensor& sequence = c.input(0);
  if (sequence.items) {
    if (const auto at = position(c, 1, sequence.items->size(), false)) {
      return c.set(0, (*sequence.items)[*at]);
    }
  }
  if (sequence.element) c.set(0, *sequence.element);
}

void sequence_length(InferContext& c) {
  c.set(0, DataType::kInt64, Shape{});
  if (const auto& items = c.input(0).items) {
    c.set_content(0, {{static_cast<std::int64_t>(items->size())}, {}, {}});
  }
}

void concat_from_sequence(InferContext& c) {
  const Tensor& sequence = c.input(0);
  const bool new_axis = c.node().integer("new_axis", 0) != 0;
  const DataType type = sequence.element ? sequence.element->dtype : DataType::kUndefined;
  if (!sequence.items || sequence.items->empty() || !sequence.items->front().shape) {
    return c.set(0, type);
  }
  Shape out = *sequence.items->front().shape;
  const std::size_t rank = out.size() + (new_axis ? 1 : 0);
  const std::size_t axis = c.axis(c.node().integer("axis", 0), rank);
  if (new_axis) {
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(axis),
               static_cast<std::int64_t>(sequence.items->size()));
  } else {
    out[axis] = 0;
    for (const ValueInfo& item : *sequence.items) {
      if (!item.shape || item.shape->size() != rank) return c.set(0, type);
      out[axis] = add_extents(out[axis], (*item.shape)[axis]);
    }
  }
  c.set(0, type, std::move(out));
}

void split_to_sequence(InferContext& c) {
  const Shape* shape = c.shape(0);
  ValueInfo part = without_content(c.input(0));
  std::optional<Items> items;
  if (shape != nullptr) {
    const std::size_t axis = c.axis(c.node().integer("axis", 0), shape->size());
    const std::int64_t whole = (*shape)[axis];
    std::optional<std::vector<std::int64_t>> sizes;
    const bool one_each = !c.has_input(1);
    const auto* given = c.known_ints(1);
    if (given != nullptr && c.shape(1) != nullptr && c.shape(1)->size() == 1) {
      sizes = *given;
    } else if (whole >= 0 && whole <= kMaxConstantInts &&
               (one_each || (given != nullptr && given->size() == 1 && given->front() > 0))) {
      const std::int64_t each = one_each ? 1 : given->front();
      sizes.emplace();
      for (std::int64_t at = 0; at < whole; at += each)
        sizes->push_back(std::min(each, whole - at));
    }
    const bool drop_axis = one_each && c.node().integer("keepdims", 1) == 0;
    (*part.shape)[axis] = kUnknownDim;
    if (sizes) {
      items.emplace();
      for (const std::int64_t size : *sizes) {
        if (size < 0) c.fail("a size is negative");
        ValueInfo item = part;
        (*item.shape)[axis] = size;
        if (drop_axis) item.shape->erase(item.shape->begin() + static_cast<std::ptrdiff_t>(axis));
        items->push_back(std::move(item));
      }
    }
    if (drop_axis) part.shape->erase(part.shape->begin() + static_cast<std::ptrdiff_t>(axis));
  }
  c.set(0, sequence_of(std::move(items), std::make_shared<const ValueInfo>(std::move(part))));
}

// Runs the body for each item of the first sequence. The other inputs are tensors, or sequences
// that are traversed together with the first.
void sequence_map(InferContext& c) {
  Graph* body = c.mutable_node().subgraph("body");
  if (body == nullptr || body->inputs.size() != c.input_count()) {
    c.fail("the subgraph 'body' does not have the right number of inputs or outputs");
  }
  const auto& first = c.input(0).items;
  const std::size_t rounds = first ? first->size() : 1;
  std::vector<Items> results(body->outputs.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < c.input_count(); ++i) {
      const Tensor& input = c.input(i);
      ValueInfo value = input;
      if (input.kind == ValueKind::kSequence) {
        if (input.items && round < input.items->size()) {
          value = (*input.items)[round];
        } else {
          value = input.element ? *input.element : ValueInfo{};
        }
      }
      c.value(body->inputs[i]) = std::move(value);
    }
    c.run(*body);
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i].push_back(c.value(body->outputs[i]));
    }
  }
  if (first) c.mutable_node().trip_count = static_cast<std::int64_t>(rounds);
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto element = common_type(results[i], nullptr);
    c.set(i, sequence_of(first ? std::optional<Items>(std::move(results[i])) : std::nullopt,
                         std::move(element)));
  }
}

void optional_of(InferContext& c) {
  ValueInfo result;
  result.kind = ValueKind::kOptional;
  if (c.has_input(0)) {
    result.items = std::make_shared<const Items>(Items{c.input(0)});
    result.element = std::make_shared<const ValueInfo>(without_content(c.input(0)));
  } else {
    result.items = std::make_shared<const Items>();
    const Attribute* type = c.node().find("type");
    if (type != nullptr && !type->tensors.empty()) {
      result.element = std::make_shared<const ValueInfo>(type->tensors.front());
    }
  }
  c.set(0, std::move(result));
}

void optional_has_element(InferContext& c) {
  c.set(0, DataType::kBool, Shape{});
  std::optional<std::int64_t> present;
  if (!c.has_input(0)) {
    present = 0;
  } else if (c.input(0).kind != ValueKind::kOptional) {
    present = 1;
  } else if (c.input(0).items) {
    present = c.input(0).items->empty() ? 0 : 1;
  }
  if (present) c.set_content(0, {{*present}, {}, {}});
}

void optional_get_element(InferContext& c) {
  const Tensor& input = c.input(0);
  if (input.kind != ValueKind::kOptional) return c.set(0, input);
  if (input.items && !input.items->empty()) return c.set(0, input.items->front());
  if (input.element) c.set(0, *input.element);
}

constexpr OpEntry kSequenceOps[] = {
    {.name = "SequenceConstruct", .shape = sequence_construct},
    {.name = "SequenceEmpty", .shape = sequence_empty},
    {.name = "SequenceInsert", .shape = sequence_insert},
    {.name = "SequenceErase", .shape = sequence_erase},
    {.name = "SequenceAt", .shape = sequence_at},
    {.name = "SequenceLength", .shape = sequence_length},
    {.name = "ConcatFromSequence", .shape = concat_from_sequence},
    {.name = "SplitToSequence", .shape = split_to_sequence},
    {.name = "SequenceMap", .shape = sequence_map},
    {.name = "Optional", .shape = optional_of},
    {.name = "OptionalHasElement", .shape = optional_has_element},
    {.name = "OptionalGetElement", .shape = optional_get_element},
};

}  // namespace

std::span<const OpEntry> sequence_ops() {
  return kSequenceOps;
}

}  // namespace ridgewatt::workload
