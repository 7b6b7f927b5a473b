// Public runs of language models, as rows that engines are fitted to and judged by.
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
  std::size_t memory_twice = 0;  // powers whose total held the memory's rail twice
};

// Two layouts, distinguished by their columns:
// * runtime, model, quantization, prompt_tokens, generated_tokens, ttft_ms, tpot_ms,
// decode_power_w:
//   cells of an AGX Orin 32GB at GPU 1300.5 MHz, CPU 2201.6 MHz, memory 3199 MHz. A first token of
//   a prompt of less than 256, or out of a cache of prompts (vLLM fp16, SGLang), is not taken.
// * board, power_mode, runtime, workload, precision, batch, sequence, metric, value: of them
//   - llama.cpp on an Orin Nano 8GB whose mode names both clocks: tokens per second, and joules per
//     token of the rail of GPU and CPU, which are judged only, as are the 7 W and 15 W rows;
//   - one sequence of vLLM on an AGX Orin 64GB (output tokens over the whole request), of MLC on an
//     Orin Nano at 15 W and of TensorRT-Edge-LLM: judged and never learned from, with the context
//     that the source states, or 128 tokens.
// InputError where a column is missing or a value is not a positive number.
EngineRows load_engine_rows(const std::string& path);

}  // namespace ridgewatt::llm
