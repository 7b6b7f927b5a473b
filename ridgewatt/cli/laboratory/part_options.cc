#include "ridgewatt/cli/laboratory/part_options.h"

#include <fmt/format.h>

#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/version.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/program.h"
#include "ridgewatt/evaluate/parts.h"
#include "ridgewatt/evaluate/processes.h"

namespace ridgewatt::cli {
namespace {

// The highest index of a job array with Slurm's default MaxArraySize, which is 1001.
constexpr double kMostTasks = 1000;

// Returns whether the option was given and determines the answer, not only how it is computed or
// shown. Callers add the seed themselves.
bool is_question(const CLI::Option& option) {
  static const std::set<std::string> kOther = {
      "--part", "--processes", "--slurm", "--threads",      "--format",
      "--seed", "--quiet",     "--wide",  "--with-figures", "--top",
      "--sort", "--columns",   "--help",  "--output",       "--timing"};
  return option.count() > 0 && !kOther.contains(option.get_name());
}

Json question_of(const Context& context, const CLI::App& command) {
  Json options;
  options["--seed"] = context.seed;
  for (const CLI::Option* option : command.get_options()) {
    if (!is_question(*option)) continue;
    Json values = Json::array();
    for (const auto& value : option->results()) {
      values.push_back(evaluate::with_file_marks(value, option->get_type_name() == "FILE"));
    }
    options[option->get_name()] = std::move(values);
  }
  Json question;
  question["command"] = command.get_name();
  question["version"] = version();
  question["options"] = std::move(options);
  return question;
}

// Returns the command line of a question in shell syntax.
std::string command_line(const Context& context, const CLI::App& command) {
  std::string line = full_name(command);
  for (const CLI::Option* option : command.get_options()) {
    if (!is_question(*option)) continue;
    if (is_flag(*option)) {
      line += " " + option->get_name();
      continue;
    }
    for (const auto& value : option->results()) {
      line += " \\\n    " + option->get_name() + " " + evaluate::shell_word(value);
    }
  }
  return line + fmt::format(" \\\n    --seed {}", context.seed);
}

}  // namespace

void PartOptions::add_to(CLI::App& command) {
  command_ = &command;
  const OptionAdder add(command, "In parts");
  auto* part = add.text("--part", part_,
                        "Compute only the K-th of N parts, K/N, and print it (-o FILE writes it); "
                        "`evaluate merge` combines the parts");
  auto* processes = add.number("--processes", processes_, count().within(1, 1024),
                               "Number of processes on this machine that share the work")
                        ->excludes(part);
  add.optional("--slurm", slurm_, count().within(1, kMostTasks),
               "Print a Slurm script that computes the evaluation as an array of N parts")
      ->excludes(part)
      ->excludes(processes);
}

bool PartOptions::printed_script(const Context& context) const {
  if (slurm_ == 0) return false;
  std::cout << evaluate::slurm_script(command_line(context, *command_), command_->get_name(),
                                      slurm_);
  return true;
}

void PartOptions::refuse(bool asked, const std::string& option) const {
  if (!asked || !(splits() || slurm_ > 0)) return;
  throw UsageError("cannot be given together with --part, --processes or --slurm", option,
                   "run the evaluation in one process");
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
