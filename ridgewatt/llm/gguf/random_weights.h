// Random weights in the stored types of GGUF: random bits, with scales such that weights are about
// 0.02, as in trained models, so that no sum overflows.
//
//   RandomWeights weights(seed);
//   weights.fill(StoredType::kQ4K, false, bytes, [&](std::string_view part) { .. });
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "ridgewatt/base/random.h"
#include "ridgewatt/llm/stored_type.h"

namespace ridgewatt::llm {

class RandomWeights {
 public:
  explicit RandomWeights(std::uint64_t seed) : random_(seed) {}

  // Passes on `bytes` bytes of a tensor, in parts. If `vector` (norms and biases), the values are
  // 0.5 to 1. Throws NotSupportedError for types that no recipe of GGUF uses.
  void fill(StoredType type, bool vector, std::uint64_t bytes,
            const std::function<void(std::string_view)>& take);

 private:
  Random random_;
};

}  // namespace ridgewatt::llm
