// Whether a model answers or learns: what rows, costs and options are of.
#pragma once

#include "ridgewatt/base/enum_names.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

enum class WorkloadKind { kInference, kTraining };
constexpr auto enum_names(WorkloadKind) {
  return named<WorkloadKind>(
      {{WorkloadKind::kInference, "inference"}, {WorkloadKind::kTraining, "training"}});
}

// Files may hold rows of a part of the work under a word of their own ("forward"): such rows count
// as inference.
inline WorkloadKind workload_kind_of(std::string_view word) {
  return find_name<WorkloadKind>(word).value_or(WorkloadKind::kInference);
}

}  // namespace ridgewatt

#pragma GCC visibility pop
