#include "ridgewatt/answer/explain/weigh.h"

#include <algorithm>
#include <cmath>

namespace ridgewatt::answer {
namespace {

constexpr double kExplainInterval = 0.9;
constexpr double kLeastSd = 0.03;  // of repeated measurements; chosen

// Logarithm of the density of ln(measured / predicted). The estimate's error has the tails of
// Student's t; what a cause adds is normal.
double log_density(double measured, double predicted, const twin::LogError& error, double spread) {
  const double sd = std::hypot(std::max(error.sd, kLeastSd), spread);
  const double z = std::log(measured / predicted) / sd;
  if (error.degrees > 0 && spread <= error.sd) {
    const double degrees = error.degrees, half = (degrees + 1) / 2;
    return std::lgamma(half) - std::lgamma(degrees / 2) - std::log(degrees * M_PI) / 2 -
           half * std::log1p(z * z / degrees) - std::log(sd);
  }
  return -z * z / 2 - std::log(2 * M_PI) / 2 - std::log(sd);
}

double log_likelihood(const Prediction& one, const std::vector<MeasuredFigure>& figures) {
  double sum = 0;
  for (const MeasuredFigure& figure : figures) {
    const auto predicted = figure.predicted(one.prognosis);
    const double value = figure.scale * predicted.value_or(figure.unknown * figure.expected);
    double spread = figure.spreads ? one.spread : 0;
    if (!predicted) spread = figure.unknown_sd;
    sum += log_density(figure.measured, value, figure.error, spread);
  }
  return sum;
}

// Logarithm of a sum of exponentials.
double log_sum(const std::vector<double>& logs) {
  const double most = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double one : logs) sum += std::exp(one - most);
  return most + std::log(sum);
}

// A row whose probability is still the logarithm of a density, not normalized.
ExplainRow weigh_one(const WeighedCause& cause, const std::vector<MeasuredFigure>& figures) {
  ExplainRow row{.cause = cause.cause, .prior = cause.prior};
  double weights = 0;
  for (const Prediction& one : cause.predictions) weights += one.weight;
  std::vector<double> logs;
  for (const Prediction& one : cause.predictions) {
    logs.push_back(std::log(one.weight / weights) + log_likelihood(one, figures));
  }
  const auto best = std::max_element(logs.begin(), logs.end()) - logs.begin();
  row.prognosis = cause.predictions[static_cast<std::size_t>(best)].prognosis;
  row.probability = std::log(cause.prior) + log_sum(logs);
  return row;
}

void normalize(std::vector<ExplainRow>& rows) {
  std::vector<double> logs;
  double priors = 0;
  for (const ExplainRow& row : rows) logs.push_back(row.probability), priors += row.prior;
  const double sum = log_sum(logs);
  for (ExplainRow& row : rows) {
    row.probability = std::exp(row.probability - sum);
    row.prior /= priors;
  }
}

void add_gain(ExplainRow& row, const ExplainedFigure& time) {
  if (time.gap() <= 0) return;
  row.gain = time.measured / time.expected;
  row.gain_low = time.measured / time.high;
  row.gain_high = time.measured / time.low;
}

}  // namespace

ExplainedFigure explained(const MeasuredFigure& figure) {
  const double expected = figure.scale * figure.expected;
  return {figure.measured, expected, figure.error.lo(expected, kExplainInterval),
          figure.error.hi(expected, kExplainInterval)};
}

void add_power(ExplainAnswer& found, const MeasuredFigure& power) {
  const ExplainedFigure figure = explained(power);
  found.expected_power_w = figure.expected;
  found.expected_power_low_w = figure.low;
  found.expected_power_high_w = figure.high;
}

void conclude(ExplainAnswer& found, const std::vector<WeighedCause>& causes,
              const std::vector<MeasuredFigure>& figures, const std::vector<SeenSign>& signs) {
  for (const WeighedCause& cause : causes) {
    if (cause.predictions.empty()) continue;
    found.rows.push_back(weigh_one(cause, figures));
    ExplainRow& row = found.rows.back();
    for (const SeenSign& sign : signs) {
      row.probability += std::log(sign.probability(cause.cause));
      if (sign.shown && sign.belongs_to(cause.cause)) row.signs.push_back(sign.text);
    }
    row.prognosis.time_s *= figures.front().scale;
    if (!cause.misread && cause.cause != SlowCause::kNone) add_gain(row, found.time);
  }
  normalize(found.rows);
  for (ExplainRow& row : found.rows) row.time_s = row.probability * found.gap_s();
  std::stable_sort(found.rows.begin(), found.rows.end(),
                   [](const auto& a, const auto& b) { return a.probability > b.probability; });
  for (const SeenSign& sign : signs) {
    if (sign.shown) found.seen.push_back(sign.text);
  }
}

}  // namespace ridgewatt::answer
