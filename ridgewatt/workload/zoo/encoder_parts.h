// Layers of transformer encoders as exporters write them, with attention expanded into operators.
//
//   x = g.add(x, self_attention(g, g.layer_norm(x, 1e-6), encoder, {}));
//   x = g.add(x, feed_forward(g, g.layer_norm(x, 1e-6), encoder));
#pragma once

#include <cstdint>

#include "ridgewatt/workload/graph_builder.h"

namespace ridgewatt::workload::zoo_builders {

struct Encoder {
  std::int64_t layers;
  std::int64_t width;
  std::int64_t heads;
  std::int64_t hidden() const { return 4 * width; }
};

// softmax(Q K^T / sqrt(d) + mask) V for x [batch, sequence, width]. An empty mask masks nothing.
GraphBuilder::Value self_attention(GraphBuilder& g, const GraphBuilder::Value& x, const Encoder& e,
                                   const GraphBuilder::Value& mask);

GraphBuilder::Value feed_forward(GraphBuilder& g, const GraphBuilder::Value& x, const Encoder& e);

// Returns the first token, [batch, width], of x [batch, sequence, width].
GraphBuilder::Value first_token(GraphBuilder& g, const GraphBuilder::Value& x);

}  // namespace ridgewatt::workload::zoo_builders
