// The cost of a language model for every combination of board, quantization, engine and mode.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "ridgewatt/answer/language.h"
#include "ridgewatt/answer/language/engine_formats.h"
#include "ridgewatt/answer/language_tune.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/llm/engine.h"
#include "ridgewatt/llm/engine_facts.h"
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/predict/pareto.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::answer {
namespace {

constexpr std::string_view kAsStored = "stored";
// Engines to choose from if the question names none. The first that runs the quantization is used.
std::vector<const llm::ShippedEngine*> usual_engines() {
  std::vector<const llm::ShippedEngine*> all;
  for (const llm::EngineFacts& engine : llm::engine_facts()) {
    if (engine.first) all.push_back(&llm::find_engine(engine.name));
  }
  return all;
}

constexpr std::size_t kMostRows = 1'000'000;
constexpr std::int64_t kMostRequestTokens = std::int64_t{1} << 24;  // chosen: beyond any context

void check_request(const LanguageQuestion& question) {
  const llm::Request& request = question.request;
  const auto positive = [](const char* what, std::int64_t value) {
    if (value < 1) throw UsageError(std::string(what) + " must be at least 1");
    if (value > kMostRequestTokens) throw UsageError(std::string(what) + " must be at most 2^24");
  };
  positive("tokens of the prompt", request.prompt_tokens);
  positive("generated tokens", request.generated_tokens);
  positive("concurrency", request.concurrency);
  for (const std::int64_t context : question.contexts) positive("a context", context);
  const std::int64_t tokens = request.prompt_tokens + request.generated_tokens;
  if (tokens > kMostRequestTokens / request.concurrency) {
    throw UsageError("prompts and answers of all sequences must have at most 2^24 tokens in total");
  }
}

std::vector<std::int64_t> usual_contexts(const llm::LanguageModel& model) {
  constexpr std::int64_t kFirst = 512, kLast = 131072;
  const std::int64_t trained = model.description.context;
  const std::int64_t last = trained > 0 ? std::min(trained, kLast) : kLast;
  std::vector<std::int64_t> contexts;
  for (std::int64_t context = kFirst; context <= last; context *= 4) contexts.push_back(context);
  if (contexts.empty() || contexts.back() != last) contexts.push_back(last);
  return contexts;
}

// Which weights run in which engine. `weights` is an index into the list of weights.
struct Combination {
  std::size_t weights = 0;
  const llm::ShippedEngine* engine = nullptr;
};

class Combinations {
 public:
  Combinations(const LanguageQuestion& question, const llm::LanguageModel& model)
      : model_(model), cache_(question.kv_type) {
    for (const auto& name : question.runtimes) engines_.push_back(&llm::find_engine(name));
    std::vector<std::string> names = question.quantizations;
    if (names.empty() && !model.tensors.empty()) names.emplace_back(kAsStored);
    for (const auto& name : names) {
      const std::size_t weights = add(name);
      if (engines_.empty()) {
        all_.push_back({weights, first_that_runs(weights)});
        continue;
      }
      for (const auto* engine : engines_) all_.push_back({weights, engine});
    }
    if (!names.empty()) return;
    // If nothing is stored and no quantization was requested, each engine uses its usual one.
    if (engines_.empty()) engines_.push_back(usual_engines().front());
    for (const auto* engine : engines_) {
      all_.push_back({add(std::string(usual_recipe(engine->name))), engine});
    }
  }

  const std::vector<Combination>& all() const { return all_; }
  const std::vector<WeightFormat>& formats() const { return formats_; }
  // The names of the weights, as llm::fits expects them.
  const std::vector<std::string>& asked() const { return asked_; }
  std::vector<LanguageWeights> take_weights() { return std::move(weights_); }

 private:
  std::size_t add(const std::string& name) {
    const bool stored = name == kAsStored;
    if (stored && model_.tensors.empty()) {
      throw UsageError("the model has no stored weights, so its stored quantization is not known",
                       name, "give --quantization NAME");
    }
    if (!stored && !model_.weights_known) {
      throw UsageError("only the size of the stored quantization is known for this model", name,
                       "omit --quantization");
    }
    const WeightFormat format =
        stored ? format_of_stored(model_) : format_of(llm::find_recipe(name));
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i].name == format.name) return i;
    }
    LanguageWeights weights;
    weights.name = format.name;
    weights.tensors =
        stored ? model_.tensors : llm::quantized(model_.description, llm::find_recipe(name));
    weights_.push_back(std::move(weights));
    formats_.push_back(format);
    asked_.push_back(name);
    return weights_.size() - 1;
  }

  const llm::ShippedEngine* first_that_runs(std::size_t weights) const {
    const auto usual = usual_engines();
    for (const llm::ShippedEngine* engine : usual) {
      if (why_not_taken(engine->name, formats_[weights], cache_).empty()) return engine;
    }
    return usual.front();
  }

  const llm::LanguageModel& model_;
  llm::KvType cache_;
  std::vector<const llm::ShippedEngine*> engines_;
  std::vector<LanguageWeights> weights_;
  std::vector<WeightFormat> formats_;
  std::vector<std::string> asked_;
  std::vector<Combination> all_;
};

using Works = std::vector<std::shared_ptr<const llm::RequestWork>>;

// The work of the request with each quantization.
Works works_of(const LanguageAnswer& found) {
  Works works(found.weights.size());
  parallel_for(works.size(), [&](std::size_t i) {
    works[i] = llm::request_work(found.model.description, found.weights[i].tensors,
                                 found.question.request);
  });
  return works;
}

void add_steps(const Works& works, LanguageAnswer& found) {
  if (!found.model.weights_known) return;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const auto phases = llm::phases_of(*works[i]);
    found.weights[i].steps.assign(phases.begin(), phases.end());
  }
}

// The memory of each board and quantization. All quantizations of a board are adjacent.
std::vector<LanguageMemory> memory_of_all(const LanguageAnswer& found,
                                          const std::vector<std::string>& asked) {
  llm::FitsOptions options;
  options.quantizations = asked;
  options.batch = found.question.request.concurrency;
  options.kv_type = found.question.kv_type;
  options.reserve_bytes = found.question.reserve_bytes;
  const auto at = [&](std::int64_t context) {
    options.context = context;
    return llm::fits(found.model, found.boards, options);
  };
  const llm::Request& request = found.question.request;
  std::vector<LanguageMemory> all;
  for (auto& fit : at(request.prompt_tokens + request.generated_tokens)) {
    all.push_back({std::move(fit), {}});
  }
  for (const std::int64_t context : found.question.contexts) {
    const auto fits = at(context);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].at_contexts.push_back(fits[i]);
  }
  return all;
}

// The modes of each board. Empty if a board lacks the requested modes and other boards have them.
std::vector<std::vector<PowerMode>> modes_of_boards(LanguageAnswer& found) {
  std::vector<std::vector<PowerMode>> all;
  for (const Board& board : found.boards) {
    all.emplace_back();
    try {
      all.back() = select_modes(board, found.question.modes);
      // The default is limited to the board's cores. It does not apply to boards without a GPU, on
      // which llama.cpp is measured from one thread on. A larger number is the user's choice.
      const int asked = found.question.min_cores;
      const int most = board.has_gpu() ? board.cpu_cores : 1;
      const int cores = asked > LanguageTuneRequest::kCoresOfRuns ? asked : std::min(asked, most);
      std::erase_if(all.back(), [&](const PowerMode& mode) {
        return mode.cpu_cores > 0 && mode.cpu_cores < cores;
      });
    } catch (const Error& error) {
      if (found.boards.size() == 1) throw;
      found.left_out.push_back({board.name, board.name + ": " + error.what()});
    }
  }
  const auto none = [](const auto& modes) { return modes.empty(); };
  if (std::all_of(all.begin(), all.end(), none)) {
    throw NotFoundError("no board has these power modes", found.question.modes,
                        "choose other --modes, or a lower --min-cores");
  }
  return all;
}

void mark_fronts(LanguageAnswer& found) {
  std::map<std::string, std::vector<std::size_t>> groups;  // by quantization
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const LanguageRow& row = found.rows[i];
    if (found.memory_of(row).fit.fits()) groups[found.quantization_of(row)].push_back(i);
  }
  for (const auto& [name, rows] : groups) {
    std::vector<double> seconds, joules;  // per token
    for (const std::size_t i : rows) {
      seconds.push_back(1 / found.rows[i].forecast.tokens_per_s.value);
      const double energy_j = found.rows[i].forecast.joules_per_token.value;
      joules.push_back(std::isnan(energy_j) ? 0 : energy_j);  // unknown energy: time alone decides
    }
    for (const std::size_t on : predict::pareto_front(seconds, joules)) {
      found.rows[rows[on]].on_front = true;
    }
  }
}

void add_rows(LanguageAnswer& found, const std::vector<llm::Forecaster>& forecasters) {
  parallel_for(found.rows.size(), [&](std::size_t i) {
    LanguageRow& row = found.rows[i];
    const llm::Forecaster& forecaster = forecasters[row.setting];
    row.forecast = forecaster(row.mode);
    for (const std::int64_t context : found.question.contexts) {
      row.step_s.push_back(forecaster.step_s(row.mode, context));
    }
  });
}

}  // namespace

LanguageAnswer ask_language(const LanguageQuestion& question, const llm::LanguageModel& model,
                            std::vector<Board> boards) {
  check_request(question);
  LanguageAnswer found;
  found.model = model;
  found.question = question;
  found.boards = std::move(boards);
  found.question.request.kv_type = llm::stored_type_of(question.kv_type);
  if (question.contexts.empty()) found.question.contexts = usual_contexts(model);
  Combinations combinations(question, model);
  const auto modes = modes_of_boards(found);
  const std::vector<WeightFormat> formats = combinations.formats();
  std::size_t rows = 0;
  for (std::size_t b = 0; b < found.boards.size(); ++b) {
    for (const auto& [weights, engine] : combinations.all()) {
      const bool runs =
          why_not_run(engine->name, formats[weights], question.kv_type, found.boards[b]).empty();
      rows += runs ? modes[b].size() : 0;
    }
  }
  if (rows > kMostRows) {
    throw UsageError("the answer would have more than a million rows", "",
                     "ask for fewer modes or combinations");
  }
  found.memory = memory_of_all(found, combinations.asked());
  found.weights = combinations.take_weights();
  const Works works = works_of(found);
  add_steps(works, found);

  std::vector<llm::Forecaster> forecasters;
  for (std::size_t b = 0; b < found.boards.size(); ++b) {
    const Board& board = found.boards[b];
    if (modes[b].empty()) continue;
    std::shared_ptr<const llm::EngineBoard> hardware;  // created when the first combination runs
    for (const auto& [weights, engine] : combinations.all()) {
      const std::string reason =
          why_not_run(engine->name, formats[weights], question.kv_type, board);
      if (!reason.empty()) {
        found.left_out.push_back(
            {engine->name + " with " + formats[weights].name + " on " + board.name, reason});
        continue;
      }
      if (!hardware) hardware = std::make_shared<const llm::EngineBoard>(board);
      forecasters.emplace_back(*engine, works[weights], board, hardware);
      found.settings.push_back({b, weights, b * found.weights.size() + weights, engine,
                                &forecasters.back().release(),
                                board.has_gpu() ? forecasters.back().release().title : engine->name,
                                forecasters.back().widened_by(), forecasters.back().arithmetic()});
      for (const PowerMode& mode : modes[b]) {
        found.rows.push_back({found.settings.size() - 1, mode, {}, {}, false});
      }
    }
  }
  if (found.rows.empty()) throw UsageError(found.left_out.back().reason);
  add_rows(found, forecasters);
  mark_fronts(found);
  for (std::size_t i = 0; i < found.rows.size() && found.rows[i].setting == 0; ++i) {
    const double fastest = found.rows[found.shown].forecast.tokens_per_s.value;
    if (found.rows[i].forecast.tokens_per_s.value > fastest) found.shown = i;
  }
  return found;
}

LanguageRoof roof_of(const Board& board, const PowerMode& mode, Arithmetic arithmetic) {
  if (!board.has_gpu())
    return {compute_ceiling(board, mode, arithmetic), bandwidth_ceiling(board, mode)};
  return {peak_flops(board, mode, arithmetic, sms_on(board, mode)), peak_bandwidth(board, mode)};
}

LanguageRoof roof_of(const LanguageAnswer& found, const LanguageRow& row) {
  return roof_of(found.board_of(row), row.mode, found.setting_of(row).arithmetic);
}

}  // namespace ridgewatt::answer
