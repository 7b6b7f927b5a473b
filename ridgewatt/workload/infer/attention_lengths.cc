#include "ridgewatt/workload/infer/attention_lengths.h"

#include <algorithm>
#include <optional>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

constexpr std::size_t kNoSlot = SIZE_MAX;

// Inputs and outputs of an operator that state its lengths. kNoSlot: the operator has none.
struct LengthSlots {
  std::size_t key;          // new keys; kNoSlot: as many keys as queries
  std::size_t past;         // cache of keys
  int past_axis;            // axis of the tokens in the cache
  std::size_t past_length;  // number of tokens in the cache
  std::size_t total;        // number of tokens in the cache plus new tokens
  std::size_t present;      // output
};

LengthSlots slots_of(const Node& node) {
  if (node.op == "GroupQueryAttention") return {1, 3, 2, kNoSlot, 6, 1};
  if (node.op == "MultiHeadAttention") return {1, 6, 2, 8, kNoSlot, 1};
  if (node.op == "DecoderMaskedMultiHeadAttention") return {1, 5, 2, 7, kNoSlot, 1};
  return {kNoSlot, 4, 3, 6, kNoSlot, 1};  // [2, batch, heads, tokens, size]
}

std::int64_t extent_at(const OpContext& op, std::size_t input, int axis) {
  if (input == kNoSlot || !op.has_input(input)) return kUnknownDim;
  const auto& shape = op.input(input).shape;
  return extent_of(shape ? &*shape : nullptr, static_cast<std::size_t>(axis));
}

std::optional<std::int64_t> content_at(const OpContext& op, std::size_t input) {
  if (input == kNoSlot || !op.has_input(input)) return std::nullopt;
  const auto& constant = op.input(input).constant;
  if (!constant || constant->ints.size() != 1 || constant->ints[0] < 0) return std::nullopt;
  return constant->ints[0];
}

// Returns the number of new keys. The key input is [batch, tokens, width], or [batch, heads,
// tokens, size] if it is already projected. Without a key input, there are as many keys as queries.
std::int64_t new_keys(const OpContext& op, const LengthSlots& slots) {
  const std::int64_t queries = extent_at(op, 0, 1);
  if (slots.key == kNoSlot || !op.has_input(slots.key)) return queries;
  const auto& shape = op.input(slots.key).shape;
  if (!shape) return kUnknownDim;
  return extent_of(&*shape, shape->size() == 4 ? 2 : 1);
}

// True if the updated cache is in the same buffer as the input cache. Either the operator states
// it, or the file states the same extent for both.
bool shares_buffer(const OpContext& op, const LengthSlots& slots) {
  if (op.node().integer("past_present_share_buffer", 0) != 0) return true;
  if (slots.past_length != kNoSlot && op.has_input(slots.past_length)) return true;
  if (!op.has_output(slots.present)) return false;
  const Tensor& past = op.input(slots.past);
  const Tensor& present = op.output(slots.present);
  if (!past.declared || !present.declared || !past.declared->shape || !present.declared->shape) {
    return false;
  }
  const auto axis = static_cast<std::size_t>(slots.past_axis);
  const std::int64_t before = extent_of(&*past.declared->shape, axis);
  if (before != extent_of(&*present.declared->shape, axis)) return false;
  if (before != kUnknownDim) return true;
  return axis < past.symbols.size() && axis < present.symbols.size() &&
         !past.symbols[axis].empty() && past.symbols[axis] == present.symbols[axis];
}

}  // namespace

AttentionLengths attention_lengths(const OpContext& op) {
  const LengthSlots slots = slots_of(op.node());
  const std::int64_t fresh = new_keys(op, slots);
  if (slots.past == kNoSlot || !op.has_input(slots.past)) return {fresh, fresh, false};
  const std::int64_t cache = extent_at(op, slots.past, slots.past_axis);
  const auto total = content_at(op, slots.total);
  if (!shares_buffer(op, slots)) {
    const std::int64_t sum = add_extents(cache, fresh);
    // A larger total means that the file and the caller disagree. The larger value counts.
    const std::int64_t keys = sum == kUnknownDim ? sum : std::max(sum, total.value_or(0));
    return {keys, sum, false};
  }
  const auto past = content_at(op, slots.past_length);
  if (total && *total > 0) return {*total, std::max(cache, *total), false};
  if (past) return {add_extents(*past, fresh), cache, false};
  return {cache, cache, cache != kUnknownDim};
}

}  // namespace ridgewatt::workload
