#include "ridgewatt/answer/board/calibrate_language.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/llm/engine.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/llm/processor.h"

namespace ridgewatt::answer {
namespace {

namespace fs = std::filesystem;

// Chosen before any other model was compared. Rows of its weights are multiples of 256, so that
// every one of the five types whose rates are fitted can store them.
constexpr std::string_view kModel = "qwen3-0.6b";
constexpr std::string_view kQuantizations[] = {"f16", "q8_0", "q4_0", "q4_k_m"};
constexpr int kPrompt = 256, kTokens = 24, kDepth = 1024;
constexpr int kShortPrompt = 16, kShortTokens = 6;  // of each of several sequences
constexpr std::uint64_t kSeed = 1;                  // for random weights

// A time that llama.cpp measured.
struct BenchTime {
  std::string of;
  int threads = 1;
  int prompt = 0;      // tokens; 0: the time is that of a step
  double context = 0;  // of a step, in tokens of each sequence
  int sequences = 1;
  double time_s = 0;
};

// Runs a program that prints lines of JSON and returns these. On failure adds a remark.
std::vector<Json> run_bench(const std::vector<std::string>& words,
                            std::vector<std::string>& remarks) {
  constexpr double kMostS = 300;
  ChildStart start;
  start.words = words;
  ChildTalk talk;
  talk.time_s = kMostS;
  talk.wanted = [] {
    check_work();
    return true;
  };
  const ChildResult result = run_child(std::move(start), talk);
  std::vector<Json> rows;
  if (result.end != ChildEnd::kExited || result.status != 0) {
    remarks.push_back(fmt::format("llama.cpp could not be measured: {} failed", words.front()));
    return rows;
  }
  for (const auto& line : split(result.output, '\n')) {
    Json row = Json::parse(line, nullptr, false);
    if (row.is_object()) rows.push_back(std::move(row));
  }
  return rows;
}

// A number of 0 or more; otherwise -1.
double number(const Json& row, const char* key) {
  return row.contains(key) && row[key].is_number() ? row[key].get<double>() : -1;
}
int whole(const Json& row, const char* key) {
  return static_cast<int>(std::clamp(number(row, key), -1.0, 1e6));
}

// Prompts and tokens of one sequence, with one thread and with all.
void run_sequence(const std::string& program, const std::string& file, int cores,
                  std::vector<BenchTime>& times, std::vector<std::string>& remarks) {
  // A prompt after a context takes llama-bench longest and is not modelled.
  for (const auto& [most_prompt, context] : {std::pair{kPrompt, 0}, {0, kDepth}}) {
    const std::vector<std::string> words = {program,
                                            "-m",
                                            file,
                                            "-t",
                                            cores > 1 ? fmt::format("1,{}", cores) : "1",
                                            "-p",
                                            std::to_string(most_prompt),
                                            "-n",
                                            std::to_string(kTokens),
                                            "-d",
                                            std::to_string(context),
                                            "-r",
                                            "3",
                                            "-o",
                                            "jsonl"};
    for (const Json& row : run_bench(words, remarks)) {
      const int prompt = whole(row, "n_prompt"), generated = whole(row, "n_gen"),
                depth = whole(row, "n_depth"), threads = whole(row, "n_threads");
      const double tokens_per_s = number(row, "avg_ts");
      if (prompt < 0 || generated < 0 || depth < 0 || threads < 1 || !(tokens_per_s > 0)) continue;
      if (prompt == 0) {
        times.push_back({fmt::format("a token after {}", depth), threads, 0,
                         depth + (generated + 1) / 2.0, 1, 1 / tokens_per_s});
      } else {
        times.push_back(
            {fmt::format("a prompt of {}", prompt), threads, prompt, 0, 1, prompt / tokens_per_s});
      }
    }
  }
}

// Steps of several sequences.
void run_sequences(const std::string& program, const std::string& file, int cores,
                   std::vector<BenchTime>& times, std::vector<std::string>& remarks) {
  std::vector<int> counts = {1};
  if (cores > 1) counts.push_back(cores);
  for (const int threads : counts) {
    const std::string count = std::to_string(threads);
    const std::vector<std::string> words = {program,
                                            "-m",
                                            file,
                                            "-t",
                                            count,
                                            "-tb",
                                            count,
                                            "-npp",
                                            std::to_string(kShortPrompt),
                                            "-ntg",
                                            std::to_string(kShortTokens),
                                            "-npl",
                                            "2,4,8,16",
                                            "-c",
                                            "512",
                                            "--output-format",
                                            "jsonl"};
    for (const Json& row : run_bench(words, remarks)) {
      const int sequences = whole(row, "pl"), generated = whole(row, "tg");
      const double time_s = number(row, "t_tg");
      if (sequences < 2 || generated < 1 || !(time_s > 0)) continue;
      times.push_back({fmt::format("a token of {} sequences", sequences), threads, 0,
                       kShortPrompt + (generated + 1) / 2.0, sequences, time_s / generated});
    }
  }
}

MeasuredLanguage measured(const BenchTime& time, const std::string& model,
                          const llm::ProcessorWork& work) {
  MeasuredLanguage found;
  found.threads = time.threads;
  found.name = fmt::format("{}, {}", model, time.of);
  found.run.name = found.name;
  found.run.time_s = time.time_s;
  found.run.modelled_s = [work, time](const twin::CpuTwin& twin) {
    return time.prompt > 0 ? llm::processor_prompt_s(twin, work, time.threads)
                           : llm::processor_step_s(twin, work, time.context, time.threads);
  };
  return found;
}

}  // namespace

std::string find_llama_bench(const std::string& runtimes) {
  if (runtimes.empty()) return "";
  const fs::path program = fs::path(runtimes) / "llama" / "bin" / "llama-bench";
  std::error_code failed;
  return fs::exists(program, failed) ? program.string() : "";
}

std::vector<MeasuredLanguage> run_language_models(const std::string& llama_bench,
                                                  const std::string& folder, int cores, bool quiet,
                                                  const std::function<void()>& between,
                                                  std::vector<std::string>& remarks) {
  const llm::ZooModel& model = *llm::find_zoo_model(kModel);
  const llm::Description description = llm::describe(model.numbers, std::string(kModel));
  Progress progress("language models", std::size(kQuantizations), quiet);
  std::size_t done = 0;
  std::vector<MeasuredLanguage> found;
  for (const std::string_view quantization : kQuantizations) {
    const std::string name = fmt::format("{} {}", kModel, quantization);
    progress.update(done++, name);
    between();
    const llm::Recipe& recipe = llm::find_recipe(quantization);
    const std::string file = fmt::format("{}/{}.gguf", folder, quantization);
    llm::write_language_model(model, recipe, file, kSeed);
    const auto tensors = llm::quantized(description, recipe);
    std::vector<BenchTime> times;
    run_sequence(llama_bench, file, cores, times, remarks);
    const std::string batched = folder_of(llama_bench) + "/llama-batched-bench";
    if (fs::exists(batched)) run_sequences(batched, file, cores, times, remarks);
    for (const BenchTime& time : times) {
      llm::Request request;
      request.prompt_tokens = std::max(time.prompt, kShortPrompt);
      request.concurrency = time.sequences;
      const auto prompt = llm::prompt_work(description, tensors, request.prompt_tokens);
      found.push_back(
          measured(time, name, llm::processor_work(description, tensors, request, prompt)));
    }
    std::error_code ignored;
    fs::remove(file, ignored);
  }
  return found;
}

}  // namespace ridgewatt::answer
