// Reads the keyword arguments of a question by its table of parameters
// (ridgewatt/answer/parameter.h).
//
//   answer::EstimateQuestion question;
//   fill(asked, answer::estimate_parameters(), &question);
//   const auto workload = workload_of(asked, question.workload);
//   check(asked, answer::estimate_parameters(), &question);
#pragma once

#include <memory>

#include "python/binding/arguments.h"
#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/answer/workload_question.h"

namespace ridgewatt::python {

// Sets the members for all given arguments. Does not read a Model, which workload_of() does, and
// does not read sweeps and points.
void fill(Arguments& asked, std::span<const answer::Parameter> rows, void* part);
void fill(Arguments& asked, const answer::ParameterTable& table, void* question);
// Returns the model that the question names, or the given Model. Null if there is no model. Throws
// UsageError if a Model is given together with arguments that it already determines.
std::shared_ptr<const workload::DeployedWorkload> workload_of(Arguments& asked,
                                                              answer::WorkloadQuestion& question);
// Throws UsageError for a given argument that has no effect on this question in one of `forms`.
void check(Arguments& asked, const answer::ParameterTable& table, const void* question,
           std::span<const answer::AskedForm> forms = {});

}  // namespace ridgewatt::python
