// Structured models of ln(time) and ln(power) over knobs and batch. They express prior knowledge
// about a pipeline of data loading and computation on an edge accelerator.
//
// Time is a pipeline of stages, each inversely proportional to a clock:
//   gpu    = (a^q + m^q)^(1/q)   a = compute / GPU clock, m = memory traffic / memory clock
//   load   = l / (CPU clock, cores up to a saturation)     data loader or preprocessing
//   launch = h / CPU clock                                 limit on the rate of kernel launches
//   T      = (gpu^p + load^p + launch^p)^(1/p) + s / CPU clock + c
// With a large p, stages overlap; with p near 1, they run in sequence. Each stage is proportional
// to a power of the batch. This is the time roofline (Williams et al. 2009) with soft maxima, as a
// function of the logarithms of its terms.
//
// Power is the energy of the work divided by time, plus static power (Choi et al. 2013). Its terms
// are idle power, power of the clocked GPU and cores, and power of the work on GPU and CPU. The
// energy of the work is proportional to V(f)^2, which is modelled as a power function of the clock:
//   P = e^L (1 + e^wg g^vg b^qg / T + e^wi g^(1+vg) + e^wc c^vc b^qc / T + e^wj n^0.7 c^(1+vc) +
//   e^wm m^vm + e^wt m^vt b^qg / T)
// where g, c, m are the clocks and n the number of cores, relative to the top mode. T is the
// measured time of samples and the predicted time elsewhere, so time and power form one
// model.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>

#include "ridgewatt/numerics/prior.h"
#include "ridgewatt/predict/features.h"
#include "ridgewatt/predict/workload_groups.h"

namespace ridgewatt::predict {

// A parametric mean function with a Gaussian prior on its parameters. Parameter 0 is the level, a
// constant term.
class MeanModel {
 public:
  virtual ~MeanModel() = default;
  const Eigen::VectorXd& prior_mean() const { return prior_mean_; }
  const Eigen::VectorXd& prior_deviation() const { return prior_deviation_; }
  void set_prior(Eigen::VectorXd mean, Eigen::VectorXd deviation);
  Eigen::Index size() const { return prior_mean_.size(); }
  // Values at `x` (one row per point) and, if `jacobian` is not null, derivatives with respect to
  // the parameters. `log_time` is ln(time / s) of the rows; time models ignore it.
  virtual void evaluate(const Eigen::VectorXd& parameters, const FeatureMatrix& x,
                        const Eigen::VectorXd& log_time, Eigen::VectorXd& value,
                        Eigen::MatrixXd* jacobian) const = 0;
  // Derivative of the value with respect to log_time; zero for time models.
  virtual Eigen::VectorXd time_sensitivity(const Eigen::VectorXd& parameters,
                                           const FeatureMatrix& x,
                                           const Eigen::VectorXd& log_time) const;

 protected:
  void use_priors(std::span<const PriorRow> rows);
  Eigen::VectorXd prior_mean_, prior_deviation_;
};

class StageTimeModel : public MeanModel {
 public:
  enum Parameter {
    kLevel,
    kCompute,
    kMemory,
    kLoad,
    kLaunch,
    kSerial,
    kConstant,  // the parameters from kCompute on are ln of each stage at the top
    kLogMemoryOverlap,
    kLogOverlap,  // q and p are 0.7 + exp of these two parameters
    kCoreSlope,
    kCoreSaturation,
    kComputeBatch,
    kMemoryBatch,
    kLoadBatch,
    kLaunchBatch,
    kSerialBatch,
    kConstantBatch,  // exponents of the batch
    kParameters
  };
  StageTimeModel();
  // Rescales the stages to shares of the time with every knob at its highest and returns the
  // logarithm of that time, which becomes the level. Values of the model do not change.
  static double scale_to_top(Eigen::VectorXd& parameters);
  void evaluate(const Eigen::VectorXd& parameters, const FeatureMatrix& x,
                const Eigen::VectorXd& log_time, Eigen::VectorXd& value,
                Eigen::MatrixXd* jacobian) const override;
};

class WorkPowerModel : public MeanModel {
 public:
  enum Parameter {
    kLevel,
    kGpuWork,
    kLogGpuExponent,
    kCpuWork,
    kLogCpuExponent,
    kMemory,
    kMemoryExponent,
    kGpuIdle,
    kCpuIdle,
    kGpuBatch,
    kCpuBatch,
    kMemoryWork,
    kMemoryWorkExponent,
    kParameters
  };
  // `reference_log_time`: the ln(time / s) at which the work per second is 1. This makes the prior
  // independent of the size of the workload.
  explicit WorkPowerModel(double reference_log_time);
  void evaluate(const Eigen::VectorXd& parameters, const FeatureMatrix& x,
                const Eigen::VectorXd& log_time, Eigen::VectorXd& value,
                Eigen::MatrixXd* jacobian) const override;
  Eigen::VectorXd time_sensitivity(const Eigen::VectorXd& parameters, const FeatureMatrix& x,
                                   const Eigen::VectorXd& log_time) const override;

 private:
  double reference_log_time_;
};

// A mean model with a joint Gaussian prior: parameters = mean + factor u, with independent u. The
// first parameter remains the level and is independent of the others.
class CorrelatedModel : public MeanModel {
 public:
  CorrelatedModel(std::shared_ptr<const MeanModel> model, const JointPrior& prior);
  void evaluate(const Eigen::VectorXd& parameters, const FeatureMatrix& x,
                const Eigen::VectorXd& log_time, Eigen::VectorXd& value,
                Eigen::MatrixXd* jacobian) const override;
  Eigen::VectorXd time_sensitivity(const Eigen::VectorXd& parameters, const FeatureMatrix& x,
                                   const Eigen::VectorXd& log_time) const override;

 private:
  std::shared_ptr<const MeanModel> model_;
  JointPrior prior_;
};

// A linear function of the features, which makes the weakest assumption.
class LogLinearModel : public MeanModel {
 public:
  enum class Quantity { kTime, kPower };
  explicit LogLinearModel(Quantity quantity);
  void evaluate(const Eigen::VectorXd& parameters, const FeatureMatrix& x,
                const Eigen::VectorXd& log_time, Eigen::VectorXd& value,
                Eigen::MatrixXd* jacobian) const override;
};

}  // namespace ridgewatt::predict
