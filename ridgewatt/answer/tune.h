// Finds the best power mode and batch for a workload within limits on power, time or energy.
//
//   TuneQuestion question;
//   question.goal.limits.power_w = 30;
//   const auto model = std::make_shared<const DeployedWorkload>("zoo:resnet50");
//   const TuneAnswer found = tune_on_twin(question, model, "agx-orin");
//   if (found.outcome.best) std::cout << describe(found.outcome.best->point.mode);
//
// The costs of the points come from a board's twin, a sweep or a few profiled samples. For
// measurements on a board, see answer/tune_on_board.h. All functions throw UsageError on an invalid
// question, and the errors of reading boards and twins. If no point meets the limits, this is not
// an error: `miss` is the nearest point, and `relaxations` lists limits to relax.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/tune_answer.h"
#include "ridgewatt/tune/search.h"
#include "ridgewatt/workload/deployed_workload.h"

#pragma GCC visibility push(default)

namespace ridgewatt::answer {

struct TuneQuestion {
  tune::Goal goal;
  std::vector<int> batches;  // candidate batches; empty: tune::batches_to_try()
  // Required probability that a point meets each limit; 0.5: its estimate meets it.
  double confidence = 0.5;
  double job_samples = 0;  // data set size x epochs of a job; 0: no job
  // Strategy that chooses the points to profile. Absent: `auto`. With a twin, absent means that
  // nothing is profiled, because the twin estimates every point.
  std::optional<std::string> strategy;
  tune::SearchBudget budget;
  // Number of profiles to verify the twin's answer (tune/verify.h), including that of the
  // slowdown reference; 0: none. Verification replaces the strategy and requires the model and
  // its board.
  int verify = 0;
  double min_gain = 0, near_best = 1, noise = 0.01;  // see StrategyOptions
  twin::RunOptions run = {};  // how the workload is fed and called; for twins
  std::uint64_t seed = 1;
};

// Estimates every point of the board (name or board file) or, with a strategy, searches them. If no
// point meets the limits, find_alternatives() adds alternatives.
TuneAnswer tune_on_twin(const TuneQuestion& question,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload,
                        const std::string& device);
// Verifies the answer step by step, while a user profiles the points. Returns the best measured
// point, or the estimated one before the first measurement. `next` is the point to profile next.
// Requires question.verify > 0.
TuneAnswer verify_by_hand(const TuneQuestion& question,
                          const std::shared_ptr<const workload::DeployedWorkload>& workload,
                          const std::string& device, const Sweep& measured);
// If no point meets the limits: adds boards, BSPs and batches that do.
void find_alternatives(const TuneQuestion& question,
                       const std::shared_ptr<const workload::DeployedWorkload>& workload,
                       TuneAnswer& found);

// Answers for several boards, or for several runtimes on one board.
struct TuneRanking {
  enum class Over { kBoards, kRuntimes };
  Over over = Over::kBoards;
  // Best first; then those without a point within the limits, the nearest miss first.
  std::vector<TuneAnswer> answers;
  std::vector<std::string> left_out;  // name and reason: "tensorrt int8: .."
};
// Answers for all boards. Leaves out boards that cannot run the workload.
TuneRanking rank_boards(const TuneQuestion& question,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload);
// Answers for all runtimes on one board. Empty `precisions`: the usual precisions of each runtime.
// Throws NotSupportedError if no runtime supports the workload.
TuneRanking rank_runtimes(const TuneQuestion& question,
                          const std::shared_ptr<const workload::DeployedWorkload>& workload,
                          const std::string& device,
                          const std::vector<workload::Precision>& precisions = {});

// Measured points of a workload, and additional information.
struct ProfiledRows {
  Sweep rows = {};  // without rows that the quality check flags (sweep/trusted_sweep.h)
  std::vector<Sweep> references = {};  // sweeps of other workloads
  std::string device = {};             // for the names of presets; empty: unknown
  // If not null, the twin's estimates of this workload on `device` are an additional reference. The
  // workload must have the kind of `rows`.
  std::shared_ptr<const workload::DeployedWorkload> workload = {};
  std::vector<Observation> known = {};  // from earlier searches of the same workload
};
// Searches the points of a sweep, which replaces the board. Rows with a governor are not searched,
// but compared with the answer.
TuneAnswer tune_on_sweep(const TuneQuestion& question, ProfiledRows asked);
// Predicts all points of the board from the samples and profiles nothing. Without a device, the
// points are all combinations of knob levels in the samples.
TuneAnswer tune_from_samples(const TuneQuestion& question, const ProfiledRows& asked);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
