// What a cost leaves out and rests on, as every JSON answer that uses a model says it.
#pragma once

#include "ridgewatt/io/json.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::report {

// Adds `unsupported` (a list of op, domain, nodes, reason, share) and `assumed` (a list of
// sentences) to the object `json`; both may be empty.
void add_caveats(const workload::CostCaveats& caveats, Json& json);

}  // namespace ridgewatt::report
