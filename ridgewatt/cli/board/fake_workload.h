// The workload that a fake board plays.
#pragma once

#include <cstdint>
#include <string>

#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::cli {

// Cost of one minibatch of `model` ("zoo:NAME" or a file).
WorkloadCost fake_workload(const std::string& model, std::int64_t batch, bool training);

}  // namespace ridgewatt::cli
