// The twin of a board as prior of the few-shot predictor: the prediction of the roofline model for
// this workload before it is profiled.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/predict/reference.h"
#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::predict {

// Time and power of a workload according to the twin of the board `board` (a name or board file),
// in the form of rows with the origin of `samples`, most accurate at `points`. Throws what
// load_board and load_twin throw.
Reference twin_reference(const std::string& board,
                         std::shared_ptr<const workload::DeployedWorkload> workload,
                         Provenance samples, std::vector<OperatingPoint> points,
                         const twin::RunOptions& run = {});
// The same from a twin that has not seen the workload of `scored`: fitted to `sweeps` without it.
// Points are those of `scored`. Throws what reading and fitting throw.
Reference unseen_twin_reference(const std::string& board,
                                const std::vector<twin::SweepSpec>& sweeps,
                                const twin::SweepSpec& scored);

}  // namespace ridgewatt::predict
