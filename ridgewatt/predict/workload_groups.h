// What workloads usually need of an accelerator: Gaussian priors of the few-shot predictor's stage
// models, one for each group of similar workloads.
//
// A board's twin models time and power of many networks on all modes. The stage models are fitted
// to each of these networks; networks with similar parameters form a group (k-means), whose mean
// and covariance are a prior. `auto` fits one candidate under each and weighs them by their
// evidence.
//
//   for (const WorkloadGroup& group : workload_groups())
//     if (group.kind == WorkloadKind::kTraining) use(group.time.mean, group.time.factor);
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/numerics/prior.h"
#include "ridgewatt/predict/features.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::predict {

// Whether the batch is a dimension: shares of the time are those at the largest batch.
enum class Batches { kOne, kSeveral };
constexpr auto enum_names(Batches) {
  return named<Batches>({{Batches::kOne, "one"}, {Batches::kSeveral, "several"}});
}
Batches batches_of(std::span<const OperatingPoint> points);

// The general priors of StageTimeModel and WorkPowerModel, one row for each parameter.
std::span<const PriorRow> stage_time_priors();
std::span<const PriorRow> work_power_priors();

// Parameters are mean + factor u with independent standard normal u. The first parameter, the
// level, is free: its row and column are 0.
struct JointPrior {
  Eigen::VectorXd mean;
  Eigen::MatrixXd factor;  // lower triangular
};

struct WorkloadGroup {
  WorkloadKind kind = WorkloadKind::kInference;
  Batches batches = Batches::kOne;
  int members = 0;
  JointPrior time, power;  // in the order of StageTimeModel and WorkPowerModel
};

// The groups that the program ships: studies/published/workload_groups.csv; the README of that
// folder has the command that makes it. Read once.
std::span<const WorkloadGroup> workload_groups();
// From CSV with the columns kind, batches, members, quantity, parameter, mean and factor. Throws
// InputError for no rows, and for rows that are missing, not in order, or not numbers.
std::vector<WorkloadGroup> read_workload_groups(CsvReader csv);
std::vector<WorkloadGroup> read_workload_groups(const std::string& path);

// Workloads drawn from groups, each as often as it has members: their time and power relative to
// those at the top of a space.
class DrawnWorkloads {
 public:
  // Deterministic by seed. `space`: the points whose highest knobs are the top.
  DrawnWorkloads(std::span<const WorkloadGroup> groups, std::span<const OperatingPoint> space,
                 std::size_t draws, std::uint64_t seed);
  // ln(time) and ln(power) at `points` (rows) of every workload (columns), without their levels.
  void evaluate(std::span<const OperatingPoint> points, Eigen::Ref<Eigen::MatrixXd> log_time,
                Eigen::Ref<Eigen::MatrixXd> log_power) const;

 private:
  struct Drawn {
    Eigen::VectorXd time, power;  // parameters of the stage models
  };
  FeatureSpace space_;
  std::vector<Drawn> drawn_;
};

// A workload as modelled or measured, at the points that matter.
struct ModelledWorkload {
  WorkloadKind kind = WorkloadKind::kInference;
  std::vector<Observation> rows;  // 50 or more
};
// `groups` of each kind and number of batches, fewer where there are fewer than ten workloads for
// each. Deterministic.
std::vector<WorkloadGroup> group_workloads(std::span<const ModelledWorkload> workloads,
                                           std::size_t groups);

}  // namespace ridgewatt::predict
