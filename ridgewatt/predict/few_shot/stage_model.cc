#include "ridgewatt/predict/few_shot/stage_model.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridgewatt {
namespace {

// ln of the p-norm of exp(v): the soft maximum of v, its weights and its derivative by p.
template <std::size_t N>
struct SoftMaximum {
  double value = 0;
  std::array<double, N> weight{};
  double by_exponent = 0;

  SoftMaximum(const std::array<double, N>& v, double p) {
    const double top = *std::max_element(v.begin(), v.end());
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i) sum += weight[i] = std::exp(p * (v[i] - top));
    value = top + std::log(sum) / p;
    double mean = 0;
    for (std::size_t i = 0; i < N; ++i) {
      weight[i] /= sum;
      mean += weight[i] * v[i];
    }
    by_exponent = (mean - value) / p;
  }
};

constexpr double kLeastExponent = 0.7;
double exponent(double parameter) {
  return kLeastExponent + std::exp(std::clamp(parameter, -3.0, 2.5));
}
double exponent_derivative(double parameter) {
  return parameter < -3 || parameter > 2.5 ? 0 : std::exp(parameter);
}

// Softplus with a knee of 1/3: keeps a slope positive.
double soft_positive(double v) {
  return (v > 10 ? 3 * v : std::log1p(std::exp(3 * v))) / 3;
}
double soft_positive_derivative(double v) {
  return 1 / (1 + std::exp(-3 * v));
}

}  // namespace

void MeanModel::set_prior(Eigen::VectorXd mean, Eigen::VectorXd deviation) {
  prior_mean_ = std::move(mean);
  prior_deviation_ = std::move(deviation);
}

Eigen::VectorXd MeanModel::time_sensitivity(const Eigen::VectorXd&, const FeatureMatrix& x,
                                            const Eigen::VectorXd&) const {
  return Eigen::VectorXd::Zero(x.rows());
}

StageTimeModel::StageTimeModel() {
  prior_mean_.resize(kParameters);
  prior_deviation_.resize(kParameters);
  prior_mean_ << 0, -0.7, -0.9, -2.0, -2.5, -3.5, -3.5, 0.5, 0.8, 1.0, -0.5, 0.95, 0.85, 0.9, 0.1,
      0.5;
  prior_deviation_ << 3, 0.7, 0.7, 1.2, 1.2, 1.2, 1.2, 0.4, 0.5, 0.5, 0.6, 0.1, 0.15, 0.2, 0.2, 0.4;
}

void StageTimeModel::evaluate(const Eigen::VectorXd& t, const FeatureMatrix& x,
                              const Eigen::VectorXd&, Eigen::VectorXd& value,
                              Eigen::MatrixXd* jacobian) const {
  const double q = exponent(t[kLogMemoryOverlap]), p = exponent(t[kLogOverlap]);
  const double slope = soft_positive(t[kCoreSlope]);
  value.resize(x.rows());
  if (jacobian != nullptr) jacobian->setZero(x.rows(), kParameters);
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    const double cpu = x(row, kLogCpu), b = x(row, kLogBatch);
    // Cores help up to a saturation: the soft minimum of both.
    const SoftMaximum<2> cores({-x(row, kLogCores), -t[kCoreSaturation]}, 4);
    const double effective_cores = -cores.value;
    const SoftMaximum<2> gpu({t[kCompute] - x(row, kLogGpu) + t[kComputeBatch] * b,
                              t[kMemory] - x(row, kLogMem) + t[kMemoryBatch] * b},
                             q);
    const SoftMaximum<3> inner(
        {gpu.value, t[kLoad] - cpu - slope * effective_cores + t[kLoadBatch] * b,
         t[kLaunch] - cpu + t[kLaunchBatch] * b},
        p);
    const SoftMaximum<3> outer(
        {inner.value, t[kSerial] - cpu + t[kSerialBatch] * b, t[kConstant] + t[kSerialBatch] * b},
        1);
    value[row] = t[kLevel] + outer.value;
    if (jacobian == nullptr) continue;
    auto j = jacobian->row(row);
    const double w_inner = outer.weight[0];
    const double w_gpu = w_inner * inner.weight[0], w_load = w_inner * inner.weight[1];
    const double w_launch = w_inner * inner.weight[2];
    j[kLevel] = 1;
    j[kCompute] = w_gpu * gpu.weight[0];
    j[kMemory] = w_gpu * gpu.weight[1];
    j[kLoad] = w_load;
    j[kLaunch] = w_launch;
    j[kSerial] = outer.weight[1];
    j[kConstant] = outer.weight[2];
    j[kLogMemoryOverlap] = w_gpu * gpu.by_exponent * exponent_derivative(t[kLogMemoryOverlap]);
    j[kLogOverlap] = w_inner * inner.by_exponent * exponent_derivative(t[kLogOverlap]);
    j[kCoreSlope] = -w_load * effective_cores * soft_positive_derivative(t[kCoreSlope]);
    j[kCoreSaturation] = -w_load * slope * cores.weight[1];
    j[kComputeBatch] = j[kCompute] * b;
    j[kMemoryBatch] = j[kMemory] * b;
    j[kLoadBatch] = w_load * b;
    j[kLaunchBatch] = w_launch * b;
    j[kSerialBatch] = (outer.weight[1] + outer.weight[2]) * b;
  }
}

WorkPowerModel::WorkPowerModel(double reference_log_time)
    : reference_log_time_(reference_log_time) {
  prior_mean_.resize(kParameters);
  prior_deviation_.resize(kParameters);
  prior_mean_ << 0, -1.0, 0.8, -1.2, -0.7, -1.5, 2.5, -1.5, -1.5, 1.0, 0.8;
  prior_deviation_ << 2, 1.2, 0.5, 1.0, 0.8, 1.2, 1.2, 1.0, 1.0, 0.15, 0.3;
}

namespace {

constexpr double kCoreIdleExponent = 0.7;  // idle power grows a little slower than cores online

// The five variable terms relative to the idle floor, as logarithms, and the sum with the floor.
struct PowerTerms {
  double gpu_work, gpu_idle, cpu_work, cpu_idle, memory, sum;

  PowerTerms(const Eigen::VectorXd& h, const FeatureMatrix& x, Eigen::Index row, double log_time) {
    using P = WorkPowerModel;
    const double vg = std::exp(h[P::kLogGpuExponent]), vc = std::exp(h[P::kLogCpuExponent]);
    const double b = x(row, kLogBatch);
    gpu_work = std::exp(h[P::kGpuWork] + vg * x(row, kLogGpu) + h[P::kGpuBatch] * b - log_time);
    gpu_idle = std::exp(h[P::kGpuIdle] + (1 + vg) * x(row, kLogGpu));
    cpu_work = std::exp(h[P::kCpuWork] + vc * x(row, kLogCpu) + h[P::kCpuBatch] * b - log_time);
    cpu_idle = std::exp(h[P::kCpuIdle] + kCoreIdleExponent * x(row, kLogCores) +
                        (1 + vc) * x(row, kLogCpu));
    memory = std::exp(h[P::kMemory] + h[P::kMemoryExponent] * x(row, kLogMem));
    sum = 1 + gpu_work + gpu_idle + cpu_work + cpu_idle + memory;
  }
};

}  // namespace

void WorkPowerModel::evaluate(const Eigen::VectorXd& h, const FeatureMatrix& x,
                              const Eigen::VectorXd& log_time, Eigen::VectorXd& value,
                              Eigen::MatrixXd* jacobian) const {
  value.resize(x.rows());
  if (jacobian != nullptr) jacobian->setZero(x.rows(), kParameters);
  const double vg = std::exp(h[kLogGpuExponent]), vc = std::exp(h[kLogCpuExponent]);
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    const PowerTerms terms(h, x, row, log_time[row] - reference_log_time_);
    value[row] = h[kLevel] + std::log(terms.sum);
    if (jacobian == nullptr) continue;
    auto j = jacobian->row(row);
    j[kLevel] = 1;
    j[kGpuWork] = terms.gpu_work / terms.sum;
    j[kLogGpuExponent] = vg * x(row, kLogGpu) * (terms.gpu_work + terms.gpu_idle) / terms.sum;
    j[kCpuWork] = terms.cpu_work / terms.sum;
    j[kLogCpuExponent] = vc * x(row, kLogCpu) * (terms.cpu_work + terms.cpu_idle) / terms.sum;
    j[kMemory] = terms.memory / terms.sum;
    j[kMemoryExponent] = x(row, kLogMem) * terms.memory / terms.sum;
    j[kGpuIdle] = terms.gpu_idle / terms.sum;
    j[kCpuIdle] = terms.cpu_idle / terms.sum;
    j[kGpuBatch] = x(row, kLogBatch) * terms.gpu_work / terms.sum;
    j[kCpuBatch] = x(row, kLogBatch) * terms.cpu_work / terms.sum;
  }
}

Eigen::VectorXd WorkPowerModel::time_sensitivity(const Eigen::VectorXd& h, const FeatureMatrix& x,
                                                 const Eigen::VectorXd& log_time) const {
  Eigen::VectorXd result(x.rows());
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    const PowerTerms terms(h, x, row, log_time[row] - reference_log_time_);
    result[row] = -(terms.gpu_work + terms.cpu_work) / terms.sum;
  }
  return result;
}

LogLinearModel::LogLinearModel(Quantity quantity) {
  prior_mean_.resize(1 + kFeatures);
  prior_deviation_.resize(1 + kFeatures);
  if (quantity == Quantity::kTime) {
    prior_mean_ << 0, -0.2, -0.3, -0.3, -0.3, 0.8;
    prior_deviation_ << 3, 0.3, 0.3, 0.3, 0.3, 0.3;
  } else {
    prior_mean_ << 0, 0.05, 0.2, 0.25, 0.1, 0.1;
    prior_deviation_ << 2, 0.15, 0.15, 0.2, 0.15, 0.15;
  }
}

void LogLinearModel::evaluate(const Eigen::VectorXd& parameters, const FeatureMatrix& x,
                              const Eigen::VectorXd&, Eigen::VectorXd& value,
                              Eigen::MatrixXd* jacobian) const {
  value = (x * parameters.tail(kFeatures)).array() + parameters[0];
  if (jacobian == nullptr) return;
  jacobian->resize(x.rows(), 1 + kFeatures);
  jacobian->col(0).setOnes();
  jacobian->rightCols(kFeatures) = x;
}

}  // namespace ridgewatt
