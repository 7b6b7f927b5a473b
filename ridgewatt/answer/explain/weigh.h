// How probable measured figures are under a cause: the common part of models of all kinds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/answer/explain/signs.h"
#include "ridgewatt/twin/minibatch_cost.h"

namespace ridgewatt::answer {

// A figure that was measured, and how to find what a cause predicts of it.
struct MeasuredFigure {
  double measured = 0;
  double expected = 0;
  twin::LogError error = {};
  double scale = 1;  // of predictions: to a claimed figure
  std::optional<double> (*predicted)(const Prognosis&) = nullptr;
  // Where a cause says nothing about it: ln(measured / (unknown x expected)) has this deviation.
  double unknown = 1, unknown_sd = 0.5;
  bool spreads =
      true;           // what a cause adds to the error (Prediction::spread) is of this figure, too
  bool adds = false;  // a time: of two causes the amounts are added where one of them adds
};

struct Prediction {
  double weight = 1;  // relative to the other predictions of its cause
  Prognosis prognosis;
  double spread = 0;  // standard deviation of ln time that the cause adds to the estimate's
  bool adds = false;  // with another cause its time is added, not multiplied
};

// A cause with its predictions; none: it cannot be the cause.
struct WeighedCause {
  SlowCause cause;
  double prior;  // relative
  bool misread;  // the number means something else, so that nothing becomes faster
  std::vector<Prediction> predictions;
};

// Adds a row for each cause that is possible, the most probable first, and the signs. Hypotheses
// are each cause alone and each pair of causes; a row sums those that its cause is in. Times sum to
// the gap: a pair shares it by the logarithms of its two factors.
void conclude(ExplainAnswer& found, std::vector<WeighedCause> causes,
              const std::vector<MeasuredFigure>& figures, const std::vector<SeenSign>& signs);

// Of a watched run. Its error is of the sensor and of shares; that of times is common to both.
MeasuredFigure gpu_load_figure(double measured, double expected);

// With the 90 % interval of the estimate.
ExplainedFigure explained(const MeasuredFigure& figure);
void add_power(ExplainAnswer& found, const MeasuredFigure& power);

}  // namespace ridgewatt::answer
