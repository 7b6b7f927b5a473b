#include "ridgewatt/cli/laboratory/part_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/base/version.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/program.h"
#include "ridgewatt/evaluate/parts.h"
#include "ridgewatt/evaluate/processes.h"

namespace ridgewatt::cli {
namespace {

// Slurm's default for the highest number in an array, less one.
constexpr double kMostTasks = 1000;

// Options that change how an answer is worked out or shown, not what it is.
bool is_question(const CLI::Option& option) {
  static const std::set<std::string> kOther = {
      "--part", "--processes", "--slurm", "--threads",      "--format",
      "--seed", "--quiet",     "--wide",  "--with-figures", "--top",
      "--sort", "--columns",   "--help",  "--output",       "--timing"};
  return option.count() > 0 && !kOther.contains(option.get_name());
}

// A value with each file that it names ("resnet18.csv,model=net.onnx") as what the file holds.
std::string marked(const std::string& value, bool is_file) {
  std::string text;
  for (const auto& field : split(value, ',')) {
    const std::string path =
        field.substr(field.find('=') == std::string::npos ? 0 : field.find('=') + 1);
    const bool named = is_file || path.find_first_of("./") != std::string::npos;
    std::error_code failed;
    const bool there = named && std::filesystem::is_regular_file(path, failed);
    if (!text.empty()) text += ',';
    text += there ? field.substr(0, field.size() - path.size()) + evaluate::file_mark(path) : field;
  }
  return text;
}

Json question_of(const Context& context, const CLI::App& command) {
  Json options;
  options["--seed"] = context.seed;
  for (const CLI::Option* option : command.get_options()) {
    if (!is_question(*option)) continue;
    Json values = Json::array();
    for (const auto& value : option->results()) {
      values.push_back(marked(value, option->get_type_name() == "FILE"));
    }
    options[option->get_name()] = std::move(values);
  }
  Json question;
  question["command"] = command.get_name();
  question["version"] = version();
  question["options"] = std::move(options);
  return question;
}

// The command line of a question, as a shell reads it.
std::string command_line(const Context& context, const CLI::App& command) {
  std::string line = full_name(command);
  for (const CLI::Option* option : command.get_options()) {
    if (!is_question(*option)) continue;
    if (is_flag(*option)) {
      line += " " + option->get_name();
      continue;
    }
    for (const auto& value : option->results()) {
      line += " \\\n    " + option->get_name() + " " + shell_word(value);
    }
  }
  return line + fmt::format(" \\\n    --seed {}", context.seed);
}

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

}  // namespace

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

void PartOptions::add_to(CLI::App& command) {
  constexpr char kGroup[] = "In parts";
  command_ = &command;
  auto* part = command
                   .add_option("--part", part_,
                               "Work out the K-th of N parts, K/N, and print it (-o writes it to a "
                               "file); `evaluate merge` puts parts together")
                   ->group(kGroup);
  auto* processes = quantity(command.add_option("--processes", processes_,
                                                "Processes of this machine that share the work"),
                             count().within(1, 1024))
                        ->capture_default_str()
                        ->excludes(part)
                        ->group(kGroup);
  quantity(command.add_option("--slurm", slurm_,
                              "Print a script that works it out as a Slurm array of N parts"),
           count().within(1, kMostTasks))
      ->excludes(part)
      ->excludes(processes)
      ->group(kGroup);
}

bool PartOptions::printed_script(const Context& context) const {
  if (slurm_ == 0) return false;
  std::cout << slurm_script(command_line(context, *command_), command_->get_name(), slurm_);
  return true;
}

void PartOptions::refuse(bool asked, const std::string& option) const {
  if (!asked || !(splits() || slurm_ > 0)) return;
  throw UsageError("cannot be given together with --part, --processes or --slurm", option,
                   "work it out in one process");
}

std::optional<evaluate::Outcomes> PartOptions::work(const Context& context,
                                                    const evaluate::Question& question, int threads,
                                                    const std::string& label) const {
  std::optional<Progress> progress;
  evaluate::AnswerOptions options;
  options.threads = threads;
  options.progress = [&](std::size_t done, std::size_t total) {
    if (!progress) progress.emplace(label, total, context.quiet);
    progress->update(done);
  };
  if (processes_ > 1) {
    return evaluate::answer_in_processes(question, static_cast<std::size_t>(processes_), options);
  }
  if (part_.empty()) return evaluate::answer(question, options);
  const evaluate::Part part = evaluate::parse_part(part_);
  const auto units = evaluate::units_of(part, question.units());
  auto outcomes = evaluate::work_on(question, units, options);
  progress.reset();
  std::cout << evaluate::part_text(
      {question_of(context, *command_), part, question.groups(), std::move(outcomes)});
  return std::nullopt;
}

}  // namespace ridgewatt::cli
