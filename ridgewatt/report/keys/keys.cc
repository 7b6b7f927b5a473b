#include "ridgewatt/report/keys.h"

#include <algorithm>
#include <map>
#include <vector>

#include "ridgewatt/base/text.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/keys/key_tables.h"

namespace ridgewatt::report {
namespace {

// For example, "memory_gb.board".
std::string qualified(const KeyMeaning& row) {
  return (row.object.empty() ? "" : std::string(row.object) + ".") + std::string(row.key);
}

using Dictionary = std::map<std::string, std::string_view>;

const Dictionary& dictionary() {
  static const Dictionary made = [] {
    Dictionary rows;
    for (const KeyMeaning& row : all_keys()) rows.emplace(qualified(row), row.meaning);
    return rows;
  }();
  return made;
}

// Describes a bound: "time_lo_ms" is a bound of "time_ms". Empty for other keys.
std::string bound_text(const std::string& key) {
  for (const auto& [bound, word] : {std::pair{"_lo", "lower"}, std::pair{"_hi", "upper"}}) {
    const std::size_t at = key.find(bound);
    if (at == std::string::npos) continue;
    const std::size_t end = at + 3;
    if (end != key.size() && key[end] != '_') continue;
    return std::string(word) + " bound of " + key.substr(0, at) + key.substr(end);
  }
  return "";
}

}  // namespace

std::vector<KeyMeaning> DeclaredKeys::all() {
  std::vector<KeyMeaning> all;
  for (const DeclaredKeys* one = last; one != nullptr; one = one->before_) {
    for (const KeyMeaning& row : one->keys_()) all.push_back(row);
  }
  return all;
}

std::vector<KeyMeaning> all_keys() {
  const std::vector<KeyMeaning> shared = shared_keys();
  std::vector<KeyMeaning> all = shared;
  for (const KeyMeaning& row : DeclaredKeys::all()) {  // includes the shared columns
    const bool there = std::any_of(shared.begin(), shared.end(), [&](const auto& one) {
      return one.key == row.key && one.object == row.object;
    });
    if (!there) all.push_back(row);
  }
  for (const auto& rows : {common_keys(), model_keys(), answer_keys(), language_keys(),
                           board_keys(), schedule_keys(), laboratory_keys()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::string meaning_of(std::string_view command, std::string_view path) {
  std::vector<std::string> parts;
  for (const auto& part : split(path, '.')) parts.push_back(part.substr(0, part.find('[')));
  const std::string scope(command), first = scope.substr(0, scope.find('.'));
  for (std::size_t from = 0; from < parts.size(); ++from) {
    std::string end = parts[from];
    for (std::size_t i = from + 1; i < parts.size(); ++i) end += "." + parts[i];
    for (const std::string& key : {scope + ":" + end, first + ":" + end, end}) {
      if (const auto found = dictionary().find(key); found != dictionary().end()) {
        return (path.ends_with("[]") ? "element: " : "") + std::string(found->second);
      }
    }
  }
  return bound_text(parts.back());
}

}  // namespace ridgewatt::report
