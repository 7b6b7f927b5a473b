#include "ridgewatt/twin/cpu_twin.h"

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/numerics/minimize.h"
#include "ridgewatt/numerics/posterior.h"

namespace ridgewatt::twin {
namespace {

// Standard deviation of ln(measured / modelled) of a run that the parameters cannot explain.
// Chosen: the errors on left-out models, without the part that the runs of one model share.
constexpr double kRunSd = 0.1;
constexpr double kSlopeStep = 0.01;  // step of a logarithm, for slopes

// The twin with parameters at exp(x) times their priors.
CpuTwin moved(const CpuTwin& prior, const Eigen::VectorXd& x) {
  CpuTwin twin = prior;
  for (std::size_t i = 0; i < kCpuParamCount; ++i) {
    twin.values[i] = prior.values[i] * std::exp(x[static_cast<Eigen::Index>(i)]);
  }
  return twin;
}

}  // namespace

CpuTwin fit_cpu_twin(const CpuTwin& prior, std::span<const CpuRun> runs) {
  constexpr auto kParams = static_cast<Eigen::Index>(kCpuParamCount);
  const auto rows = static_cast<Eigen::Index>(runs.size());
  for (const CpuRun& run : runs) {
    if (!(run.time_s > 0))
      throw UsageError("a run has a time that is not positive; model", run.name);
  }
  std::vector<double> deviations;
  for (const CpuRun& run : runs) {
    deviations.push_back(std::hypot(kRunSd, memory_sd(prior, run.modelled_s)));
  }
  const auto fill = [&](const Eigen::VectorXd& x, Eigen::VectorXd& residuals) {
    const CpuTwin twin = moved(prior, x);
    residuals.resize(rows + kParams);
    for (Eigen::Index r = 0; r < rows; ++r) {
      const auto i = static_cast<std::size_t>(r);
      residuals[r] = std::log(runs[i].modelled_s(twin) / runs[i].time_s) / deviations[i];
    }
    for (Eigen::Index i = 0; i < kParams; ++i) {
      residuals[rows + i] = x[i] / prior.log_sd[static_cast<std::size_t>(i)];
    }
  };
  const auto residuals = [&](const Eigen::VectorXd& x, Eigen::VectorXd& found,
                             Eigen::MatrixXd* jacobian) {
    fill(x, found);
    if (jacobian == nullptr) return;
    jacobian->resize(rows + kParams, kParams);
    Eigen::VectorXd near;
    for (Eigen::Index i = 0; i < kParams; ++i) {
      Eigen::VectorXd at = x;
      at[i] += kSlopeStep;
      fill(at, near);
      jacobian->col(i) = (near - found) / kSlopeStep;
    }
  };
  Eigen::VectorXd x = Eigen::VectorXd::Zero(kParams);
  minimize_squares(residuals, x);
  Eigen::VectorXd last;
  Eigen::MatrixXd jacobian;
  residuals(x, last, &jacobian);
  const Posterior known = posterior(jacobian, "the processor's twin");
  CpuTwin fitted = moved(prior, x);
  for (std::size_t i = 0; i < kCpuParamCount; ++i) fitted.log_sd[i] = known.deviations[i];
  fitted.status = "fitted";
  return fitted;
}

}  // namespace ridgewatt::twin
