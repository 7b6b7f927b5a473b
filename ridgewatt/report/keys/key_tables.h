// The meanings of keys, by subject. A scope before a key ("tune.llm:limits", "schedule:bound")
// limits the row to this command, or to all commands that begin with this word.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/report/keys.h"

namespace ridgewatt::report {

// Registers the meanings of fields (field.h), next to their definition:
//
//   const DeclaredKeys kTimeKeys([] { return keys_of(time_fields()); });
class DeclaredKeys {
 public:
  using Keys = std::vector<KeyMeaning> (*)();
  explicit DeclaredKeys(Keys keys) noexcept : keys_(keys), before_(last) { last = this; }
  DeclaredKeys(const DeclaredKeys&) = delete;
  DeclaredKeys& operator=(const DeclaredKeys&) = delete;
  static std::vector<KeyMeaning> all();

 private:
  Keys keys_;
  const DeclaredKeys* before_;
  static inline const DeclaredKeys* last = nullptr;
};

// All rows: those that fields and shared columns declare, then the tables below. Each key occurs
// once.
std::vector<KeyMeaning> all_keys();

std::span<const KeyMeaning> common_keys();
std::span<const KeyMeaning> model_keys();
std::span<const KeyMeaning> answer_keys();
std::span<const KeyMeaning> language_keys();
std::span<const KeyMeaning> board_keys();
std::span<const KeyMeaning> schedule_keys();
std::span<const KeyMeaning> laboratory_keys();

}  // namespace ridgewatt::report
