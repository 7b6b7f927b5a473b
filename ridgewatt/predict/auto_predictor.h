// The product's own predictor: a handful of profiled modes in, time, power and energy of every mode
// out, with honest intervals.
//
// Candidates of the mean of ln(time) are the stage model with a general prior; for every reference
// the stage model with that reference's parameters as prior and the reference's own residual as a
// further term; and a log-linear model for boards that behave otherwise. Each carries a Gaussian
// process on its residual (semiparametric.h) and they are averaged by their evidence, so that a
// reference counts only as far as the samples support it. ln(power) has the same candidates with
// time as an input: one model for both, since power is energy over time.
#pragma once

#include <cstdint>
#include <memory>

#include "ridgewatt/predict/design.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/predict/reference.h"

namespace ridgewatt::predict {

struct AutoOptions {
  // Where predictions will be asked (the board's modes and batches). Optional: it tells the scale
  // of the knobs when the samples do not reach the top.
  std::vector<OperatingPoint> space;
  // The cost of a fit grows with the cube of the samples. Of more than `exact_samples`, a part that
  // fills the space, drawn by `seed`, fits the mean's parameters; the process is fitted on groups
  // of neighbors, and each point is learned from the samples nearest to it
  // (GaussianProcess::condition).
  std::size_t exact_samples = 200;
  // Which even share of a large space `suggest` looks at: another seed, another of many about
  // equally good designs.
  std::uint64_t design_seed = 0;
  std::uint64_t seed = 1;  // of the part

  void check() const;  // UsageError with field, value and constraint
};

struct AutoSummary {
  struct Candidate {
    std::string name;
    double time_weight = 0, power_weight = 0;  // posterior probability
  };
  std::vector<Candidate> candidates;
  std::size_t samples = 0;
  std::size_t part = 0;  // of the samples that parameters were fitted on; all, or fewer
};

class FewShotModel;

class AutoPredictor : public Predictor {
 public:
  explicit AutoPredictor(AutoOptions options = {});
  ~AutoPredictor() override;
  AutoPredictor(AutoPredictor&&) noexcept;
  AutoPredictor& operator=(AutoPredictor&&) noexcept;

  // Before fit. A reference is a sweep of another workload (reference_from_rows) or the twin's view
  // of this one.
  void add_reference(Reference reference);

  std::string name() const override { return "auto"; }
  void fit(std::span<const Observation> samples) override;
  using Predictor::predict;
  std::vector<Prediction> predict(std::span<const OperatingPoint> points,
                                  double interval) const override;
  const AutoSummary& summary() const;

  // Which `count` of `candidates` to profile next (design.h), the most telling first; before any
  // fit under the prior. Points with a sample are left out, and of two equally good ones the one
  // that takes less time is preferred.
  std::vector<std::size_t> suggest(std::span<const OperatingPoint> candidates, std::size_t count);
  // The same for who asks for the fastest of `candidates` within each of the budgets of power, and
  // for nothing else; after fit. Each is chosen as if the ones before had been measured as
  // predicted (Ginsbourger et al. 2010). Fewer where no more are expected to be of use.
  std::vector<std::size_t> suggest_for_budgets(std::span<const OperatingPoint> candidates,
                                               std::size_t count,
                                               const PowerBudgets& budgets) const;

 private:
  std::unique_ptr<predict::FewShotModel> model_;
};

}  // namespace ridgewatt::predict
