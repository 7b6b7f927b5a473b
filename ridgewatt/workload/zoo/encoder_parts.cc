#include "ridgewatt/workload/zoo/encoder_parts.h"

#include <cmath>
#include <vector>

namespace ridgewatt::workload::zoo_builders {

using Value = GraphBuilder::Value;

Value self_attention(GraphBuilder& g, const Value& x, const Encoder& e, const Value& mask) {
  const std::int64_t head = e.width / e.heads;
  const auto heads_of = [&](const Value& y, const std::vector<std::int64_t>& order) {
    return g.transpose(g.reshape(y, {0, 0, e.heads, head}), order);
  };
  const Value q = heads_of(g.dense(x, e.width), {0, 2, 1, 3});
  const Value k = heads_of(g.dense(x, e.width), {0, 2, 3, 1});
  const Value v = heads_of(g.dense(x, e.width), {0, 2, 1, 3});
  const Value root = g.scalar(std::sqrt(static_cast<float>(head)));
  Value scores = g.div(g.matmul(q, k), root);
  if (!mask.absent()) scores = g.add(scores, mask);
  const Value weights = g.op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  const Value mixed = g.transpose(g.matmul(weights, v), {0, 2, 1, 3});
  return g.dense(g.reshape(mixed, {0, 0, e.width}), e.width);
}

Value feed_forward(GraphBuilder& g, const Value& x, const Encoder& e) {
  return g.dense(g.gelu(g.dense(x, e.hidden())), e.width);
}

Value first_token(GraphBuilder& g, const Value& x) {
  return {
      g.op("Gather", {x, g.op("Squeeze", {g.constant({0})})}, {{"axis", std::int64_t{1}}}).tensor,
      x.channels};
}

}  // namespace ridgewatt::workload::zoo_builders
