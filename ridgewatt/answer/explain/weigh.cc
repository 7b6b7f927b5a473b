#include "ridgewatt/answer/explain/weigh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sort.h"

namespace ridgewatt::answer {
namespace {

constexpr double kExplainInterval = 0.9;
constexpr double kLeastSd = 0.03;   // deviation of repeated measurements; chosen
constexpr double kPairShare = 0.3;  // chosen: share of runs with two causes among all with a cause
// Exponent of the likelihood of a hypothesis. Fitted to simulated runs: there, estimates and signs
// err less than the densities and probabilities here assume (docs/methods/explain.md).
constexpr double kSharpness = 1.2;

// Standard deviations of logarithms that a hypothesis adds to figures.
struct AddedSpread {
  double time = 0, waiting = 0;  // waiting: the part of `time` in which the GPU waits
  double first = 0, power = 0;   // for the first token; for the power
  double load = 0;               // for the load, apart from waiting
};
AddedSpread added_by(const Prediction& one) {
  return {one.spread, one.waits ? one.spread : 0, one.first_spread.value_or(one.spread),
          one.power_spread, one.load_spread};
}
AddedSpread added_by(const Prediction& a, const Prediction& b) {
  const AddedSpread one = added_by(a), two = added_by(b);
  return {std::hypot(one.time, two.time), std::hypot(one.waiting, two.waiting),
          std::hypot(one.first, two.first), std::hypot(one.power, two.power),
          std::hypot(one.load, two.load)};
}

// Logarithm of the density of ln(measured / predicted). The error of the estimate has the tails of
// Student's t. What a cause adds is normal.
class FigureDensity {
 public:
  explicit FigureDensity(const MeasuredFigure& figure)
      : figure_(figure), degrees_(figure.error.degrees), half_((degrees_ + 1) / 2) {
    log_normal_ = std::log(2 * M_PI) / 2;
    if (degrees_ > 0) {
      log_t_ = std::lgamma(half_) - std::lgamma(degrees_ / 2) - std::log(degrees_ * M_PI) / 2;
    }
  }
  double residual(std::optional<double> predicted) const {
    const double value = predicted.value_or(figure_.unknown * figure_.expected);
    return std::log(figure_.measured / (figure_.scale * value));
  }
  double error_sd() const { return std::max(figure_.error.sd, kLeastSd); }
  double log(std::optional<double> predicted, double spread) const {
    if (!predicted) spread = figure_.unknown_sd;
    return log_of(residual(predicted), error_sd(), spread);
  }
  // The density of a GPU load. `time` is the figure of the time, and `predicted_s` the time that
  // the hypothesis predicts. If the measured time is longer because the GPU waits more, the load is
  // lower.
  double log_load(std::optional<double> predicted, const AddedSpread& added,
                  const FigureDensity& time, std::optional<double> predicted_s) const {
    if (!predicted) return log(predicted, 0);
    const double variance = added.time * added.time + time.error_sd() * time.error_sd();
    const double known = added.waiting * added.waiting / variance;
    const double lower = known * time.residual(predicted_s);
    const double left = added.waiting * added.waiting * std::max(0.0, 1 - known);
    return log_of(residual(predicted) + lower, load_sd(*predicted),
                  std::hypot(std::sqrt(left), added.load));
  }
  const MeasuredFigure& figure() const { return figure_; }

 private:
  double log_of(double residual, double error_sd, double spread) const {
    const double sd = std::hypot(error_sd, spread);
    const double z = residual / sd;
    if (degrees_ > 0 && spread <= error_sd) {
      return log_t_ - half_ * std::log1p(z * z / degrees_) - std::log(sd);
    }
    return -z * z / 2 - log_normal_ - std::log(sd);
  }
  // Chosen: the error of the sensor, and a quarter of the share in which the GPU waits.
  static double load_sd(double load) {
    constexpr double kSensorSd = 0.05, kWaitingSd = 0.25;
    return std::hypot(kSensorSd, kWaitingSd * (1 - std::min(1.0, load)));
  }

  const MeasuredFigure& figure_;
  double degrees_, half_, log_normal_, log_t_ = 0;
};

using Densities = std::vector<FigureDensity>;

// The log likelihood of all figures. `predicted` returns what a hypothesis predicts for a figure.
template <typename Predicted>
double log_likelihood(const Densities& densities, const AddedSpread& added,
                      const Predicted& predicted) {
  const FigureDensity& time = densities.front();
  const auto time_s = predicted(time.figure());
  double sum = time.log(time_s, added.time);
  for (std::size_t i = 1; i < densities.size(); ++i) {
    const FigureDensity& density = densities[i];
    const auto value = predicted(density.figure());
    switch (density.figure().of) {
      case FigureOf::kTime:
        sum += density.log(value, added.time);
        break;
      case FigureOf::kFirstToken:
        sum += density.log(value, added.first);
        break;
      case FigureOf::kPower:
        sum += density.log(value, added.power);
        break;
      case FigureOf::kLoad:
        sum += density.log_load(value, added, time, time_s);
        break;
      case FigureOf::kStated:
        sum += density.log(value, 0);
        break;
    }
  }
  return sum;
}

double log_likelihood(const Prediction& one, const Densities& densities) {
  return log_likelihood(densities, added_by(one), [&](const MeasuredFigure& figure) {
    return figure.predicted(one.prognosis);
  });
}

// The value of a figure if both causes are at work.
std::optional<double> joint(std::optional<double> a, std::optional<double> b, double expected,
                            bool adds) {
  if (!a || !b) return {};
  return adds ? std::max(*a + *b - expected, std::min(*a, *b)) : *a * *b / expected;
}

double log_likelihood(const Prediction& a, const Prediction& b, const Densities& densities,
                      const PrognosisIn& in_mode) {
  if (in_mode && a.mode && b.mode) {
    const Prognosis both = in_mode(lowered_to(*a.mode, *b.mode), std::min(a.sms, b.sms));
    return log_likelihood(densities, added_by(a, b),
                          [&](const MeasuredFigure& figure) { return figure.predicted(both); });
  }
  const bool adds = (a.adds || b.adds) && !a.scales && !b.scales;
  return log_likelihood(densities, added_by(a, b), [&](const MeasuredFigure& figure) {
    return joint(figure.predicted(a.prognosis), figure.predicted(b.prognosis), figure.expected,
                 figure.adds && adds);
  });
}

// The logarithm of a running sum of exponentials, and its largest term.
struct LogSum {
  double log = -std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();
  // Returns whether the term is the largest so far.
  bool add(double term) {
    const double high = std::max(log, term);
    if (!(high > -std::numeric_limits<double>::infinity())) return false;
    log = high + std::log(std::exp(log - high) + std::exp(term - high));
    if (term <= most) return false;
    most = term;
    return true;
  }
};

double weights_of(const WeighedCause& cause) {
  double sum = 0;
  for (const Prediction& one : cause.predictions) sum += one.weight;
  return sum;
}

// One cause, or two at once. `other` equals `cause` for one alone.
struct Hypothesis {
  std::size_t cause = 0, other = 0;
  double prior = 0;      // relative
  double log = 0;        // logarithm of the likelihood
  double share = 1;      // share of the gap due to `cause`; the rest is due to `other`
  std::size_t best = 0;  // index of the best prediction of `cause`
  double probability = 0;
  // Its best predictions are slower than expected while the measured time is shorter than expected,
  // or the reverse.
  bool against = false;
  bool all_against = false;  // likewise, all times of a language model together
  double log_ratio = 0;      // ln(predicted / expected), of the best predictions
};

// Whether the predicted and the measured time are on different sides of the expected time.
bool goes_against(const MeasuredFigure& time, double log_ratio) {
  return log_ratio * std::log(time.measured / (time.scale * time.expected)) < 0;
}
double log_ratio(const MeasuredFigure& time, const Prediction& one) {
  return std::log(time.predicted(one.prognosis).value_or(0) / time.expected);
}

// Whether a prediction has the wrong direction in the time and the time to the first token
// together.
bool goes_against(const Densities& densities, const Prediction& one) {
  double agreement = 0;
  for (const FigureDensity& density : densities) {
    const MeasuredFigure& figure = density.figure();
    if (figure.of != FigureOf::kTime && figure.of != FigureOf::kFirstToken) continue;
    const auto value = figure.predicted(one.prognosis);
    if (!value) continue;
    agreement += std::log(*value / figure.expected) *
                 std::log(figure.measured / (figure.scale * figure.expected));
  }
  return agreement < 0;
}

double log_signs(const std::vector<SeenSign>& signs, SlowCause a, SlowCause b) {
  double sum = 0;
  for (const SeenSign& sign : signs) sum += std::log(sign.probability(a, b));
  return sum;
}

Hypothesis alone(std::size_t at, const WeighedCause& cause, const Densities& densities,
                 const MeasuredFigure& time, const std::vector<SeenSign>& signs) {
  Hypothesis one{at, at};
  LogSum sum;
  const double weights = weights_of(cause);
  for (std::size_t i = 0; i < cause.predictions.size(); ++i) {
    const Prediction& prediction = cause.predictions[i];
    const double log = std::log(prediction.weight / weights);
    if (sum.add(log + log_likelihood(prediction, densities))) one.best = i;
  }
  one.log = sum.log + log_signs(signs, cause.cause, cause.cause);
  one.log_ratio = log_ratio(time, cause.predictions[one.best]);
  one.against = goes_against(time, one.log_ratio);
  one.all_against = goes_against(densities, cause.predictions[one.best]);
  return one;
}

Hypothesis together(const std::vector<WeighedCause>& causes, std::size_t at, std::size_t other,
                    const Densities& densities, const MeasuredFigure& time,
                    const std::vector<SeenSign>& signs, const PrognosisIn& in_mode) {
  const WeighedCause &a = causes[at], &b = causes[other];
  Hypothesis both{at, other};
  LogSum sum;
  const double weights = weights_of(a) * weights_of(b);
  for (const Prediction& one : a.predictions) {
    for (const Prediction& two : b.predictions) {
      const double log = std::log(one.weight * two.weight / weights);
      if (!sum.add(log + log_likelihood(one, two, densities, in_mode))) continue;
      const double first = log_ratio(time, one), second = log_ratio(time, two);
      const bool same_way = first * second > 0;
      both.share = same_way ? first / (first + second) : std::abs(first) > std::abs(second);
      both.log_ratio = first + second;
      both.against = goes_against(time, both.log_ratio);
    }
  }
  both.log = sum.log + log_signs(signs, a.cause, b.cause);
  return both;
}

void normalize(std::vector<Hypothesis>& hypotheses) {
  LogSum sum;
  double priors = 0;
  const auto log_posterior = [](const Hypothesis& one) {
    return std::log(one.prior) + kSharpness * one.log;
  };
  for (const Hypothesis& one : hypotheses) {
    sum.add(log_posterior(one));
    priors += one.prior;
  }
  for (Hypothesis& one : hypotheses) {
    one.probability = std::exp(log_posterior(one) - sum.log);
    one.prior /= priors;
  }
}

// Every hypothesis with its probability. No pair contains `none`. `time` is the figure with the
// gap.
std::vector<Hypothesis> weigh(const std::vector<WeighedCause>& causes, const Densities& densities,
                              const MeasuredFigure& time, const std::vector<SeenSign>& signs,
                              const PrognosisIn& in_mode) {
  double priors = 0, squares = 0;
  for (const WeighedCause& cause : causes) {
    if (cause.cause == SlowCause::kNone) continue;
    priors += cause.prior;
    squares += cause.prior * cause.prior;
  }
  const double pairs = (priors * priors - squares) / 2;
  std::vector<Hypothesis> found;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const bool none = causes[i].cause == SlowCause::kNone;
    found.push_back(alone(i, causes[i], densities, time, signs));
    found.back().prior = causes[i].prior * (none ? 1 : 1 - kPairShare);
    for (std::size_t j = i + 1; j < causes.size() && !none; ++j) {
      if (causes[j].cause == SlowCause::kNone) continue;
      found.push_back(together(causes, i, j, densities, time, signs, in_mode));
      found.back().prior = causes[i].prior * causes[j].prior / pairs * priors * kPairShare;
    }
  }
  normalize(found);
  return found;
}

// Adds the factor by which removing the cause alone shortens the time, as far as the cause explains
// the measured time.
void add_gain(ExplainRow& row, const ExplainedFigure& time, double predicted) {
  const double slower = std::min(predicted, time.measured);
  if (slower <= time.expected) return;
  row.gain = slower / time.expected;
  row.gain_low = std::max(1.0, slower / time.high);
  row.gain_high = slower / time.low;
}

// The part of the gap that a hypothesis can explain: at most from the expected time to the end of
// the interval about the predicted one.
double explained_s(const Hypothesis& one, const ExplainedFigure& time) {
  const double gap_s = time.gap();
  if (one.against) return 0;
  const double predicted = std::exp(one.log_ratio);
  return gap_s > 0 ? std::min(gap_s, std::max(0.0, predicted * time.high - time.expected))
                   : std::max(gap_s, std::min(0.0, predicted * time.low - time.expected));
}

void add(const Hypothesis& one, const ExplainedFigure& time, std::size_t none,
         std::vector<ExplainRow>& rows) {
  const double part_s = explained_s(one, time);
  rows[none].time_s += one.probability * (time.gap() - part_s);
  const auto add_row = [&](std::size_t cause, double share) {
    rows[cause].probability += one.probability;
    rows[cause].prior += one.prior;
    rows[cause].time_s += one.probability * share * part_s;
  };
  add_row(one.cause, one.share);
  if (one.cause != one.other) add_row(one.other, 1 - one.share);
}

// The first token if its time has the gap, otherwise the first figure.
const MeasuredFigure& figure_with_gap(const ExplainAnswer& found,
                                      const std::vector<MeasuredFigure>& figures) {
  if (&found.gap_figure() == &found.time) return figures.front();
  return *std::find_if(figures.begin(), figures.end(), [](const MeasuredFigure& figure) {
    return figure.of == FigureOf::kFirstToken;
  });
}

double shown_load(double load) {
  constexpr double kLeast = 0.01;  // what a sensor shows when idle
  return std::clamp(load, kLeast, 1.0);
}

}  // namespace

SharedLoad shared_load(double alone) {
  const double span = -std::log(shown_load(alone));
  return {std::exp(-span / 2), span / std::sqrt(12)};
}

MeasuredFigure gpu_load_figure(double measured, double expected) {
  constexpr double kUnknownLoadSd = 0.7;  // chosen
  return {.of = FigureOf::kLoad,
          .measured = shown_load(measured),
          .expected = shown_load(expected),
          .predicted =
              [](const Prognosis& one) {
                return one.gpu_load ? std::optional(shown_load(*one.gpu_load)) : std::nullopt;
              },
          .unknown_sd = kUnknownLoadSd};
}

MeasuredFigure stated_figure(double stated_s, double marked_s) {
  constexpr double kMarksSd = 0.05, kMarksDegrees = 3;  // chosen: runs vary, marks miss a part
  return {.of = FigureOf::kStated,
          .measured = stated_s / marked_s,
          .expected = 1,
          .error = {.sd = kMarksSd, .degrees = kMarksDegrees},
          .predicted = [](const Prognosis& one) { return std::optional(one.stated); }};
}

ExplainedFigure explained(const MeasuredFigure& figure) {
  const double expected = figure.scale * figure.expected;
  return {figure.measured, expected, figure.error.lo(expected, kExplainInterval),
          figure.error.hi(expected + figure.unknown_s, kExplainInterval)};
}

void add_power(ExplainAnswer& found, const MeasuredFigure& power) {
  const ExplainedFigure figure = explained(power);
  found.expected_power_w = figure.expected;
  found.expected_power_low_w = figure.low;
  found.expected_power_high_w = figure.high;
}

std::vector<WeighedCause> without(std::vector<WeighedCause> causes,
                                  const std::vector<SlowCause>& ruled_out) {
  const auto excluded = [&](SlowCause cause) { return contains(ruled_out, cause); };
  if (excluded(SlowCause::kNone)) {
    throw UsageError("the cause 'none', an error of the estimate, cannot be ruled out", "",
                     "name another cause");
  }
  std::erase_if(causes, [&](const WeighedCause& one) { return excluded(one.cause); });
  return causes;
}

void conclude(ExplainAnswer& found, std::vector<WeighedCause> causes,
              const std::vector<MeasuredFigure>& figures, const std::vector<SeenSign>& signs,
              const PrognosisIn& in_mode) {
  std::erase_if(causes, [](const WeighedCause& cause) { return cause.predictions.empty(); });
  const Densities densities(figures.begin(), figures.end());
  found.rows.resize(causes.size());
  std::vector<Prediction> best(causes.size());
  const auto none = static_cast<std::size_t>(
      std::find_if(causes.begin(), causes.end(),
                   [](const WeighedCause& cause) { return cause.cause == SlowCause::kNone; }) -
      causes.begin());
  const MeasuredFigure& time = figure_with_gap(found, figures);
  const ExplainedFigure& gap = found.gap_figure();
  for (const Hypothesis& one : weigh(causes, densities, time, signs, in_mode)) {
    if (one.cause == one.other) {
      best[one.cause] = causes[one.cause].predictions[one.best];
      found.rows[one.cause].against = one.all_against;
    }
    add(one, gap, none, found.rows);
  }
  for (std::size_t i = 0; i < causes.size(); ++i) {
    ExplainRow& row = found.rows[i];
    row.cause = causes[i].cause;
    row.prognosis = best[i].prognosis;
    if (!causes[i].misread && row.cause != SlowCause::kNone) {
      add_gain(row, gap, time.scale * time.predicted(row.prognosis).value_or(0));
    }
    row.prognosis.time_s *= figures.front().scale;
    for (const SeenSign& sign : signs) {
      if (sign.shown && sign.belongs_to(row.cause)) row.signs.push_back(sign.text);
    }
    row.against = row.against && row.signs.empty();
  }
  sort_stably(found.rows, [](const auto& a, const auto& b) {
    return a.against != b.against ? b.against : a.probability > b.probability;
  });
  for (const SeenSign& sign : signs) {
    if (sign.shown) found.seen.push_back(sign.text);
  }
}

}  // namespace ridgewatt::answer
