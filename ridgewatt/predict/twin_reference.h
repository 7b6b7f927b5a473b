// The twin of a board as prior of the few-shot predictor: what the roofline model says of this very
// workload before it is profiled.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/predict/reference.h"
#include "ridgewatt/twin/calibration_runs.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt {

// Cost of one minibatch of a batch size; 0: as the model was exported.
using CostFunction = std::function<WorkloadCost(int batch)>;
// Of a model file or "zoo:NAME". Throws what load_workload throws, at once.
CostFunction model_costs(const std::string& model, WorkloadKind kind);

// Time and power of a workload by the twin of the board `board` (a name or board file), as rows of
// the origin of `samples` show them, known best at `points`. Throws what load_board and load_twin
// throw.
Reference twin_reference(const std::string& board, CostFunction costs, Provenance samples,
                         std::vector<OperatingPoint> points);
// The same by a twin that has not seen the workload of `scored`: fitted to `sweeps` without it.
// Points are those of `scored`. Throws what reading and fitting throw.
Reference unseen_twin_reference(const std::string& board, const std::vector<SweepSpec>& sweeps,
                                const SweepSpec& scored);

}  // namespace ridgewatt
