// Leaves models, boards and precisions out of the fits of runtimes, to find the error on unseen
// ones.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/twin/runtime_fit.h"
#include "ridgewatt/twin/twin_home.h"

namespace ridgewatt::twin {
namespace {

// Standard deviation of normal errors over their median absolute value.
constexpr double kNormalFromMedian = 1.4826;

using Keep = std::function<bool(const RuntimeRow&)>;

// Fits of runtimes to some of the rows. Each fit is computed once: a model that ran on one board
// only is left out together with that board by leaving out the board.
class FitsWithout {
 public:
  // `all`: the fits to all rows, by Runtime.
  FitsWithout(const std::vector<RuntimeRow>& rows, const RuntimeTwins& all,
              const RuntimeFitOptions& options)
      : rows_(rows), all_(all), options_(options) {}

  // Returns null if no row is left.
  const RuntimeTwin* operator()(Runtime runtime, const Keep& keep) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (rows_[i].runtime() == runtime && keep(rows_[i])) kept.push_back(i);
    }
    if (kept.empty()) return nullptr;
    const auto known = known_.find(kept);
    if (known != known_.end()) return &known->second;
    std::vector<RuntimeRow> rows;
    for (const std::size_t i : kept) rows.push_back(rows_[i]);
    RuntimeFitOptions options = options_;
    options.start = &all_[static_cast<std::size_t>(runtime)];
    return &known_.emplace(kept, fit_runtime(runtime, rows, options)).first->second;
  }

 private:
  const std::vector<RuntimeRow>& rows_;
  const RuntimeTwins& all_;
  RuntimeFitOptions options_;
  std::map<std::vector<std::size_t>, RuntimeTwin> known_;  // by the rows of the fit
};

// Variance of the logarithm of a row's time due to the parameters.
double parameter_variance(const RuntimeRow& row, const RuntimeTwin& twin) {
  constexpr double kStep = 0.02;
  const double middle = std::log(modelled_time_s(row, twin));
  std::array<double, kRuntimeParamCount> slopes{};
  for (std::size_t i = 0; i < kRuntimeParamCount; ++i) {
    RuntimeTwin moved = twin;
    moved.values[i] *= std::exp(kStep);
    slopes[i] = (std::log(modelled_time_s(row, moved)) - middle) / kStep;
  }
  return twin.parameter_variance(slopes);
}

LeftOutTime left_out(const RuntimeRow& row, const RuntimeTwin* twin) {
  if (twin == nullptr) return {};
  return {modelled_time_s(row, *twin), parameter_variance(row, *twin)};
}

// The error of one left-out row, to find the scale of the errors.
struct Miss {
  double log_error = 0;
  double variance = 0;  // variance that is explained already
};

// The smallest additional deviation for which 90 % of the misses are inside the interval.
// `expected` counts as one more miss, which is just inside with that deviation.
double scale_of(const std::vector<Miss>& misses, double degrees, double expected) {
  if (misses.empty()) return expected;
  const double quantile = student_quantile(0.95, degrees);
  std::vector<double> needed;  // deviation with which each miss is just inside
  for (const auto& miss : misses) {
    needed.push_back(std::sqrt(std::max(0.0, squared(miss.log_error / quantile) - miss.variance)));
  }
  needed.push_back(expected);
  return ridgewatt::quantile(needed, 0.9);
}

// Standard deviations of the errors on left-out rows for which `counts` returns true.
RuntimeErrors learn_errors(const std::vector<RuntimeRow>& rows,
                           const std::vector<RuntimeRowScore>& scores, const Keep& counts) {
  RuntimeErrors errors;
  const auto misses = [&](LeftOutTime RuntimeRowScore::*way, double explained_sd) {
    std::vector<Miss> found;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const LeftOutTime& seen = scores[i].*way;
      if (seen.time_s == 0 || !counts(rows[i])) continue;
      found.push_back(
          {std::log(rows[i].time_s / seen.time_s), seen.variance + squared(explained_sd)});
    }
    return found;
  };
  // At least the scatter of the rows around the model that was fitted to them.
  std::vector<double> scatter;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (counts(rows[i])) scatter.push_back(std::abs(std::log(rows[i].time_s / scores[i].fitted_s)));
  }
  errors.time = std::max(scatter.empty() ? 0 : kNormalFromMedian * median(scatter),
                         scale_of(misses(&RuntimeRowScore::model, 0), errors.degrees, errors.time));
  // All measured boards have the same system on a chip, so they say less about others. A precision
  // that is left out gets rates as wide as their priors. But BF16, FP8 and FP4 borrow the rates of
  // other precisions, whose rows made these rates narrow.
  constexpr double kBorrowed = 0.1;
  errors.board = std::max(kBorrowed, scale_of(misses(&RuntimeRowScore::board, errors.time),
                                              errors.degrees, errors.board));
  errors.precision = std::max(kBorrowed, scale_of(misses(&RuntimeRowScore::precision, errors.time),
                                                  errors.degrees, errors.precision));
  return errors;
}

void leave_out(const std::vector<RuntimeRow>& rows, FitsWithout& without, std::size_t i,
               RuntimeRowScore& score) {
  const RuntimeRow& row = rows[i];
  const auto way = [&](const Keep& keep) { return left_out(row, without(row.runtime(), keep)); };
  const auto other_model = [&](const RuntimeRow& r) { return r.model != row.model; };
  const auto other_board = [&](const RuntimeRow& r) { return r.board != row.board; };
  score.model = way(other_model);
  score.board = way(other_board);
  score.precision = way([&](const RuntimeRow& r) { return r.precision != row.precision; });
  score.model_and_board =
      way([&](const RuntimeRow& r) { return other_model(r) && other_board(r); });
}

// Median absolute error of a runtime's rows, each predicted without its model.
double unseen_error(Runtime runtime, const std::vector<RuntimeRow>& rows,
                    const std::vector<RuntimeRowScore>& scores) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].runtime() != runtime || scores[i].model.time_s == 0) continue;
    errors.push_back(std::abs(scores[i].model.time_s / rows[i].time_s - 1));
  }
  return errors.empty() ? 0 : median(errors);
}

}  // namespace

RuntimeFit fit_runtimes(const std::vector<RuntimeRow>& rows, const RuntimeFitOptions& options) {
  RuntimeFit fit;
  Progress progress("fitting runtimes", kRuntimes.size() + rows.size(), options.quiet);
  for (const Runtime runtime : kRuntimes) {
    progress.update(fit.twins.size(), std::string(name_of(runtime)));
    fit.twins.push_back(fit_runtime(runtime, rows, options));
  }
  fit.scores.resize(rows.size());
  FitsWithout without(rows, fit.twins, options);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    progress.update(kRuntimes.size() + i, "without " + escape_terminal(rows[i].label));
    const auto runtime = static_cast<std::size_t>(rows[i].runtime());
    fit.scores[i].fitted_s = modelled_time_s(rows[i], fit.twins[runtime]);
    leave_out(rows, without, i, fit.scores[i]);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fit.scores[i].errors = learn_errors(
        rows, fit.scores, [&](const RuntimeRow& row) { return row.model != rows[i].model; });
  }
  const RuntimeErrors errors = learn_errors(rows, fit.scores, [](const auto&) { return true; });
  for (auto& twin : fit.twins) {
    if (!twin.fitted()) continue;
    twin.errors = errors;
    twin.unseen_error = unseen_error(twin.runtime, rows, fit.scores);
  }
  return fit;
}

double left_out_log_width(const RuntimeRowScore& score) {
  return student_quantile(0.95, score.errors.degrees) *
         std::sqrt(score.model.variance + squared(score.errors.time));
}

}  // namespace ridgewatt::twin
