// The groups of usual workloads that the few-shot predictor starts from, made from a twin and the
// zoo: predict/workload_groups.h.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/predict/workload_groups.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/twin/calibration_runs.h"

namespace ridgewatt::evaluate {

struct GroupOptions {
  std::string device = "agx-orin";
  // The twin is fitted to these without the workloads below; empty: the board's own twin.
  std::vector<twin::SweepSpec> twin_sweeps;
  // Names of workloads and architectures that are left out of everything.
  std::vector<std::string> without;
  int groups = 8;  // of each kind of workload
};

// Every architecture of the zoo on modes drawn at random: training with three loaders, inference in
// PyTorch and TensorRT. Throws what reading and fitting throw.
std::vector<predict::WorkloadGroup> zoo_workload_groups(const GroupOptions& options);
// In the format that read_workload_groups reads.
report::Table workload_group_table(const std::vector<predict::WorkloadGroup>& groups);

}  // namespace ridgewatt::evaluate
