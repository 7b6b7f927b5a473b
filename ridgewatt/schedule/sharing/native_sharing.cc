#include "ridgewatt/schedule/native_sharing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::schedule {
namespace {

void check_program(const Minibatch& program) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (!positive(program.time_s) || !positive(program.power_w)) {
    throw UsageError("the time and power of each program alone must be positive and finite");
  }
  const double busy = program.busy_share.value_or(1);
  if (!(busy >= 0 && busy <= 1)) throw UsageError("each busy share must be 0 to 1");
  if (!(program.busy_cores >= 0) || !std::isfinite(program.busy_cores)) {
    throw UsageError("the numbers of busy cores must be finite and not negative");
  }
}

// The highest sum of two speeds at which the device is busy for at most all of the time.
double highest_sum(const std::array<double, 2>& speed, const std::array<double, 2>& busy) {
  const std::size_t light = busy[0] <= busy[1] ? 0 : 1, heavy = 1 - light;
  const double left = 1 - busy[light] * speed[light];
  if (busy[heavy] * speed[heavy] <= left) return speed[0] + speed[1];
  return speed[light] + std::max(left, 0.0) / busy[heavy];
}

}  // namespace

void SharingForecastOptions::check() const {
  const auto require = [](bool good, const char* what) {
    if (!good) throw UsageError(what);
  };
  require(idle_power_w >= 0 && std::isfinite(idle_power_w), "the idle power must not be negative");
  require(cores > 0, "the number of CPU cores must be at least 1");
  require(switching >= 1 && switching <= 100, "--switching must be 1 to 100");
  require(switch_s >= 0 && std::isfinite(switch_s),
          "the time of a switch between programs must be 0 or more");
}

SharingForecast forecast_sharing(const Minibatch& first, const Minibatch& second,
                                 const SharingForecastOptions& options) {
  options.check();
  const std::array<const Minibatch*, 2> programs = {&first, &second};
  for (const auto* program : programs) check_program(*program);
  SharingForecast result;
  result.busy_known = first.busy_share && second.busy_share;
  // An unknown share of busy time counts as 1 where a larger share slows the programs, else as 0.
  std::array<double, 2> full{}, least{}, speed{}, slowest{}, fastest{};
  for (std::size_t i = 0; i < 2; ++i) {
    full[i] = programs[i]->busy_share.value_or(1);
    least[i] = programs[i]->busy_share.value_or(0);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    speed[i] = 1 / (1 + options.switching * full[0] * full[1]);
    slowest[i] = 1 / (1 + options.switching * full[i]);
    fastest[i] = 1 / std::max(1.0, least[i] * (1 + least[1 - i]));
  }
  // If the programs want more CPU cores than there are, both are slowed down.
  const auto wanted = [&](const std::array<double, 2>& speeds) {
    return first.busy_cores * speeds[0] + second.busy_cores * speeds[1];
  };
  const double have = std::min(1.0, options.cores / wanted(speed));
  const double have_alone = std::min(1.0, options.cores / wanted({1, 1}));
  const double idle_w = std::min({options.idle_power_w, first.power_w, second.power_w});
  result.power_w = {idle_w, idle_w, idle_w};
  for (std::size_t i = 0; i < 2; ++i) {
    speed[i] *= have;
    slowest[i] = std::min(slowest[i] * have_alone, speed[i]);
    fastest[i] = std::max(fastest[i], speed[i]);
    const double time_s = programs[i]->time_s, dynamic_w = programs[i]->power_w - idle_w;
    result.time_s[i] = {time_s / speed[i], time_s / fastest[i], time_s / slowest[i]};
    result.power_w.value += speed[i] * dynamic_w;
    result.power_w.lo += slowest[i] * dynamic_w;
    result.power_w.hi += fastest[i] * dynamic_w;
  }
  result.factor.value = 1 / (speed[0] + speed[1]);
  result.factor.lo = std::min(result.factor.value, 1 / highest_sum(fastest, least));
  result.factor.hi = 1 / (slowest[0] + slowest[1]);
  result.turns_s = first.time_s + second.time_s + 2 * options.switch_s;
  // During a switch, the power is that of the next program.
  result.turns_power_w = ((first.time_s + options.switch_s) * first.power_w +
                          (second.time_s + options.switch_s) * second.power_w) /
                         result.turns_s;
  return result;
}

std::optional<SharingForecast> forecast_sharing(const Candidate& candidate, double switching) {
  std::vector<Minibatch> programs = candidate.train().minibatches;
  if (candidate.inference) programs.insert(programs.begin(), *candidate.inference);
  if (programs.size() != 2) return std::nullopt;
  SharingForecastOptions options;
  options.idle_power_w = candidate.idle_power_w;
  if (candidate.mode.cpu_cores > 0) options.cores = candidate.mode.cpu_cores;
  options.switching = switching;
  options.switch_s = candidate.switch_s;
  return forecast_sharing(programs[0], programs[1], options);
}

}  // namespace ridgewatt::schedule
