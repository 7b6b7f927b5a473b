// Predicts time and power at every point of a space from few measurements: a Gaussian process on
// their logarithms. Its mean and covariance come from the structure of accelerators
// (structure_prior.h), from reference sweeps and from a twin. It is fast enough for a search: a fit
// to 15 observations and the prediction of 4,368 points take about a millisecond.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ridgewatt/base/random.h"
#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/tune/search_space.h"
#include "ridgewatt/tune/structure_prior.h"

namespace ridgewatt::tune {

// The part that does not depend on profiles. All searches of a space can share it.
class SurrogatePrior {
 public:
  // `groups` are groups of typical workloads (structure_prior.h).
  explicit SurrogatePrior(const SearchSpace& space,
                          std::span<const predict::WorkloadGroup> groups = {});
  // Adds a reference for the shape of time and power: the sweep of another workload, or a twin.
  // Ignores values at points outside the space, and fills missing points from the nearest value.
  // Each fit weights the references by their marginal likelihood (evidence).
  void add_reference(const SearchSpace& space, std::span<const Observation> values);

  std::size_t size() const { return axis_rows_; }
  bool has_references() const { return !references_time_.empty(); }
  // The expected shapes of log time and log power without their levels: the mean of the references
  // or, without references, of the structure prior.
  const std::vector<float>& expected_time() const {
    return has_references() ? references_time_.back() : structure_.log_time.mean;
  }
  const std::vector<float>& expected_power() const {
    return has_references() ? references_power_.back() : structure_.log_power.mean;
  }

 private:
  friend class Surrogate;
  std::size_t axis_rows_ = 0;
  StructurePrior structure_;
  std::vector<std::vector<float>> references_time_;  // centered log time, one per reference
  std::vector<std::vector<float>> references_power_;
  // Correlation between levels, [level x level].
  std::array<std::vector<float>, SearchSpace::kAxes> correlation_;
  std::array<std::size_t, SearchSpace::kAxes> level_count_{};
  std::vector<SearchSpace::Position> positions_;
};

// Effect of an outstanding result. If the result is z standard deviations above its mean, the
// predicted mean of each point moves by z times the entry of this point in the row. The standard
// deviations do not change.
struct AwaitedBelief {
  std::size_t index = 0;
  std::vector<float> time_row, power_row;
  // Standard deviations of the result, including noise, given the earlier outstanding results.
  double time_sd = 0, power_sd = 0;
};

// Predicted mean and standard deviation of log time (s) and log power (W), one per point.
// Outstanding results do not change the means but reduce the standard deviations.
struct Beliefs {
  std::vector<float> time_mean, time_sd, power_mean, power_sd;
  std::vector<AwaitedBelief> awaited = {};
};

// Joint samples of several points: for each draw, one value per point.
struct JointDraws {
  std::vector<float> log_time, log_power;  // of a minibatch, in s and W
};

class Surrogate {
 public:
  // `noise` is the relative standard deviation of a measurement.
  Surrogate(const SurrogatePrior& prior, double noise);
  void observe(std::size_t index, double time_s, double power_w);
  std::size_t observations() const { return indices_.size(); }
  // Selects the prior mean and the amplitudes by evidence, and predicts the true value at every
  // point, including measured ones. `awaited` are the outstanding points. Requires at least one
  // observe().
  void predict(Beliefs& beliefs, std::span<const std::size_t> awaited = {});
  // Draws joint samples of the true values of `points`, deterministic by seed. Requires predict().
  // The cost grows with the cube of the number of points.
  JointDraws draw(std::span<const std::size_t> points, std::size_t draws, std::uint64_t seed) const;

 private:
  struct Solution;
  // One quantity (time or power): its observations, and the hyperparameters of the last fit.
  struct Output {
    std::vector<double> logs;
    std::vector<double> extra_variance;  // of observations that are probably outliers
    // Structural covariance of each observation with every point.
    std::vector<std::vector<float>> rows;
    // Index of the prior mean, in the order: structure, references, average of the references.
    std::size_t mean = 0;
    std::size_t scale = 3, local = 1, roughness = 1;  // indices into the grids of hyperparameters
    std::shared_ptr<const Solution> solution;         // of the last fit
  };
  struct Awaited {
    std::vector<std::vector<float>> rows;
    std::vector<double> sds;
  };
  std::vector<float> structural_row(const FunctionPrior& structure, std::size_t index) const;
  std::vector<float> local_row(std::size_t index) const;
  float local_correlation(std::size_t a, std::size_t b) const;
  std::vector<float> draw_output(const Output& output, const FunctionPrior& structure,
                                 const std::vector<std::vector<float>>& references, double unit,
                                 std::span<const std::size_t> points, std::size_t draws,
                                 Random random) const;
  Solution solve(const Output& output, const std::vector<const std::vector<float>*>& means,
                 double unit) const;
  Solution fit(Output& output, const std::vector<const std::vector<float>*>& means,
               double unit) const;
  Solution fit_robustly(Output& output, const std::vector<const std::vector<float>*>& means,
                        double unit) const;
  Awaited predict_output(Output& output, const FunctionPrior& structure,
                         const std::vector<std::vector<float>>& references, double unit,
                         std::span<const std::size_t> awaited, std::vector<float>& mean,
                         std::vector<float>& sd) const;

  const SurrogatePrior& prior_;
  double noise_;
  std::vector<std::size_t> indices_;
  // Local correlation of each observation with every point.
  std::vector<std::vector<float>> local_rows_;
  Output time_, power_;
};

}  // namespace ridgewatt::tune
