// Whether a language model fits a board, with the sum that says so, and how long a context and how
// large a batch do.
//
//   left = board - system - runtime - weights - cache - buffers;  fits: left >= 0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/llm/stored_type.h"

namespace ridgewatt::llm {

// What the cache of keys and values is stored in.
enum class KvType { kF32, kF16, kBf16, kFp8, kQ80, kQ51, kQ50, kQ41, kQ40 };
constexpr auto enum_names(KvType) {
  return named<KvType>({{KvType::kF32, "f32"},
                        {KvType::kF16, "f16"},
                        {KvType::kBf16, "bf16"},
                        {KvType::kFp8, "fp8"},
                        {KvType::kQ80, "q8_0"},
                        {KvType::kQ51, "q5_1"},
                        {KvType::kQ50, "q5_0"},
                        {KvType::kQ41, "q4_1"},
                        {KvType::kQ40, "q4_0"}});
}
StoredType stored_type_of(KvType type);

// A constant of the process that runs a model, with its source.
struct ProcessMemory {
  double bytes = 0;
  std::string source;
};
// A C++ program with CUDA's context and cuBLAS. Python engines need more.
ProcessMemory process_memory();

struct FitsOptions {
  // Names of recipes; "stored": as the file has it. Empty: as stored, or else q4_k_m.
  std::vector<std::string> quantizations;
  std::int64_t context = 4096;  // tokens of each sequence
  std::int64_t batch = 1;       // sequences at once
  KvType kv_type = KvType::kF16;
  // Kept for the system and other programs; nothing: the board file's memory.system_mib.
  std::optional<double> reserve_bytes;
};

struct Fit {
  std::string board;
  std::string quantization;
  double board_bytes = 0;  // that Linux reports
  double system_bytes = 0;
  std::string system_source;
  double runtime_bytes = 0;
  double weights_bytes = 0;
  double kv_bytes = 0;
  double buffer_bytes = 0;
  double bits_per_weight = 0;        // NaN where the number of weights is not known
  std::int64_t largest_context = 0;  // at the batch; 0: not one token
  bool context_of_model = false;     // it is what the model was trained for, and memory is left
  std::int64_t largest_batch = 0;    // at the context
  // One step of decoding at the context and batch; NaN where the weights are not known.
  double decode_bytes = 0;
  double decode_flop = 0;

  double left_bytes() const {
    return board_bytes - system_bytes - runtime_bytes - weights_bytes - kv_bytes - buffer_bytes;
  }
  bool fits() const { return left_bytes() >= 0; }
};

// One row for each board and quantization. UsageError for a quantization that cannot be foretold
// for this model.
std::vector<Fit> fits(const LanguageModel& model, std::span<const Board> boards,
                      const FitsOptions& options);

}  // namespace ridgewatt::llm
