// A question worked on by several processes of this machine.
//
//   const Outcomes outcomes = answer_in_processes(*question, 4, {.progress = say});
//
// The processes are made when the question is ready, and share what it has read. Each does every
// N-th unit and hands over one after the other; one that dies is made again for what it had left,
// up to three times. The answer has the same bytes as that of one process. Only one thread may run
// when this is called. Units must not need threads or libraries that this process has already
// used and that do not survive fork().
#pragma once

#include "ridgewatt/evaluate/outcomes.h"

namespace ridgewatt::evaluate {

// `options.threads`: of each process; 0: the processors, dealt out. Throws what a unit throws, as
// Error, UsageError or NoSolutionError with its line; IoError when a process cannot be made or dies
// again and again.
Outcomes answer_in_processes(const Question& question, std::size_t processes,
                             const AnswerOptions& options = {});

}  // namespace ridgewatt::evaluate
