// Computes a question with several processes of this machine.
//
//   const Outcomes outcomes = answer_in_processes(*question, 4, {.progress = say});
//
// The processes are forked when the question is ready, and share the data that it has read. Each
// computes every N-th unit and passes on one after the other. A process that dies is restarted for
// its remaining units, up to three times. The answer has the same bytes as that of one process.
// Only one thread may run when this is called. Units must not need threads or libraries that this
// process has already used and that do not survive fork().
#pragma once

#include "ridgewatt/evaluate/outcomes.h"

namespace ridgewatt::evaluate {

// `options.threads`: per process; 0: the processors are divided. Throws the error of a unit as
// Error, UsageError or NoSolutionError with its message; IoError if a process cannot be created or
// dies repeatedly.
Outcomes answer_in_processes(const Question& question, std::size_t processes,
                             const AnswerOptions& options = {});

}  // namespace ridgewatt::evaluate
