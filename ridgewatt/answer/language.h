// Estimates the speed and energy per token of a language model by power mode, board, engine and
// quantization. llm/forecast.h describes the method.
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
  // Names of engines. Empty: for each quantization, the first usual engine that runs it.
  std::vector<std::string> runtimes = {};
  // Names of recipes, or "stored" for the weights in the file. Empty: "stored" if the model has
  // weights, otherwise about four bits in the engine's own format.
  std::vector<std::string> quantizations = {};
  std::string modes = "maxn";  // see select_modes()
  // Modes with fewer CPU cores are left out. A board with fewer cores uses all of its cores.
  int min_cores = 1;
  llm::Request request = {};  // its `kv_type` is ignored and set from the next member
  llm::KvType kv_type = llm::KvType::kF16;
  // Context lengths at which the time of a decode step is also reported. Empty: powers of four from
  // 512 up to the trained context or 131,072, whichever is smaller, and this upper limit.
  std::vector<std::int64_t> contexts = {};
  std::optional<double> reserve_bytes = {};  // see llm::FitsOptions
};

// The weights of a model in one quantization.
struct LanguageWeights {
  std::string name;  // "q4_k_m"
  std::vector<llm::Tensor> tensors;
  // Work of one step in each phase of the request: the whole prompt, and the mean decode step.
  // Empty if only the size of the weights is known.
  std::vector<llm::PhaseWork> steps;
};

// Memory of a board that serves the request.
struct LanguageMemory {
  llm::Fit fit;                       // with prompts and answers of all sequences in the cache
  std::vector<llm::Fit> at_contexts;  // memory at each of `contexts`, in place of the request

  // Returns the sum of process, weights, KV cache and buffers.
  static double needed_bytes(const llm::Fit& fit) {
    return fit.runtime_bytes + fit.weights_bytes + fit.kv_bytes + fit.buffer_bytes;
  }
};

// What all rows with the same model, quantization, engine and board share.
struct LanguageSetting {
  std::size_t board = 0, weights = 0, memory = 0;  // indices into LanguageAnswer
  const llm::ShippedEngine* engine = nullptr;
  const llm::EngineRelease* release = nullptr;  // the release whose measurements were fitted
  std::string title;                            // of the release; without a GPU: of the engine
  std::vector<std::string> widened_by;          // see llm::Forecaster
  // Number format of the products: INT8 or FP8 if engine and GPU support it, otherwise FP16.
  Arithmetic arithmetic = Arithmetic::kFp16;
};

struct LanguageRow {
  std::size_t setting = 0;  // index into LanguageAnswer::settings
  PowerMode mode;
  llm::Forecast forecast;
  std::vector<double> step_s;  // time of a decode step at each of `contexts`
  // Whether no row of this quantization that fits the memory is better in both tokens per second
  // and joules per token.
  bool on_front = false;
};

struct LeftOutLanguage {
  std::string what, reason;
};

struct LanguageAnswer {
  llm::LanguageModel model;
  LanguageQuestion question;  // with the contexts that were used
  std::vector<Board> boards;
  std::vector<LanguageWeights> weights;
  std::vector<LanguageMemory> memory;  // one per board and quantization, sorted by board
  std::vector<LanguageSetting> settings;
  std::vector<LanguageRow> rows;
  // Index of the row that is shown in detail: of the rows of the first setting, the one with the
  // most tokens per second.
  std::size_t shown = 0;
  // Combinations that cannot run, and boards without any of the modes.
  std::vector<LeftOutLanguage> left_out;

  const LanguageSetting& setting_of(const LanguageRow& row) const { return settings[row.setting]; }
  // Returns why intervals of the row are wide.
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

// Returns a row per setting and mode, sorted by board, quantization, engine and mode. Throws
// UsageError for an unknown engine or recipe, an invalid request (a number below 1, or more than
// 2^24 tokens in all sequences), more than a million rows, or if no combination can run. Throws
// NotFoundError if no board has the modes.
LanguageAnswer ask_language(const LanguageQuestion& question, const llm::LanguageModel& model,
                            std::vector<Board> boards);

// The question as text that a user enters.
struct LanguageRequest {
  std::string model = {};         // see llm::read_language_model()
  std::string device = {};        // see boards_named()
  std::string runtime = {};       // see runtimes_named()
  std::string quantization = {};  // see quantizations_named()
  // Its `runtimes` and `quantizations` are set from the texts above.
  LanguageQuestion question = {};
  bool front = false;  // whether reports list only rows on the front
};
// Reads the model and the boards, and answers the question.
LanguageAnswer ask_language(const LanguageRequest& asked);

// Parse text of a user: "all", or names separated by commas. `device` may also be the path of a
// board file. For quantizations, "all" means "stored" if the model has stored weights, then every
// recipe whose size can be predicted for the model.
std::vector<Board> boards_named(const std::string& device);
std::vector<std::string> quantizations_named(const llm::LanguageModel& model,
                                             const std::string& text);
std::vector<std::string> runtimes_named(const std::string& text);

// Peak rates of a board in one mode: dense products and DRAM.
struct LanguageRoof {
  double flop_per_s = 0;
  double bytes_per_s = 0;
  // Arithmetic intensity at which both rates limit the speed equally.
  double ridge() const { return flop_per_s / bytes_per_s; }
};
LanguageRoof roof_of(const Board& board, const PowerMode& mode,
                     Arithmetic arithmetic = Arithmetic::kFp16);
LanguageRoof roof_of(const LanguageAnswer& found, const LanguageRow& row);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
