// How fast engines of language models are on a board in a power mode, and what a board draws for
// it: fitted to public or own runs.
//
//   const Engine engine = fit_engine(rows);          // rows of one engine
//   engine.step_s(work, hardware);                   // time of one token
//   engine.power_w(work, seconds);                   // while it decodes
//
// Times are sums of what a step waits for, each with a coefficient that is fitted:
//   step   = a layers / f_cpu + b layers / f_gpu + c weights / B + d cache / B + e unpacked / G
//            + h vocabulary / f_cpu
//   prompt = a layers / f_cpu + c weights / B + p linear work / P + q attention work / P
// B: peak of the DRAM, P: dense FP16 peak, G: clock times multiprocessors, f: clocks; `unpacked`:
// weights that are stored in less than 16 bits. Launches follow the CPU, unpacking the GPU, the
// rest the memory clock. Power of decode = u + v weights / t + w unpacked / t.
// Methods and scores: docs/methods/llm_engines.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/llm/stored_type.h"

namespace ridgewatt::llm {

// What the peaks of a board are in a mode.
struct EngineHardware {
  double cpu_hz = 0;
  double gpu_hz = 0;
  double unpack_hz = 0;  // clock times multiprocessors
  double bytes_per_s = 0;
  double flop_per_s = 0;
};
// UsageError where the board does not say its dense FP16 rate. `sms` 0: all.
EngineHardware engine_hardware(const Board& board, const PowerMode& mode, int sms = 0);

// What one step of decoding, or a prompt, asks for.
struct EngineWork {
  double layers = 0;
  double vocabulary = 0;
  double weight_bytes = 0;
  double cache_bytes = 0;
  double unpacked = 0;  // weights that are read in less than 16 bits
  double linear_flop = 0;
  double attention_flop = 0;
};
// A step of `batch` sequences, each with `context` tokens in its cache.
EngineWork decode_work(const Description& description, std::span<const Tensor> tensors,
                       double context, StoredType kv_type = StoredType::kF16,
                       std::int64_t batch = 1);
// A prompt of `tokens`: pairs are causal and within windows; the head works once.
EngineWork prompt_work(const Description& description, std::span<const Tensor> tensors,
                       double tokens);

// One measured cell. NaN: not measured.
struct EngineRow {
  std::string engine;        // "llama.cpp b5283": what releases change is not the same engine
  std::string model;         // "llama-3.2-1b" of the zoo
  std::string quantization;  // recipe, or as the source calls it
  std::string board, mode;
  double prompt_tokens = 0, generated_tokens = 0;
  EngineHardware hardware;
  EngineWork decode, prompt;
  double step_s = std::numeric_limits<double>::quiet_NaN();
  double prompt_s = std::numeric_limits<double>::quiet_NaN();
  double decode_power_w = std::numeric_limits<double>::quiet_NaN();
  bool fitted = true;  // false: never learned from, only judged
};

constexpr std::size_t kStepTerms = 6, kPromptTerms = 4, kDrawTerms = 3;

struct Engine {
  std::array<double, kStepTerms> step = {};
  std::array<double, kPromptTerms> prompt = {};
  std::array<double, kDrawTerms> draw = {};
  // Cells that each was fitted to; 0: a guess made before any was seen.
  std::size_t step_rows = 0, prompt_rows = 0, draw_rows = 0;

  double step_s(const EngineWork& work, const EngineHardware& hardware) const;
  double prompt_s(const EngineWork& work, const EngineHardware& hardware) const;
  double power_w(const EngineWork& work, double seconds) const;
  // What most of a step waits for: "launches", "weights", "cache", "unpacking" or "vocabulary".
  std::string step_limited_by(const EngineWork& work, const EngineHardware& hardware) const;
};

// Least squares of relative errors with coefficients of at least a thousandth of their prior, drawn
// weakly to it. Every (board, model, quantization) weighs the same, however many cells it has.
Engine fit_engine(std::span<const EngineRow> rows);

}  // namespace ridgewatt::llm
