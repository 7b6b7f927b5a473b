// Computes whether a language model fits the memory of a board, and the longest context and largest
// batch that fit.
//
//   left = board - system - runtime - weights - cache - buffers;  fits: left >= 0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_rows.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/llm/stored_type.h"

#pragma GCC visibility push(default)

namespace ridgewatt::llm {

// The type in which the cache stores keys and values.
enum class KvType { kF32, kF16, kBf16, kFp8, kQ80, kQ51, kQ50, kQ41, kQ40 };
struct KvTypeRow {
  KvType id;
  std::string_view name;
  StoredType stored;
};
inline constexpr auto kKvTypeRows =
    enum_rows<KvTypeRow>({{KvType::kF32, "f32", StoredType::kF32},
                          {KvType::kF16, "f16", StoredType::kF16},
                          {KvType::kBf16, "bf16", StoredType::kBf16},
                          {KvType::kFp8, "fp8", StoredType::kF8E4m3},
                          {KvType::kQ80, "q8_0", StoredType::kQ80},
                          {KvType::kQ51, "q5_1", StoredType::kQ51},
                          {KvType::kQ50, "q5_0", StoredType::kQ50},
                          {KvType::kQ41, "q4_1", StoredType::kQ41},
                          {KvType::kQ40, "q4_0", StoredType::kQ40}});
constexpr auto enum_names(KvType) {
  return names_of(kKvTypeRows);
}
constexpr StoredType stored_type_of(KvType type) {
  return kKvTypeRows[type].stored;
}

// A constant amount of memory for the process that runs a model, with its source.
struct ProcessMemory {
  double bytes = 0;
  std::string source;
};
// Returns the memory of a C++ program. On a board with a GPU, it includes CUDA's context and
// cuBLAS. Python engines need more.
ProcessMemory process_memory(const Board& board);

struct FitsOptions {
  // Names of recipes; "stored" means the quantization of the file. Empty: "stored", or q4_k_m
  // without stored weights.
  std::vector<std::string> quantizations;
  std::int64_t context = 4096;  // tokens of each sequence
  std::int64_t batch = 1;       // concurrent sequences
  KvType kv_type = KvType::kF16;
  // Memory for the system and other programs; empty: memory.system_mib of the board file.
  std::optional<double> reserve_bytes;
};

struct Fit {
  std::string board;
  std::string quantization;
  double board_bytes = 0;  // as Linux reports it
  double system_bytes = 0;
  std::string system_source;
  double runtime_bytes = 0;
  std::string runtime_source;
  double weights_bytes = 0;
  double kv_bytes = 0;
  double buffer_bytes = 0;
  double bits_per_weight = 0;        // NaN: the number of weights is unknown
  std::int64_t largest_context = 0;  // at the given batch; 0: no token fits
  bool context_of_model = false;     // largest_context is the trained context; more would fit
  std::int64_t largest_batch = 0;    // at the given context
  // Number of tokens by which a sequence exceeds the trained context; 0: none.
  std::int64_t beyond_training = 0;
  // Bytes moved by one decode step at the given context and batch; NaN: the weights are unknown.
  double decode_bytes = 0;
  double decode_flop = 0;

  double left_bytes() const {
    return board_bytes - system_bytes - runtime_bytes - weights_bytes - kv_bytes - buffer_bytes;
  }
  bool fits() const { return left_bytes() >= 0; }
};

// One row for each board and quantization. Throws UsageError for a quantization that cannot be
// predicted for this model.
std::vector<Fit> fits(const LanguageModel& model, std::span<const Board> boards,
                      const FitsOptions& options);

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
