// The first question: which power mode and batch is best within limits.
//
//   TuneQuestion question;
//   question.goal.limits.power_w = 30;
//   const auto model = std::make_shared<const DeployedWorkload>("zoo:resnet50");
//   const TuneAnswer found = tune_on_twin(question, model, "agx-orin");
//   if (found.answer) std::cout << describe(found.answer->point.mode);
//
// It can be asked of a board's twin, of a sweep that plays the board, of a few profiled samples,
// and of a board at hand. All throw UsageError on a question that means nothing, and what reading
// boards and twins throws. Without a point within the limits there is no error: `miss` is the
// nearest, and `mends` says which limit to loosen.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/tune_answer.h"
#include "ridgewatt/measure/live_profiler.h"
#include "ridgewatt/tune/strategy.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::answer {

struct TuneQuestion {
  tune::Goal goal;
  std::vector<int> batches;  // to choose from; empty: those that can matter
  // Probability with which estimates are to keep each limit; 0.5: the means do.
  double confidence = 0.5;
  double job_samples = 0;  // data set size x epochs, where the cost of a job is wanted
  // How points to profile are chosen; without it `auto`, but a twin estimates every point.
  std::optional<std::string> strategy;
  tune::SearchBudget budget;
  // Profiles that the twin's answer is held to (tune/verify.h), the reference's counted; 0: none.
  // In place of a strategy, and needs the model and its board.
  int verify = 0;
  double min_gain = 0, noise = 0.01;  // see StrategyOptions
  std::uint64_t seed = 1;
};

// Every point of the board (a name or board file) is estimated, or searched where a strategy is
// given. `find_alternatives` adds what else would do where there is no answer.
TuneAnswer tune_on_twin(const TuneQuestion& question,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload,
                        const std::string& device);
// With `question.verify`, by hand: the best of what was measured so far (nothing: the estimate),
// and in `next` what to profile next.
TuneAnswer verify_by_hand(const TuneQuestion& question,
                          const std::shared_ptr<const workload::DeployedWorkload>& workload,
                          const std::string& device, const Sweep& measured);
// Without an answer: the other boards and BSPs, and other batches, that would have one.
void find_alternatives(const TuneQuestion& question,
                       const std::shared_ptr<const workload::DeployedWorkload>& workload,
                       TuneAnswer& found);

// The question asked of several boards, or of several runtimes on one board.
struct TuneRanking {
  enum class Over { kBoards, kRuntimes };
  Over over = Over::kBoards;
  std::vector<TuneAnswer> answers;    // the best first; those without an answer last
  std::vector<std::string> left_out;  // what cannot be asked, and why: "tensorrt int8: .."
};
TuneRanking rank_boards(const TuneQuestion& question,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload);
// All runtimes on one board, each with its best mode and batch: in `precisions`, or in those that
// each is used in. NotSupportedError where none can do it.
TuneRanking rank_runtimes(const TuneQuestion& question,
                          const std::shared_ptr<const workload::DeployedWorkload>& workload,
                          const std::string& device,
                          const std::vector<workload::Precision>& precisions = {});

// What was profiled already, and what else is known.
struct ProfiledRows {
  Sweep rows = {};                     // trusted ones: see sweep/trusted_sweep.h
  std::vector<Sweep> references = {};  // of other workloads
  std::string device = {};             // names presets; empty: not known
  // With a device: its twin of this model, of the kind of `rows`, is one more reference.
  std::shared_ptr<const workload::DeployedWorkload> workload = {};
  std::vector<Observation> known = {};  // of earlier searches of the same workload
};
// The sweep plays the board. Rows under a governor are compared, not searched.
TuneAnswer tune_on_sweep(const TuneQuestion& question, ProfiledRows asked);
// Nothing is profiled: the few-shot predictor says what all points cost. With a device they are the
// board's, else all combinations of the knob levels in the samples.
TuneAnswer tune_from_samples(const TuneQuestion& question, const ProfiledRows& asked);

// A board at hand, and how a program is profiled on it. All references outlive the call.
struct BoardAtHand {
  platform::Sysfs& sysfs;
  platform::JetsonModeControl& control;
  store::Store& store;
  measure::ProfileOptions profile;     // its series names workload, kind, board and provenance
  std::vector<std::string> governors;  // that the answer is compared with, at its batch
  // Called before each point with the number of points profiled so far.
  std::function<void(std::size_t, const OperatingPoint&)> progress = {};
  // For `question.verify`: what the program runs, and the board whose twin is asked.
  std::shared_ptr<const workload::DeployedWorkload> workload = {};
  std::string twin_board = {};
};
// Every point that the search asks for is set, measured and stored. The board's first state comes
// back before the answer.
TuneAnswer tune_on_board(const TuneQuestion& question, BoardAtHand& board);

}  // namespace ridgewatt::answer
