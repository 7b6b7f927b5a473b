// Runs a small language model in llama.cpp on this machine, for calibrate_local().
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/twin/cpu_twin.h"

namespace ridgewatt::answer {

struct MeasuredLanguage {
  std::string name;  // "qwen3-0.6b q4_0, a token after 1036"
  int threads = 1;
  twin::CpuRun run;
};

// The llama-bench that tools/runtimes/llama/build.sh built in the folder of runtimes; empty: there
// is none.
std::string find_llama_bench(const std::string& runtimes);

// Measures times of prompts, of tokens and of steps of several sequences, with one thread and with
// all threads. Writes files of models to `folder` and removes them. Calls `between` before each
// file. Leaves out runs that fail, with a remark.
std::vector<MeasuredLanguage> run_language_models(const std::string& llama_bench,
                                                  const std::string& folder, int cores, bool quiet,
                                                  const std::function<void()>& between,
                                                  std::vector<std::string>& remarks);

}  // namespace ridgewatt::answer
