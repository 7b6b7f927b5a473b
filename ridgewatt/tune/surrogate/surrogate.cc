#include "ridgewatt/tune/surrogate.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/numerics/dense.h"
#include "ridgewatt/numerics/kernels.h"

namespace ridgewatt::tune {
namespace {

// Length scales of the deviation from the structure, in octaves of clock, cores and batch.
constexpr std::array<double, SearchSpace::kAxes> kLengthOctaves = {2.0, 1.5, 1.5, 1.5, 3.0};
// Prior variance of the level, after the mean of the observations is subtracted.
constexpr double kLevelVariance = 1.0;

std::vector<float> centered(std::vector<float> values) {
  double sum = 0;
  for (const float value : values) sum += value;
  const auto level = static_cast<float>(sum / static_cast<double>(values.size()));
  for (float& value : values) value -= level;
  return values;
}

// A hyperparameter: the values that are tried, and a log-normal prior. The prior keeps a few
// samples from causing too much certainty.
struct HyperGrid {
  std::array<double, 4> values;
  double median, log_sd;
};
// Scale of the structural covariance, relative to the family. References explain most of it, so the
// scale is smaller with references.
constexpr HyperGrid kScale = {{0.12, 0.25, 0.5, 1.0}, 1.0, 0.7};
constexpr double kScaleMedianOfReferences = 0.35;
// Smooth deviation from the structure, in kTimeUnit or kPowerUnit.
constexpr HyperGrid kLocal = {{0.3, 0.7, 1.5, 3.0}, 1.0, 0.7};
constexpr double kTimeUnit = 0.1, kPowerUnit = 0.04;  // times vary more than powers
// Relative deviation of single points that repeated measurements do not reduce.
constexpr HyperGrid kRoughness = {{0.008, 0.015, 0.03, 0.05}, 0.02, 0.7};
constexpr double kOutlierNoise = 0.02;      // measurement noise from which outliers are searched
constexpr double kOutlierSigmas = 3.5;      // of a leave-one-out residual
constexpr std::size_t kOutlierSamples = 7;  // outliers cannot be identified in fewer samples

// Logarithm of a log-normal density, up to a constant.
double log_prior(double value, double center, double spread) {
  const double z = std::log(value / center) / spread;
  return -0.5 * z * z;
}

using Array = Eigen::Map<Eigen::ArrayXf>;
using ConstArray = Eigen::Map<const Eigen::ArrayXf>;
ConstArray array(const std::vector<float>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}
Array array(std::vector<float>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

// Appends a prior mean. From the second on, the average of all means is the last entry.
void add_mean(std::vector<std::vector<float>>& means, std::vector<float> next) {
  if (means.size() > 1) means.pop_back();
  means.push_back(std::move(next));
  if (means.size() == 1) return;
  std::vector<float> average(means.front().size(), 0.0F);
  for (const auto& mean : means) array(average) += array(mean) / static_cast<float>(means.size());
  means.push_back(std::move(average));
}

// A reference with half of the deviation that the structure does not explain. A part of this
// deviation belongs to the board; the rest is roughness that another workload does not share.
std::vector<float> smoothed(const FunctionPrior& prior, std::vector<float> values) {
  constexpr float kKept = 0.5F;
  const auto rank = static_cast<Eigen::Index>(prior.features.size());
  Eigen::MatrixXf basis(static_cast<Eigen::Index>(values.size()), rank + 1);
  for (Eigen::Index f = 0; f < rank; ++f) {
    basis.col(f) = array(prior.features[static_cast<std::size_t>(f)]).matrix();
  }
  basis.col(rank).setOnes();
  const Eigen::VectorXf deviation = (array(values) - array(prior.mean)).matrix();
  Eigen::MatrixXd normal = (basis.transpose() * basis).cast<double>();
  normal.diagonal().array() += 1e-6;
  const Eigen::VectorXd weights =
      solve_symmetric(normal, (basis.transpose() * deviation).cast<double>());
  const Eigen::VectorXf explained = basis * weights.cast<float>();
  array(values) = array(prior.mean) + explained.array() + kKept * (deviation - explained).array();
  return values;
}

std::vector<const std::vector<float>*> candidate_means(
    const FunctionPrior& structure, const std::vector<std::vector<float>>& references) {
  std::vector<const std::vector<float>*> means = {&structure.mean};
  for (const auto& reference : references) means.push_back(&reference);
  return means;
}

}  // namespace

SurrogatePrior::SurrogatePrior(const SearchSpace& space,
                               std::span<const predict::WorkloadGroup> groups)
    : axis_rows_(space.size()), structure_(make_structure_prior(space, groups)) {
  for (std::size_t axis = 0; axis < SearchSpace::kAxes; ++axis) {
    const auto& levels = space.levels(axis);
    const std::size_t count = std::max<std::size_t>(levels.size(), 1);
    level_count_[axis] = count;
    correlation_[axis].assign(count * count, 1.0F);
    for (std::size_t a = 0; a < levels.size(); ++a) {
      for (std::size_t b = 0; b < levels.size(); ++b) {
        const double octaves = std::abs(std::log2(levels[a] / levels[b]));
        correlation_[axis][a * count + b] =
            static_cast<float>(matern52(octaves / kLengthOctaves[axis]));
      }
    }
  }
  positions_.reserve(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) positions_.push_back(space.position(i));
}

void SurrogatePrior::add_reference(const SearchSpace& space, std::span<const Observation> values) {
  std::vector<char> known(space.size(), 0);
  std::vector<float> time(space.size()), power(space.size());
  for (const auto& value : values) {
    const auto index = space.find(value.point);
    if (!index || known[*index]) continue;
    known[*index] = 1;
    time[*index] = static_cast<float>(std::log(value.time_s));
    power[*index] = static_cast<float>(std::log(value.power_w));
  }
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (known[i]) continue;
    const auto nearest = space.nearest(space.position(i), known);
    if (!nearest) return;  // the reference shares no point with this space
    time[i] = time[*nearest];
    power[i] = power[*nearest];
  }
  add_mean(references_time_, centered(smoothed(structure_.log_time, centered(std::move(time)))));
  add_mean(references_power_, centered(smoothed(structure_.log_power, centered(std::move(power)))));
}

// Result of a fit with one choice of hyperparameters.
struct Surrogate::Solution {
  double evidence = -std::numeric_limits<double>::infinity();
  double level = 0;  // of the quantity minus the prior mean
  Eigen::VectorXd weights;
  Eigen::MatrixXd factor;  // lower Cholesky factor of the covariance of the observations
};

Surrogate::Surrogate(const SurrogatePrior& prior, double noise) : prior_(prior), noise_(noise) {
  if (prior_.has_references()) {
    for (Output* output : {&time_, &power_}) output->mean = 1, output->scale = 1;
  }
}

std::vector<float> Surrogate::structural_row(const FunctionPrior& structure,
                                             std::size_t index) const {
  std::vector<float> row(prior_.size(), 0.0F);
  for (const auto& feature : structure.features) array(row) += feature[index] * array(feature);
  return row;
}

float Surrogate::local_correlation(std::size_t a, std::size_t b) const {
  float product = 1;
  for (std::size_t axis = 0; axis < SearchSpace::kAxes; ++axis) {
    const auto from = static_cast<std::size_t>(prior_.positions_[a][axis]);
    const auto to = static_cast<std::size_t>(prior_.positions_[b][axis]);
    product *= prior_.correlation_[axis][from * prior_.level_count_[axis] + to];
  }
  return product;
}

std::vector<float> Surrogate::local_row(std::size_t index) const {
  std::array<const float*, SearchSpace::kAxes> table{};
  for (std::size_t axis = 0; axis < SearchSpace::kAxes; ++axis) {
    const auto level = static_cast<std::size_t>(prior_.positions_[index][axis]);
    table[axis] = prior_.correlation_[axis].data() + level * prior_.level_count_[axis];
  }
  std::vector<float> row(prior_.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto& position = prior_.positions_[i];
    row[i] = table[0][position[0]] * table[1][position[1]] * table[2][position[2]] *
             table[3][position[3]] * table[4][position[4]];
  }
  return row;
}

void Surrogate::observe(std::size_t index, double time_s, double power_w) {
  indices_.push_back(index);
  const auto add = [&](Output& output, const FunctionPrior& structure, double value) {
    output.logs.push_back(std::log(value));
    output.extra_variance.push_back(0);
    output.rows.push_back(structural_row(structure, index));
  };
  add(time_, prior_.structure_.log_time, time_s);
  add(power_, prior_.structure_.log_power, power_w);
  local_rows_.push_back(local_row(index));
}

// y - mean ~ N(0, level + scale^2 S + local^2 L + roughness^2 [same point] + noise^2 I)
Surrogate::Solution Surrogate::solve(const Output& output,
                                     const std::vector<const std::vector<float>*>& means,
                                     double unit) const {
  const auto n = static_cast<Eigen::Index>(indices_.size());
  const auto& mean = *means[output.mean];
  const double scale = kScale.values[output.scale], local = kLocal.values[output.local] * unit,
               rough = kRoughness.values[output.roughness];
  Solution solution;
  Eigen::VectorXd y(n);
  Eigen::MatrixXd k(n, n);
  for (Eigen::Index a = 0; a < n; ++a) {
    const auto i = static_cast<std::size_t>(a);
    y[a] = output.logs[i] - mean[indices_[i]];
    for (Eigen::Index b = 0; b <= a; ++b) {
      const std::size_t at = indices_[static_cast<std::size_t>(b)];
      k(a, b) = kLevelVariance + scale * scale * output.rows[i][at] +
                local * local * local_rows_[i][at] + (indices_[i] == at ? rough * rough : 0);
    }
    k(a, a) += noise_ * noise_ + output.extra_variance[i];
  }
  solution.level = y.mean();
  y.array() -= solution.level;
  const Eigen::LLT<Eigen::MatrixXd> llt(k);
  if (llt.info() != Eigen::Success) return solution;
  const Eigen::VectorXd half = llt.matrixL().solve(y);
  solution.evidence =
      log_prior(scale, output.mean == 0 ? kScale.median : kScaleMedianOfReferences, kScale.log_sd) +
      log_prior(kLocal.values[output.local], kLocal.median, kLocal.log_sd) +
      log_prior(rough, kRoughness.median, kRoughness.log_sd) - 0.5 * half.squaredNorm() -
      llt.matrixLLT().diagonal().array().log().sum();
  solution.weights = llt.matrixU().solve(half);
  solution.factor = llt.matrixL();
  return solution;
}

// Coordinate search over the grids. It starts at the last choice, since successive fits hardly
// differ.
Surrogate::Solution Surrogate::fit(Output& output,
                                   const std::vector<const std::vector<float>*>& means,
                                   double unit) const {
  Solution best = solve(output, means, unit);
  const std::array<std::pair<std::size_t Output::*, std::size_t>, 4> grids = {
      {{&Output::mean, means.size()},
       {&Output::scale, kScale.values.size()},
       {&Output::local, kLocal.values.size()},
       {&Output::roughness, kRoughness.values.size()}}};
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto& [parameter, size] : grids) {
      const std::size_t from = output.*parameter;
      std::size_t to = from;
      for (std::size_t value = 0; value < size; ++value) {
        if (value == from) continue;
        output.*parameter = value;
        Solution candidate = solve(output, means, unit);
        if (candidate.evidence <= best.evidence + 1e-9) continue;
        best = std::move(candidate);
        to = value;
        moved = true;
      }
      output.*parameter = to;
    }
  }
  return best;
}

// With noisy measurements, the observation with the largest residual gets more variance if it is an
// outlier (leave-one-out residuals: Rasmussen and Williams 2006, 5.10).
Surrogate::Solution Surrogate::fit_robustly(Output& output,
                                            const std::vector<const std::vector<float>*>& means,
                                            double unit) const {
  std::fill(output.extra_variance.begin(), output.extra_variance.end(), 0.0);
  Solution solution = fit(output, means, unit);
  if (noise_ < kOutlierNoise || indices_.size() < kOutlierSamples) return solution;
  for (int round = 0; round < 2; ++round) {
    const auto n = static_cast<Eigen::Index>(indices_.size());
    const Eigen::MatrixXd inverse_factor =
        solution.factor.triangularView<Eigen::Lower>().solve(Eigen::MatrixXd::Identity(n, n));
    const Eigen::VectorXd precision = inverse_factor.colwise().squaredNorm();
    const Eigen::VectorXd residual = solution.weights.cwiseQuotient(precision);
    Eigen::Index worst = 0;
    const double sigmas = residual.cwiseProduct(precision.cwiseSqrt()).cwiseAbs().maxCoeff(&worst);
    if (sigmas < kOutlierSigmas) break;
    output.extra_variance[static_cast<std::size_t>(worst)] += residual[worst] * residual[worst];
    solution = fit(output, means, unit);
  }
  return solution;
}

Surrogate::Awaited Surrogate::predict_output(Output& output, const FunctionPrior& structure,
                                             const std::vector<std::vector<float>>& references,
                                             double unit, std::span<const std::size_t> awaited,
                                             std::vector<float>& mean,
                                             std::vector<float>& sd) const {
  const std::size_t count = prior_.size();
  const auto means = candidate_means(structure, references);
  output.solution = std::make_shared<const Solution>(fit_robustly(output, means, unit));
  const Solution& solution = *output.solution;

  const double scale = kScale.values[output.scale], local = kLocal.values[output.local] * unit,
               rough = kRoughness.values[output.roughness];
  const auto s2 = static_cast<float>(scale * scale), l2 = static_cast<float>(local * local),
             r2 = static_cast<float>(rough * rough);
  const auto level = static_cast<float>(kLevelVariance);
  mean.assign(count, 0.0F);
  sd.assign(count, 0.0F);
  Array mean_array = array(mean), variance = array(sd);
  mean_array = array(*means[output.mean]) + static_cast<float>(solution.level);
  variance.setConstant(level + l2 + r2);
  for (const auto& feature : structure.features) variance += s2 * array(feature).square();
  // Forward substitution of each point's covariance with the observations, row by row.
  std::vector<std::vector<float>> half(indices_.size(), std::vector<float>(count));
  for (std::size_t a = 0; a < indices_.size(); ++a) {
    const auto i = static_cast<Eigen::Index>(a);
    Array row = array(half[a]);
    row = level + s2 * array(output.rows[a]) + l2 * array(local_rows_[a]);
    row[static_cast<Eigen::Index>(indices_[a])] += r2;
    mean_array += static_cast<float>(solution.weights[i]) * row;
    for (std::size_t b = 0; b < a; ++b) {
      row -= static_cast<float>(solution.factor(i, static_cast<Eigen::Index>(b))) * array(half[b]);
    }
    row *= static_cast<float>(1 / solution.factor(i, i));
    variance -= row.square();
  }
  // The same for points in flight: each row says how that point's value would move the others.
  Awaited left;
  for (const std::size_t index : awaited) {
    std::vector<float> values(count);
    Array row = array(values);
    row = level + s2 * array(structural_row(structure, index)) + l2 * array(local_row(index));
    row[static_cast<Eigen::Index>(index)] += r2;
    double own = values[index] + noise_ * noise_;
    for (const auto& earlier : half) {
      own -= static_cast<double>(earlier[index]) * earlier[index];
      row -= earlier[index] * array(earlier);
    }
    left.sds.push_back(std::sqrt(std::max(own, 1e-9)));
    row *= static_cast<float>(1 / left.sds.back());
    variance -= row.square();
    half.push_back(values);
    left.rows.push_back(std::move(values));
  }
  variance = variance.max(1e-6F).sqrt();
  return left;
}

void Surrogate::predict(Beliefs& beliefs, std::span<const std::size_t> awaited) {
  Awaited time = predict_output(time_, prior_.structure_.log_time, prior_.references_time_,
                                kTimeUnit, awaited, beliefs.time_mean, beliefs.time_sd);
  Awaited power = predict_output(power_, prior_.structure_.log_power, prior_.references_power_,
                                 kPowerUnit, awaited, beliefs.power_mean, beliefs.power_sd);
  beliefs.awaited.clear();
  for (std::size_t i = 0; i < awaited.size(); ++i) {
    beliefs.awaited.push_back(
        {awaited[i], std::move(time.rows[i]), std::move(power.rows[i]), time.sds[i], power.sds[i]});
  }
}

std::vector<float> Surrogate::draw_output(const Output& output, const FunctionPrior& structure,
                                          const std::vector<std::vector<float>>& references,
                                          double unit, std::span<const std::size_t> points,
                                          std::size_t draws, Random random) const {
  constexpr double kJitter = 1e-8;
  const Solution& solution = *output.solution;
  const double scale = kScale.values[output.scale], local = kLocal.values[output.local] * unit,
               rough = kRoughness.values[output.roughness];
  const auto covariance = [&](std::size_t a, std::size_t b) {
    double structural = 0;
    for (const auto& feature : structure.features) {
      structural += static_cast<double>(feature[a]) * feature[b];
    }
    return kLevelVariance + scale * scale * structural + local * local * local_correlation(a, b) +
           (a == b ? rough * rough : 0);
  };
  const auto n = static_cast<Eigen::Index>(indices_.size());
  const auto m = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixXd cross(n, m), joint(m, m);
  for (Eigen::Index q = 0; q < m; ++q) {
    const std::size_t point = points[static_cast<std::size_t>(q)];
    for (Eigen::Index i = 0; i < n; ++i) {
      cross(i, q) = covariance(indices_[static_cast<std::size_t>(i)], point);
    }
    for (Eigen::Index p = 0; p <= q; ++p) {
      joint(q, p) = joint(p, q) = covariance(points[static_cast<std::size_t>(p)], point);
    }
  }
  const auto& prior_mean = *candidate_means(structure, references)[output.mean];
  Eigen::VectorXd mean = cross.transpose() * solution.weights;
  for (Eigen::Index q = 0; q < m; ++q) {
    mean[q] += prior_mean[points[static_cast<std::size_t>(q)]] + solution.level;
  }
  solution.factor.triangularView<Eigen::Lower>().solveInPlace(cross);
  joint.noalias() -= cross.transpose() * cross;
  joint.diagonal().array() += kJitter;
  const Eigen::MatrixXd factor = joint.llt().matrixL();
  std::vector<float> values(draws * points.size());
  Eigen::VectorXd normal(m);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (double& value : normal) value = random.normal();
    const Eigen::VectorXd one = mean + factor.triangularView<Eigen::Lower>() * normal;
    std::transform(one.begin(), one.end(),
                   values.begin() + static_cast<std::ptrdiff_t>(draw * points.size()),
                   [](double value) { return static_cast<float>(value); });
  }
  return values;
}

JointDraws Surrogate::draw(std::span<const std::size_t> points, std::size_t draws,
                           std::uint64_t seed) const {
  const Random random(seed);
  return {draw_output(time_, prior_.structure_.log_time, prior_.references_time_, kTimeUnit, points,
                      draws, random.fork(0)),
          draw_output(power_, prior_.structure_.log_power, prior_.references_power_, kPowerUnit,
                      points, draws, random.fork(1))};
}

}  // namespace ridgewatt::tune
