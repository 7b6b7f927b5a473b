// Names that a user may type as a value: boards, built-in models, presets. Unlike choices they do
// not limit the value. Completion proposes them.
//
//   {.name = "device", .access = .., .words = {boards, all_boards}}  // a row of parameters
#pragma once

#include <array>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"

namespace ridgewatt::answer {

struct Word {
  std::string word;
  std::string description;
};

// Appends names. `device`: the board that the user named, whose presets are appended; empty: none.
using WordSource = void(const std::string& device, std::vector<Word>& all);
struct WordSources {
  constexpr WordSources() = default;
  constexpr WordSources(WordSource* first, WordSource* second = nullptr,
                        WordSource* third = nullptr)
      : sources{first, second, third} {}
  constexpr bool empty() const { return sources[0] == nullptr; }
  std::array<WordSource*, 3> sources = {};
  bool list = false;  // names separated by commas
};

WordSource boards;                             // also with a BSP: orin-nano-8gb@super
WordSource fake_boards;                        // "agx-orin" for fake:agx-orin
WordSource live_boards;                        // local, and fake:BOARD
WordSource local_board;                        // local
WordSource all_boards;                         // all
WordSource models, language_models;            // zoo:NAME
WordSource model_names, language_model_names;  // without zoo:
WordSource presets;                            // of the named board, or else of every board
WordSource phase_presets;                      // PHASE=PRESET
WordSource modes;                              // presets, and the words "all", "presets", "maxn"
WordSource quantizations;                      // "stored", and all recipes
WordSource recipes;                            // quantizations of GGUF files and checkpoints
WordSource gguf_recipes;                       // quantizations of GGUF files
WordSource all_quantizations;                  // all
WordSource engines;                            // engines of language models
WordSource studies;
WordSource seen_names;  // of `explain --seen`, each with "="

template <class E>
void names_of(const std::string&, std::vector<Word>& all) {
  for (auto& name : names<E>()) all.push_back({std::move(name), ""});
}

// Returns the names from all sources.
std::vector<Word> words_of(const WordSources& sources, const std::string& device);

}  // namespace ridgewatt::answer
