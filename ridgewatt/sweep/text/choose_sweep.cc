// Selects one of several sweeps in a file by name.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/shell.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {
namespace {

// Maximum number in a message; chosen: a few lines of a terminal.
constexpr std::size_t kMostNames = 12;

// The names of a sweep, shortest first. The last one differs between any two sweeps of a file.
std::vector<std::string> names_of(const Sweep& sweep) {
  const std::string with_kind = sweep.workload + ":" + sweep.kind;
  const std::string with_word = with_kind + ":" + std::string(name_of(sweep.provenance));
  std::vector<std::string> names = {sweep.workload, with_kind, with_word};
  const std::string board = "@" + sweep.board;
  for (std::size_t i = 0; i < 3; ++i) names.push_back(names[i] + board);
  if (!sweep.board.empty()) names.push_back(board);
  const std::string runtime = sweep.runtime ? std::string(name_of(*sweep.runtime)) : "";
  names.push_back(fmt::format("{}{}/{}", with_word, board, runtime));
  names.push_back(fmt::format("{}/{}", names.back(), sweep.twin));
  return names;
}

bool answers_to(const Sweep& sweep, const std::string& wanted) {
  const auto names = names_of(sweep);
  return std::find(names.begin(), names.end(), wanted) != names.end();
}

// The shortest name that no other sweep has.
std::string own_name(const std::vector<Sweep>& sweeps, const Sweep& sweep) {
  const auto names = names_of(sweep);
  for (const auto& name : names) {
    const auto count = std::count_if(sweeps.begin(), sweeps.end(),
                                     [&](const Sweep& one) { return answers_to(one, name); });
    if (count == 1) return name;
  }
  return names.back();
}

// Lists the names after `start`, each quoted for a shell.
std::string listed_names(const std::vector<Sweep>& sweeps, const std::string& start) {
  std::string list;
  for (std::size_t i = 0; i < std::min(sweeps.size(), kMostNames); ++i) {
    list += (i == 0 ? "" : ", ") + shell_quoted(start + own_name(sweeps, sweeps[i]));
  }
  if (sweeps.size() > kMostNames) list += fmt::format(" and {} more", sweeps.size() - kMostNames);
  return escape_terminal(list);
}

struct NamedSweep {
  std::string file, name;
};

// Splits "sweep7.csv#lenet5", unless a file has the full name.
NamedSweep parted(const std::string& path) {
  const auto mark = path.rfind('#');
  std::error_code ignored;
  if (mark == std::string::npos || std::filesystem::exists(path, ignored)) return {path, ""};
  return {path.substr(0, mark), path.substr(mark + 1)};
}

}  // namespace

std::vector<Sweep> read_sweeps(const std::string& path) {
  const auto [file, name] = parted(path);
  std::vector<Sweep> all = parse_sweeps(read_file(file), file);
  if (name.empty()) return all;
  std::vector<Sweep> chosen;
  for (const auto& sweep : all) {
    if (answers_to(sweep, name)) chosen.push_back(sweep);
  }
  if (chosen.empty()) {
    throw UsageError(fmt::format("the file has no sweep of the name '{}'", escape_terminal(name)),
                     file, "write one of " + listed_names(all, file + "#"));
  }
  return chosen;
}

Sweep read_sweep(const std::string& path) {
  return choose_sweep(read_sweeps(path), std::nullopt, path);
}

Sweep choose_sweep(std::vector<Sweep> sweeps, const std::optional<std::string>& wanted,
                   const std::string& source) {
  const std::string name = wanted.value_or("");
  std::vector<Sweep*> fitting;
  for (auto& sweep : sweeps) {
    if (name.empty() || answers_to(sweep, name)) fitting.push_back(&sweep);
  }
  if (fitting.size() == 1) return std::move(*fitting.front());
  const std::string file = parted(source).file;
  const std::string what =
      fitting.empty() ? fmt::format("the file has no sweep of the name '{}'", escape_terminal(name))
                      : fmt::format("{} sweeps of the file fit", fitting.size());
  throw UsageError(what, source,
                   wanted ? "choose one with --workload out of " + listed_names(sweeps, "")
                          : "write one of " + listed_names(sweeps, file + "#"));
}

}  // namespace ridgewatt
