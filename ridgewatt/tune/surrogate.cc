#include "ridgewatt/tune/surrogate.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt {
namespace {

// Length scales of what the structure does not explain, in octaves of clock, cores and batch.
constexpr std::array<double, SearchSpace::kAxes> kLengthOctaves = {2.0, 1.5, 1.5, 1.5, 3.0};
constexpr double kLevelVariance = 1.0;  // of the level, after the mean of what was seen

double matern52(double distance) {
  const double s = std::sqrt(5.0) * distance;
  return (1 + s + s * s / 3) * std::exp(-s);
}

std::vector<float> centred(std::vector<float> values) {
  double sum = 0;
  for (const float value : values) sum += value;
  const auto level = static_cast<float>(sum / static_cast<double>(values.size()));
  for (float& value : values) value -= level;
  return values;
}

// One choice of hyperparameters and how well it explains what was seen.
struct Fit {
  double evidence = -std::numeric_limits<double>::infinity();
  std::size_t mean = 0;  // 0: structure, then references
  double structure_scale = 1;
  double local = 0.1;
  double noise = 0.01;
  Eigen::VectorXd alpha;
  Eigen::MatrixXd factor;  // lower Cholesky factor
};

}  // namespace

SurrogatePrior::SurrogatePrior(const SearchSpace& space)
    : axis_rows_(space.size()), structure_(make_structure_prior(space)) {
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
    if (!nearest) return;  // nothing in common with this space
    time[i] = time[*nearest];
    power[i] = power[*nearest];
  }
  references_time_.push_back(centred(std::move(time)));
  references_power_.push_back(centred(std::move(power)));
}

Surrogate::Surrogate(const SurrogatePrior& prior, double noise) : prior_(prior), noise_(noise) {}

void Surrogate::observe(std::size_t index, double time_s, double power_w) {
  indices_.push_back(index);
  log_time_.push_back(std::log(time_s));
  log_power_.push_back(std::log(power_w));
  const std::size_t count = prior_.size();
  const auto structure_row = [&](const FunctionPrior& prior) {
    std::vector<float> row(count, 0.0F);
    for (const auto& feature : prior.features) {
      const float here = feature[index];
      for (std::size_t i = 0; i < count; ++i) row[i] += here * feature[i];
    }
    return row;
  };
  time_rows_.push_back(structure_row(prior_.structure_.log_time));
  power_rows_.push_back(structure_row(prior_.structure_.log_power));
  std::array<const float*, SearchSpace::kAxes> table{};
  for (std::size_t axis = 0; axis < SearchSpace::kAxes; ++axis) {
    const auto level = static_cast<std::size_t>(prior_.positions_[index][axis]);
    table[axis] = prior_.correlation_[axis].data() + level * prior_.level_count_[axis];
  }
  std::vector<float> row(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& position = prior_.positions_[i];
    row[i] = table[0][position[0]] * table[1][position[1]] * table[2][position[2]] *
             table[3][position[3]] * table[4][position[4]];
  }
  local_rows_.push_back(std::move(row));
}

namespace {

// y ~ N(0, level + scale^2 S + local^2 L + noise^2 I)
void try_fit(const Eigen::MatrixXd& structure, const Eigen::MatrixXd& local,
             const Eigen::VectorXd& y, Fit& candidate, Fit& best, double log_prior) {
  const Eigen::Index n = y.size();
  Eigen::MatrixXd k = candidate.structure_scale * candidate.structure_scale * structure +
                      candidate.local * candidate.local * local;
  k.array() += kLevelVariance;
  k.diagonal().array() += candidate.noise * candidate.noise;
  const Eigen::LLT<Eigen::MatrixXd> llt(k);
  if (llt.info() != Eigen::Success) return;
  Eigen::VectorXd half = llt.matrixL().solve(y);
  double log_determinant = 0;
  for (Eigen::Index i = 0; i < n; ++i) log_determinant += std::log(llt.matrixLLT()(i, i));
  const double evidence = log_prior - 0.5 * half.squaredNorm() - log_determinant;
  if (evidence <= best.evidence) return;
  candidate.evidence = evidence;
  best = candidate;
  best.factor = llt.matrixL();
  best.alpha = llt.matrixU().solve(half);
}

}  // namespace

void Surrogate::predict_output(const FunctionPrior& structure,
                               std::span<const std::vector<float>> references,
                               const std::vector<std::vector<float>>& rows,
                               const std::vector<double>& logs, double amplitude,
                               std::vector<float>& mean, std::vector<float>& sd) {
  const auto n = static_cast<Eigen::Index>(indices_.size());
  const std::size_t count = prior_.size();
  const double level = ridgewatt::mean(logs);
  Eigen::MatrixXd structure_k(n, n), local_k(n, n);
  for (Eigen::Index a = 0; a < n; ++a) {
    for (Eigen::Index b = 0; b < n; ++b) {
      const std::size_t at = indices_[static_cast<std::size_t>(b)];
      structure_k(a, b) = rows[static_cast<std::size_t>(a)][at];
      local_k(a, b) = local_rows_[static_cast<std::size_t>(a)][at];
    }
  }
  // Prior means: structure, each reference, the average of the references.
  std::vector<float> average;
  std::vector<const std::vector<float>*> means = {&structure.mean};
  for (const auto& reference : references) means.push_back(&reference);
  if (references.size() > 1) {
    average.assign(count, 0.0F);
    for (const auto& reference : references) {
      for (std::size_t i = 0; i < count; ++i) {
        average[i] += reference[i] / static_cast<float>(references.size());
      }
    }
    means.push_back(&average);
  }

  Fit best;
  for (std::size_t m = 0; m < means.size(); ++m) {
    Eigen::VectorXd y(n);
    double offset = 0;
    for (Eigen::Index a = 0; a < n; ++a)
      offset += (*means[m])[indices_[static_cast<std::size_t>(a)]];
    offset /= static_cast<double>(n);
    for (Eigen::Index a = 0; a < n; ++a) {
      const auto i = static_cast<std::size_t>(a);
      y[a] = logs[i] - level - ((*means[m])[indices_[i]] - offset);
    }
    for (const double scale : {0.12, 0.25, 0.5, 1.0}) {
      if (m == 0 && scale < 0.5) continue;
      for (const double local : {0.3, 0.7, 1.5, 3.0}) {
        Fit candidate;
        candidate.mean = m;
        candidate.structure_scale = scale;
        candidate.local = local * amplitude;
        candidate.noise = noise_;
        try_fit(structure_k, local_k, y, candidate, best, 0);
      }
    }
  }

  const auto& prior_mean = *means[best.mean];
  double offset = 0;
  for (const std::size_t index : indices_) offset += prior_mean[index];
  offset /= static_cast<double>(n);
  // Covariance rows, then forward substitution row by row over all points.
  mean.assign(count, 0.0F);
  std::vector<float> variance(count);
  const auto s2 = static_cast<float>(best.structure_scale * best.structure_scale);
  const auto l2 = static_cast<float>(best.local * best.local);
  for (std::size_t i = 0; i < count; ++i) {
    mean[i] = static_cast<float>(level - offset) + prior_mean[i];
    variance[i] = static_cast<float>(kLevelVariance) + l2;
  }
  for (const auto& feature : structure.features) {
    for (std::size_t i = 0; i < count; ++i) variance[i] += s2 * feature[i] * feature[i];
  }
  std::vector<std::vector<float>> half(indices_.size(), std::vector<float>(count));
  for (std::size_t a = 0; a < indices_.size(); ++a) {
    auto& row = half[a];
    const auto weight = static_cast<float>(best.alpha[static_cast<Eigen::Index>(a)]);
    const auto& srow = rows[a];
    const auto& lrow = local_rows_[a];
    for (std::size_t i = 0; i < count; ++i) {
      row[i] = static_cast<float>(kLevelVariance) + s2 * srow[i] + l2 * lrow[i];
      mean[i] += weight * row[i];
    }
    for (std::size_t b = 0; b < a; ++b) {
      const auto l = static_cast<float>(
          best.factor(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)));
      const auto& other = half[b];
      for (std::size_t i = 0; i < count; ++i) row[i] -= l * other[i];
    }
    const auto pivot = static_cast<float>(
        1 / best.factor(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(a)));
    for (std::size_t i = 0; i < count; ++i) {
      row[i] *= pivot;
      variance[i] -= row[i] * row[i];
    }
  }
  sd.resize(count);
  for (std::size_t i = 0; i < count; ++i) sd[i] = std::sqrt(std::max(variance[i], 1e-6F));
}

void Surrogate::predict(Beliefs& beliefs) {
  predict_output(prior_.structure_.log_time, prior_.references_time_, time_rows_, log_time_, 0.1,
                 beliefs.time_mean, beliefs.time_sd);
  predict_output(prior_.structure_.log_power, prior_.references_power_, power_rows_, log_power_,
                 0.04, beliefs.power_mean, beliefs.power_sd);
}

}  // namespace ridgewatt
