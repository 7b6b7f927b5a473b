#include "ridgewatt/llm/engine_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

constexpr double kLeastPrompt = 256;
constexpr std::size_t kMostRowBytes = std::size_t{64} << 20;

struct EngineName {
  std::string_view theirs;
  std::string_view ours;
};
constexpr std::array kEngineNames = std::to_array<EngineName>({
    {"llamacpp", "llama.cpp b5283"},  // as the cells' source says
    {"llama.cpp b9292", "llama.cpp b9292"},
    {"vllm", "vllm"},
    {"sglang", "sglang"},
    {"trtllm", "tensorrt-llm"},
    {"pytorch", "pytorch"},
});

std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Recipes under the names that sources have for them.
std::optional<Recipe> recipe_named(std::string name) {
  if (name == "fp16") name = "f16";
  if (name == "int4") name = "awq";  // TensorRT-LLM: AWQ
  if (name == "4bit") {              // bitsandbytes: a scale of 32 bits for 64 numbers, 4.5 bits
    Recipe recipe = find_recipe("w4a16");
    recipe.group = 32;
    return recipe;
  }
  for (const Recipe& recipe : recipes()) {
    if (recipe.name == name) return recipe;
  }
  return std::nullopt;
}

class EngineRowReader {
 public:
  explicit EngineRowReader(const std::string& path)
      : text_(read_file(path, kMostRowBytes)), csv_(text_, path) {
    cells_ = csv_.column("ttft_ms").has_value();
    const std::vector<const char*> cell = {
        "runtime",          "model",   "quantization", "prompt_tokens",
        "generated_tokens", "ttft_ms", "tpot_ms",      "decode_power_w"};
    const std::vector<const char*> board = {"board",    "power_mode", "runtime",
                                            "workload", "precision",  "batch",
                                            "sequence", "metric",     "value"};
    for (const char* name : cells_ ? cell : board) columns_[name] = csv_.require_column(name);
  }

  EngineRows read() {
    while (csv_.next()) {
      if (cells_) {
        read_cell();
      } else {
        read_board_row();
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

  // Fills engine, model, quantization and work; false where one is not known.
  bool describe_row(EngineRow& row, std::string_view model, std::string quantization) {
    const std::string theirs = lowered(at("runtime"));
    const auto* engine = std::find_if(kEngineNames.begin(), kEngineNames.end(),
                                      [&](const EngineName& one) { return one.theirs == theirs; });
    if (engine == kEngineNames.end()) return leave_out("the engine is not known"), false;
    row.engine = engine->ours;
    row.model = lowered(model);
    constexpr std::string_view kFallback = "gguf_";  // vLLM falls back to an older engine
    if (quantization.starts_with(kFallback)) {
      quantization.erase(0, kFallback.size());
      row.engine += " (gguf)";
    }
    constexpr std::string_view kWithoutCache = "_nocache";
    if (quantization.ends_with(kWithoutCache)) {
      quantization.resize(quantization.size() - kWithoutCache.size());
    }
    row.quantization = quantization;
    const auto recipe = recipe_named(quantization);
    if (!recipe) return leave_out("the quantization is not known"), false;
    const auto zoo = language_zoo();
    const auto* entry = std::find_if(zoo.data(), zoo.data() + zoo.size(),
                                     [&](const ZooModel& one) { return one.name == row.model; });
    if (entry == zoo.data() + zoo.size())
      return leave_out("the zoo does not have the model"), false;
    const Description description = describe(entry->numbers, row.model);
    const auto tensors = quantized(description, *recipe);
    row.decode = decode_work(description, tensors, row.prompt_tokens + row.generated_tokens / 2);
    row.prompt = prompt_work(description, tensors, row.prompt_tokens);
    return true;
  }

  void read_cell() {
    EngineRow row;
    const std::string quantization = lowered(at("quantization"));
    row.prompt_tokens = positive("prompt_tokens");
    row.generated_tokens = positive("generated_tokens");
    if (!describe_row(row, at("model"), quantization)) return;
    static const Board kBoard = load_board("agx-orin-32gb@super");
    row.board = kBoard.name;
    row.mode = "MAXN";
    row.hardware = engine_hardware(kBoard, knob_space(kBoard).top());
    row.step_s = positive("tpot_ms") * 1e-3;
    const bool cached = quantization == "fp16" && (row.engine == "vllm" || row.engine == "sglang");
    if (!cached && row.prompt_tokens >= kLeastPrompt) row.prompt_s = positive("ttft_ms") * 1e-3;
    if (!at("decode_power_w").empty()) row.decode_power_w = positive("decode_power_w");
    all_.rows.push_back(std::move(row));
  }

  // The number before `unit` in "GPU 408 MHz, CPU 960 MHz" behind `name`.
  static double number_behind(std::string_view text, std::string_view name) {
    const auto found = text.find(name);
    if (found == std::string_view::npos) return 0;
    const std::string_view rest = text.substr(found + name.size());
    return parse_double(rest.substr(0, rest.find(' '))).value_or(0);
  }

  void read_board_row() {
    if (at("metric") != "tok_s_decode") return leave_out("no tokens per second");
    const double gpu_mhz = number_behind(at("power_mode"), "GPU ");
    const double cpu_mhz = number_behind(at("power_mode"), "CPU ");
    if (!at("board").starts_with("Orin Nano Super") || gpu_mhz <= 0 || cpu_mhz <= 0) {
      return leave_out("the mode does not name its clocks");
    }
    EngineRow row;
    const std::string_view sequence = at("sequence");
    row.prompt_tokens = parse_double(sequence.substr(0, sequence.find(' '))).value_or(0);
    row.generated_tokens = number_behind(sequence, "prompt, ");
    if (row.prompt_tokens <= 0 || row.generated_tokens <= 0 || at("batch") != "1") {
      return leave_out("prompt and generation of one sequence are not stated");
    }
    if (!describe_row(row, at("workload"), lowered(at("precision")))) return;
    static const Board kBoard = load_board("orin-nano-8gb@super");
    row.board = kBoard.name;
    row.mode = std::string(at("power_mode").substr(0, at("power_mode").find(':')));
    PowerMode mode = knob_space(kBoard).top();
    mode.gpu_clock_hz = hz_of_mhz(gpu_mhz);
    mode.cpu_clock_hz = hz_of_mhz(cpu_mhz);
    row.fitted = row.mode != "7W" && row.mode != "15W";
    if (!row.fitted) mode.mem_clock_hz = hz_of_mhz(2133);
    row.hardware = engine_hardware(kBoard, mode);
    row.step_s = 1 / positive("value");
    all_.rows.push_back(std::move(row));
  }

  std::string text_;
  CsvReader csv_;
  bool cells_ = false;
  std::map<std::string, std::size_t, std::less<>> columns_;
  EngineRows all_;
};

}  // namespace

EngineRows load_engine_rows(const std::string& path) {
  return EngineRowReader(path).read();
}

}  // namespace ridgewatt::llm
