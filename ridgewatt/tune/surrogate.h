// What a search believes of time and power at every point of its space: a Gaussian process on their
// logarithms whose mean and covariance come from the structure of accelerators, from reference
// sweeps and from a twin. Made for searching: an observation costs one row, a fit of 15 and the
// prediction of 4,368 points take about a millisecond.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/tune/search_space.h"
#include "ridgewatt/tune/structure_prior.h"

namespace ridgewatt::tune {

// Everything that does not depend on what is profiled; shared by all searches of a space.
class SurrogatePrior {
 public:
  explicit SurrogatePrior(const SearchSpace& space);
  // A belief about the shape of time and power, one observation per point of the space: a reference
  // workload's sweep (`values` elsewhere than at a point are ignored, gaps are filled from the
  // nearest point) or a twin. How far it is followed is decided by the evidence of each fit.
  void add_reference(const SearchSpace& space, std::span<const Observation> values);

  std::size_t size() const { return axis_rows_; }
  bool has_references() const { return !references_time_.empty(); }
  // The shapes of log time and log power that are expected, their levels open: the average of the
  // references, or the structure's.
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
  std::vector<std::vector<float>> references_time_;  // centered log time, one a reference
  std::vector<std::vector<float>> references_power_;
  std::array<std::vector<float>, SearchSpace::kAxes> correlation_;  // levels x levels
  std::array<std::size_t, SearchSpace::kAxes> level_count_{};
  std::vector<SearchSpace::Position> positions_;
};

// What the result of a point that is awaited would change: where it comes `z` standard deviations
// above its mean, every mean moves by z x row. Standard deviations do not depend on what it is.
struct AwaitedBelief {
  std::size_t index = 0;
  std::vector<float> time_row, power_row;
  double time_sd = 0, power_sd = 0;  // of the result, noise counted, given those awaited before it
};

// Mean and standard deviation of log time (s) and log power (W), one per point. Points that are
// awaited have their means still, but deviations are those that will be left when they are known.
struct Beliefs {
  std::vector<float> time_mean, time_sd, power_mean, power_sd;
  std::vector<AwaitedBelief> awaited = {};
};

class Surrogate {
 public:
  // `noise`: relative standard deviation of a measurement.
  Surrogate(const SurrogatePrior& prior, double noise);
  void observe(std::size_t index, double time_s, double power_w);
  std::size_t observations() const { return indices_.size(); }
  // Chooses prior mean and amplitudes by evidence and predicts the true value at every point,
  // measured ones included. `awaited`: points whose results are still to come. Call observe first.
  void predict(Beliefs& beliefs, std::span<const std::size_t> awaited = {});

 private:
  // One quantity: what was seen of it, and the hyperparameters of the last fit.
  struct Output {
    std::vector<double> logs;
    std::vector<double> extra_variance;    // of observations that look like outliers
    std::vector<std::vector<float>> rows;  // structural covariance of each with every point
    std::size_t mean = 0;                  // 0: structure, then references, then their average
    std::size_t scale = 3, local = 1, roughness = 1;  // positions on the grids
  };
  struct Solution;
  struct Awaited {
    std::vector<std::vector<float>> rows;
    std::vector<double> sds;
  };
  std::vector<float> structural_row(const FunctionPrior& structure, std::size_t index) const;
  std::vector<float> local_row(std::size_t index) const;
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
  std::vector<std::vector<float>> local_rows_;  // local correlation of each with every point
  Output time_, power_;
};

}  // namespace ridgewatt::tune
