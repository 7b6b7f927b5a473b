#include "ridgewatt/llm/engine_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/llm/engine_facts.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

constexpr double kLeastPrompt = 256;
constexpr double kKernelTokens = 128;   // tokens of prompt and generation, in traces of kernels
constexpr double kLeastSampledS = 0.5;  // a shorter prompt has too few samples of power
// Kernels of llama.cpp and vLLM take 0.96 to 0.99 of a step on the board whose kernels are public.
constexpr double kKernelShare = 0.97;
constexpr std::size_t kMostRowBytes = std::size_t{64} << 20;

// Time constant of a power meter. Chosen after the cells of TensorRT-LLM and llama.cpp were seen,
// whose mean power rises with the length of a run at the same time per token.
constexpr double kMeterLagS = 0.25;
// Share of a jump in power that the mean over the next `seconds` does not show.
double lag_share(double seconds) {
  return kMeterLagS / seconds * -std::expm1(-seconds / kMeterLagS);
}

// The zoo's name of "Llama 3.2 3B" or "Qwen3-4B-VL" (its language model).
std::string model_named(std::string_view theirs) {
  std::string name = lower_case(theirs);
  std::replace(name.begin(), name.end(), ' ', '-');
  constexpr std::string_view kVision = "-vl";
  if (name.ends_with(kVision)) name.resize(name.size() - kVision.size());
  if (name.starts_with("qwen-")) name.erase(4, 1);
  return name;
}

// The recipe for the name that a source uses.
std::optional<Recipe> recipe_named(std::string name) {
  if (name == "fp16" || name == "w16a16") name = "f16";
  if (name == "int4") name = "awq";  // TensorRT-LLM: AWQ
  if (name == "w8a16") name = "int8";
  if (name.starts_with("w4a16")) name = "w4a16";
  if (name == "4bit") name = "nf4";
  for (const Recipe& recipe : recipes()) {
    if (recipe.name == name) return recipe;
  }
  return std::nullopt;
}

bool prompts_were_cached(std::string_view variant, std::string_view quantization) {
  for (const EngineFacts& engine : engine_facts()) {
    for (const EngineVariant& one : engine.variants) {
      if (one.name != variant) continue;
      return contains(one.cached_prompts, quantization);
    }
  }
  return false;
}

class EngineRowReader {
 public:
  explicit EngineRowReader(const std::string& path)
      : text_(read_file(path, kMostRowBytes)), csv_(text_, path) {
    normalized_ = csv_.column("what_is_timed").has_value();
    cells_ = !normalized_ && csv_.column("ttft_ms").has_value();
    const std::vector<const char*> normalized = {
        "board",         "runtime",    "workload", "precision", "batch",   "input",
        "what_is_timed", "latency_ms", "power_w",  "ttft_ms",   "tpot_ms", "note"};
    const std::vector<const char*> cell = {
        "runtime",          "model",   "quantization", "prompt_tokens",
        "generated_tokens", "ttft_ms", "tpot_ms",      "decode_power_w"};
    const std::vector<const char*> board = {"board",     "power_mode", "runtime",  "workload",
                                            "precision", "batch",      "sequence", "metric",
                                            "value",     "note"};
    for (const char* name : normalized_ ? normalized : cells_ ? cell : board) {
      columns_[name] = csv_.require_column(name);
    }
  }

  EngineRows read() {
    while (csv_.next()) {
      if (normalized_) {
        read_normalized_row();
      } else if (cells_) {
        read_cell();
      } else {
        read_board_row();
      }
    }
    for (auto& [key, row] : kernels_) {
      const Engine engine = prior_engine(engine_traits(row.engine));
      if (engine.traits.launches_ahead || row.step_s < engine.least_s(row.decode, row.hardware)) {
        all_.left_out.push_back({key, "times of single kernels do not give the time of a step"});
      } else {
        all_.rows.push_back(std::move(row));
      }
    }
    return std::move(all_);
  }

 private:
  std::string_view at(const char* column) const { return csv_.field(columns_.at(column)); }
  double positive(const char* column) const {
    const double value = csv_.number(columns_.at(column));
    if (!(value > 0)) throw InputError(fmt::format("{} must be positive", column), csv_.where());
    return value;
  }
  void leave_out(const std::string& reason) {
    const char* model = cells_ ? "model" : "workload";
    const char* width = cells_ ? "quantization" : "precision";
    all_.left_out.push_back(
        {fmt::format("{} {} in {}", at(model), at(width), at("runtime")), reason});
  }

  // Fills engine, model, quantization and work. Returns false if one of them is unknown.
  bool describe_row(EngineRow& row, std::string_view model, std::string quantization) {
    return describe_row(row, model, std::move(quantization), lower_case(at("runtime")));
  }
  bool describe_row(EngineRow& row, std::string_view model, std::string quantization,
                    const std::string& theirs) {
    const FoundVariant found = find_variant_of_rows(theirs);
    if (found.engine == nullptr) return leave_out("the engine is not known"), false;
    row.engine = found.variant->name;
    row.model = model_named(model);
    constexpr std::string_view kFallback = "gguf_";  // vLLM falls back to an older engine
    if (quantization.starts_with(kFallback)) {
      quantization.erase(0, kFallback.size());
      row.engine += " (gguf)";
    }
    constexpr std::string_view kWithoutCache = "_nocache";
    if (quantization.ends_with(kWithoutCache)) {
      quantization.resize(quantization.size() - kWithoutCache.size());
    }
    row.quantization = quantization.substr(0, quantization.find(' '));  // "w4a16 or similar"
    constexpr std::array<std::string_view, 3> kSixteenBits = {"fp16", "bf16", "w16a16"};
    if (contains(kSixteenBits, row.quantization)) {
      row.quantization = "f16";  // equal for an engine, so the rows are held out together
    }
    for (const auto& [written, recipe] : found.engine->means) {
      if (quantization == written) quantization = recipe;
    }
    const auto recipe = recipe_named(quantization);
    if (!recipe) return leave_out("the quantization is not known"), false;
    const ZooModel* entry = find_zoo_model(row.model);
    if (entry == nullptr) return leave_out("the zoo does not have the model"), false;
    const Description description = describe(entry->numbers, row.model);
    const auto tensors = quantized(description, *recipe);
    row.decode = decode_work(description, tensors, row.prompt_tokens + row.generated_tokens / 2);
    row.prompt = prompt_work(description, tensors, row.prompt_tokens);
    return true;
  }

  double rail_w(const char* name) {
    const auto column = csv_.column(name);
    if (!column || csv_.field(*column).empty()) return std::numeric_limits<double>::quiet_NaN();
    return csv_.number(*column);
  }

  // The total power of a phase, or NaN if there is none. Some runs add VDDQ_VDD2_1V8AO to rails
  // that contain it already (docs/reference/sensors.md). Their total is the sum of the other three.
  double power_of(const std::string& phase) {
    const auto total = csv_.column(phase + "_power_w");
    if (!total || csv_.field(*total).empty()) return std::numeric_limits<double>::quiet_NaN();
    const double power_w = csv_.number(*total);
    if (!(power_w > 0)) throw InputError(phase + "_power_w must be positive", csv_.where());
    double rails_w = 0, memory_w = 0;
    for (const char* rail : {"_gpu_w", "_cpu_w", "_soc_w", "_dram_w"}) {
      const auto column = csv_.column(phase + rail);
      if (!column || csv_.field(*column).empty()) return power_w;
      memory_w = csv_.number(*column);
      rails_w += memory_w;
    }
    const bool twice = memory_w > 0 && std::abs(power_w - rails_w) < 0.5 * memory_w;
    if (twice) ++all_.memory_twice;
    return twice ? power_w - memory_w : power_w;
  }

  void read_cell() {
    EngineRow row;
    const std::string quantization = lower_case(at("quantization"));
    row.prompt_tokens = positive("prompt_tokens");
    row.generated_tokens = positive("generated_tokens");
    if (!describe_row(row, at("model"), quantization)) return;
    static const Board kBoard = load_board("agx-orin-32gb@super");
    row.board = kBoard.name;
    row.mode = "MAXN";
    static const EngineBoard kHardware(kBoard);
    row.hardware = kHardware(knob_space(kBoard).top());
    row.step_s = positive("tpot_ms") * 1e-3;
    const bool cached = prompts_were_cached(row.engine, quantization);
    if (!cached && row.prompt_tokens >= kLeastPrompt) row.prompt_s = positive("ttft_ms") * 1e-3;
    row.decode_power_w = power_of("decode");
    const double prompt_s = positive("ttft_ms") * 1e-3;
    row.prefill_metered = 1 - lag_share(prompt_s);
    row.decode_metered =
        1 - lag_share(row.generated_tokens * row.step_s) * std::exp(-prompt_s / kMeterLagS);
    row.rail_share = rail_w("decode_gpu_w") + rail_w("decode_cpu_w");
    row.rail_share /= row.decode_power_w;
    if (!cached && prompt_s >= kLeastSampledS) {
      row.prefill_power_w = power_of("prefill");
    }
    all_.rows.push_back(std::move(row));
  }

  // The number after `name` in "GPU 408 MHz, CPU 960 MHz", or 0.
  static double number_behind(std::string_view text, std::string_view name) {
    const auto found = text.find(name);
    if (found == std::string_view::npos) return 0;
    const std::string_view rest = text.substr(found + name.size());
    return parse_double(rest.substr(0, rest.find(' '))).value_or(0);
  }

  void read_board_row() {
    const std::string_view metric = at("metric");
    if (metric != "tok_s_decode" && metric != "J_per_token") return leave_out("no time or joules");
    if (at("batch") != "1") return leave_out("more than one sequence");
    const double gpu_mhz = number_behind(at("power_mode"), "GPU ");
    const double cpu_mhz = number_behind(at("power_mode"), "CPU ");
    if (at("board").starts_with("Orin Nano Super") && gpu_mhz > 0 && cpu_mhz > 0) {
      return read_nano_row(gpu_mhz, cpu_mhz);
    }
    if (metric == "tok_s_decode") return read_judged_row();
    leave_out("the mode does not name its clocks");
  }

  void read_nano_row(double gpu_mhz, double cpu_mhz) {
    EngineRow row;
    const std::string_view sequence = at("sequence");
    row.prompt_tokens = parse_double(sequence.substr(0, sequence.find(' '))).value_or(0);
    row.generated_tokens = number_behind(sequence, "prompt, ");
    if (row.prompt_tokens <= 0 || row.generated_tokens <= 0) {
      return leave_out("prompt and generation are not stated");
    }
    if (!describe_row(row, at("workload"), lower_case(at("precision")))) return;
    static const Board kBoard = load_board("orin-nano-8gb@super");
    static const EngineBoard kHardware(kBoard);
    row.board = kBoard.name;
    row.mode = std::string(at("power_mode").substr(0, at("power_mode").find(':')));
    PowerMode mode = knob_space(kBoard).top();
    mode.gpu_clock_hz = hz_of_mhz(gpu_mhz);
    mode.cpu_clock_hz = hz_of_mhz(cpu_mhz);
    const bool low = row.mode == "7W" || row.mode == "15W";
    if (low) mode.mem_clock_hz = hz_of_mhz(2133);
    // The preset of 7 W disables half of the multiprocessors.
    row.hardware = kHardware(mode, row.mode == "7W" ? kBoard.sms / 2 : 0);
    if (at("metric") == "J_per_token") {
      if (at("note").find("approximated") != std::string_view::npos) {
        return leave_out("the source approximates the joules");
      }
      row.fitted = false;
      row.rail_token_j = positive("value");
    } else {
      row.step_s = 1 / positive("value");
    }
    all_.rows.push_back(std::move(row));
  }

  double number_or_nan(const char* column) const {
    return at(column).empty() ? std::numeric_limits<double>::quiet_NaN() : positive(column);
  }

  // A row of a file whose columns are common to all sources. The power of Orin boards is not used:
  // it is the sum of four rails, one of which contains another.
  void read_normalized_row() {
    const std::string_view timed = at("what_is_timed");
    const bool kernel = timed.starts_with("kernel time per token");
    if (!kernel && !timed.starts_with("decoding, per token") &&
        !timed.starts_with("first token; decoding")) {
      return leave_out("not a language model alone");
    }
    if (at("batch") != "1") return leave_out("more than one sequence");
    const std::string_view sequence = at("input");
    const auto slash = sequence.find('/');
    EngineRow row;
    row.prompt_tokens = row.generated_tokens = kKernelTokens;
    if (!kernel) {
      if (slash == std::string_view::npos) return leave_out("prompt and generation are not stated");
      row.prompt_tokens = parse_double(sequence.substr(0, slash)).value_or(0);
      row.generated_tokens = parse_double(sequence.substr(slash + 1)).value_or(0);
    }
    std::string theirs = lower_case(at("runtime"));
    std::string quantization = lower_case(at("precision"));
    const bool fused = at("note").starts_with("llamacpp_fa") || quantization.ends_with("_fa");
    if (quantization.ends_with("_fa")) quantization.resize(quantization.size() - 3);
    if (quantization.starts_with("gguf_")) {
      quantization.erase(0, 5);
      theirs += " gguf";
    }
    const bool thor = at("board") == "thor";
    if (fused && !thor) theirs += " flash attention";
    if (thor) theirs += " thor";
    if (!describe_row(row, at("workload"), quantization, theirs)) return;
    static std::map<std::string, std::pair<Board, EngineBoard>, std::less<>> boards;
    auto board = boards.find(at("board"));
    if (board == boards.end()) {
      const Board loaded = load_board(std::string(at("board")));
      board = boards.emplace(at("board"), std::pair(loaded, EngineBoard(loaded))).first;
    }
    row.board = board->second.first.name;
    row.mode = "MAXN";
    row.hardware = board->second.second(knob_space(board->second.first).top());
    if (kernel) {
      const std::string note(at("note").substr(0, at("note").find(';')));
      auto& sum = kernels_.emplace(theirs + ": " + note, row).first->second;
      const double before = std::isnan(sum.step_s) ? 0 : sum.step_s;
      sum.step_s = before + csv_.number(columns_.at("latency_ms")) * 1e-3 / kKernelShare;
      return;
    }
    row.step_s = number_or_nan("tpot_ms") * 1e-3;
    if (row.prompt_tokens >= kLeastPrompt) row.prompt_s = number_or_nan("ttft_ms") * 1e-3;
    if (thor) row.board_power_w = number_or_nan("power_w");
    all_.rows.push_back(std::move(row));
  }

  // A row that does not state its clocks. engine_rows.h describes what its source implies about the
  // mode.
  void read_judged_row() {
    struct Source {
      std::string_view theirs, board, mode;
      bool whole_request;
      // The engine of current releases, which capture graphs. The releases of the other cells did
      // not.
      std::string_view judged_as = {};
    };
    constexpr std::array<Source, 3> kSources = {
        {{"vllm", "agx-orin@jp5.1", "MAXN", true, "vllm (graphs)"},
         {"mlc", "orin-nano-8gb@jp5", "15W", false},
         {"tensorrt-edge-llm (trt 10.7)", "agx-orin@jp5.1", "MAXN", false}}};
    const std::string theirs = lower_case(at("runtime"));
    const auto* source = std::find_if(kSources.begin(), kSources.end(),
                                      [&](const Source& one) { return one.theirs == theirs; });
    if (source == kSources.end()) return leave_out("the mode does not name its clocks");
    EngineRow row;
    row.fitted = theirs == "mlc";
    const std::string_view sequence = at("sequence");
    constexpr double kShort = 128;
    row.prompt_tokens = parse_double(sequence.substr(0, sequence.find(' '))).value_or(kShort);
    row.generated_tokens = std::max(kShort, number_behind(sequence, "in / "));
    if (!describe_row(row, at("workload"), lower_case(at("precision")))) return;
    if (!source->judged_as.empty()) row.engine = source->judged_as;
    const Board board = load_board(std::string(source->board));
    row.board = board.name;
    row.mode = source->mode;
    PowerMode mode = knob_space(board).top();
    for (const Preset& preset : board.find_bsp().presets) {
      if (preset.name == source->mode) mode = preset.mode;
    }
    row.hardware = EngineBoard(board)(mode);
    const double seconds = 1 / positive("value");
    if (source->whole_request) {
      row.request_s = seconds * row.generated_tokens;
    } else {
      row.step_s = seconds;
    }
    all_.rows.push_back(std::move(row));
  }

  std::string text_;
  CsvReader csv_;
  bool normalized_ = false, cells_ = false;
  std::map<std::string, EngineRow> kernels_;  // sums over categories, by engine and run
  std::map<std::string, std::size_t, std::less<>> columns_;
  EngineRows all_;
};

}  // namespace

EngineRows load_engine_rows(const std::string& path) {
  return EngineRowReader(path).read();
}

}  // namespace ridgewatt::llm
