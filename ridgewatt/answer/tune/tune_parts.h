// What the ways to tune share.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/answer/tune_on_board.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/sweep/profiler.h"
#include "ridgewatt/tune/verify.h"

namespace ridgewatt::answer {

// Budget, seed and thresholds of the search.
tune::StrategyOptions strategy_options(const TuneQuestion& question);
// What limits are held against, and the probability of the intervals for that.
tune::Caution caution_of(const TuneQuestion& question);
double interval_of(const TuneQuestion& question);
// Of the job that is asked about; nothing: none is.
std::optional<double> job_samples_of(const TuneQuestion& question);
// MAXN and, where a board is named, its other presets; each as the nearest mode of the space.
std::vector<tune::NamedMode> named_modes(const std::string& device, const tune::SearchSpace& space);
// The same of a real board, by its own nvpmodel.conf.
std::vector<tune::NamedMode> preset_modes(const platform::JetsonModeControl& control,
                                          const KnobSpace& modes);
// Gives the points of an answer the names of the board's presets.
void name_presets(TuneAnswer& found, const Board& board);
// Without an answer: what would give one, out of these points.
void add_relaxations(TuneAnswer& found, std::span<const OperatingPoint> points,
                     std::span<const predict::Prediction> costs, tune::Caution caution);
// What the answer's job costs, where its size is given.
void add_job(TuneAnswer& found);
// The view of the twin of a workload; `twin` must outlive it. `rows`: what it is compared with,
// which decides whether times are medians or means.
tune::TwinView twin_view_of(const twin::Twin& twin,
                            const std::shared_ptr<const workload::DeployedWorkload>& workload,
                            Provenance rows, const twin::RunOptions& run);
// A twin's answer held to `question.verify` of the points of `space` (of the batches that the twin
// is asked of). `rows`: what the profiles are.
tune::Verification verification_of(
    const TuneQuestion& question, const tune::SearchSpace& space, const std::string& device,
    const std::shared_ptr<const workload::DeployedWorkload>& workload, Provenance rows,
    tune::StrategyOptions options);
// What a finished search says.
TuneAnswer search_answer(const TuneQuestion& question, const tune::SearchSpace& space,
                         const tune::SearchSummary& summary);

// Tells how far the search is while the board works. Both must outlive it.
class ReportingProfiler : public Profiler {
 public:
  ReportingProfiler(Profiler& profiler, const LiveBoard& board)
      : profiler_(profiler), board_(board) {}
  Observation profile(const OperatingPoint& point) override {
    if (board_.progress) board_.progress(done_, point);
    ++done_;
    return profiler_.profile(point);
  }
  Provenance provenance() const override { return profiler_.provenance(); }

 private:
  Profiler& profiler_;
  const LiveBoard& board_;
  std::size_t done_ = 0;
};

}  // namespace ridgewatt::answer
