// One block of GPT-J 6B (Wang and Komatsuzaki, 2021), the model of MLPerf's edge suite. Attention
// and feed-forward layer read the same normalized tokens in parallel.
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {

std::string gptj_block() {
  using Value = GraphBuilder::Value;
  constexpr std::int64_t kWidth = 4096;
  constexpr std::int64_t kHeads = 16;
  constexpr std::int64_t kHidden = 16384;
  constexpr std::int64_t kRotated = 64;  // of the 256 elements of a head
  constexpr std::int64_t kMaxPositions = 2048;
  GraphBuilder g("gptj_block", 23);
  g.default_dim("sequence", 512);
  const Value x = g.input("hidden_states", {"batch", "sequence", kWidth});
  const Value positions =
      g.input("position_ids", {"batch", "sequence"}, GraphBuilder::Element::kInt64);
  const Value cos = g.parameter("rotary_cos", {kMaxPositions, kRotated / 2});
  const Value sin = g.parameter("rotary_sin", {kMaxPositions, kRotated / 2});
  const Value normed = g.layer_norm(x, 1e-5);
  const auto rotate = [&](const Value& y) {
    return g.op("RotaryEmbedding", {y, cos, sin, positions},
                {{"num_heads", kHeads},
                 {"rotary_embedding_dim", kRotated},
                 {"interleaved", std::int64_t{1}}});
  };
  const Value q = rotate(g.dense(normed, kWidth, false));
  const Value k = rotate(g.dense(normed, kWidth, false));
  const Value v = g.dense(normed, kWidth, false);
  const Value mixed =
      g.op("Attention", {q, k, v},
           {{"q_num_heads", kHeads}, {"kv_num_heads", kHeads}, {"is_causal", std::int64_t{1}}});
  const Value attended = g.dense(mixed, kWidth, false);
  const Value wide = g.op("Gelu", {g.dense(normed, kHidden)}, {{"approximate", "tanh"}});
  const Value fed = g.dense(wide, kWidth);
  g.output(g.add(g.add(attended, fed), x), "output", {"batch", "sequence", kWidth});
  return g.serialize();
}

}  // namespace ridgewatt::workload::zoo_builders
