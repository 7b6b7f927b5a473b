// Parts of a question on the machines of a cluster.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ridgewatt/base/text.h"
#include "ridgewatt/evaluate/parts.h"

namespace ridgewatt::evaluate {

std::string slurm_script(const std::string& line, const std::string& name, int parts) {
  return fmt::format(
      R"(#!/bin/bash
# `evaluate {name}` in {parts} parts, one per task of a Slurm array; the folder is shared by all nodes.
#
#   sbatch THIS_SCRIPT             # again: only the parts that are missing are worked out
#   ridgewatt evaluate merge parts-{name}/part-*.json      # when all are done
#
# A part is there whole or not at all, so a task may be killed, requeued and run twice.
#SBATCH --job-name=ridgewatt-{name}
#SBATCH --array=1-{parts}
#SBATCH --ntasks=1
#SBATCH --requeue
set -eu
mkdir -p parts-{name}
part="parts-{name}/part-$SLURM_ARRAY_TASK_ID.json"
if [ -s "$part" ]; then exit 0; fi
exec {line} \
    --threads "${{SLURM_CPUS_PER_TASK:-1}}" --quiet \
    --part "$SLURM_ARRAY_TASK_ID/{parts}" -o "$part"
)",
      fmt::arg("name", name), fmt::arg("parts", parts), fmt::arg("line", line));
}

std::string shell_word(const std::string& word) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./,:=+@%").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string with_file_marks(const std::string& value, bool is_file) {
  std::string text;
  for (const auto& field : split(value, ',')) {
    const std::string path =
        field.substr(field.find('=') == std::string::npos ? 0 : field.find('=') + 1);
    const bool named = is_file || path.find_first_of("./") != std::string::npos;
    std::error_code failed;
    const bool there = named && std::filesystem::is_regular_file(path, failed);
    if (!text.empty()) text += ',';
    text += there ? field.substr(0, field.size() - path.size()) + file_mark(path) : field;
  }
  return text;
}

}  // namespace ridgewatt::evaluate
