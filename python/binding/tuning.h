// What the ways to tune share: the question that their arguments ask, and the answer as an object.
#pragma once

#include "python/binding/arguments.h"
#include "ridgewatt/answer/tune_request.h"

namespace ridgewatt::python {

// Goal, batches, budget, strategy and seed. UsageError for what means nothing.
answer::TuneQuestion tune_question(Arguments& asked);
// The rows of `table` and what follows from them: program_parameters() or in_place_parameters().
answer::ProgramQuestion program_question(Arguments& asked, const answer::ParameterTable& table);
void bind_in_place(py::module_& module);  // _InPlace, next to _tune_on_board

// A Tuned. Needs the GIL.
py::object tuned_answer(answer::TuneAnswer found);

}  // namespace ridgewatt::python
