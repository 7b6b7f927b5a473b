// Watches a program for the question why it is slow (answer/explain.h).
//
//   ExplainQuestion question{.workload = {.model = "zoo:resnet50"}, .device = "local"};
//   watch_program(question, {.command = {"python3", "infer.py"}}, 1, print);
//   explain(question).rows.front().cause;
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"

namespace ridgewatt::answer {

// A command or a running process, and a change after which the command runs again.
struct WatchedProgram {
  std::vector<std::string> command = {};
  std::optional<int> process = {};
  std::optional<double> for_s = {};  // absent: a command until it ends, a process for 20 s
  std::string then = {};             // command line of the change; empty: none
  bool apply = false;                // the change is the mode of the most probable cause

  bool given() const { return process || !command.empty(); }
  bool changes() const { return apply || !then.empty(); }
};
// Watches the program on question.device, a real or fake board, or on this machine, and sets what
// the question does not state: the time of a minibatch by the marks of the program, its power, and
// what was seen. `say` receives remarks. Throws Error if the program or the change fails, and
// NotFoundError if the program marks no minibatches.
void watch_program(ExplainQuestion& question, const WatchedProgram& program, std::uint64_t seed,
                   const std::function<void(const std::string&)>& say);

}  // namespace ridgewatt::answer
