// A reference for the few-shot predictor from the twin of a board: the prediction of the roofline
// model for a workload that was not profiled yet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/predict/reference.h"
#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::predict {

// Returns a reference with the time and power of a workload from the twin of `board` (a name or
// board file). `samples`: provenance of the samples; if they are of a real board, presets have all
// SMs on. `points`: the points of the reference. Throws the errors of reading the board and its
// twin.
Reference twin_reference(const std::string& board,
                         std::shared_ptr<const workload::DeployedWorkload> workload,
                         Provenance samples, std::vector<OperatingPoint> points,
                         const twin::RunOptions& run = {});
// Uses a twin that is fitted to `sweeps` without the workload of `scored`, so that the workload is
// unseen. The points are those of `scored`. Throws the errors of reading and fitting.
Reference unseen_twin_reference(const std::string& board,
                                const std::vector<twin::SweepSpec>& sweeps,
                                const twin::SweepSpec& scored);

}  // namespace ridgewatt::predict
