// Chooses a plan: the mode, the inference batch and the training minibatches per cycle with the
// highest training throughput within a latency bound and a power budget. Ties are decided by lower
// latency, then by lower energy. Inference alone and training alone are special cases.
//
//   const PlanTable table(join_sweeps(workloads));
//   const Plan plan = table.best({.arrival_rate_hz = 60, .max_latency_s = 0.5, .max_power_w = 30});
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/schedule/cycle.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::twin {
struct Twin;
class TwinModel;
}  // namespace ridgewatt::twin

namespace ridgewatt::schedule {

// A background workload: a training, or an inference that is not urgent.
struct Background {
  Sweep sweep;
  // Required samples per second (the arrival rate of an inference). 0: no requirement.
  double required_samples_per_s = 0;
};

// Resources that a minibatch keeps busy while it runs alone (see Minibatch).
struct DeviceUse {
  std::optional<double> busy_share;
  double busy_cores = 0;
};

struct ScheduleWorkloads {
  std::optional<Sweep> inference;  // the urgent inference
  std::vector<Background> background;
  double switch_s = 0;  // time of a switch, for every candidate (cycle.h)
  // Use of the device by each program at a point: the inference first, then the background. A
  // missing or null element means that the use is unknown.
  std::vector<std::function<DeviceUse(const OperatingPoint&)>> uses = {};
  // For each sweep, in the order of `uses`: the model on a twin that estimated the sweep. Null: the
  // sweep comes from a file.
  std::vector<std::shared_ptr<const twin::TwinModel>> models = {};
};

// Returns the origin of a plan from these sweeps. The provenance is kReplayed if all sweeps are
// measured or replayed, otherwise the weakest provenance of the sweeps (weaker_provenance()). The
// workloads are joined by " + ". The board is empty if the sweeps name different boards.
RowOrigin plan_origin(const ScheduleWorkloads& workloads);

// Returns the observations of a sweep by mode, then by batch. If a point occurs twice, the
// slower observation is used.
using RowsByMode = std::map<PowerMode, std::map<int, Observation>>;
RowsByMode rows_by_mode(const Sweep& sweep);

// Returns every combination for a plan: each mode that occurs in all sweeps, with each batch of
// each sweep. Several background workloads take turns. If a point occurs twice, the slower
// observation is used. Throws InputError if the sweeps have no mode in common or the inference
// sweep has no batch column, and UsageError without any workload or for more than 10^6
// combinations.
std::vector<Candidate> join_sweeps(const ScheduleWorkloads& workloads);

// Sets the idle power of each candidate to the twin's idle power in its mode (static power without
// the clock trees of the GPU, which are gated), but at most to the lowest power of the candidate's
// rows.
void set_idle_power(std::span<Candidate> candidates, const twin::Twin& twin);
// Sets the same idle power for all candidates, but at most the lowest power of the candidate's
// rows. If `power_w` is empty, uses the lowest power of all rows, which is an upper estimate for an
// unknown board. Returns the power.
double set_idle_power(std::span<Candidate> candidates, std::optional<double> power_w);

struct Plan {
  bool feasible = false;
  // The best candidate. If infeasible: the nearest miss. This is the candidate with the smallest
  // `violation` among those that serve the arrival rate, or among all if none does.
  Candidate candidate;
  Cycle cycle;
  double violation = 0;  // largest violation of the nearest miss as a share
  std::string miss;      // Violated limits of the nearest miss as text. Empty if feasible.
};

// True if `a` is the better plan: by training throughput in samples, then latency, then energy.
// Both must be feasible.
bool better_plan(const Candidate& a, const Cycle& cycle_a, const Candidate& b,
                 const Cycle& cycle_b);

// Distance of a candidate from the requirements; lower is nearer. `first`: whether it fails to
// serve the arrival rate. Such candidates come after all others.
std::pair<bool, double> miss_of(const Candidate& candidate, const PlanProblem& problem);

// Returns the plan of one candidate for a problem, feasible or not.
Plan plan_with(const Candidate& candidate, const PlanProblem& problem);

// Solves problems over a fixed set of candidates. The constructor drops a candidate if another one
// with the same batch has no higher cost of any kind (times, powers, energies, longest background
// minibatch), because it can never be the answer. A plan takes microseconds.
class PlanTable {
 public:
  // Throws UsageError if `candidates` is empty.
  explicit PlanTable(std::vector<Candidate> candidates);

  // Returns the best plan, or the nearest miss. Throws UsageError for an invalid problem.
  Plan best(const PlanProblem& problem) const;
  // Returns the training throughput of the best plan in rounds per second; empty if no plan is
  // feasible.
  std::optional<double> best_throughput(const PlanProblem& problem) const;

  bool has_inference() const { return has_inference_; }
  std::size_t size() const { return candidates_.size(); }  // without dropped candidates
  const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  struct Group {  // candidates with the same inference batch
    int batch = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    double least_infer_time_s = 0;
  };
  const Candidate* find_best(const PlanProblem& problem, Cycle& best_cycle) const;

  bool has_inference_ = false;
  std::vector<Candidate> candidates_;  // by batch, then by peak power
  std::vector<double> power_w_;        // peak power of each candidate
  std::vector<Group> groups_;
};

}  // namespace ridgewatt::schedule
