// The default predictor: from a few profiled modes to time, power and energy of every mode, with
// calibrated intervals.
//
// The mean of ln(time) has several candidates: the stage model with a general prior and with that
// of each group of usual workloads (workload_groups.h); for every reference the stage model with
// that reference's parameters as prior and the reference's own residual as an additional term; and
// a log-linear model for boards that behave differently. Each has a Gaussian process on its
// residual (semiparametric.h). They are averaged by their evidence, so a reference counts only as
// far as the samples support it. ln(power) has the same candidates with time as an input: one model
// for both, because power is energy over time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/predict/design.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/predict/reference.h"
#include "ridgewatt/predict/workload_groups.h"

namespace ridgewatt::predict {

struct AutoOptions {
  // The points to be predicted (the board's modes and batches). Optional: it gives the scale of the
  // knobs if the samples do not reach the top.
  std::vector<OperatingPoint> space;
  // The cost of a fit grows with the cube of the samples. If there are more than `exact_samples`, a
  // space-filling part, drawn by `seed`, fits the parameters of the mean; the process is fitted on
  // groups of neighbors, and each point is learned from the nearest samples
  // (GaussianProcess::condition).
  std::size_t exact_samples = 200;
  // Selects the evenly spaced share of a large space that `suggest` examines: another seed gives
  // another of many similarly good designs.
  std::uint64_t design_seed = 0;
  std::uint64_t seed = 1;  // of the part
  // Of the workload, if it is known: only groups of this kind are used.
  std::optional<WorkloadKind> kind = {};
  std::vector<WorkloadGroup> groups = {};  // empty: those of workload_groups()

  void check() const;  // UsageError with field, value and constraint
};

class FewShotModel;

class AutoPredictor : public Predictor {
 public:
  explicit AutoPredictor(AutoOptions options = {});
  ~AutoPredictor() override;
  AutoPredictor(AutoPredictor&&) noexcept;
  AutoPredictor& operator=(AutoPredictor&&) noexcept;

  // Call before fit. A reference is a sweep of another workload (reference_from_rows) or the twin's
  // view of this one.
  void add_reference(Reference reference);

  std::string name() const override { return "auto"; }
  void fit(std::span<const Observation> samples) override;
  using Predictor::predict;
  std::vector<Prediction> predict(std::span<const OperatingPoint> points,
                                  double interval) const override;
  const AutoSummary& summary() const;

  // Which `count` of `candidates` to profile next (design.h), the most informative first; before
  // any fit under the prior. Points with a sample are left out; of two equally good points the
  // faster one is preferred.
  std::vector<std::size_t> suggest(std::span<const OperatingPoint> candidates, std::size_t count);
  // The same for a user who only needs the fastest of `candidates` within each power budget; call
  // after fit. Each point is chosen as if the previous ones had been measured as predicted
  // (Ginsbourger et al. 2010). Fewer points if no more are expected to help.
  std::vector<std::size_t> suggest_for_budgets(std::span<const OperatingPoint> candidates,
                                               std::size_t count,
                                               const PowerBudgets& budgets) const;

 private:
  std::unique_ptr<predict::FewShotModel> model_;
};

// The samples of the fit without the one that was probably disturbed, if there is one: those whose
// measurements count.
std::vector<Observation> undisturbed(const AutoSummary& summary,
                                     std::span<const Observation> samples);
// A remark for the user: which sample was probably disturbed (AutoSummary), if one was, and that it
// should be profiled again. `samples`: those of the fit.
std::optional<std::string> disturbed_remark(const AutoPredictor& predictor,
                                            std::span<const Observation> samples);

}  // namespace ridgewatt::predict
