// Computes a question (outcomes.h) with several processes of this machine.
//
//   const Outcomes outcomes = answer_in_processes(*question, 4, {.progress = say});
//
// The processes are forked when the question is ready and share its data. Each computes every N-th
// unit and sends the results one by one. A process that dies is restarted with its remaining units,
// up to three times. The result is the same as that of one process to the last bit. No other thread
// may run at the time of the call. Units must not depend on threads or libraries that this process
// has already used and that do not survive fork().
#pragma once

#include "ridgewatt/evaluate/outcomes.h"

namespace ridgewatt::evaluate {

// `options.threads`: threads per process; 0 divides the processors among the processes. If a unit
// throws, throws an Error, UsageError or NoSolutionError with the same message. Throws IoError if a
// process cannot be created or dies repeatedly.
Outcomes answer_in_processes(const Question& question, std::size_t processes,
                             const AnswerOptions& options = {});

}  // namespace ridgewatt::evaluate
