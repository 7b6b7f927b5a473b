// The first question: which power mode and batch is best within limits.
//
//   TuneQuestion question;
//   question.goal.limits.power_w = 30;
//   const auto model = std::make_shared<const DeployedWorkload>("zoo:resnet50");
//   const TuneAnswer found = tune_on_twin(question, model, "agx-orin");
//   if (found.outcome.best) std::cout << describe(found.outcome.best->point.mode);
//
// A board's twin, a sweep or a few profiled samples can answer it; for the local board see
// answer/tune_on_board.h. All functions throw UsageError on an invalid question, and the errors of
// reading boards and twins. Without a point within the limits there is no error: `miss` is the
// nearest, and `relaxations` says which limit to relax.
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
  std::vector<int> batches;  // candidates; empty: batches_to_try
  // Required probability that an estimate meets each limit; 0.5: its mean meets it.
  double confidence = 0.5;
  double job_samples = 0;  // data set size x epochs, if the cost of a job is wanted
  // How the points to profile are chosen. Default: `auto`; a twin estimates every point.
  std::optional<std::string> strategy;
  tune::SearchBudget budget;
  // Number of profiles that verify the twin's answer (tune/verify.h), including that of the
  // reference; 0: none. It replaces a strategy and needs the model and its board.
  int verify = 0;
  double min_gain = 0, near_best = 1, noise = 0.01;  // see StrategyOptions
  twin::RunOptions run = {};                         // loading of data, for a twin
  std::uint64_t seed = 1;
};

// Every point of the board (a name or board file) is estimated, or searched where a strategy is
// given. If there is no answer, `find_alternatives` adds alternatives.
TuneAnswer tune_on_twin(const TuneQuestion& question,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload,
                        const std::string& device);
// With `question.verify`, for a user who profiles the points: the best measured point so far (at
// first the estimate), and in `next` the point to profile next.
TuneAnswer verify_by_hand(const TuneQuestion& question,
                          const std::shared_ptr<const workload::DeployedWorkload>& workload,
                          const std::string& device, const Sweep& measured);
// If there is no answer: adds the boards, BSPs and batches that have one.
void find_alternatives(const TuneQuestion& question,
                       const std::shared_ptr<const workload::DeployedWorkload>& workload,
                       TuneAnswer& found);

// The question asked of several boards, or of several runtimes on one board.
struct TuneRanking {
  enum class Over { kBoards, kRuntimes };
  Over over = Over::kBoards;
  std::vector<TuneAnswer> answers;    // the best first; those without an answer last
  std::vector<std::string> left_out;  // what was left out, and why: "tensorrt int8: .."
};
TuneRanking rank_boards(const TuneQuestion& question,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload);
// All runtimes on one board, each with its best mode and batch: in `precisions`, or by default in
// the usual precisions of each. Throws NotSupportedError if no runtime supports them.
TuneRanking rank_runtimes(const TuneQuestion& question,
                          const std::shared_ptr<const workload::DeployedWorkload>& workload,
                          const std::string& device,
                          const std::vector<workload::Precision>& precisions = {});

// What was profiled already, and what else is known.
struct ProfiledRows {
  Sweep rows = {};                     // trusted ones: see sweep/trusted_sweep.h
  std::vector<Sweep> references = {};  // of other workloads
  std::string device = {};             // for the names of presets; empty: unknown
  // With a device: its twin with this model, of the kind of `rows`, is a further reference.
  std::shared_ptr<const workload::DeployedWorkload> workload = {};
  std::vector<Observation> known = {};  // of earlier searches of the same workload
};
// Replays the sweep in place of the board. Rows with a governor are compared, not searched.
TuneAnswer tune_on_sweep(const TuneQuestion& question, ProfiledRows asked);
// Profiles nothing: the few-shot predictor predicts all points of the board or, without a device,
// all combinations of the knob levels in the samples.
TuneAnswer tune_from_samples(const TuneQuestion& question, const ProfiledRows& asked);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
