// Causes that change the meaning of the number but not the run, and another input size.
#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/answer/explain/predictions.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::answer {

// The number is of a minibatch of another size, or of one sample.
Predictions per_batch(const ExplainCase& of) {
  constexpr std::array kUsual = {2, 4, 8, 16, 32, 64};
  Predictions found;
  if (of.batch > 1) return {misread(of, 1.0 / of.batch, 0, "per sample")};
  for (const int batch : kUsual) {
    try {
      const auto there = of.model->estimator(batch).breakdown(of.mode);
      const std::string name = "batch " + std::to_string(batch);
      found.push_back({1, prognosis_of(there, name), 0});
      found.push_back({1, prognosis_of(there, name + " per sample"), 0});
      found.back().prognosis.time_s /= batch;
      found.back().prognosis.stated = 1.0 / batch;
    } catch (const Error&) {
      break;  // the model fixes its batch
    }
  }
  return found;
}

// The timer stopped before the GPU did: after the first launches, or after most of the work. Marks
// of the program may also stop early.
Predictions asynchronous_timing(const ExplainCase& of) {
  constexpr int kSteps = 12;
  constexpr double kMarksToo = 0.05;  // chosen: weight of marks that stop early
  const double now_s = of.expected.total.period_s;
  const double most_s = 0.75 * now_s;
  const double least_s = std::min(0.5 * most_s, std::max(0.02 * of.expected.launch_cpu_s, 1e-5));
  Predictions found;
  if (of.profile && of.profile->measured) return found;  // the time is not from a timer of the user
  for (int i = 0; i < kSteps; ++i) {
    const double at = static_cast<double>(i) / (kSteps - 1);
    found.push_back(misread(of, least_s / now_s * std::pow(most_s / least_s, at), 0.1));
    found.push_back(found.back());
    found.back().prognosis.stated = 1;
    found.back().weight = kMarksToo;
  }
  return found;
}

// The mean includes the first runs: by the ratio that the marks show, or by usual factors. While
// the program warms up, the GPU may wait.
Predictions warm_up(const ExplainCase& of) {
  constexpr std::array kFactors = {1.3, 1.6, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0};
  constexpr double kRare = 5;     // chosen: a mean of many runs is rarely more times the usual time
  constexpr double kLess = 1.05;  // chosen: a mean this close to the median explains nothing
  const auto seen = seen_value(of, &measure::SeenRun::mean_over_median);
  Predictions found;
  constexpr double kWaits = 0.3;  // chosen: weight relative to a GPU that is as busy as later
  const auto add = [&](double factor, double spread) {
    const double weight = std::min(1.0, kRare / factor);
    found.push_back(misread(of, factor, spread));
    found.back().weight = weight;
    found.push_back(waiting(of, factor * of.expected.total.period_s, 1, spread));
    found.back().prognosis.stated = factor;
    found.back().weight = kWaits * weight;
    // The marks may have the same mean as the stated one.
    found.push_back(found.back());
    found.back().prognosis.stated = 1;
  };
  if (seen > 0) {
    if (seen > kLess) add(seen, 0.1);
    return found;
  }
  for (const double factor : kFactors) add(factor, 0.3);
  return found;
}

// Images of another size.
Predictions input_size(const ExplainCase& of) {
  constexpr std::array kSides = {0.5, 0.75, 1.25, 1.5, 1.75, 2.0};
  constexpr double kBetween = 0.1;  // deviation of ln time of sizes between two of these
  constexpr double kSmaller = 0.3;  // chosen: larger images are likelier in reports of slow runs
  try {
    (void)of.workload->image_side();
  } catch (const Error&) {
    return {};
  }
  Predictions found;
  for (const double side : kSides) {
    const twin::Estimator scaled(of.model->twin(), workload::scale_image(of.cost(), side * side),
                                 of.question.run);
    found.push_back(
        {side < 1 ? kSmaller : 1,
         prognosis_of(scaled.breakdown(of.mode), format_exact(side) + " times the side"),
         kBetween});
  }
  return found;
}

}  // namespace ridgewatt::answer
