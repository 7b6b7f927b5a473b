// The keyword arguments of a question, from its table of parameters (ridgewatt/answer/parameter.h).
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

// Sets what is given; a Model is left to workload_of(), a sweep and points to who reads
// them.
void fill(Arguments& asked, std::span<const answer::Parameter> rows, void* part);
void fill(Arguments& asked, const answer::ParameterTable& table, void* question);
// The model that the question names, or the Model that is given, which then says how it is run:
// UsageError where the arguments do, too. Null without one.
std::shared_ptr<const workload::DeployedWorkload> workload_of(Arguments& asked,
                                                              answer::WorkloadQuestion& question);
// UsageError for an argument that has no effect on this question.
void check(Arguments& asked, const answer::ParameterTable& table, const void* question);

}  // namespace ridgewatt::python
