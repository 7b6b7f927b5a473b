#include "ridgewatt/answer/words.h"

#include <algorithm>
#include <set>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/llm/engine_facts.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/study/study.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::answer {
namespace {

using Words = std::vector<Word>;

void add_zoo(const std::string& prefix, Words& all) {
  for (const auto& entry : workload::zoo()) {
    all.push_back({prefix + std::string(entry.name), std::string(entry.description)});
  }
}

void add_language_zoo(const std::string& prefix, Words& all) {
  for (const auto& entry : llm::language_zoo()) {
    all.push_back({prefix + std::string(entry.name), std::string(entry.source)});
  }
}

}  // namespace

void boards(const std::string&, Words& all) {
  for (const auto& name : board_names().names) all.push_back({name, "board"});
}

void fake_boards(const std::string&, Words& all) {
  for (const auto& name : platform::fake_board_names()) all.push_back({name, "fake board"});
}

void live_boards(const std::string& device, Words& all) {
  std::set<std::string> names;  // with and without a release
  for (const auto& name : platform::fake_board_names()) {
    names.insert({name, platform::fake_board_spec(name).board});
  }
  for (const auto& name : names) all.push_back({"fake:" + name, "fake board"});
  local_board(device, all);
}

void local_board(const std::string&, Words& all) {
  all.push_back({"local", "this machine"});
}

void all_boards(const std::string&, Words& all) {
  all.push_back({"all", "ranks the boards"});
}

void models(const std::string&, Words& all) {
  add_zoo("zoo:", all);
}

void language_models(const std::string&, Words& all) {
  add_language_zoo("zoo:", all);
}

void model_names(const std::string&, Words& all) {
  add_zoo("", all);
}

void language_model_names(const std::string&, Words& all) {
  add_language_zoo("", all);
}

namespace {

// Presets of `device`. A fake board has those of its nvpmodel.conf. For an unknown name, returns
// the presets of all boards.
std::vector<std::string> preset_names(const std::string& device) {
  std::vector<std::string> names, boards = list_boards();
  const auto& fakes = platform::fake_board_names();
  const std::string name = device.substr(device.find(':') + 1);
  if (name != device && std::ranges::find(fakes, name) != fakes.end()) {
    const platform::FakeBoardSpec spec = platform::fake_board_spec(name);
    for (const auto& preset : spec.presets) names.emplace_back(preset.name);
    return names;
  }
  if (const auto board = find_meant(name, board_names())) boards = {*board};
  for (const auto& board : boards) {
    for (const auto& preset : ridgewatt::presets(load_board(board))) names.push_back(preset.name);
  }
  return names;
}

}  // namespace

void presets(const std::string& device, Words& all) {
  std::set<std::string> known;
  for (const auto& name : preset_names(device)) {
    if (known.insert(name).second) all.push_back({name, "preset"});
  }
}

void phase_presets(const std::string& device, Words& all) {
  Words names;
  presets(device, names);
  for (const char* phase : {"prefill=", "decode="}) {
    for (const auto& name : names) all.push_back({phase + name.word, "preset of the phase"});
  }
}

void modes(const std::string& device, Words& all) {
  all.insert(all.end(), {{"all", "every mode"}, {"presets", "every preset"}, {"maxn", "no limit"}});
  presets(device, all);
}

void quantizations(const std::string&, Words& all) {
  all.push_back({"stored", "as in the file"});
  recipes({}, all);
}

void all_quantizations(const std::string&, Words& all) {
  all.push_back({"all", "every one"});
}

void recipes(const std::string&, Words& all) {
  for (const auto& recipe : llm::recipes()) all.push_back({std::string(recipe.name), ""});
}

void gguf_recipes(const std::string&, Words& all) {
  for (const auto& recipe : llm::recipes()) {
    if (recipe.gguf()) all.push_back({std::string(recipe.name), ""});
  }
}

void engines(const std::string&, Words& all) {
  for (const auto& engine : llm::engine_facts()) all.push_back({engine.name, "engine"});
}

void studies(const std::string&, Words& all) {
  for (const auto& name : study::list_studies()) all.push_back({name, "study"});
}

void seen_names(const std::string&, Words& all) {
  for (const auto& value : seen_values()) all.push_back({std::string(value.name) + "=", ""});
}

std::vector<Word> words_of(const WordSources& sources, const std::string& device) {
  std::vector<Word> all;
  for (WordSource* const source : sources.sources) {
    if (source != nullptr) source(device, all);
  }
  return all;
}

}  // namespace ridgewatt::answer
