// Creates the groups of typical workloads from which the few-shot predictor starts
// (predict/workload_groups.h), from a twin and the zoo.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/predict/workload_groups.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/twin/calibration_runs.h"

namespace ridgewatt::evaluate {

struct GroupOptions {
  std::string device = "agx-orin";
  // Sweeps to which the twin is fitted, except those of workloads in `without`. Empty: the board's
  // own twin.
  std::vector<twin::SweepSpec> twin_sweeps;
  // Names of workloads and architectures to leave out of everything.
  std::vector<std::string> without;
  int groups = 8;  // for each kind of workload
};

// Uses every architecture of the zoo on random modes: training with three loaders, and inference in
// PyTorch and TensorRT. Throws the errors of reading sweeps and fitting.
std::vector<predict::WorkloadGroup> zoo_workload_groups(const GroupOptions& options);
// Returns the groups in the format of predict::read_workload_groups().
report::Table workload_group_table(const std::vector<predict::WorkloadGroup>& groups);

}  // namespace ridgewatt::evaluate
