#include "ridgewatt/answer/explain.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/explain/suspects.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::answer {
namespace {

constexpr double kExplainInterval = 0.9;
// Error of times relative to a claimed one: published figures are rounded, and the twin's ratios
// between settings are better than its times. Chosen.
constexpr double kClaimSd = 0.1;
constexpr double kLeastSd = 0.03;  // of repeated measurements; chosen

// Density of ln(measured / predicted).
double density(double measured, double predicted, const twin::LogError& error, double spread) {
  const double sd = std::hypot(std::max(error.sd, kLeastSd), spread);
  const double z = std::log(measured / predicted) / sd;
  // The twin's error has the tails of Student's t; what a cause adds is normal.
  const bool tails = error.degrees > 0 && spread <= error.sd;
  const double at = tails ? boost::math::pdf(boost::math::students_t(error.degrees), z)
                          : boost::math::pdf(boost::math::normal(), z);
  return at / sd;
}

void check_measurement(const ExplainQuestion& question) {
  if (question.measured_s.has_value() == question.samples_per_s.has_value()) {
    throw UsageError("explaining needs a measured time or a rate", "",
                     "give --measured or --samples-per-second, not both");
  }
}

ExplainCase make_case(const ExplainQuestion& question) {
  const auto workload = question.workload.load();
  Board board = load_board(question.device);
  twin::Twin twin = twin::load_twin(board);
  const auto modes = select_modes(board, question.mode);
  if (modes.size() != 1) {
    throw UsageError("explaining needs one mode", question.mode, "name one preset or one mode");
  }
  const int batch = question.batch.value_or(usual_batch(*workload));
  auto model = std::make_shared<const twin::TwinModel>(twin, workload, question.run, batch);
  const auto expected = model->estimator(batch).breakdown(modes.front());
  return {question,         std::move(board), std::move(twin), workload,
          std::move(model), modes.front(),    batch,           expected};
}

// The cause with the density of the measurement under it, which is not yet normalized.
ExplainRow weigh(const Suspect& suspect, const ExplainCase& of, const ExplainAnswer& found,
                 const twin::EstimateError& error, double scale) {
  constexpr double kUnknownPower = 0.75, kUnknownPowerSd = 0.5;  // chosen: of the expected power
  ExplainRow row{.cause = suspect.cause};
  const auto predictions = suspect.predict(of);
  double weights = 0, best = -1;
  for (const Prediction& one : predictions) weights += one.weight;
  for (const Prediction& one : predictions) {
    const double time_s = scale * one.prognosis.time_s;
    double likely =
        one.weight / weights * density(found.measured_s, time_s, error[twin::kTime], one.spread);
    if (found.measured_power_w) {
      const auto& power = one.prognosis.power_w;
      likely *=
          density(*found.measured_power_w, power.value_or(kUnknownPower * found.expected_power_w),
                  error[twin::kPower], power ? 0 : kUnknownPowerSd);
    }
    row.probability += suspect.prior * likely;
    if (likely <= best) continue;
    best = likely;
    row.prognosis = one.prognosis;
    row.prognosis.time_s = time_s;
  }
  return row;
}

void add_gain(ExplainRow& row, const ExplainAnswer& found) {
  if (found.gap_s() <= 0) return;
  row.gain = found.measured_s / found.expected_s;
  row.gain_low = found.measured_s / found.expected_high_s;
  row.gain_high = found.measured_s / found.expected_low_s;
}

}  // namespace

ExplainAnswer explain(const ExplainQuestion& question) {
  check_measurement(question);
  const ExplainCase of = make_case(question);
  twin::EstimateError error = of.model->error({of.mode, of.batch});
  const double scale = question.claimed_s ? *question.claimed_s / of.expected.total.period_s : 1.0;
  if (question.claimed_s) error[twin::kTime] = {.sd = kClaimSd};
  ExplainAnswer found;
  found.workload = of.workload;
  found.origin = {of.workload->name(),
                  std::string(name_of(of.workload->options().kind)),
                  of.board.name,
                  Provenance::kModelled,
                  of.model->twin().runtime,
                  of.model->twin().status};
  found.mode = of.mode;
  found.mode_text = mode_name(of.board, of.mode);
  found.batch = of.batch;
  found.precision = of.cost().precision;
  found.measured_s =
      question.measured_s ? *question.measured_s : of.batch / *question.samples_per_s;
  found.measured_power_w = question.power_w;
  found.claimed_s = question.claimed_s;
  found.widened_by = of.model->widened_by({of.mode, of.batch});
  found.expected_s = scale * of.expected.total.period_s;
  found.expected_power_w = of.expected.total.power_w;
  found.expected_low_s = error[twin::kTime].lo(found.expected_s, kExplainInterval);
  found.expected_high_s = error[twin::kTime].hi(found.expected_s, kExplainInterval);

  double sum = 0;
  for (const Suspect& suspect : suspects()) {
    ExplainRow row = weigh(suspect, of, found, error, scale);
    if (row.probability <= 0) continue;
    sum += row.probability;
    if (!suspect.misread && suspect.cause != SlowCause::kNone) add_gain(row, found);
    found.rows.push_back(std::move(row));
  }
  for (ExplainRow& row : found.rows) {
    row.probability /= sum;
    row.time_s = row.probability * found.gap_s();
  }
  std::stable_sort(found.rows.begin(), found.rows.end(),
                   [](const auto& a, const auto& b) { return a.probability > b.probability; });
  return found;
}

}  // namespace ridgewatt::answer
