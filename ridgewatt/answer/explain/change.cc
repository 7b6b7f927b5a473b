#include "ridgewatt/answer/explain/change.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "ridgewatt/base/error.h"

namespace ridgewatt::answer {
namespace {

const ExplainRow& row_of(const ExplainAnswer& before, std::optional<SlowCause> removed) {
  const auto row = std::find_if(before.rows.begin(), before.rows.end(), [&](const auto& one) {
    return removed ? one.cause == *removed : one.cause != SlowCause::kNone;
  });
  if (row != before.rows.end() && row->cause != SlowCause::kNone) return *row;
  throw UsageError("the removed cause is not among the possible causes of this run",
                   removed ? std::string(name_of(*removed)) : "",
                   "give --removed with one of the printed causes");
}

double normal(double value, double mean, double sd) {
  const double z = (value - mean) / sd;
  return std::exp(-z * z / 2) / (sd * std::sqrt(2 * M_PI));
}

// Densities of the logarithm of the gain: `removed` if the change removed the cause, in whole or in
// part, and `other` if it did not. All figures are chosen.
struct GainDensities {
  double removed = 0, other = 0;
};
GainDensities densities_of(const ExplainedChange& change) {
  constexpr double kZ90 = 1.645;      // half of a 90 % interval, in standard deviations
  constexpr double kRepeatSd = 0.05;  // between repeated measurements
  constexpr double kInPart = 0.25;    // share of changes that remove a cause only in part
  constexpr double kElse = 0.05;      // share of other changes that have an effect, of any size
  const double gain = std::log(change.gain());
  const double promised = std::log(change.promised);
  const double estimate_sd = std::log(change.promised_high / change.promised_low) / (2 * kZ90);
  const double sd = std::hypot(estimate_sd, kRepeatSd);
  const bool between = gain * promised > 0 && std::abs(gain) < std::abs(promised);
  return {(1 - kInPart) * normal(gain, promised, sd) + (between ? kInPart / std::abs(promised) : 0),
          (1 - kElse) * normal(gain, 0, kRepeatSd) + kElse * normal(gain, 0, 1)};
}

}  // namespace

ExplainedChange judge_change(const ExplainAnswer& before, ExplainAnswer after,
                             std::optional<SlowCause> removed) {
  constexpr double kSure = 0.8;  // chosen
  const ExplainRow& row = row_of(before, removed);
  ExplainedChange change{
      .removed = row.cause, .before_s = before.time.measured, .after_s = after.time.measured};
  change.rank = static_cast<int>(&row - before.rows.data()) + 1;
  // If the number was misread, the change makes it the true one.
  change.promised = row.gain.value_or(change.before_s / before.time.expected);
  change.promised_low = row.gain ? row.gain_low : change.before_s / before.time.high;
  change.promised_high = row.gain ? row.gain_high : change.before_s / before.time.low;
  change.probability_before = std::min(1.0, row.probability);
  const GainDensities densities = densities_of(change);
  const double with = change.probability_before * densities.removed;
  const double without = (1 - change.probability_before) * densities.other;
  change.probability = with / (with + without);
  change.verdict = change.probability >= kSure       ? ChangeVerdict::kConfirmed
                   : change.probability <= 1 - kSure ? ChangeVerdict::kRefuted
                                                     : ChangeVerdict::kOpen;
  change.after = std::make_shared<const ExplainAnswer>(std::move(after));
  return change;
}

}  // namespace ridgewatt::answer
