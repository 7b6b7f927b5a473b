// Priors from typical workloads: Gaussian priors of the few-shot predictor's stage models, one for
// each group of similar workloads.
//
// The priors come from a board's twin, which models time and power of many networks in all modes.
// The stage models are fitted to each network. Networks with similar parameters form a group
// (k-means), whose mean and covariance are a prior. `auto` fits one candidate with each prior and
// weights it by its evidence.
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

// Whether the batch varies. If so, shares of time are those at the largest batch.
enum class Batches { kOne, kSeveral };
constexpr auto enum_names(Batches) {
  return named<Batches>({{Batches::kOne, "one"}, {Batches::kSeveral, "several"}});
}
Batches batches_of(std::span<const OperatingPoint> points);

// The general priors of StageTimeModel and WorkPowerModel, one row for each parameter.
std::span<const PriorRow> stage_time_priors();
std::span<const PriorRow> work_power_priors();

// Parameters are mean + factor u with independent standard normal u. The first parameter, the
// level, is not constrained: its row and column are 0.
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

// The groups in studies/published/workload_groups.csv, read once. The README in that folder has the
// command that creates the file.
std::span<const WorkloadGroup> workload_groups();
// Reads CSV with the columns kind, batches, members, quantity, parameter, mean and factor. Throws
// InputError if there are no rows, a row is missing or out of order, or a value is not a number.
std::vector<WorkloadGroup> read_workload_groups(CsvReader csv);
std::vector<WorkloadGroup> read_workload_groups(const std::string& path);

// Random workloads drawn from groups, in proportion to the members of each group. Their time and
// power are relative to those at the top of a space.
class DrawnWorkloads {
 public:
  // The seed determines the result. The top of `space` has the highest value of every knob.
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

// A modeled or measured workload with its observations.
struct ModelledWorkload {
  WorkloadKind kind = WorkloadKind::kInference;
  std::vector<Observation> rows;  // at least 50
};
// Forms `groups` groups for each kind and each Batches value, but fewer if a group would have less
// than ten workloads. Deterministic.
std::vector<WorkloadGroup> group_workloads(std::span<const ModelledWorkload> workloads,
                                           std::size_t groups);

}  // namespace ridgewatt::predict
