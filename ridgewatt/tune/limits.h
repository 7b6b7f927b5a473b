// What can be said of limits beyond kept or broken: how surely an estimate keeps each, and, where
// no point keeps all of them, which one to relax to what.
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

namespace ridgewatt::tune {

struct LimitConfidence {
  LimitKind kind = LimitKind::kPower;
  double probability = 0;  // that the limit is kept
};

// Of every limit of the goal, for costs whose ends are those of kDefaultInterval and whose
// logarithm is normal or Student's. Nothing for a limit on what is measured (an interval without
// width). `time_over_reference` judges a slowdown limit where it is given: see ComparedPoint.
std::vector<LimitConfidence> limit_confidence(
    const Goal& goal, const OperatingPoint& point, const predict::Prediction& cost,
    const std::optional<predict::Estimate>& time_over_reference = {});

// A limit that gives an answer when it alone is relaxed.
struct Relaxation {
  LimitKind kind = LimitKind::kPower;
  double value = 0;       // what it has to be: SI, requests per second, a share of slowdown
  std::size_t point = 0;  // index of the point that then keeps every limit
};

// One for each limit that can mend it alone, in the order of LimitKind; values are rounded to four
// digits to the side on which the point keeps them.
std::vector<Relaxation> relaxations(const Goal& goal, std::span<const OperatingPoint> points,
                                    std::span<const predict::Prediction> predictions,
                                    Caution caution);

// The minibatch sizes that a question without any is asked of. Training: 16, since its batch is no
// free choice. A question that no batch can help (the least time, latency or power without a
// request rate): 1. Else 1, 2, 4 .. up to 128 (chosen: beyond it time per sample hardly falls),
// while they fit the memory and gather within the latency limit; 1 at least.
std::vector<int> batches_to_try(const Goal& goal, WorkloadKind kind,
                                const std::function<bool(int)>& fits_memory);

}  // namespace ridgewatt::tune
