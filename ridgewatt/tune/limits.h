// Details about limits: the probability that an estimate meets each limit and, if no point meets
// all limits, the value to which a single limit must be relaxed.
//
//   for (const auto& [kind, probability] : limit_confidence(goal, point, cost)) ..
//   for (const auto& r : relaxations(goal, points, predictions, Caution::kMeans)) ..
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/tune/choice.h"

#pragma GCC visibility push(default)

namespace ridgewatt::tune {

struct LimitConfidence {
  LimitKind kind = LimitKind::kPower;
  double probability = 0;  // probability that the limit is met
};

// Returns the confidence of every limit of the goal, except for limits on measured quantities
// (intervals without width). The intervals must have the probability kDefaultInterval and a normal
// or Student's t distribution of the logarithm. `time_over_reference`, if given, replaces the time
// for a slowdown limit (see hold_against_reference() in comparison.h).
std::vector<LimitConfidence> limit_confidence(
    const Goal& goal, const OperatingPoint& point, const predict::Prediction& cost,
    const std::optional<predict::Estimate>& time_over_reference = {});
// Adds the confidences of another program. Keeps the lower probability of each limit.
void keep_least(std::vector<LimitConfidence>& least, const std::vector<LimitConfidence>& others);
// The lowest probability; empty if `limits` is empty.
std::optional<double> least_confidence(const std::vector<LimitConfidence>& limits);

// A limit, and the value that makes some point feasible if all other limits stay unchanged.
struct Relaxation {
  LimitKind kind = LimitKind::kPower;
  double value = 0;       // required value, in SI units; slowdown as a share
  std::size_t point = 0;  // index of the point that is then feasible
};

// Returns each limit that makes some point feasible if it alone is relaxed, with the smallest
// sufficient value, in the order of LimitKind. Values are rounded to four digits, such that the
// point remains feasible. Throws UsageError if `points` and `predictions` have different sizes.
std::vector<Relaxation> relaxations(const Goal& goal, std::span<const OperatingPoint> points,
                                    std::span<const predict::Prediction> predictions,
                                    Caution caution);

// Returns the default batch sizes for a goal. Training: 16 only, because its batch also affects the
// result of the training. For time, latency or power without a request rate: 1 only. Otherwise 1,
// 2, 4 .. up to 128 (chosen: larger batches hardly reduce the time per sample), if they fit the
// memory and can be collected within the latency limit.
std::vector<int> batches_to_try(const Goal& goal, WorkloadKind kind,
                                const std::function<bool(int)>& fits_memory);

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
