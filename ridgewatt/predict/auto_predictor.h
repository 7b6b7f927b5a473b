// The default predictor: predicts time, power and energy of every mode from a few profiled modes,
// with calibrated intervals.
//
// The predictor has several candidate models for the mean of ln(time): the stage model
// (stage_model.h) with a general prior and with the prior of each workload group
// (workload_groups.h); for every reference, the stage model with the reference's parameters as
// prior and the reference's residual as an additional term; and a log-linear model for other
// boards. Each candidate has a Gaussian process on its residual (semiparametric.h). The candidates
// are averaged by their evidence, so a reference counts only as far as the samples support it.
// ln(power) has the same candidates with time as an input, since power is energy over time.
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
  // The points to predict, such as all modes and batches of the board. They define the range of the
  // knobs. Empty: the samples define the range.
  std::vector<OperatingPoint> space;
  // The cost of a fit grows with the cube of the number of samples. With more than `exact_samples`,
  // the parameters of the mean are fitted to a space-filling subset, which `seed` determines. The
  // Gaussian process is then fitted to groups of neighbors, and a prediction uses the nearest
  // samples (GaussianProcess::condition).
  std::size_t exact_samples = 200;
  // Selects the points of a large space that `suggest` examines. Different seeds give different
  // designs of similar quality.
  std::uint64_t design_seed = 0;
  std::uint64_t seed = 1;  // for the space-filling subset
  // The kind of the workload, if known: only groups of this kind are used.
  std::optional<WorkloadKind> kind = {};
  std::vector<WorkloadGroup> groups = {};  // empty: those of workload_groups()

  void check() const;  // throws UsageError with field, value and constraint
};

class FewShotModel;

class AutoPredictor : public Predictor {
 public:
  explicit AutoPredictor(AutoOptions options = {});
  ~AutoPredictor() override;
  AutoPredictor(AutoPredictor&&) noexcept;
  AutoPredictor& operator=(AutoPredictor&&) noexcept;

  // Call before fit(). A reference is a sweep of another workload (reference_from_rows) or a twin's
  // model of this workload (twin_reference).
  void add_reference(Reference reference);

  std::string name() const override { return "auto"; }
  void fit(std::span<const Observation> samples) override;
  using Predictor::predict;
  std::vector<Prediction> predict(std::span<const OperatingPoint> points,
                                  double interval) const override;
  const AutoSummary& summary() const;

  // Selects `count` of `candidates` to profile next, the most informative first (design.h). Before
  // fit(), uses the prior. Returns indices. Points with a sample are not selected. Of two equally
  // good points, the faster one is preferred.
  std::vector<std::size_t> suggest(std::span<const OperatingPoint> candidates, std::size_t count);
  // Like suggest(), for a user who only needs the fastest of `candidates` within each power budget.
  // Call after fit(). Each point is chosen as if the previous ones had been measured as predicted
  // (Ginsbourger et al. 2010). Returns fewer points if more points are not expected to help.
  std::vector<std::size_t> suggest_for_budgets(std::span<const OperatingPoint> candidates,
                                               std::size_t count,
                                               const PowerBudgets& budgets) const;

 private:
  std::unique_ptr<predict::FewShotModel> model_;
};

// The samples of the fit without the disturbed one (AutoSummary::disturbed), if there is one.
std::vector<Observation> undisturbed(const AutoSummary& summary,
                                     std::span<const Observation> samples);
// A remark that names the probably disturbed sample and recommends to profile it again; empty if
// there is none. `samples` must be the samples of the fit.
std::optional<std::string> disturbed_remark(const AutoPredictor& predictor,
                                            std::span<const Observation> samples);

}  // namespace ridgewatt::predict
