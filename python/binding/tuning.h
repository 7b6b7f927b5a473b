// What the ways to tune share: the question that their arguments ask, and the answer as an object.
#pragma once

#include "python/binding/arguments.h"
#include "ridgewatt/answer/tune.h"

namespace ridgewatt::python {

// Goal, batches, budget, strategy and seed. UsageError for what means nothing.
answer::TuneQuestion tune_question(Arguments& asked);
void bind_in_place(py::module_& module);  // _InPlace, beside _tune_on_board

// A Tuned. Needs the GIL.
py::object tuned_answer(answer::TuneAnswer found);

}  // namespace ridgewatt::python
