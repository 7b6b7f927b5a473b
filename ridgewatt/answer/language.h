// The question of language models: how fast, at how many joules per token, in which power mode, on
// which board, in which engine and quantization. The model is described in llm/forecast.h.
//
//   LanguageQuestion question{.modes = "presets", .request = {.prompt_tokens = 1024}};
//   const auto model = llm::read_language_model("zoo:llama-3.1-8b");
//   const LanguageAnswer found = ask_language(question, model, boards_named("all"));
//   found.rows.front().forecast.joules_per_token.value;
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/llm/fits.h"
#include "ridgewatt/llm/forecast_answer.h"
#include "ridgewatt/llm/language_model.h"

#pragma GCC visibility push(default)

namespace ridgewatt::llm {
struct EngineRelease;
struct ShippedEngine;
}  // namespace ridgewatt::llm

namespace ridgewatt::answer {

struct LanguageQuestion {
  // Names of engines. Empty: for each quantization the first engine that runs it.
  std::vector<std::string> runtimes = {};
  // Names of recipes; "stored": as the file has it. Empty: as stored, or else in about four bits in
  // the format of the engine.
  std::vector<std::string> quantizations = {};
  std::string modes = "maxn";  // see select_modes
  int min_cores = 1;           // least number of cores of a mode; boards with fewer use all
  llm::Request request = {};   // its `kv_type` follows from this:
  llm::KvType kv_type = llm::KvType::kF16;
  // Contexts at which a decode step is also reported; empty: powers of four from 512 to the trained
  // context, at most 131,072.
  std::vector<std::int64_t> contexts = {};
  std::optional<double> reserve_bytes = {};  // see llm::FitsOptions
};

// A model in one quantization.
struct LanguageWeights {
  std::string name;  // "q4_k_m"
  std::vector<llm::Tensor> tensors;
  // One step of each phase at the request: the prompt, and the mean of the generation. Nothing
  // where the weights of the model are not known.
  std::vector<llm::PhaseWork> steps;
};

// The memory of a board while it answers requests.
struct LanguageMemory {
  llm::Fit fit;                       // at prompt and generation of all sequences
  std::vector<llm::Fit> at_contexts;  // at each of `contexts`

  // The sum of weights, cache, buffers and the process.
  static double needed_bytes(const llm::Fit& fit) {
    return fit.runtime_bytes + fit.weights_bytes + fit.kv_bytes + fit.buffer_bytes;
  }
};

// What all modes of a model in one quantization and engine on one board have in common.
struct LanguageSetting {
  std::size_t board = 0, weights = 0, memory = 0;  // indices into the lists of the answer
  const llm::ShippedEngine* engine = nullptr;
  const llm::EngineRelease* release = nullptr;  // the fitted release
  std::vector<std::string> widened_by;          // see Forecaster
  // In what its weights are multiplied: INT8 or FP8 where engine and GPU can, else FP16.
  Arithmetic arithmetic = Arithmetic::kFp16;
};

struct LanguageRow {
  std::size_t setting = 0;
  PowerMode mode;
  llm::Forecast forecast;
  std::vector<double> step_s;  // at each of `contexts`
  // No fitting row of its quantization has both more tokens per second and fewer joules per token.
  bool on_front = false;
};

struct LeftOutLanguage {
  std::string what, reason;
};

struct LanguageAnswer {
  llm::LanguageModel model;
  LanguageQuestion question;  // with its contexts
  std::vector<Board> boards;
  std::vector<LanguageWeights> weights;
  std::vector<LanguageMemory> memory;  // of each board and quantization
  std::vector<LanguageSetting> settings;
  std::vector<LanguageRow> rows;
  // Index of the row that is shown in detail: the row of the first setting with the most tokens per
  // second.
  std::size_t shown = 0;
  // Combinations that do not exist, and boards without the modes that were asked for.
  std::vector<LeftOutLanguage> left_out;

  const LanguageSetting& setting_of(const LanguageRow& row) const { return settings[row.setting]; }
  // Why intervals of the row are wide.
  std::vector<std::string> widened_by(const LanguageRow& row) const {
    std::vector<std::string> reasons = setting_of(row).widened_by;
    reasons.insert(reasons.end(), row.forecast.widened_by.begin(), row.forecast.widened_by.end());
    return reasons;
  }
  const Board& board_of(const LanguageRow& row) const { return boards[setting_of(row).board]; }
  const LanguageMemory& memory_of(const LanguageRow& row) const {
    return memory[setting_of(row).memory];
  }
  const std::string& quantization_of(const LanguageRow& row) const {
    return weights[setting_of(row).weights].name;
  }
};

// A row for each setting and mode, in the order of boards, quantizations, engines and modes. Throws
// UsageError for an unknown engine or recipe, a request below one token or beyond 2^24 tokens of
// all sequences, if no combination exists, or for more than a million rows; NotFoundError for modes
// that no board has.
LanguageAnswer ask_language(const LanguageQuestion& question, const llm::LanguageModel& model,
                            std::vector<Board> boards);

// The question as a user writes it.
struct LanguageRequest {
  std::string model = {};          // what read_language_model() takes
  std::string device = {};         // see boards_named()
  std::string runtime = {};        // see runtimes_named()
  std::string quantization = {};   // see quantizations_named()
  LanguageQuestion question = {};  // its engines and recipes follow from these
  bool front = false;              // for output: only rows on the front
};
// Reads the model and answers the question.
LanguageAnswer ask_language(const LanguageRequest& asked);

// Parse the text of a user: a board, a board file or "all"; names separated by commas, or "all".
// For quantizations, "all" means those that can be predicted for the model, and first "stored" if
// the model is stored.
std::vector<Board> boards_named(const std::string& device);
std::vector<std::string> quantizations_named(const llm::LanguageModel& model,
                                             const std::string& text);
std::vector<std::string> runtimes_named(const std::string& text);

// Peaks of a mode for the roofline of its phases: dense products and DRAM.
struct LanguageRoof {
  double flop_per_s = 0;
  double bytes_per_s = 0;
  double ridge() const { return flop_per_s / bytes_per_s; }
};
LanguageRoof roof_of(const Board& board, const PowerMode& mode,
                     Arithmetic arithmetic = Arithmetic::kFp16);
LanguageRoof roof_of(const LanguageAnswer& found, const LanguageRow& row);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
