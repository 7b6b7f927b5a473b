#include "ridgewatt/twin/error_calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/twin/carry.h"

namespace ridgewatt::twin {
namespace {

using Workloads = std::vector<std::size_t>;  // sorted

constexpr double kInterval = 0.9;
constexpr std::size_t kRowsOfRun = 60;  // rows of one run that are used to find the scales
// The rows of a workload share most of their error. Together they count as this number of rows.
constexpr double kIndependentRows = 5;
// The priors of the scales are log-normal around ErrorScale's defaults, a factor of e wide.
constexpr double kPriorLogSd = 1;

std::array<double, kQuantities.size()> log_errors(const Estimator& estimator,
                                                  const CalibrationRun& run,
                                                  const Observation& seen) {
  const MinibatchCost cost = estimator(seen.point.mode);
  const TimePower at = run.medians ? cost.like(seen) : TimePower{cost.period_s, cost.power_w};
  const double time = std::log(seen.time_s / at.time_s);
  const double power = std::log(seen.power_w / at.power_w);
  return {time, power, time + power};
}

Workloads with(const Workloads& set, std::size_t one) {
  Workloads result = set;
  result.insert(std::upper_bound(result.begin(), result.end(), one), one);
  return result;
}

bool holds(const Workloads& set, std::size_t one) {
  return std::binary_search(set.begin(), set.end(), one);
}

std::vector<std::size_t> chosen_rows(const CalibrationRun& run, std::uint64_t seed) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < run.observations.size(); ++row) {
    if (!run.is_flagged(row)) rows.push_back(row);
  }
  Random(seed).shuffle(rows);
  if (rows.size() > kRowsOfRun) rows.resize(kRowsOfRun);
  return rows;
}

CoverageRow coverage_of(const Twin& twin, const std::vector<const CalibrationRun*>& runs,
                        const std::string& left_out, const std::string& name) {
  CoverageRow row{left_out, name, 0, {}};
  std::array<double, kQuantities.size()> counted{}, inside{}, factors{};
  for (const CalibrationRun* run : runs) {
    const ErrorModel errors(twin, run->cost, run->options);
    const Estimator estimator(twin, run->cost, run->options);
    for (std::size_t i = 0; i < run->observations.size(); ++i) {
      if (run->is_flagged(i)) continue;
      const Observation& seen = run->observations[i];
      const auto off = log_errors(estimator, *run, seen);
      const EstimateError error = errors(seen.point.mode);
      ++row.rows;
      for (std::size_t q = 0; q < kQuantities.size(); ++q) {
        if (!std::isfinite(off[q])) continue;
        const double above = std::log(error[q].factor(kInterval));
        const double below = std::log(error[q].factor_below(kInterval));
        counted[q] += 1;
        inside[q] += -below <= off[q] && off[q] <= above ? 1 : 0;
        factors[q] += (above + below) / 2;
      }
    }
  }
  for (std::size_t q = 0; q < kQuantities.size(); ++q) {
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    row.held[q] = counted[q] > 0
                      ? CoverageRow::Held{inside[q] / counted[q], std::exp(factors[q] / counted[q])}
                      : CoverageRow::Held{nothing, nothing};
  }
  return row;
}

}  // namespace

// A run of a workload that was left out of the fit.
struct LeftOutTwins::Case {
  struct Row {
    std::array<double, kQuantities.size()> error{};      // ln(measured / modelled)
    std::array<double, kQuantities.size()> explained{};  // variance due to the parameters
  };
  std::size_t workload = 0;
  HomeDistance distance;
  std::vector<Row> rows;
};

namespace {

// Finds the scales that best explain the errors of `cases`: Gaussian likelihood, equal weights of
// workloads, and priors on the scales. Searches one scale at a time.
template <class Case>
class ScaleFit {
 public:
  ScaleFit(const std::vector<const Case*>& cases, std::size_t quantity)
      : cases_(cases), quantity_(quantity) {
    for (const auto* one : cases) rows_[one->workload] += static_cast<double>(one->rows.size());
  }

  ErrorScale best() const {
    ErrorScale scale;
    double least = cost(scale);
    for (double step = 0.5; step > 0.01;) {
      bool moved = false;
      for (double ErrorScale::*value : kScales) {
        for (const double factor : {std::exp(step), std::exp(-step)}) {
          ErrorScale other = scale;
          other.*value *= factor;
          const double cost_here = cost(other);
          if (cost_here < least) least = cost_here, scale = other, moved = true;
        }
      }
      if (!moved) step /= 2;
    }
    return scale;
  }

 private:
  static constexpr std::array kScales = {&ErrorScale::home, &ErrorScale::mix, &ErrorScale::kind,
                                         &ErrorScale::range};

  double cost(const ErrorScale& scale) const {
    double total = 0;
    for (const auto* one : cases_) {
      const double own = scale.variance(one->distance);
      double sum = 0;
      for (const auto& row : one->rows) {
        const double variance = own + row.explained[quantity_];
        sum += 0.5 * std::log(variance) + 0.5 * squared(row.error[quantity_]) / variance;
      }
      total += kIndependentRows * sum / rows_.at(one->workload);
    }
    for (double ErrorScale::*value : kScales) {
      total += 0.5 * squared(std::log(scale.*value / (ErrorScale{}.*value)) / kPriorLogSd);
    }
    return total;
  }

  const std::vector<const Case*>& cases_;
  std::size_t quantity_;
  std::map<std::size_t, double> rows_;  // by workload
};

}  // namespace

LeftOutTwins::LeftOutTwins(const Twin& start, const Twin& fitted,
                           const std::vector<CalibrationRun>& runs, const CalibrateOptions& options)
    : start_(start), fitted_(fitted), options_(options) {
  // The full fit is a good start and does not affect where the search ends.
  start_.values = fitted.values;
  for (const auto& run : runs) {
    (run.board.empty() ? home_ : elsewhere_).push_back(run);
    if (run.board.empty() && std::find(names_.begin(), names_.end(), run.workload) == names_.end())
      names_.push_back(run.workload);
  }
}

LeftOutTwins::~LeftOutTwins() = default;

std::vector<const CalibrationRun*> LeftOutTwins::runs_of(const Workloads& workloads) const {
  std::vector<const CalibrationRun*> found;
  for (const auto& run : home_) {
    for (const std::size_t workload : workloads) {
      if (run.workload == names_[workload]) found.push_back(&run);
    }
  }
  return found;
}

const Twin& LeftOutTwins::without(const Workloads& left_out) {
  const auto known = twins_.find(left_out);
  if (known != twins_.end()) return known->second;
  std::vector<CalibrationRun> others;
  for (const auto& run : home_) {
    const auto name = std::find(names_.begin(), names_.end(), run.workload);
    if (!holds(left_out, static_cast<std::size_t>(name - names_.begin()))) others.push_back(run);
  }
  return twins_.emplace(left_out, fit_twin(start_, others, options_).twin).first->second;
}

const std::vector<LeftOutTwins::Case>& LeftOutTwins::cases(const Workloads& left_out,
                                                           std::size_t workload) {
  auto& known = cases_[{left_out, workload}];
  if (!known.empty()) return known;
  const Twin& twin = without(left_out);
  for (const CalibrationRun* run : runs_of({workload})) {
    const ErrorModel errors(twin, run->cost, run->options);
    const Estimator estimator(twin, run->cost, run->options);
    Case one{workload, errors.distance(), {}};
    for (const std::size_t row : chosen_rows(*run, options_.seed)) {
      const Observation& seen = run->observations[row];
      one.rows.push_back(
          {log_errors(estimator, *run, seen), errors.parameter_variance(seen.point.mode)});
    }
    known.push_back(std::move(one));
  }
  return known;
}

TwinErrors LeftOutTwins::errors(const Workloads& never) {
  // Pairs: the workloads left out, and the one of them to predict.
  std::set<std::pair<Workloads, std::size_t>> judged;
  const auto judge = [&](const Workloads& left_out, std::size_t workload) {
    if (left_out.size() < names_.size()) judged.insert({left_out, workload});
  };
  Workloads rest;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!holds(never, i)) rest.push_back(i);
  }
  for (const std::size_t one : rest) {
    judge(with(never, one), one);
    for (const std::size_t other : rest) {
      if (other != one) judge(with(with(never, one), other), one);
    }
  }
  if (never.empty()) {
    for (const auto& kind : kinds()) {
      for (const std::size_t one : kind) judge(kind, one);
    }
  }
  std::vector<const Case*> all;
  for (const auto& [left_out, workload] : judged) {
    for (const auto& one : cases(left_out, workload)) all.push_back(&one);
  }
  TwinErrors errors;
  for (std::size_t q = 0; q < kQuantities.size(); ++q) {
    const double board = errors.scales[q].board;
    errors.scales[q] = ScaleFit(all, q).best();
    errors.scales[q].board = board;
  }
  errors.degrees = std::max(1.0, static_cast<double>(rest.size()));
  return errors;
}

std::vector<Workloads> LeftOutTwins::kinds() const {
  std::vector<Workloads> found;
  for (const auto& [wanted, name] : kEnumNames<WorkloadKind>) {
    Workloads kind;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (runs_of({i}).front()->cost->kind == wanted) kind.push_back(i);
    }
    if (!kind.empty() && kind.size() < names_.size()) found.push_back(kind);
  }
  return found;
}

std::vector<std::string> LeftOutTwins::boards() const {
  std::vector<std::string> found;
  for (const auto& run : elsewhere_) {
    if (run.board != start_.board &&
        std::find(found.begin(), found.end(), run.board) == found.end())
      found.push_back(run.board);
  }
  return found;
}

Twin LeftOutTwins::on_board(const std::string& name) const {
  return carry_twin(fitted_, load_board(start_.board), load_board(name));
}

void LeftOutTwins::add_boards(const std::string& left_out, TwinErrors& errors) const {
  // Squared errors over the variance that the priors explain: by board, the mean of its workloads.
  std::array<std::vector<double>, kQuantities.size()> of_boards;
  for (const auto& board : boards()) {
    if (board == left_out) continue;
    const Twin twin = on_board(board);
    std::array<std::vector<double>, kQuantities.size()> of_runs;
    for (const auto& run : elsewhere_) {
      if (run.board != board) continue;
      const ErrorModel model(twin, run.cost, run.options);
      const Estimator estimator(twin, run.cost, run.options);
      std::array<std::vector<double>, kQuantities.size()> of_rows;
      for (const std::size_t row : chosen_rows(run, options_.seed)) {
        const Observation& seen = run.observations[row];
        const auto error = log_errors(estimator, run, seen);
        const auto prior = model.prior_variance(seen.point.mode);
        for (std::size_t q = 0; q < kQuantities.size(); ++q) {
          if (std::isfinite(error[q])) of_rows[q].push_back(squared(error[q]) / prior[q]);
        }
      }
      for (std::size_t q = 0; q < kQuantities.size(); ++q) {
        if (!of_rows[q].empty()) of_runs[q].push_back(mean(of_rows[q]));
      }
    }
    for (std::size_t q = 0; q < kQuantities.size(); ++q) {
      if (!of_runs[q].empty()) of_boards[q].push_back(mean(of_runs[q]));
    }
  }
  for (std::size_t q = 0; q < kQuantities.size(); ++q) {
    double sum = 1;  // the prior counts as one board with the expected ratio
    for (const double ratio : of_boards[q]) sum += ratio;
    const double count = 1 + static_cast<double>(of_boards[q].size());
    errors.scales[q].board = std::sqrt(sum / count);
    errors.scales[q].board_degrees = count;
  }
}

std::vector<CoverageRow> LeftOutTwins::coverage() {
  std::vector<CoverageRow> rows;
  const auto judge = [&](const Workloads& left_out, const std::string& what,
                         const std::string& name) {
    Twin twin = without(left_out);
    twin.errors = errors(left_out);
    rows.push_back(coverage_of(twin, runs_of(left_out), what, name));
  };
  for (std::size_t i = 0; i < names_.size(); ++i) judge({i}, "workload", names_[i]);
  for (const auto& kind : kinds()) {
    judge(kind, "kind", std::string(name_of(runs_of({kind.front()}).front()->cost->kind)));
  }
  const TwinErrors at_home = errors({});
  for (const auto& board : boards()) {
    Twin twin = on_board(board);
    twin.errors = at_home;
    add_boards(board, twin.errors);
    for (const auto& run : elsewhere_) {
      if (run.board == board) rows.push_back(coverage_of(twin, {&run}, "board", run.workload));
    }
  }
  Twin twin = fitted_;
  twin.errors = at_home;
  for (const auto& run : elsewhere_) {
    if (run.board == start_.board)
      rows.push_back(coverage_of(twin, {&run}, "published", run.workload));
  }
  return rows;
}

std::vector<CoverageRow> coverage_as_it_is(const Twin& twin,
                                           const std::vector<CalibrationRun>& runs) {
  std::vector<std::string> names;
  for (const auto& run : runs) {
    if (std::find(names.begin(), names.end(), run.workload) == names.end())
      names.push_back(run.workload);
  }
  std::vector<CoverageRow> rows;
  for (const auto& name : names) {
    std::vector<const CalibrationRun*> own;
    for (const auto& run : runs) {
      if (run.workload == name) own.push_back(&run);
    }
    const std::string& board = own.front()->board;
    const bool elsewhere = !board.empty() && board != twin.board;
    rows.push_back(coverage_of(elsewhere ? load_twin(load_board(board)) : twin, own,
                               board.empty() ? "nothing"
                               : elsewhere   ? "board"
                                             : "published",
                               name));
  }
  return rows;
}

}  // namespace ridgewatt::twin
