// Functions shared by tune(), live.tune() and live.in_place(): reading the arguments, and
// converting the answer.
#pragma once

#include "python/binding/arguments.h"
#include "ridgewatt/answer/tune_request.h"

namespace ridgewatt::python {

// Reads goal, batches, budget, strategy and seed. Throws UsageError for invalid combinations, and
// for arguments that have no effect in the form `way`.
answer::TuneQuestion tune_question(Arguments& asked, const answer::Form& way);
// Reads the arguments of `table`, which is program_parameters() or in_place_parameters().
answer::ProgramQuestion program_question(Arguments& asked, const answer::ParameterTable& table);
void bind_in_place(py::module_& module);  // _InPlace, next to _tune_on_board

// Converts the answer to a Tuned. `remarks` are added to its own. Needs the GIL.
py::object tuned_answer(answer::TuneAnswer found, std::vector<std::string> remarks = {});

}  // namespace ridgewatt::python
