// Plans: the mode, the inference batch and the training minibatches per cycle that give the highest
// training throughput within a latency bound and a power budget; then lower latency, then lower
// energy. Inference alone and training alone are the same problem with one side absent.
//
//   const PlanTable table(join_sweeps(workloads));
//   const Plan plan = table.best({.arrival_rate_hz = 60, .max_latency_s = 0.5, .max_power_w = 30});
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/schedule/cycle.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::twin {
struct Twin;
}  // namespace ridgewatt::twin

namespace ridgewatt::schedule {

// A background workload: a training, or a non-urgent inference in its place.
struct Background {
  Sweep sweep;
  // Samples per second that it needs at least (the arrival rate of a non-urgent inference); 0: as
  // much as it can get.
  double required_samples_per_s = 0;
};

// What a minibatch keeps busy while it has the device to itself (Minibatch).
struct DeviceUse {
  std::optional<double> busy_share;
  double busy_cores = 0;
};

struct ScheduleWorkloads {
  std::optional<Sweep> inference;  // the urgent one
  std::vector<Background> background;
  double switch_s = 0;  // of every candidate (cycle.h)
  // Of each program at a point, the inference first, then the background; may be shorter, and empty
  // where it is not known.
  std::vector<std::function<DeviceUse(const OperatingPoint&)>> uses = {};
};

// Where a plan of these sweeps comes from: replayed, or the word of the sweep that is farthest from
// a measurement; workloads joined by " + ", the board where all name the same.
RowOrigin plan_origin(const ScheduleWorkloads& workloads);

// Observations of a sweep by mode, then by batch; of a point that occurs twice the slower one.
using RowsByMode = std::map<PowerMode, std::map<int, Observation>>;
RowsByMode rows_by_mode(const Sweep& sweep);

// Every combination that can be planned: modes that occur in all sweeps x batches of each. Several
// backgrounds take turns. Of points that occur twice the slower counts. Throws InputError when the
// sweeps have no mode in common or the inference has no batch column, UsageError when there is no
// workload at all or there are more than 10^6 combinations.
std::vector<Candidate> join_sweeps(const ScheduleWorkloads& workloads);

// What the twin's board draws in each candidate's mode while nothing runs: static power, without
// the clock trees of the GPU, which are gated then; at most the least power of the candidate's
// rows.
void set_idle_power(std::span<Candidate> candidates, const twin::Twin& twin);
// The same power for all. The least power of any candidate's rows when `power_w` is nothing: an
// estimate from above, for sweeps of a board that is not known. Returns the power.
double set_idle_power(std::span<Candidate> candidates, std::optional<double> power_w);

struct Plan {
  bool feasible = false;
  // The best candidate; when infeasible the nearest miss, the one whose worst constraint is missed
  // by the least share.
  Candidate candidate;
  Cycle cycle;
  double violation = 0;  // share by which the nearest miss misses
  std::string miss;      // in words what it misses; empty when feasible
};

// True when `a` is the better plan: training throughput (in samples where batches differ), then
// latency, then energy. Both feasible.
bool better_plan(const Candidate& a, const Cycle& cycle_a, const Candidate& b,
                 const Cycle& cycle_b);

// Plan of one candidate for a problem, feasible or not.
Plan plan_with(const Candidate& candidate, const PlanProblem& problem);

// Answers problems over a fixed set of candidates. Candidates that another one of the same batch
// beats or equals in both times, both powers and both energies can never be the answer and are
// dropped once; the others are kept by batch in order of power. A plan takes microseconds.
class PlanTable {
 public:
  // Throws UsageError when empty.
  explicit PlanTable(std::vector<Candidate> candidates);

  // The best plan, or the nearest miss. Throws UsageError when the problem is malformed.
  Plan best(const PlanProblem& problem) const;
  // Training throughput of the best plan in minibatches per second, nothing when infeasible.
  std::optional<double> best_throughput(const PlanProblem& problem) const;

  bool has_inference() const { return has_inference_; }
  std::size_t size() const { return candidates_.size(); }  // after dropping
  const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  struct Group {  // candidates of one inference batch
    int batch = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    double least_infer_time_s = 0;
  };
  const Candidate* find_best(const PlanProblem& problem, Cycle& best_cycle) const;

  bool has_inference_ = false;
  std::vector<Candidate> candidates_;  // by batch, then by peak power
  std::vector<double> power_w_;        // their peak powers
  std::vector<Group> groups_;
};

}  // namespace ridgewatt::schedule
