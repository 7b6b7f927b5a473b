// Details of limits: the probability that an estimate meets each limit and, if no point meets all
// of them, which one to relax and to what value.
//
//   for (const auto& [kind, probability] : limit_confidence(goal, point, cost)) ..
//   for (const auto& r : relaxations(goal, points, costs, Caution::kMeans)) ..  // each alone
//   suffices
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
  double probability = 0;  // that the limit is met
};

// The confidence of every limit of the goal. The intervals of the costs must be those of
// kDefaultInterval, with a normal or Student's logarithm. Empty for a limit on a measured quantity
// (an interval without width). `time_over_reference` is used for a slowdown limit if given: see
// hold_against_reference.
std::vector<LimitConfidence> limit_confidence(
    const Goal& goal, const OperatingPoint& point, const predict::Prediction& cost,
    const std::optional<predict::Estimate>& time_over_reference = {});
// The lowest of them; empty if there is none.
std::optional<double> least_confidence(const std::vector<LimitConfidence>& limits);

// A limit that permits an answer when only this limit is relaxed.
struct Relaxation {
  LimitKind kind = LimitKind::kPower;
  double value = 0;       // the required value: SI, requests per second, a share of slowdown
  std::size_t point = 0;  // index of the point that then meets every limit
};

// One for each limit that suffices alone, in the order of LimitKind; values are rounded to four
// digits in the direction that still permits the point.
std::vector<Relaxation> relaxations(const Goal& goal, std::span<const OperatingPoint> points,
                                    std::span<const predict::Prediction> predictions,
                                    Caution caution);

// The default minibatch sizes of a question. Training: 16, because its batch also affects the
// result of the training. A question that no batch can improve (the least time, latency or power
// without a request rate): 1. Otherwise 1, 2, 4 .. up to 128 (chosen: beyond it the time per sample
// hardly falls), as long as they fit the memory and gather within the latency limit; at least 1.
std::vector<int> batches_to_try(const Goal& goal, WorkloadKind kind,
                                const std::function<bool(int)>& fits_memory);

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
