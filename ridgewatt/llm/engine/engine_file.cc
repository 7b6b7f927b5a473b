#include "ridgewatt/llm/engine_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/io/embedded.h"
#include "ridgewatt/io/toml.h"

namespace ridgewatt::llm {
namespace {

constexpr char kHead[] =
    "# Engines of language models as fitted to public runs (docs/methods/llm_engines.md): values,\n"
    "# and deviations of their logarithms. This file is written by\n"
    "#   ridgewatt evaluate llm llm-agx-orin-32gb.csv llm-boards.csv -o FILE\n";

struct ReleaseOfEngine {
  std::string_view name;  // of the engine
  std::string_view rows;  // as EngineRow::engine calls the release
  std::string_view title;
  std::string_view origin;
};
constexpr std::string_view kCells =
    "2026-11-23: cells of the IISWC 2026 artifact 'From Chat to Agents on the Edge'";
constexpr std::array kReleases = std::to_array<ReleaseOfEngine>({
    {"llama.cpp", "llama.cpp b5283", "llama.cpp b5283", kCells},
    {"llama.cpp", "llama.cpp b9292", "llama.cpp b9292",
     "2026-11-23: smolhub's study of the Orin Nano Super, 25 W and MAXN"},
    {"mlc", "mlc", "MLC LLM", "2026-11-23: no cell of its own; drawn from the other engines"},
    {"pytorch", "pytorch", "PyTorch 2.6, transformers 4.57", kCells},
    {"sglang", "sglang", "SGLang without CUDA graphs", kCells},
    {"tensorrt-llm", "tensorrt-llm", "TensorRT-LLM 0.12", kCells},
    {"vllm", "vllm", "vLLM 0.8.6 without CUDA graphs", kCells},
});

// Other words for engines; those with other separators need no row.
constexpr auto kEngineWords = std::to_array<std::pair<const char*, const char*>>({
    {"llama", "llama.cpp"},
    {"ggml", "llama.cpp"},
    {"trt", "tensorrt-llm"},
    {"trt-llm", "tensorrt-llm"},
    {"tensorrt", "tensorrt-llm"},
    {"mlc-llm", "mlc"},
    {"torch", "pytorch"},
    {"transformers", "pytorch"},
});

class EngineTable {
 public:
  EngineTable(const toml::table& table, std::string where)
      : table_(table), where_(std::move(where)) {}

  std::string text(std::string_view key) const {
    const auto found = table_[key].value_exact<std::string>();
    if (!found) fail(key, "must be text");
    return *found;
  }
  std::vector<std::string> texts(std::string_view key) const {
    std::vector<std::string> all;
    const toml::array* array = table_[key].as_array();
    if (array == nullptr) fail(key, "must be a list of texts");
    for (const toml::node& node : *array) {
      const auto one = node.value_exact<std::string>();
      if (!one) fail(key, "must be a list of texts");
      all.push_back(*one);
    }
    return all;
  }
  double number(std::string_view key) const {
    const auto one = table_[key].value<double>();
    if (!one || !std::isfinite(*one) || *one <= 0) fail(key, "must be a positive number");
    return *one;
  }
  template <std::size_t N>
  EnginePart<N> part(std::string_view key, std::span<const EngineTerm> terms) const {
    const toml::table* table = table_[key].as_table();
    if (table == nullptr) fail(key, "must be a table");
    const std::string place = where_ + "." + std::string(key);
    EnginePart<N> part;
    const auto rows = (*table)["rows"].value_exact<std::int64_t>();
    if (!rows || *rows < 0) throw InputError("rows must be a whole number of 0 and more", place);
    part.rows = static_cast<std::size_t>(*rows);
    for (std::size_t i = 0; i < N; ++i) {
      const toml::array* pair = (*table)[terms[i].key].as_array();
      const auto at = [&](std::size_t which) {
        const auto one = pair != nullptr && pair->size() == 2 ? pair->get(which)->value<double>()
                                                              : std::optional<double>();
        if (!one || !std::isfinite(*one) || *one <= 0) {
          throw InputError(std::string(terms[i].key) + " must be two positive numbers", place);
        }
        return *one;
      };
      part.value[i] = at(0);
      part.log_sd[i] = at(1);
    }
    return part;
  }

 private:
  [[noreturn]] void fail(std::string_view key, const std::string& fault) const {
    throw InputError(std::string(key) + " " + fault, where_);
  }
  const toml::table& table_;
  std::string where_;
};

EngineRelease parse_release(const toml::table& toml, const std::string& where) {
  const EngineTable table(toml, where);
  EngineRelease one;
  one.title = table.text("title");
  one.boards = table.texts("boards");
  one.quantizations = table.texts("quantizations");
  one.origin = table.text("origin");
  one.scales.step = table.number("step_scale");
  one.scales.prompt = table.number("prompt_scale");
  one.scales.decode_power = table.number("draw_scale");
  one.scales.prefill_power = table.number("prompt_draw_scale");
  one.engine.traits = engine_traits(table.text("works_as"));
  one.works_as = table.text("works_as");
  one.engine.step = table.part<kStepTerms>("step", step_terms());
  one.engine.prompt = table.part<kPromptTerms>("prompt", prompt_terms());
  one.engine.draw = table.part<kDrawTerms>("draw", draw_terms());
  one.engine.prompt_draw = table.part<kPromptDrawTerms>("prompt_draw", prompt_draw_terms());
  return one;
}

template <std::size_t N>
void write_part(std::string& out, std::string_view key, const EnginePart<N>& part,
                std::span<const EngineTerm> terms) {
  out += fmt::format("\n[engine.release.{}]\nrows = {}\n", key, part.rows);
  for (std::size_t i = 0; i < N; ++i) {
    out += fmt::format("{} = [{:.5g}, {:.3g}]\n", terms[i].key, part.value[i], part.log_sd[i]);
  }
}

void sum_up(ShippedEngine& engine) {
  std::set<std::string> boards, quantizations;
  for (const EngineRelease& one : engine.releases) {
    boards.insert(one.boards.begin(), one.boards.end());
    quantizations.insert(one.quantizations.begin(), one.quantizations.end());
  }
  engine.boards.assign(boards.begin(), boards.end());
  engine.quantizations.assign(quantizations.begin(), quantizations.end());
  engine.title = engine.releases.front().title;
  engine.origin = engine.releases.front().origin;
}

std::string quoted(std::span<const std::string> texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "\"" : ", \"") + text + '"';
  return "[" + all + "]";
}

}  // namespace

EngineFile ship_engines(std::span<const EngineRow> rows) {
  const EngineFits fits = fit_engines(rows);
  const std::vector<LeftOutCell> cells = left_out_cells(rows);
  const EngineScales scales = engine_scales(cells);
  EngineFile file;
  file.boards = board_draws(cells);
  auto& all = file.engines;
  for (const ReleaseOfEngine& of : kReleases) {
    EngineRelease release;
    release.title = of.title;
    release.origin = of.origin;
    release.works_as = of.rows;
    release.engine = fits.of(of.rows);
    release.scales = scales;
    std::set<std::string> boards, quantizations;
    for (const EngineRow& row : rows) {
      if (row.engine != of.rows || !row.fitted) continue;
      boards.insert(row.board);
      quantizations.insert(row.quantization);
    }
    release.boards.assign(boards.begin(), boards.end());
    release.quantizations.assign(quantizations.begin(), quantizations.end());
    if (all.empty() || all.back().name != of.name) all.emplace_back().name = of.name;
    all.back().releases.push_back(std::move(release));
  }
  for (ShippedEngine& engine : all) sum_up(engine);
  return file;
}

std::string engines_toml(const EngineFile& file) {
  std::string out = kHead;
  for (const BoardDraw& one : file.boards) {
    out += fmt::format(
        "\n# Power above idle over what engines that were fitted elsewhere say.\n"
        "[[board]]\nname = \"{}\"\ndynamic_power = {:.3g}\nrows = {}\n",
        one.board, one.dynamic, one.rows);
  }
  for (const ShippedEngine& engine : file.engines) {
    out += fmt::format("\n[[engine]]\nname = \"{}\"\n", engine.name);
    for (const EngineRelease& one : engine.releases) {
      out += fmt::format(
          "\n[[engine.release]]\ntitle = \"{}\"\nworks_as = \"{}\"\nboards = {}\n"
          "quantizations = {}\norigin = \"{}\"\n",
          one.title, one.works_as, quoted(one.boards), quoted(one.quantizations), one.origin);
      out += fmt::format(
          "step_scale = {:.3g}\nprompt_scale = {:.3g}\ndraw_scale = {:.3g}\n"
          "prompt_draw_scale = {:.3g}\n",
          one.scales.step, one.scales.prompt, one.scales.decode_power, one.scales.prefill_power);
      write_part(out, "step", one.engine.step, step_terms());
      write_part(out, "prompt", one.engine.prompt, prompt_terms());
      write_part(out, "draw", one.engine.draw, draw_terms());
      write_part(out, "prompt_draw", one.engine.prompt_draw, prompt_draw_terms());
    }
  }
  return out;
}

EngineFile parse_engines(std::string_view toml, const std::string& source) {
  const toml::table parsed = parse_toml(toml, source);
  const auto tables_of = [&](const toml::table& table, std::string_view key) {
    const toml::array* array = table[key].as_array();
    if (array == nullptr || array->empty()) {
      throw InputError(std::string(key) + " must be a list of tables", source);
    }
    std::vector<const toml::table*> all;
    for (const toml::node& node : *array) {
      if (!node.is_table()) throw InputError(std::string(key) + " must be tables", source);
      all.push_back(node.as_table());
    }
    return all;
  };
  EngineFile file;
  if (parsed.contains("board")) {
    for (const toml::table* board : tables_of(parsed, "board")) {
      const EngineTable table(*board, source + " board");
      file.boards.push_back({table.text("name"), table.number("dynamic_power"),
                             static_cast<std::size_t>(table.number("rows"))});
    }
  }
  for (const toml::table* engine : tables_of(parsed, "engine")) {
    ShippedEngine one;
    one.name = EngineTable(*engine, source).text("name");
    for (const toml::table* release : tables_of(*engine, "release")) {
      one.releases.push_back(parse_release(*release, source + " engine " + one.name));
    }
    sum_up(one);
    file.engines.push_back(std::move(one));
  }
  return file;
}

const EngineFile& shipped_engine_file() {
  static const EngineFile kFile = [] {
    const EmbeddedFile file = embedded::engines().front();
    return parse_engines(file.content, std::string(file.name));
  }();
  return kFile;
}

std::span<const ShippedEngine> engines() {
  return shipped_engine_file().engines;
}

namespace {

NameSet engine_names() {
  NameSet set;
  for (const ShippedEngine& engine : engines()) set.names.push_back(engine.name);
  for (const auto& [word, name] : kEngineWords) {
    if (std::find(set.names.begin(), set.names.end(), name) != set.names.end()) {
      set.synonyms.push_back({word, name});
    }
  }
  return set;
}

}  // namespace

const ShippedEngine& find_engine(std::string_view name) {
  const std::string known = require_name("engine", name, engine_names());
  return *std::find_if(engines().begin(), engines().end(),
                       [&](const ShippedEngine& engine) { return engine.name == known; });
}

const EngineRelease& ShippedEngine::release_for(std::string_view board) const {
  for (const EngineRelease& one : releases) {
    if (std::find(one.boards.begin(), one.boards.end(), board) != one.boards.end()) return one;
  }
  return releases.front();
}

}  // namespace ridgewatt::llm
