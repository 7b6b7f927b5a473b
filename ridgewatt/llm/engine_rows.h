// Public runs of language models, as rows that engines are fitted to and judged by.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/llm/engine.h"

namespace ridgewatt::llm {

struct LeftOutEngineRow {
  std::string label;
  std::string reason;
};
struct EngineRows {
  std::vector<EngineRow> rows;
  std::vector<LeftOutEngineRow> left_out;
};

// Two layouts, told apart by their columns:
// * runtime, model, quantization, prompt_tokens, generated_tokens, ttft_ms, tpot_ms,
// decode_power_w:
//   cells of an AGX Orin 32GB at GPU 1300.5 MHz, CPU 2201.6 MHz, memory 3199 MHz. A first token of
//   a prompt of less than 256, or out of a cache of prompts (vLLM fp16, SGLang), is not taken.
// * board, power_mode, runtime, workload, precision, batch, sequence, metric, value: of them tokens
//   per second of llama.cpp on an Orin Nano 8GB whose mode names both clocks. Its 7 W and 15 W rows
//   are judged and never learned from.
// InputError where a column is missing or a value is not a positive number.
EngineRows load_engine_rows(const std::string& path);

}  // namespace ridgewatt::llm
