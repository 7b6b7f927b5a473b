// Loads public measurements of language models: the rows to which engines are fitted and on which
// they are scored.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/llm/engine_fit.h"

namespace ridgewatt::llm {

struct LeftOutEngineRow {
  std::string label;
  std::string reason;
};
struct EngineRows {
  std::vector<EngineRow> rows;
  std::vector<LeftOutEngineRow> left_out;
  std::size_t memory_twice = 0;  // rows whose stated power counted the memory rail twice
};

// The layout of the file is recognized from its columns:
// * runtime, model, quantization, prompt_tokens, generated_tokens, ttft_ms, tpot_ms,
//   decode_power_w: runs on an AGX Orin 32GB at GPU 1300.5 MHz, CPU 2201.6 MHz, memory 3199 MHz.
//   The first token is not used for prompts below 256 tokens or from a prompt cache (vLLM fp16,
//   SGLang).
// * board, power_mode, runtime, workload, precision, batch, sequence, metric, value, note:
//   llama.cpp on an Orin Nano 8GB, if the mode states both clocks. Tokens per second are fitted.
//   Joules per token of the GPU and CPU rail are only scored.
//   Runs of one sequence with the stated context, or 128 tokens. MLC on an Orin Nano at 15 W is
//   fitted. vLLM on an AGX Orin 64GB (output tokens over the whole request) and TensorRT-Edge-LLM
//   are only scored.
// * board, runtime, workload, precision, batch, input, what_is_timed, ..: normalized public runs,
//   in which all columns have the same meaning for all sources.
// Rows that cannot be used are in `left_out`. Throws InputError if a column is missing or a value
// is not a positive number.
EngineRows load_engine_rows(const std::string& path);

}  // namespace ridgewatt::llm
