// --part, --processes and --slurm: computes an evaluation in parts or processes (evaluate/parts.h).
//
//   options.parts.add_to(*command);                        // adds the options
//   if (options.parts.printed_script(...)) return;         // --slurm: printed only a script
//   const auto outcomes = options.parts.work(...);         // nullopt: printed a part
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/evaluate/outcomes.h"

namespace ridgewatt::cli {

class PartOptions {
 public:
  void add_to(CLI::App& command);
  // If --slurm was given, prints the script and returns true.
  bool printed_script(const Context& context) const;
  // Returns whether the evaluation is divided into a part or several processes.
  bool splits() const { return !part_.empty() || processes_ > 1; }
  // Throws UsageError if a part is requested and `asked` is true, because `option` requires the
  // whole evaluation in one process.
  void refuse(bool asked, const std::string& option) const;

  // Computes all outcomes, with progress named `label`. If a part was requested, prints that part
  // and returns nullopt.
  std::optional<evaluate::Outcomes> work(const Context& context, const evaluate::Question& question,
                                         int threads, const std::string& label) const;

 private:
  const CLI::App* command_ = nullptr;
  std::string part_;
  int processes_ = 1, slurm_ = 0;
};

}  // namespace ridgewatt::cli
