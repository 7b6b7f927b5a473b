// The kind of a workload: inference or training.
#pragma once

#include "ridgewatt/base/enum_names.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

enum class WorkloadKind { kInference, kTraining };
constexpr auto enum_names(WorkloadKind) {
  return named<WorkloadKind>(
      {{WorkloadKind::kInference, "inference"}, {WorkloadKind::kTraining, "training"}});
}

// Returns the kind with this name. Other words count as inference, such as "forward", which names a
// part of the work in some files.
inline WorkloadKind workload_kind_of(std::string_view word) {
  return find_name<WorkloadKind>(word).value_or(WorkloadKind::kInference);
}

}  // namespace ridgewatt

#pragma GCC visibility pop
