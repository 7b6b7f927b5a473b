#include "ridgewatt/llm/engine_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/llm/engine/engine_table.h"
#include "ridgewatt/llm/engine_facts.h"

namespace ridgewatt::llm {
namespace {

constexpr char kHead[] =
    "# Engines of language models as fitted to public runs (docs/methods/llm_engines.md): values,\n"
    "# and deviations of their logarithms. This file is written by\n"
    "#   ridgewatt evaluate llm llm-agx-orin-32gb.csv llm-boards.csv thor.csv orin_side.csv -o "
    "FILE\n";

template <std::size_t N>
EnginePart<N> part_of(const TomlTable& release, std::string_view key,
                      std::span<const EngineTerm> terms, const EngineTable& read) {
  const auto* table = release[key].as<TomlTable>();
  if (table == nullptr) read.fail(key, "must be a table");
  const std::string place = read.where() + "." + std::string(key);
  EnginePart<N> part;
  const auto* rows = (*table)["rows"].as<std::int64_t>();
  if (!rows || *rows < 0) throw InputError("rows must be a whole number of 0 or more", place);
  part.rows = static_cast<std::size_t>(*rows);
  for (std::size_t i = 0; i < N; ++i) {
    const auto* pair = (*table)[terms[i].key].as<TomlArray>();
    const auto at = [&](std::size_t which) {
      const auto one =
          pair != nullptr && pair->size() == 2 ? (*pair)[which].number() : std::optional<double>();
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

EngineRelease parse_release(const TomlTable& toml, const std::string& where) {
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
  const EngineVariant* variant = find_variant(one.works_as);
  one.gguf = variant != nullptr && variant->gguf;
  one.engine.step = part_of<kStepTerms>(toml, "step", step_terms(), table);
  one.engine.prompt = part_of<kPromptTerms>(toml, "prompt", prompt_terms(), table);
  one.engine.draw = part_of<kDrawTerms>(toml, "draw", draw_terms(), table);
  one.engine.prompt_draw =
      part_of<kPromptDrawTerms>(toml, "prompt_draw", prompt_draw_terms(), table);
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

EngineRelease release_of(const EngineVariant& of, std::span<const EngineRow> rows,
                         const EngineFits& fits, const EngineScales& scales) {
  EngineRelease release;
  release.title = of.title;
  release.origin = of.origin;
  release.works_as = of.name;
  release.gguf = of.gguf;
  release.engine = fits.of(of.name);
  release.scales = scales;
  std::set<std::string> boards, quantizations;
  for (const EngineRow& row : rows) {
    if (row.engine != of.name || !row.fitted) continue;
    boards.insert(row.board);
    quantizations.insert(row.quantization);
  }
  release.boards.assign(boards.begin(), boards.end());
  release.quantizations.assign(quantizations.begin(), quantizations.end());
  return release;
}

}  // namespace

EngineFile ship_engines(std::span<const EngineRow> rows, std::span<const LeftOutCell> cells) {
  const EngineFits fits = fit_engines(rows);
  const EngineScales scales = engine_scales(cells);
  EngineFile file;
  file.boards = board_draws(cells);
  auto& all = file.engines;
  for (const EngineFacts& facts : engine_facts()) {
    ShippedEngine& engine = all.emplace_back();
    engine.name = facts.name;
    for (const EngineVariant& of : facts.variants) {
      if (!of.title.empty()) engine.releases.push_back(release_of(of, rows, fits, scales));
    }
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
  const TomlTable parsed = parse_toml(toml, source);
  EngineFile file;
  if (parsed.contains("board")) {
    for (const TomlTable* board : tables_of(parsed, "board", source)) {
      const EngineTable table(*board, source + " board");
      file.boards.push_back({table.text("name"), table.number("dynamic_power"),
                             static_cast<std::size_t>(table.number("rows"))});
    }
  }
  for (const TomlTable* engine : tables_of(parsed, "engine", source)) {
    ShippedEngine one;
    one.name = EngineTable(*engine, source).text("name");
    for (const TomlTable* release : tables_of(*engine, "release", source)) {
      one.releases.push_back(parse_release(*release, source + " engine " + one.name));
    }
    sum_up(one);
    file.engines.push_back(std::move(one));
  }
  return file;
}

const EngineFile& shipped_engine_file() {
  static const EngineFile kFile = [] {
    const EmbeddedFile& file = embedded_engines("language_models.toml");
    return parse_engines(unpacked(file.content), std::string(file.name));
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
  for (const EngineFacts& engine : engine_facts()) {
    for (const std::string& word : engine.words) set.synonyms.push_back({word, engine.name});
  }
  return set;
}

}  // namespace

const ShippedEngine& find_engine(std::string_view name) {
  const std::string known = require_name("engine", name, engine_names());
  return *std::find_if(engines().begin(), engines().end(),
                       [&](const ShippedEngine& engine) { return engine.name == known; });
}

const EngineRelease& ShippedEngine::release_for(const Board& board, bool gguf) const {
  const auto is_for = [&](const EngineRelease& one) { return one.gguf == gguf; };
  const bool some = std::any_of(releases.begin(), releases.end(), is_for);
  const EngineRelease* first = nullptr;
  for (const EngineRelease& one : releases) {
    if (some && !is_for(one)) continue;
    if (first == nullptr) first = &one;
    if (contains(one.boards, board.name)) return one;
    const bool launches = engine_traits(one.works_as).launches_ahead;
    if (board.discrete_gpu && engine_traits(first->works_as).launches_ahead && !launches)
      first = &one;
  }
  return *first;
}

}  // namespace ridgewatt::llm
