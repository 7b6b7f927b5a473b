#include "ridgewatt/twin/runtime_fit.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/numerics/minimize.h"
#include "ridgewatt/numerics/posterior.h"

namespace ridgewatt::twin {
namespace {

constexpr auto kParams = static_cast<Eigen::Index>(kRuntimeParamCount);

Eigen::VectorXd logs_of(const RuntimeTwin& twin) {
  Eigen::VectorXd logs(kParams);
  for (Eigen::Index i = 0; i < kParams; ++i) {
    logs[i] = std::log(twin.values[static_cast<std::size_t>(i)]);
  }
  return logs;
}

// Residuals of the rows of one runtime, then of the priors, as functions of the log parameters.
class RuntimeCost {
 public:
  RuntimeCost(Runtime runtime, const std::vector<RuntimeRow>& rows, double scale)
      : prior_(prior_runtime_twin(runtime)), scale_(scale) {
    for (const auto& row : rows) {
      if (row.runtime() == runtime && !row.judged_only()) rows_.push_back(&row);
    }
    share_weights();
  }

  const std::vector<const RuntimeRow*>& rows() const { return rows_; }

  RuntimeTwin at(const Eigen::VectorXd& logs) const {
    RuntimeTwin twin = prior_;
    for (Eigen::Index i = 0; i < kParams; ++i) {
      twin.values[static_cast<std::size_t>(i)] = std::exp(logs[i]);
    }
    return twin;
  }

  Eigen::VectorXd start() const { return logs_of(prior_); }

  void operator()(const Eigen::VectorXd& logs, Eigen::VectorXd& residuals,
                  Eigen::MatrixXd* jacobian) const {
    evaluate(logs, residuals);
    if (jacobian == nullptr) return;
    constexpr double kStep = 1e-4;
    jacobian->resize(residuals.size(), kParams);
    for (Eigen::Index i = 0; i < kParams; ++i) {
      Eigen::VectorXd moved_logs = logs, moved;
      moved_logs[i] += kStep;
      evaluate(moved_logs, moved);
      jacobian->col(i) = (moved - residuals) / kStep;
    }
  }

 private:
  // Rows of one model on one board in one precision share half of the variance of their errors:
  // n of them count as n / (1 + (n - 1) / 2).
  void share_weights() {
    const auto group = [](const RuntimeRow& row) {
      return std::tie(row.model, row.board, row.precision);
    };
    for (const RuntimeRow* row : rows_) {
      const auto like = std::count_if(rows_.begin(), rows_.end(), [&](const RuntimeRow* other) {
        return group(*other) == group(*row);
      });
      weights_.push_back(row->weight * std::sqrt(2 / (1 + static_cast<double>(like))));
    }
  }

  void evaluate(const Eigen::VectorXd& logs, Eigen::VectorXd& residuals) const {
    residuals.resize(static_cast<Eigen::Index>(rows_.size()) + kParams);
    const RuntimeTwin twin = at(logs);
    Eigen::Index next = 0;
    for (const RuntimeRow* row : rows_) {
      const double scaled = std::log(modelled_time_s(*row, twin) / row->time_s) / scale_;
      residuals[next] = weights_[static_cast<std::size_t>(next)] * soft_l1(scaled);
      ++next;
    }
    const Eigen::VectorXd middle = start();
    for (Eigen::Index i = 0; i < kParams; ++i) {
      const RuntimeParamSpec& spec = runtime_parameters()[static_cast<std::size_t>(i)];
      const double above = logs[i] - middle[i];
      if (!spec.linked) {
        residuals[next++] = above / spec.prior_log_sd;
        continue;
      }
      const auto linked = static_cast<Eigen::Index>(*spec.linked);
      residuals[next++] = (above - (logs[linked] - middle[linked])) / kLinkedLogSd;
    }
  }

  RuntimeTwin prior_;
  double scale_;
  std::vector<const RuntimeRow*> rows_;
  std::vector<double> weights_;
};

void set_deviations(const RuntimeCost& cost, const Eigen::VectorXd& logs, RuntimeTwin& twin) {
  Eigen::VectorXd residuals;
  Eigen::MatrixXd jacobian;
  cost(logs, residuals, &jacobian);
  Posterior known = posterior(jacobian, std::string(name_of(twin.runtime)));
  std::copy(known.deviations.begin(), known.deviations.end(), twin.log_sd.begin());
  twin.correlations = std::move(known.correlations);
}

}  // namespace

double modelled_time_s(const RuntimeRow& row, const RuntimeTwin& runtime) {
  Twin twin = *row.twin;
  if (twin.runtimes.size() != kRuntimes.size()) {
    twin.runtimes.clear();
    for (const Runtime each : kRuntimes) twin.runtimes.push_back(prior_runtime_twin(each));
  }
  RuntimeTwin& used = twin.runtimes[static_cast<std::size_t>(runtime.runtime)];
  used = runtime;
  if (!used.fitted()) used.origin = "to be fitted";
  return Estimator(twin, row.cost, row.run)(row.mode).period_s;
}

RuntimeTwin fit_runtime(Runtime runtime, const std::vector<RuntimeRow>& rows,
                        const RuntimeFitOptions& options) {
  const RuntimeCost cost(runtime, rows, options.time_scale);
  if (cost.rows().empty()) return prior_runtime_twin(runtime);
  Eigen::VectorXd logs = cost.start();
  if (options.start != nullptr) logs = logs_of(*options.start);
  minimize_squares(std::cref(cost), logs,
                   {.max_iterations = options.max_iterations, .gradient_tolerance = 1e-6});
  RuntimeTwin twin = cost.at(logs);
  set_deviations(cost, logs, twin);
  std::set<std::string> boards, precisions;
  std::vector<double> errors;
  for (const RuntimeRow* row : cost.rows()) {
    boards.insert(row->board);
    precisions.insert(row->precision);
    errors.push_back(std::abs(modelled_time_s(*row, twin) / row->time_s - 1));
  }
  twin.boards.assign(boards.begin(), boards.end());
  twin.precisions.assign(precisions.begin(), precisions.end());
  twin.fit_error = median(errors);
  twin.origin = "fitted";
  return twin;
}

}  // namespace ridgewatt::twin
