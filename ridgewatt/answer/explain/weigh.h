// Computes the probability of causes from measured figures, for all kinds of models.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/answer/explain/signs.h"
#include "ridgewatt/twin/minibatch_cost.h"

namespace ridgewatt::answer {

// What a figure measures. The first figure of a list is the time.
enum class FigureOf {
  kTime,        // a cause may add to its error
  kFirstToken,  // for a language model with both times
  kPower,       // a cause that lets the GPU wait adds to its error
  kLoad,        // GPU load; lower if the GPU waits longer than predicted
  kStated,      // stated time over the time from the program's marks; independent of estimates
};

// A measured figure, and how to get its value from a prediction.
struct MeasuredFigure {
  FigureOf of = FigureOf::kTime;
  double measured = 0;
  double expected = 0;
  twin::LogError error = {};
  double scale = 1;  // factor from the twin's values to a claimed figure
  std::optional<double> (*predicted)(const Prognosis&) = nullptr;
  // If a cause does not predict the figure, ln(measured / (unknown x expected)) is normal with
  // deviation `unknown_sd`.
  double unknown = 1, unknown_sd = 0.5;
  // For a time: time that the calling program may add; extends the interval's upper end.
  double unknown_s = 0;
  bool adds = false;  // times of two causes are added if one has Prediction::adds
};

// One prediction of a cause.
struct Prediction {
  double weight = 1;  // relative to other predictions of the cause
  Prognosis prognosis;
  double spread = 0;    // standard deviation of ln time that the cause adds
  bool adds = false;    // combined with another cause, its time is added instead of multiplied
  bool scales = false;  // its factor also applies to the time that another cause adds
  bool waits = false;   // `spread` is the uncertainty of the time in which the GPU waits
  std::optional<double> first_spread = {};  // for the first token, if it differs from `spread`
  double power_spread = 0;                  // standard deviation of ln power that the cause adds
  double load_spread = 0;                   // the same for ln(GPU load)
  // Mode of the prediction, if the cause changes only the mode, and the number of multiprocessors
  // that are on in this mode; 0: unknown.
  std::optional<PowerMode> mode = {};
  int sms = 0;
};

// A cause with its predictions. Without predictions it is impossible.
struct WeighedCause {
  SlowCause cause;
  double prior;  // relative to the other causes
  // True if the stated number has another meaning, so that removing the cause makes nothing faster.
  bool misread;
  std::vector<Prediction> predictions;
};

// The boards on which a cause exists.
enum class On { kEveryBoard, kGpu, kProcessor };
inline bool exists(On on, bool has_gpu) {
  return on == On::kEveryBoard || (on == On::kGpu) == has_gpu;
}

// The load of a GPU that another program also uses: between the load without the other program and
// 1.
struct SharedLoad {
  double load = 1;
  double spread = 0;  // standard deviation of its logarithm
};
SharedLoad shared_load(double alone);

// The power of a board without a GPU is not known.
inline std::optional<double> known_power(double power_w) {
  return std::isfinite(power_w) ? std::optional(power_w) : std::nullopt;
}

// Returns the prediction for a mode with this number of multiprocessors.
using PrognosisIn = std::function<Prognosis(const PowerMode&, int sms)>;

// Removes causes that the user excludes. Throws UsageError for `none`.
std::vector<WeighedCause> without(std::vector<WeighedCause> causes,
                                  const std::vector<SlowCause>& ruled_out);

// Adds a row for each possible cause, most probable first, and the signs. The hypotheses are each
// cause alone and each pair of causes. The probability of a row is the sum over the hypotheses with
// its cause. The times of the rows sum to the gap. A pair divides its part of the gap in proportion
// to the logarithms of its two factors. For two causes that change the mode, `in_mode` predicts the
// mode with the lower of both values of each knob. Without `in_mode`, their factors are multiplied.
void conclude(ExplainAnswer& found, std::vector<WeighedCause> causes,
              const std::vector<MeasuredFigure>& figures, const std::vector<SeenSign>& signs,
              const PrognosisIn& in_mode = {});

// Returns the figure of the GPU load in a watched run. Its error is that of the share in which the
// GPU waits. Errors of the time cancel, because they change expected and measured load alike.
MeasuredFigure gpu_load_figure(double measured, double expected);

// Returns the figure for a program that marks its minibatches: stated time over marked time. Both
// are measured, so errors of the estimate cancel.
MeasuredFigure stated_figure(double stated_s, double marked_s);

// Returns the figure with the 90 % interval of the estimate.
ExplainedFigure explained(const MeasuredFigure& figure);
void add_power(ExplainAnswer& found, const MeasuredFigure& power);

}  // namespace ridgewatt::answer
