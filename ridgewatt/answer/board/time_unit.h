// Recognizes times in a wrong unit by comparison with a twin.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/twin/minibatch_cost.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::answer {

// Chosen: the largest published errors of twins are far below a factor of 10, and units of time
// differ by a factor of 1000.
inline constexpr double kImplausibleTimes = 100;

// Returns a text such as "the measured times of resnet50 inference are 0.001 times the modelled
// times (median)" if the median of the ratios measured / modelled is beyond kImplausibleTimes.
// Empty otherwise, and without ratios.
std::string time_unit_fault(const std::vector<double>& ratios, const std::string& workload);

// Returns a remark if the samples disagree with the twin of `device` in this way; else empty.
std::string time_unit_remark(const Sweep& samples, const std::string& device,
                             const std::shared_ptr<const workload::DeployedWorkload>& workload,
                             const twin::RunOptions& run);

}  // namespace ridgewatt::answer
