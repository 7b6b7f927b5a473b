#include "ridgewatt/answer/board/calibrate_language.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/json.h"
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
constexpr std::uint64_t kSeed = 1;  // for random weights

struct BenchRow {
  int prompt = 0, generated = 0, depth = 0, threads = 1;
  double tokens_per_s = 0;
};

std::optional<BenchRow> row_of(const std::string& line) {
  const Json said = Json::parse(line, nullptr, false);
  if (!said.is_object()) return std::nullopt;
  const auto number = [&](const char* key) {
    return said.contains(key) && said[key].is_number() ? said[key].get<double>() : -1;
  };
  const auto whole = [&](const char* key) { return static_cast<int>(number(key)); };
  const BenchRow row{whole("n_prompt"), whole("n_gen"), whole("n_depth"), whole("n_threads"),
                     number("avg_ts")};
  const bool known = row.prompt >= 0 && row.generated >= 0 && row.depth >= 0 && row.threads > 0;
  return known && row.tokens_per_s > 0 ? std::optional(row) : std::nullopt;
}

// Runs llama-bench and returns the rows that it printed. On failure adds a remark and returns none.
std::vector<BenchRow> run_bench(const std::string& program, const std::string& file, int cores,
                                std::vector<std::string>& remarks) {
  constexpr double kMostS = 300;
  ChildStart start;
  const std::string threads = cores > 1 ? fmt::format("1,{}", cores) : "1";
  start.words = {program,
                 "-m",
                 file,
                 "-t",
                 threads,
                 "-p",
                 std::to_string(kPrompt),
                 "-n",
                 std::to_string(kTokens),
                 "-d",
                 fmt::format("0,{}", kDepth),
                 "-r",
                 "3",
                 "-o",
                 "jsonl"};
  ChildTalk talk;
  talk.time_s = kMostS;
  talk.wanted = [] {
    check_work();
    return true;
  };
  const ChildResult result = run_child(std::move(start), talk);
  std::vector<BenchRow> rows;
  if (result.end != ChildEnd::kExited || result.status != 0) {
    remarks.push_back(fmt::format("llama.cpp could not be measured: {} failed", program));
    return rows;
  }
  for (const auto& line : split(result.output, '\n')) {
    if (const auto row = row_of(line)) rows.push_back(*row);
  }
  return rows;
}

MeasuredLanguage measured(const BenchRow& row, const std::string& model,
                          const llm::ProcessorWork& work) {
  MeasuredLanguage found;
  found.threads = row.threads;
  const int threads = row.threads;
  if (row.prompt > 0) {
    found.name = fmt::format("{}, a prompt of {}", model, row.prompt);
    found.run.time_s = row.prompt / row.tokens_per_s;
    found.run.modelled_s = [work, threads](const twin::CpuTwin& twin) {
      return llm::processor_prompt_s(twin, work, threads);
    };
  } else {
    const double context = row.depth + (row.generated + 1) / 2.0;
    found.name = fmt::format("{}, a token after {}", model, row.depth);
    found.run.time_s = 1 / row.tokens_per_s;
    found.run.modelled_s = [work, context, threads](const twin::CpuTwin& twin) {
      return llm::processor_step_s(twin, work, context, threads);
    };
  }
  found.run.name = found.name;
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
                                                  std::vector<std::string>& remarks) {
  const llm::ZooModel& model = *llm::find_zoo_model(kModel);
  const llm::Description description = llm::describe(model.numbers, std::string(kModel));
  Progress progress("language models", std::size(kQuantizations), quiet);
  std::size_t done = 0;
  std::vector<MeasuredLanguage> found;
  for (const std::string_view quantization : kQuantizations) {
    const std::string name = fmt::format("{} {}", kModel, quantization);
    progress.update(done++, name);
    const llm::Recipe& recipe = llm::find_recipe(quantization);
    const std::string file = fmt::format("{}/{}.gguf", folder, quantization);
    llm::write_language_model(model, recipe, file, kSeed);
    llm::Request request;
    request.prompt_tokens = kPrompt;
    const auto tensors = llm::quantized(description, recipe);
    const auto work = llm::processor_work(description, tensors, request,
                                          llm::prompt_work(description, tensors, kPrompt));
    for (const BenchRow& row : run_bench(llama_bench, file, cores, remarks)) {
      if (row.prompt > 0 && row.depth > 0) continue;  // only depth 0 is modelled
      found.push_back(measured(row, name, work));
    }
    std::error_code ignored;
    fs::remove(file, ignored);
  }
  return found;
}

}  // namespace ridgewatt::answer
