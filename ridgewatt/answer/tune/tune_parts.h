// Functions that the ways of tuning share.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ridgewatt/answer/tune_on_board.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/sweep/profiler.h"
#include "ridgewatt/tune/verify.h"

namespace ridgewatt::answer {

// Returns the budget, seed and thresholds of the search.
tune::StrategyOptions strategy_options(const TuneQuestion& question);
// Return which value of an estimate is compared with limits, and the probability of its
// intervals.
tune::Caution caution_of(const TuneQuestion& question);
double interval_of(const TuneQuestion& question);
// Returns the samples of the job; absent without a job.
std::optional<double> job_samples_of(const TuneQuestion& question);
// Returns the highest mode of the space and, if `device` is not empty, the presets of the board,
// each as the nearest mode of the space. The highest mode is named "MAXN" if it is the board's
// highest mode, else by its preset, else "highest mode". `rows_of`: board of the rows, if there is
// no device.
std::vector<tune::NamedMode> named_modes(const std::string& device, const tune::SearchSpace& space,
                                         const std::string& rows_of = {});
// Returns the highest of `modes` and the presets of a real board, from its nvpmodel.conf.
std::vector<tune::NamedMode> preset_modes(const platform::JetsonModeControl& control,
                                          const KnobSpace& modes);
// If the question has a request rate: lets its energy include idle power, from the twin of `board`
// ("agx-orin", "fake:agx-orin" or a board file) or, for an unknown board, the least power of
// `rows`. Returns the source of the idle power as text; empty: unknown or not needed.
std::string count_idle(TuneQuestion& question, const std::string& board,
                       std::span<const Observation> rows = {});
// Compares each mode, by `seen`, at its best batch for the goal or, if no batch meets the limits,
// at the nearest miss. The first mode is the highest. `cost`: the cost to show.
void compare_modes(TuneAnswer& found, const std::vector<tune::NamedMode>& modes,
                   const std::vector<int>& batches,
                   const std::function<Observation(const OperatingPoint&)>& seen,
                   const std::function<predict::Prediction(const OperatingPoint&)>& cost);
// The same with the rows of a sweep. Also adds the optimum of the sweep.
void compare_rows(TuneAnswer& found, const Sweep& rows, const std::vector<tune::NamedMode>& modes);
// The same without the optimum, because the optimum of the profiled rows is the answer itself.
void compare_profiled(TuneAnswer& found, const Sweep& rows,
                      const std::vector<tune::NamedMode>& modes);
// Sets the preset names of the points in an answer.
void name_presets(TuneAnswer& found, const Board& board);
// If there is no best point: adds the relaxations with which one of these points is feasible.
void add_relaxations(TuneAnswer& found, std::span<const OperatingPoint> points,
                     std::span<const predict::Prediction> costs, tune::Caution caution);
// Sets the cost of the job, if its size is known.
void add_job(TuneAnswer& found);
// Returns the view of the twin of a workload; `twin` must outlive it. `rows` is the provenance of
// the rows with which the twin is compared; it determines whether times are medians or means.
tune::TwinView twin_view_of(const twin::Twin& twin,
                            const std::shared_ptr<const workload::DeployedWorkload>& workload,
                            Provenance rows, const twin::RunOptions& run);
// Returns a verification of the twin's answer with `question.verify` profiles among the points of
// `space`. `rows`: provenance of the profiles.
tune::Verification verification_of(
    const TuneQuestion& question, const tune::SearchSpace& space, const std::string& device,
    const std::shared_ptr<const workload::DeployedWorkload>& workload, Provenance rows,
    tune::StrategyOptions options);
// Returns the answer of a finished search.
TuneAnswer search_answer(const TuneQuestion& question, const tune::SearchSpace& space,
                         const tune::SearchSummary& summary);

// Reports the progress of a search while the board profiles. Both arguments must outlive this
// object.
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
