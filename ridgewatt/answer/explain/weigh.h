// How probable measured figures are under a cause: the common part of models of all kinds.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/answer/explain/signs.h"
#include "ridgewatt/twin/minibatch_cost.h"

namespace ridgewatt::answer {

// What a figure is of. The first one is the time.
enum class FigureOf {
  kTime,        // a cause may add to its error
  kFirstToken,  // the same, of a language model with both times
  kPower,       // a cause that lets the GPU wait adds to its error
  kLoad,        // of the GPU: lower where a cause lets it wait for longer than predicted
  kStated,      // the stated time over that of the marks: no estimate is in it
};

// A figure that was measured, and how to find what a cause predicts of it.
struct MeasuredFigure {
  FigureOf of = FigureOf::kTime;
  double measured = 0;
  double expected = 0;
  twin::LogError error = {};
  double scale = 1;  // of predictions: to a claimed figure
  std::optional<double> (*predicted)(const Prognosis&) = nullptr;
  // Where a cause says nothing about it: ln(measured / (unknown x expected)) has this deviation.
  double unknown = 1, unknown_sd = 0.5;
  bool adds = false;  // a time: of two causes the amounts are added where one of them adds
};

struct Prediction {
  double weight = 1;  // relative to the other predictions of its cause
  Prognosis prognosis;
  double spread = 0;    // standard deviation of ln time that the cause adds to the estimate's
  bool adds = false;    // with another cause its time is added, not multiplied
  bool scales = false;  // its factor is on the whole time: also on what another cause adds
  bool waits = false;   // the spread is of time in which the GPU waits
  std::optional<double> first_spread = {};  // of the first token, if it is not `spread`
  double power_spread = 0;                  // standard deviation of ln power that the cause adds
  std::optional<PowerMode> mode = {};       // in which it is predicted, if that is all it changes
};

// A cause with its predictions; none: it cannot be the cause.
struct WeighedCause {
  SlowCause cause;
  double prior;  // relative
  bool misread;  // the number means something else, so that nothing becomes faster
  std::vector<Prediction> predictions;
};

// What is predicted in a mode.
using PrognosisIn = std::function<Prognosis(const PowerMode&)>;

// Adds a row for each cause that is possible, the most probable first, and the signs. Hypotheses
// are each cause alone and each pair of causes; a row sums those that its cause is in. Times sum to
// the gap: a pair shares it by the logarithms of its two factors. Two causes that change the mode
// act in one: with the lower of both clocks, by `in_mode`; without it their factors are multiplied.
void conclude(ExplainAnswer& found, std::vector<WeighedCause> causes,
              const std::vector<MeasuredFigure>& figures, const std::vector<SeenSign>& signs,
              const PrognosisIn& in_mode = {});

// Of a watched run. Its error is of the share in which the GPU waits; that of times is common to
// both, and what a cause adds to the time is known from the time.
MeasuredFigure gpu_load_figure(double measured, double expected);

// Of a program that marks its minibatches: what it states over the marks, both measured. The error
// of the estimate is in both and cancels.
MeasuredFigure stated_figure(double stated_s, double marked_s);

// With the 90 % interval of the estimate.
ExplainedFigure explained(const MeasuredFigure& figure);
void add_power(ExplainAnswer& found, const MeasuredFigure& power);

}  // namespace ridgewatt::answer
