// --part, --processes, --slurm: an evaluation worked out in parts (evaluate/parts.h).
//
//   options.parts.add_to(*command, context);               // declares them
//   if (options.parts.printed_script(...)) return;         // --slurm: a script, no work
//   const auto outcomes = options.parts.work(...);         // nothing: a part was written
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
  // Prints the script of --slurm, if it was asked for.
  bool printed_script(const Context& context) const;
  // The question is to be worked on as many outcomes: in a part or in several processes.
  bool splits() const { return !part_.empty() || processes_ > 1; }
  // UsageError when a part is asked for together with `option`, which needs the whole in one
  // process.
  void refuse(bool asked, const std::string& option) const;

  // All outcomes, with progress called `label`; nothing when the part that was asked for was
  // printed instead.
  std::optional<evaluate::Outcomes> work(const Context& context, const evaluate::Question& question,
                                         int threads, const std::string& label) const;

 private:
  const CLI::App* command_ = nullptr;
  std::string part_;
  int processes_ = 1, slurm_ = 0;
};

}  // namespace ridgewatt::cli
