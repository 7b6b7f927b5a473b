#include "ridgewatt/twin/estimate_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>
#include <utility>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/twin/carry.h"
#include "ridgewatt/twin/estimate/estimator_parts.h"

namespace ridgewatt::twin {
namespace {

constexpr double kStep = 0.02;  // step of a logarithm, for slopes
// Of a scaled card's idle power; four cards draw 14 to 27 % of their limits when idle.
constexpr double kLeastIdle = 0.5;
// Published rows of three cards exceed their power limit only up to this multiple of the card's
// lowest limit: those of the A40 at its two lowest limits.
constexpr double kLowestHeldTo = 1.27;
// Presets of Orin boards leave at least half of the SMs on.
constexpr double kFewerSms = 2;
constexpr double kEnds = 0.9;  // interval whose ends are computed at other clocks

// Natural logarithms of time, power and energy.
std::array<double, kQuantities.size()> logs_of(const MinibatchCost& at) {
  const double time = std::log(at.period_s);
  const double power = std::log(at.power_w);
  return {time, power, time + power};
}

constexpr int kAbsent = std::numeric_limits<int>::max();

// The power of two by which the rounded value of each knob is below its highest value.
std::array<int, kKnobs.size()> octaves(const Twin& twin, const PowerMode& mode) {
  const auto octave = [](double value, double top) {
    if (!(value > 0) || !(top > 0)) return kAbsent;
    int power = 0;
    const double fraction = std::frexp(value / top, &power);  // from 1/2 up to 1
    return fraction > std::numbers::sqrt2 / 2 ? power : power - 1;
  };
  return {octave(mode.cpu_cores, twin.cpu_cores), octave(mode.cpu_clock_hz, twin.cpu_clock_hz),
          octave(mode.gpu_clock_hz, twin.gpu_clock_hz),
          octave(mode.mem_clock_hz, twin.mem_clock_hz)};
}

// Each knob at its highest value over a power of two, because slopes change slowly.
PowerMode at_octaves(const Twin& twin, const std::array<int, kKnobs.size()>& octaves) {
  const std::array<double, kKnobs.size()> top = {
      static_cast<double>(twin.cpu_cores), twin.cpu_clock_hz, twin.gpu_clock_hz, twin.mem_clock_hz};
  PowerMode mode;
  for (const Knob knob : kKnobs) {
    const auto k = static_cast<std::size_t>(knob);
    if (octaves[k] == kAbsent) continue;
    const double value = std::ldexp(top[k], octaves[k]);
    mode.set(knob, knob == Knob::kCpuCores ? std::max(1.0, value) : value);
  }
  return mode;
}

// Arithmetics other than FP32 that the contractions of a workload use.
std::set<Arithmetic> other_arithmetics(const workload::WorkloadCost& cost) {
  std::set<Arithmetic> found = {workload::arithmetic_of(cost.arithmetic)};
  const bool integers = std::any_of(cost.kernels.begin(), cost.kernels.end(),
                                    [](const auto& kernel) { return kernel.work_int_op > 0; });
  if (integers) found.insert(Arithmetic::kInt8);
  found.erase(Arithmetic::kFp32);
  return found;
}

double below_of(const LogError& error, double factor) {
  return error.below == 1 ? factor : std::pow(factor, error.below);
}

}  // namespace

double LogError::factor(double interval) const {
  const double p = 0.5 + interval / 2;
  if (!(p < 1)) return std::numeric_limits<double>::infinity();
  // The same few quantiles are needed repeatedly.
  thread_local std::map<std::pair<double, double>, double> quantiles;
  auto& quantile = quantiles[{p, degrees}];
  if (quantile == 0 && p != 0.5) {
    quantile = degrees > 0 ? student_quantile(p, degrees) : normal_quantile(p);
  }
  return std::exp(quantile * sd);
}

double LogError::factor_below(double interval) const {
  return below_of(*this, factor(interval));
}

void LogError::add(double above, double under) {
  under = std::hypot(below * sd, under);
  sd = std::hypot(sd, above);
  if (sd > 0) below = under / sd;
}

std::array<Bounded, kQuantities.size()> bounded(const MinibatchCost& cost,
                                                const EstimateError& error, double interval) {
  const auto of = [&](std::size_t q, double value) {
    const LogError& its = error[q];
    const double factor = its.factor(interval);
    return Bounded{its.middle(value), its.middle(value / below_of(its, factor)),
                   its.middle(value * factor)};
  };
  const Bounded time = of(kTime, cost.period_s), power = of(kPower, cost.power_w);
  Bounded energy = of(kEnergy, cost.energy_j());
  energy.value = time.value * power.value;
  energy.lo = std::clamp(energy.lo, time.lo * power.lo, energy.value);
  energy.hi = std::clamp(energy.hi, energy.value, time.hi * power.hi);
  return {time, power, energy};
}

struct ErrorModel::Direction {
  enum class Of { kTwin, kRuntime, kPrecision };
  Of of = Of::kTwin;
  std::size_t param = 0;  // TwinParam or RuntimeParam
  double sd = 0;          // of the logarithm of a precision's speedup
};

struct ErrorModel::Variances {
  std::array<double, kQuantities.size()> parameters{};  // of the posterior and of the precision
  std::array<double, kQuantities.size()> priors{};
  std::array<double, kQuantities.size()> runtime{};  // due to the runtime's parameters
  std::size_t widest = kTwinParamCount;  // the parameter that adds most to the error of time
  double widest_share = 0;
  double precision_share = 0;
  EstimateError error{};  // without bounds
};

ErrorModel::ErrorModel(const Twin& twin, std::shared_ptr<const workload::WorkloadCost> cost,
                       const RunOptions& options)
    : twin_(twin), middle_(twin, cost, options), options_(options) {
  if (twin_.cpu) return;
  const WorkloadFeatures features = features_of(*cost);
  distance_ = twin.home.distance(features);
  Twin moved = twin;
  for (std::size_t i = 0; i < kTwinParamCount; ++i) {
    moved.values[i] *= std::exp(kStep);
    add({Direction::Of::kTwin, i}, moved);
    moved.values[i] = twin.values[i];
  }
  if (middle_.twin().changed_by) {
    add_runtime_directions(*cost);
    explain_runtime();
    return;  // the runtime's rates in each precision are parameters
  }
  for (const Arithmetic arithmetic : other_arithmetics(*cost)) {
    for (double Twin::ContractionSpeedup::*pipe :
         {&Twin::ContractionSpeedup::conv, &Twin::ContractionSpeedup::product}) {
      Twin moved = twin;
      double& speedup = moved.speedups[static_cast<std::size_t>(arithmetic)].*pipe;
      if (!(speedup > 0)) continue;
      const double sd = std::abs(std::log(speedup)) / 2;
      speedup *= std::exp(kStep);
      add({Direction::Of::kPrecision, 0, sd}, moved);
    }
  }
  explain(features);
}

void ErrorModel::add(const Direction& direction, const Twin& moved) {
  directions_.push_back(direction);
  moved_.push_back(middle_.moved(moved));
}

void ErrorModel::add_runtime_directions(const workload::WorkloadCost& cost) {
  const auto runtime = static_cast<std::size_t>(cost.runtime);
  for (std::size_t i = 0; i < kRuntimeParamCount; ++i) {
    Twin moved = twin_;
    while (moved.runtimes.size() < kRuntimes.size()) {
      moved.runtimes.push_back(prior_runtime_twin(kRuntimes[moved.runtimes.size()]));
    }
    moved.runtimes[runtime].values[i] *= std::exp(kStep);
    add({Direction::Of::kRuntime, i}, moved);
  }
}

ErrorModel::~ErrorModel() = default;

const ErrorModel::Variances& ErrorModel::variances(const PowerMode& mode) const {
  const auto key = octaves(twin_, mode);
  return known_.at(key, [&] { return variances_at(at_octaves(twin_, key)); });
}

std::unique_ptr<const ErrorModel::Variances> ErrorModel::variances_at(const PowerMode& at) const {
  auto known = std::make_unique<Variances>();
  const auto middle = logs_of(middle_.at_clocks(at, middle_.options_).total);
  const std::vector<MinibatchCost> costs = middle_.at_moved(at, moved_);
  std::array<std::array<double, kTwinParamCount>, kQuantities.size()> slopes{};
  std::array<double, kQuantities.size()> precision{};
  std::array<std::array<double, kRuntimeParamCount>, kQuantities.size()> runtime_slopes{};
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    const Direction& direction = directions_[i];
    const auto moved = logs_of(costs[i]);
    for (std::size_t q = 0; q < kQuantities.size(); ++q) {
      const double slope = (moved[q] - middle[q]) / kStep;
      if (direction.of == Direction::Of::kTwin) {
        slopes[q][direction.param] = slope;
      } else if (direction.of == Direction::Of::kRuntime) {
        runtime_slopes[q][direction.param] = slope;
      } else {
        precision[q] += squared(slope * direction.sd);
      }
    }
  }
  for (std::size_t q = 0; q < kQuantities.size(); ++q) {
    known->parameters[q] = twin_.parameter_variance(slopes[q]) + precision[q];
    if (middle_.twin().changed_by) {
      known->runtime[q] = middle_.twin().changed_by->parameter_variance(runtime_slopes[q]);
    }
    for (std::size_t i = 0; i < kTwinParamCount; ++i) {
      known->priors[q] += squared(slopes[q][i] * twin_parameters()[i].prior_log_sd);
    }
  }
  for (std::size_t i = 0; i < kTwinParamCount; ++i) {
    const double share = squared(slopes[kTime][i] * twin_.log_sd[i]);
    if (share > known->widest_share) known->widest_share = share, known->widest = i;
  }
  known->precision_share = precision[kTime];
  known->error = middle_.twin().changed_by ? of_runtime(*known) : of_twin(*known);
  return known;
}

std::array<double, kQuantities.size()> ErrorModel::parameter_variance(const PowerMode& mode) const {
  if (const ErrorModel* fewer = with_fewer_sms(twin_.sms_in(mode))) {
    return fewer->parameter_variance(mode);
  }
  return variances(mode).parameters;
}

std::array<double, kQuantities.size()> ErrorModel::prior_variance(const PowerMode& mode) const {
  if (const ErrorModel* fewer = with_fewer_sms(twin_.sms_in(mode))) {
    return fewer->prior_variance(mode);
  }
  return variances(mode).priors;
}

const ErrorModel* ErrorModel::with_fewer_sms(int sms) const {
  if (sms == 0 || sms == twin_.sms) return nullptr;
  return &fewer_sms_.at(sms, [&] {
    return std::make_unique<const ErrorModel>(with_sms(twin_, sms), middle_.cost_, options_);
  });
}

// Factor on the runtime's error for boards, on a card whose engines are those of modules. With the
// modules' parameters, 80 to 100 % of the rows of five cards are inside their 90 % intervals
// (docs/results/runtimes.md).
constexpr double kOtherChip = 2;

// The error of time is that of rows left out of the runtime's own fit. Power has no public rows:
// its error is that of the eager twin plus an additional error.
EstimateError ErrorModel::of_runtime(const Variances& at) const {
  const RuntimeTwin& runtime = *middle_.twin().changed_by;
  double time = at.runtime[kTime] + squared(runtime.errors.time);
  const double chips = twin_.discrete && runtime.fitted_on(kReferenceBoard) ? kOtherChip : 1;
  if (!runtime.fitted_on(twin_.board)) time += squared(chips * runtime.errors.board);
  if (!precision_is_fitted()) time += squared(runtime.errors.precision);
  const ErrorScale& scale = twin_.errors.scales[kPower];
  double power = at.parameters[kPower] + at.runtime[kPower] + scale.variance(distance_) +
                 squared(runtime.errors.power);
  if (twin_.scaled) power += squared(scale.board) * at.priors[kPower];
  const double power_degrees =
      twin_.scaled ? std::min(twin_.errors.degrees, scale.board_degrees) : twin_.errors.degrees;
  EstimateError error;
  error[kTime] = {std::sqrt(time), runtime.errors.degrees};
  error[kPower] = {std::sqrt(power), power_degrees};
  error[kEnergy] = {std::sqrt(time + power), std::min(power_degrees, runtime.errors.degrees)};
  return error;
}

bool ErrorModel::precision_is_fitted() const {
  return middle_.twin().changed_by->fitted_in(name_of(middle_.cost().precision));
}

void ErrorModel::explain_runtime() {
  const RuntimeTwin& runtime = *middle_.twin().changed_by;
  const std::string name(name_of(runtime.runtime));
  if (!runtime.fitted()) {
    widened_by_.push_back("runtime: nothing was fitted for " + name);
    return;
  }
  if (!runtime.fitted_on(twin_.board)) {
    widened_by_.push_back(fmt::format("runtime: {} was not fitted on {}", name, twin_.board));
  }
  if (!precision_is_fitted()) {
    widened_by_.push_back(
        fmt::format("precision: {} was not fitted in {}", name, name_of(middle_.cost().precision)));
  }
  widened_by_.push_back("power: estimated with the parameters of pytorch-eager");
}

EstimateError ErrorModel::on_processor(const PowerMode& mode) const {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  const int threads = mode.has(Knob::kCpuCores) ? mode.cpu_cores : twin_.cpu_cores;
  const double degrees = twin_.cpu->error_degrees;
  EstimateError error;
  error[kTime] = {std::sqrt(cpu_variance(*twin_.cpu, middle_.cost(), threads)), degrees};
  error[kPower] = error[kEnergy] = {kUnknown, degrees};
  return error;
}

EstimateError ErrorModel::of_twin(const Variances& at) const {
  EstimateError error;
  for (std::size_t q = 0; q < kQuantities.size(); ++q) {
    const ErrorScale& scale = twin_.errors.scales[q];
    double variance = at.parameters[q] + scale.variance(distance_);
    if (twin_.scaled) variance += squared(scale.board) * at.priors[q];
    const double degrees = twin_.errors.degrees;
    error[q] = {std::sqrt(variance),
                twin_.scaled ? std::min(degrees, scale.board_degrees) : degrees};
  }
  return error;
}

EstimateError ErrorModel::operator()(const PowerMode& mode) const {
  return (*this)(middle_.breakdown(mode));
}

EstimateError ErrorModel::at_clocks(const PowerMode& clocks) const {
  return variances(clocks).error;
}

EstimateError ErrorModel::operator()(const Breakdown& at) const {
  if (const ErrorModel* fewer = with_fewer_sms(at.sms)) return (*fewer)(at);
  if (twin_.cpu) return on_processor(at.clocks);
  EstimateError error = twin_.discrete ? under_limit(at) : at_clocks(at.clocks);
  if (!twin_.discrete) set_bounds(at, at.least_s, twin_.power_limit_w, error);
  widen(at, error);
  return error;
}

namespace {

// Decades by which a knob is below all fitted values.
double decades_below(double value, double least) {
  return value > 0 && least > value ? std::log10(least / value) : 0;
}

// Decades below the fitted CPU clocks and cores. Cores matter only to the waits of inference.
struct Unseen {
  double clock = 0, cores = 0;  // decades
  bool any() const { return clock > 0 || cores > 0; }
};

Unseen unseen_in(const Twin& twin, const workload::WorkloadCost& cost, const Breakdown& at) {
  const bool waits = at.counted_share < 1;
  return {decades_below(at.clocks.cpu_clock_hz, twin.home.least_cpu_hz(cost.kind)),
          waits
              ? decades_below(at.clocks.cpu_cores, std::min<double>(kLeastFedCores, twin.cpu_cores))
              : 0};
}

// Power without the waits that the power of the fitted rows includes.
double unwaited_w(const Breakdown& at) {
  return at.always_w + (at.total.power_w - at.always_w) / at.counted_share;
}

}  // namespace

// Below the fitted CPU clocks and cores, the share of waits in the power is unknown. Above the
// module's limit, it is unknown how far the board lowers its clocks. In both cases, the most
// extreme value becomes one end of the 90 % interval.
void ErrorModel::widen(const Breakdown& at, EstimateError& error) const {
  if (const Unseen unseen = unseen_in(twin_, middle_.cost(), at); unseen.any()) {
    for (std::size_t q = 0; q < kQuantities.size(); ++q) {
      const double sd = twin_.errors.scales[q].range * std::hypot(unseen.clock, unseen.cores);
      error[q].add(sd, sd);
    }
    const double waits = std::log(unwaited_w(at) / at.total.power_w) / kNormal95;
    error[kPower].add(waits, waits);
    error[kEnergy].add(waits, waits);
  }
  if (at.held > 1) {
    const double sd = std::log(at.held) / kNormal95;
    error[kTime].add(sd, sd);
  }
  if (at.sms == 0) {
    const double sd = std::log(kFewerSms) / kNormal95;
    error[kTime].add(sd, 0);
    error[kPower].add(0, sd);
    error[kEnergy].add(sd, sd);
  }
}

// If a board draws more or less power than modelled, its limit leaves a lower or a higher clock.
ErrorModel::LimitedModes ErrorModel::limited_modes(const Breakdown& at) const {
  LimitedModes modes;
  modes.limit_w = middle_.limit_w(at.clocks);
  modes.free = at.clocks;
  modes.free.gpu_clock_hz = at.free_gpu_hz;
  modes.at_free = middle_.at_clocks(modes.free, middle_.options_);
  modes.fast = modes.slow = modes.free;
  modes.fast_s = modes.slow_s = modes.at_free.total.period_s;
  const double power = at_clocks(modes.free)[kPower].factor(kEnds);
  const auto lower = [&](double limit_w, PowerMode& mode, double& period_s) {
    mode.gpu_clock_hz = middle_.clock_under(limit_w, modes.free, middle_.options_);
    period_s = middle_.once_at(mode.gpu_clock_hz, mode, middle_.options_).total.period_s;
  };
  const double working_w = working_power_w(modes.at_free);
  if (working_w > modes.limit_w * power) lower(modes.limit_w * power, modes.fast, modes.fast_s);
  // A card is built to hold its clock within its own limit, unless its modelled power exceeds it.
  const double room = twin_.power_limit_w / working_w;
  const double more = room < 1 ? power : std::min(power, room);
  if (working_w > modes.limit_w / more) lower(modes.limit_w / more, modes.slow, modes.slow_s);
  return modes;
}

// An error of the power becomes an error of the clock, and so of the time. Where the limit lowers
// the clock, the power is the limit, with the error of a workload like the fitted ones, or less if
// the board draws so much less than modelled that the limit has no effect. The error at fixed
// clocks is that without the limit; for the upper end, the largest down to the clock of that end. A
// lower limit therefore never makes a minibatch faster.
EstimateError ErrorModel::under_limit(const Breakdown& at) const {
  const LimitedModes modes = limited_modes(at);
  EstimateError error = at_clocks(modes.free);
  const double most_w = std::max(modes.limit_w, kLowestHeldTo * twin_.least_limit_w);
  set_bounds(at, modes.at_free.least_s, std::min(most_w, twin_.power_limit_w), error);
  double slow_sd = error[kTime].sd;
  for (PowerMode at_octave = modes.free; at_octave.gpu_clock_hz > modes.slow.gpu_clock_hz;) {
    at_octave.gpu_clock_hz = std::max(at_octave.gpu_clock_hz / 2, modes.slow.gpu_clock_hz);
    slow_sd = std::max(slow_sd, at_clocks(at_octave)[kTime].sd);
  }
  const auto deviation = [](const LogError& of, double ratio) {
    return std::max(0.0, std::log(ratio)) / std::log(LogError{1, of.degrees}.factor(kEnds));
  };
  const double slower = deviation(error[kTime], modes.slow_s / at.total.period_s);
  const double faster = deviation(error[kTime], at.total.period_s / modes.fast_s);
  const double fast_sd = std::exchange(error[kTime].sd, 0);
  error[kTime].add(std::hypot(slow_sd, slower), std::hypot(fast_sd, faster));
  if (!(at.clocks.gpu_clock_hz < modes.free.gpu_clock_hz)) {
    error[kEnergy].add(slower, faster);
    return error;
  }
  LogError& power = error[kPower];
  const double free_sd = power.sd;
  const double less = deviation(power, modes.at_free.total.power_w / at.total.power_w);
  power.sd = 0;
  const double home = std::min(free_sd, twin_.errors.scales[kPower].home);
  power.add(home, std::max(home, free_sd - less));
  error[kEnergy].sd = 0;
  error[kEnergy].add(std::hypot(error[kTime].sd, power.sd),
                     std::hypot(error[kTime].below * error[kTime].sd, power.below * power.sd));
  return error;
}

void ErrorModel::set_bounds(const Breakdown& at, double least_s, double most_w,
                            EstimateError& error) const {
  error[kTime].least = least_s;
  error[kPower].most = most_w;
  // A scaled card has no evidence of its own, so its idle power is scaled, too.
  const double idle_w = twin_.discrete && twin_.scaled ? kLeastIdle * at.always_w : at.always_w;
  error[kPower].least = std::min(idle_w, most_w);
  error[kEnergy].least = error[kPower].least * least_s;
}

std::vector<std::string> ErrorModel::widened_at(const Breakdown& at) const {
  std::vector<std::string> reasons;
  if (twin_.cpu) return reasons;
  if (const ErrorModel* fewer = with_fewer_sms(at.sms)) {
    reasons = fewer->widened_at(at);
    reasons.push_back(fmt::format("SMs: {} of {} are on, but the twin was fitted with all on",
                                  at.sms, twin_.sms));
    return reasons;
  }
  const Unseen unseen = unseen_in(twin_, middle_.cost(), at);
  if (unseen.cores > 0) {
    reasons.push_back(fmt::format("CPU cores: {}, but at least {} in the fitted sweeps",
                                  at.clocks.cpu_cores,
                                  std::min<double>(kLeastFedCores, twin_.cpu_cores)));
  }
  if (unseen.clock > 0) {
    reasons.push_back(fmt::format("CPU clock: {:.4g} MHz, but at least {:.4g} in the fitted sweeps",
                                  at.clocks.cpu_clock_hz / 1e6,
                                  twin_.home.least_cpu_hz(middle_.cost().kind) / 1e6));
  }
  if (at.sms == 0) {
    reasons.push_back(fmt::format(
        "SMs: the number that this preset leaves on is not known, and all {} are counted",
        twin_.sms));
  }
  if (at.held > 1) {
    reasons.push_back(
        fmt::format("power: {:.3g} W by the model, more than the module's limit of {:.3g} W: the "
                    "board would lower its clocks",
                    at.free_w, twin_.power_limit_w));
  }
  if (twin_.discrete) {
    const LimitedModes modes = limited_modes(at);
    const double home = twin_.errors.scales[kTime].home;
    if (std::log(modes.slow_s / modes.fast_s) > 2 * kNormal95 * home) {
      reasons.push_back(fmt::format(
          "GPU clock: {:.4g} to {:.4g} MHz under {:g} W, because of the error of the power",
          modes.slow.gpu_clock_hz / 1e6, modes.fast.gpu_clock_hz / 1e6, modes.limit_w));
    }
  }
  return reasons;
}

// Names each cause that adds more to the error of time, at the highest clocks, than the error on
// workloads like the fitted ones.
void ErrorModel::explain(const WorkloadFeatures& features) {
  widened_by_ = twin_.home.reasons(features);
  const Variances& top = variances({});
  const double home = squared(twin_.errors.scales[kTime].home);
  if (top.widest < kTwinParamCount && top.widest_share > home) {
    const TwinParamSpec& spec = twin_parameters()[top.widest];
    widened_by_.push_back(fmt::format("parameter {}: known within a factor of {:.2g}", spec.key,
                                      std::exp(kNormal95 * twin_.log_sd[top.widest])));
  }
  if (top.precision_share > home) widened_by_.push_back("precision: by peak ratios");
  if (twin_.scaled) widened_by_.push_back("board: scaled from another");
  if (!twin_.relative.empty() && !twin_.scaled) {
    widened_by_.push_back(
        fmt::format("board: {}, from the twin of {}", twin_.status, twin_.relative));
  }
}

}  // namespace ridgewatt::twin
