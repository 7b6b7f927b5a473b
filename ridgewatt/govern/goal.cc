#include "ridgewatt/govern/goal.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::govern {
namespace {

void require_goal(bool good, const char* what, double value) {
  if (!good)
    throw UsageError(fmt::format("{} must be positive and finite, but is {}", what, value));
}

}  // namespace

void Goal::check() const {
  const bool job = minibatches != 0, budget = energy_j != kNone, latency = latency_s != kNone;
  if (job + budget + latency > 1) {
    throw UsageError("a deadline, an energy budget and a latency cannot be combined", "",
                     "give one of them; a power cap may be combined with it");
  }
  if (!job && !budget && !latency && power_w == kNone) {
    throw UsageError("govern needs a goal", "",
                     "give a deadline, an energy budget, a power cap or a latency");
  }
  if (job)
    require_goal(minibatches > 0 && std::isfinite(minibatches), "the number of minibatches",
                 minibatches);
  if (budget) require_goal(energy_j > 0, "the energy budget", energy_j);
  if (latency) require_goal(latency_s > 0, "the latency", latency_s);
  if (power_w != kNone) require_goal(power_w > 0, "the power cap", power_w);
  if (end_s != kNone) require_goal(end_s > 0, "the end time", end_s);
  if ((job || budget) && end_s == kNone) {
    throw UsageError("a goal of a job or an energy budget needs an end time", "",
                     "give --deadline for a job, --hours for a budget");
  }
  if (batch < 1) throw UsageError(fmt::format("the batch is {}, but must be 1 or more", batch));
}

GoalKind Goal::kind() const {
  if (minibatches > 0) return GoalKind::kDeadline;
  if (energy_j != kNone) return GoalKind::kEnergy;
  return latency_s != kNone ? GoalKind::kLatency : GoalKind::kPower;
}

double tolerance(GoalKind kind) {
  switch (kind) {
    case GoalKind::kDeadline:
      return 0.02;
    case GoalKind::kEnergy:
    case GoalKind::kLatency:
      return 0.03;
    case GoalKind::kPower:
      return 0.01;
  }
  return 0;
}

double latency_s(double rate_hz, int batch, double minibatch_s) {
  if (!(rate_hz > 0)) return minibatch_s;
  const double use = rate_hz * minibatch_s / batch;
  if (use >= 1) return std::numeric_limits<double>::infinity();
  return (batch - 1) / rate_hz + minibatch_s * (1 + use / (2 * (1 - use)));
}

}  // namespace ridgewatt::govern
