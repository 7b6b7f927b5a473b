#include "ridgewatt/predict/few_shot/stage_model.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/numerics/soft_maximum.h"

namespace ridgewatt::predict {
namespace {

constexpr double kLeastExponent = 0.7;
double exponent(double parameter) {
  return kLeastExponent + std::exp(std::clamp(parameter, -3.0, 2.5));
}
double exponent_derivative(double parameter) {
  return parameter < -3 || parameter > 2.5 ? 0 : std::exp(parameter);
}

// Softplus with a knee of 1/3. Keeps a slope positive.
double soft_positive(double v) {
  return (v > 10 ? 3 * v : std::log1p(std::exp(3 * v))) / 3;
}
double soft_positive_derivative(double v) {
  return 1 / (1 + std::exp(-3 * v));
}

// What is known about any workload on any such board; no value was fitted to a workload. Times are
// shares of the time of a minibatch at the top mode. A deviation of 0.7 is a factor of two in both
// directions, a deviation of 1.2 a factor of three.
using T = StageTimeModel;
constexpr PriorRow kTimePriors[] = {
    {T::kLevel, "level", "ln s", 0, 3, "moved to the median of the samples before a fit"},
    {T::kCompute, "compute", "ln 1", -0.7, 0.7, "half of the minibatch is arithmetic on the GPU"},
    {T::kMemory, "memory", "ln 1", -0.9, 0.7,
     "40 % of the minibatch is memory traffic, which overlaps with arithmetic"},
    {T::kLoad, "load", "ln 1", -2.0, 1.2, "loading is hidden by most pipelines, not by all"},
    {T::kLaunch, "launch", "ln 1", -2.5, 1.2, "launches are hidden unless kernels are small"},
    {T::kSerial, "serial", "ln 1", -3.5, 1.2, "a few percent on the CPU that nothing overlaps"},
    {T::kConstant, "constant", "ln 1", -3.5, 1.2, "a few percent that no clock changes"},
    {T::kLogMemoryOverlap, "memory_overlap", "ln 1", 0.5, 0.4,
     "ln(q - 0.7) with q = 2.3: compute and memory overlap within a kernel, not fully"},
    {T::kLogOverlap, "overlap", "ln 1", 0.8, 0.5,
     "ln(p - 0.7) with p = 2.9: GPU, loader and launches overlap more"},
    {T::kCoreSlope, "core_slope", "1", 1.0, 0.5, "loader workers share the cores evenly"},
    {T::kCoreSaturation, "core_saturation", "ln 1", -0.5, 0.6,
     "share of the cores that the few workers use; additional cores do not help"},
    {T::kComputeBatch, "compute_batch", "1", 0.95, 0.1,
     "work grows with the samples; large minibatches fill the GPU a little better"},
    {T::kMemoryBatch, "memory_batch", "1", 0.85, 0.15,
     "activations grow with the samples, weights are read once a minibatch"},
    {T::kLoadBatch, "load_batch", "1", 0.9, 0.2, "every sample is loaded"},
    {T::kLaunchBatch, "launch_batch", "1", 0.1, 0.2,
     "a minibatch has the same kernels at any size"},
    {T::kSerialBatch, "serial_batch", "1", 0.5, 0.4,
     "between a cost per sample and a cost per minibatch"},
    {T::kConstantBatch, "constant_batch", "1", 0.5, 0.4,
     "between a cost per sample and a cost per minibatch"},
};
static_assert(complete(kTimePriors, T::kParameters));

// Powers relative to the idle floor, at the top mode and the typical time.
using W = WorkPowerModel;
constexpr PriorRow kPowerPriors[] = {
    {W::kLevel, "level", "ln W", 0, 2, "the idle floor; moved to the median of the samples"},
    {W::kGpuWork, "gpu_work", "ln 1", -1.0, 1.2,
     "power of the work on the GPU: energy of a minibatch divided by its time"},
    {W::kLogGpuExponent, "gpu_exponent", "ln 1", 0.8, 0.5,
     "exponent 2.2: energy grows with V^2, and voltage rises with the clock"},
    {W::kCpuWork, "cpu_work", "ln 1", -1.2, 1.0,
     "power of the work on the CPU, a little less than on the GPU"},
    {W::kLogCpuExponent, "cpu_exponent", "ln 1", -0.7, 0.8,
     "exponent 0.5: the voltage of the CPU varies less over its clocks"},
    {W::kMemory, "memory", "ln 1", -1.5, 1.2, "a fifth of the floor at the highest memory clock"},
    {W::kMemoryExponent, "memory_exponent", "1", 2.5, 1.2,
     "the voltage of the memory rises in steps with its clock"},
    {W::kGpuIdle, "gpu_idle", "ln 1", -1.5, 1.0, "clock power of the GPU, a fifth of the floor"},
    {W::kCpuIdle, "cpu_idle", "ln 1", -1.5, 1.0, "clock power of the cores, a fifth of the floor"},
    {W::kGpuBatch, "gpu_batch", "1", 1.0, 0.15, "energy grows with the samples"},
    {W::kCpuBatch, "cpu_batch", "1", 0.8, 0.3,
     "less than 1, because a part does not depend on the batch"},
    {W::kMemoryWork, "memory_work", "ln 1", -2.0, 1.2,
     "energy of the memory traffic of a minibatch, less than that of the arithmetic"},
    {W::kMemoryWorkExponent, "memory_work_exponent", "1", 0.0, 1.0,
     "a byte costs about the same at any memory clock"},
};
static_assert(complete(kPowerPriors, W::kParameters));

// Exponents of the knobs, with assumptions only about their signs.
constexpr PriorRow kLinearTimePriors[] = {
    {0, "level", "ln s", 0, 3, "moved to the median of the samples before a fit"},
    {1 + kLogCores, "cores", "1", -0.2, 0.3, "more of any knob is faster, less than in proportion"},
    {1 + kLogCpu, "cpu_clock", "1", -0.3, 0.3,
     "more of any knob is faster, less than in proportion"},
    {1 + kLogGpu, "gpu_clock", "1", -0.3, 0.3,
     "more of any knob is faster, less than in proportion"},
    {1 + kLogMem, "mem_clock", "1", -0.3, 0.3,
     "more of any knob is faster, less than in proportion"},
    {1 + kLogBatch, "batch", "1", 0.8, 0.3, "a larger minibatch takes longer, a sample less"},
};
static_assert(complete(kLinearTimePriors, 1 + kFeatures));
constexpr PriorRow kLinearPowerPriors[] = {
    {0, "level", "ln W", 0, 2, "moved to the median of the samples before a fit"},
    {1 + kLogCores, "cores", "1", 0.05, 0.15, "cores take little while they wait"},
    {1 + kLogCpu, "cpu_clock", "1", 0.2, 0.15, "more of any clock takes more power"},
    {1 + kLogGpu, "gpu_clock", "1", 0.25, 0.2, "the GPU most"},
    {1 + kLogMem, "mem_clock", "1", 0.1, 0.15, "memory less"},
    {1 + kLogBatch, "batch", "1", 0.1, 0.15, "larger minibatches keep the GPU busier"},
};
static_assert(complete(kLinearPowerPriors, 1 + kFeatures));

}  // namespace

std::span<const PriorRow> stage_time_priors() {
  return kTimePriors;
}
std::span<const PriorRow> work_power_priors() {
  return kPowerPriors;
}

void MeanModel::use_priors(std::span<const PriorRow> rows) {
  prior_mean_.resize(static_cast<Eigen::Index>(rows.size()));
  prior_deviation_.resize(static_cast<Eigen::Index>(rows.size()));
  for (const auto& row : rows) {
    prior_mean_[static_cast<Eigen::Index>(row.parameter)] = row.mean;
    prior_deviation_[static_cast<Eigen::Index>(row.parameter)] = row.deviation;
  }
}

void MeanModel::set_prior(Eigen::VectorXd mean, Eigen::VectorXd deviation) {
  prior_mean_ = std::move(mean);
  prior_deviation_ = std::move(deviation);
}

Eigen::VectorXd MeanModel::time_sensitivity(const Eigen::VectorXd&, const FeatureMatrix& x,
                                            const Eigen::VectorXd&) const {
  return Eigen::VectorXd::Zero(x.rows());
}

StageTimeModel::StageTimeModel() {
  use_priors(kTimePriors);
}

double StageTimeModel::scale_to_top(Eigen::VectorXd& parameters) {
  Eigen::VectorXd top;
  StageTimeModel().evaluate(parameters, FeatureMatrix::Zero(1, kFeatures), {}, top, nullptr);
  parameters.segment(kCompute, kConstant).array() -= top[0] - parameters[kLevel];
  return parameters[kLevel] = top[0];
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
    // More cores help up to a saturation: the soft minimum of both.
    const LogSoftMaximum<2> cores({-x(row, kLogCores), -t[kCoreSaturation]}, 4);
    const double effective_cores = -cores.value;
    const LogSoftMaximum<2> gpu({t[kCompute] - x(row, kLogGpu) + t[kComputeBatch] * b,
                                 t[kMemory] - x(row, kLogMem) + t[kMemoryBatch] * b},
                                q);
    const LogSoftMaximum<3> inner(
        {gpu.value, t[kLoad] - cpu - slope * effective_cores + t[kLoadBatch] * b,
         t[kLaunch] - cpu + t[kLaunchBatch] * b},
        p);
    const LogSoftMaximum<3> outer(
        {inner.value, t[kSerial] - cpu + t[kSerialBatch] * b, t[kConstant] + t[kConstantBatch] * b},
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
    j[kSerialBatch] = outer.weight[1] * b;
    j[kConstantBatch] = outer.weight[2] * b;
  }
}

WorkPowerModel::WorkPowerModel(double reference_log_time)
    : reference_log_time_(reference_log_time) {
  use_priors(kPowerPriors);
}

namespace {

constexpr double kCoreIdleExponent = 0.7;  // idle power grows a little slower than cores online

// The six variable terms relative to the idle floor, as logarithms, and the sum with the floor.
struct PowerTerms {
  double gpu_work, gpu_idle, cpu_work, cpu_idle, memory, memory_work, sum;

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
    memory_work = std::exp(h[P::kMemoryWork] + h[P::kMemoryWorkExponent] * x(row, kLogMem) +
                           h[P::kGpuBatch] * b - log_time);
    sum = 1 + gpu_work + gpu_idle + cpu_work + cpu_idle + memory + memory_work;
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
    j[kMemoryWork] = terms.memory_work / terms.sum;
    j[kMemoryWorkExponent] = x(row, kLogMem) * terms.memory_work / terms.sum;
    j[kGpuBatch] = x(row, kLogBatch) * (terms.gpu_work + terms.memory_work) / terms.sum;
    j[kCpuBatch] = x(row, kLogBatch) * terms.cpu_work / terms.sum;
  }
}

Eigen::VectorXd WorkPowerModel::time_sensitivity(const Eigen::VectorXd& h, const FeatureMatrix& x,
                                                 const Eigen::VectorXd& log_time) const {
  Eigen::VectorXd result(x.rows());
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    const PowerTerms terms(h, x, row, log_time[row] - reference_log_time_);
    result[row] = -(terms.gpu_work + terms.cpu_work + terms.memory_work) / terms.sum;
  }
  return result;
}

CorrelatedModel::CorrelatedModel(std::shared_ptr<const MeanModel> model, const JointPrior& prior)
    : model_(std::move(model)), prior_(prior) {
  Eigen::VectorXd deviation = Eigen::VectorXd::Ones(model_->size());
  deviation[0] = model_->prior_deviation()[0];
  prior_.mean[0] = model_->prior_mean()[0];
  prior_.factor(0, 0) = 1;
  set_prior(Eigen::VectorXd::Zero(model_->size()), std::move(deviation));
}

void CorrelatedModel::evaluate(const Eigen::VectorXd& parameters, const FeatureMatrix& x,
                               const Eigen::VectorXd& log_time, Eigen::VectorXd& value,
                               Eigen::MatrixXd* jacobian) const {
  model_->evaluate(prior_.mean + prior_.factor * parameters, x, log_time, value, jacobian);
  if (jacobian != nullptr) *jacobian = (*jacobian * prior_.factor).eval();
}

Eigen::VectorXd CorrelatedModel::time_sensitivity(const Eigen::VectorXd& parameters,
                                                  const FeatureMatrix& x,
                                                  const Eigen::VectorXd& log_time) const {
  return model_->time_sensitivity(prior_.mean + prior_.factor * parameters, x, log_time);
}

LogLinearModel::LogLinearModel(Quantity quantity) {
  if (quantity == Quantity::kTime) {
    use_priors(kLinearTimePriors);
  } else {
    use_priors(kLinearPowerPriors);
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

}  // namespace ridgewatt::predict
