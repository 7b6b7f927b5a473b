// Predicts time, power and energy of all modes from a few profiles, suggests which modes to profile
// next, and finds Pareto fronts.
//
//   PredictQuestion question;
//   question.samples = read_samples("samples.csv", "agx-orin").sweep;
//   question.points = points_of_board("agx-orin", question.samples);
//   const PredictAnswer found = predict_modes(question);
//
// Every function here throws UsageError on an invalid question, and the errors of reading boards
// and twins.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/sweep/point_axis.h"
#include "ridgewatt/sweep/trusted_sweep.h"
#include "ridgewatt/twin/minibatch_cost.h"
#include "ridgewatt/workload/deployed_workload.h"

#pragma GCC visibility push(default)

namespace ridgewatt::predict {
struct ReferenceModel;
}  // namespace ridgewatt::predict

namespace ridgewatt::answer {

// Reads the rows of a sweep file that pass the quality check. Leaves out rows with a governor,
// because their clocks vary. Throws if the rows do not belong to the board `device`. Empty
// `device`: not checked.
TrustedSweep read_samples(const std::string& path, const std::string& device,
                          const TrustOptions& options = {});
// Returns all modes of the board that differ only in the knobs that the samples vary, at the
// batches of the samples.
std::vector<OperatingPoint> points_of_board(const std::string& device, const Sweep& samples);
// Replaces each point without a batch by one point per batch of the samples.
std::vector<OperatingPoint> at_batches_of(const Sweep& samples,
                                          const std::vector<OperatingPoint>& points);

struct PredictQuestion {
  Sweep samples;                       // empty: the prediction is the prior
  std::vector<OperatingPoint> points;  // points to predict
  std::vector<Sweep> references;       // sweeps of other workloads
  std::string device;                  // board of the points; empty: unknown
  // The prior is the twin of `device` with this workload. Null: no prior. Requires `device`.
  std::shared_ptr<const workload::DeployedWorkload> workload;
  twin::RunOptions run = {};  // of the twin
  // For the method powertrain; may be null.
  std::shared_ptr<const predict::ReferenceModel> reference_model;
  std::string method = "auto";                  // one of predict::predictor_methods()
  double interval = predict::kDefaultInterval;  // probability of the intervals
  std::uint64_t seed = 1;
  bool quiet = false;  // prints no progress while networks are trained
};

// The question as text that a user enters: files, and names of boards and models.
struct PredictRequest {
  std::string samples = {};                  // CSV file
  std::string workload = {};                 // which workload of the file; empty: the only one
  std::vector<std::string> references = {};  // CSV files
  std::string device = {};                   // board or board file; empty: unknown
  std::string model = {};                    // ONNX file or zoo:NAME; empty: no twin as prior
  std::string query = {};                    // CSV file of points; empty: all modes of the device
  std::string method = "auto";
  std::string reference_model = {};  // file; empty: none
  double interval = predict::kDefaultInterval;
  bool keep_outliers = false;  // keeps the rows that the quality check flags
  std::uint64_t seed = 1;
};
// Reads the samples (if given), the references and the points to predict: those of `query`, or all
// modes of the device at the batches of the samples. With a model, its twin on the device is the
// prior. Appends to `remarks` which rows were left out. Throws UsageError if neither `query` nor
// `device` is given.
PredictQuestion predict_question(const PredictRequest& asked, std::vector<std::string>& remarks);
struct SuggestRequest {
  PredictRequest inputs = {};
  std::optional<int> count = {};  // number of suggestions; absent: predict all modes
  std::optional<predict::PowerBudgets> budgets = {};  // see suggest_modes(); in steps of 1 W
};

struct PredictAnswer {
  std::vector<OperatingPoint> points;
  std::vector<predict::Prediction> predictions;  // one per point; empty: nothing was fitted
  std::vector<RowOrigin> origins;                // one for all points, or one per point
  RowOrigin origin;                              // of predicted points
  std::string method;                            // name of the predictor; empty: no prediction
  std::optional<predict::AutoSummary> summary;   // only if the method auto was fitted
  // The value of each knob that the samples do not vary; 0 for other knobs. The effect of such a
  // knob is not learned, so intervals at its other values are wider.
  AxisArray<double> unvaried{};
  std::vector<std::string> remarks;  // why intervals are wide or missing

  // Returns whether the parameters were fitted to a part of the samples, because there are very
  // many.
  bool rests_on_a_part() const { return summary && summary->part != summary->samples; }
};

// Predicts all points of the question.
PredictAnswer predict_modes(const PredictQuestion& question);
// Returns at most `count` modes to profile next, sorted by clocks from high to low, so that the
// board changes few clocks between them. With `budgets`, they are the modes that best identify the
// fastest mode within each power budget. Empty if no mode remains. Throws UsageError for a method
// other than auto.
PredictAnswer suggest_modes(const PredictQuestion& question, std::size_t count,
                            const std::optional<predict::PowerBudgets>& budgets = {});

enum class FrontCost { kTime, kPower, kEnergy };  // time and energy per sample, power per minibatch
constexpr auto enum_names(FrontCost) {
  return named<FrontCost>(
      {{FrontCost::kTime, "time"}, {FrontCost::kPower, "power"}, {FrontCost::kEnergy, "energy"}});
}
// Parameters of `pareto`: a front of a sweep, or of predictions from samples.
struct ParetoRequest {
  PredictRequest inputs = {};
  std::string sweep = {};  // CSV file; empty: predict from the samples in `inputs`
  FrontCost x = FrontCost::kTime, y = FrontCost::kPower;
  bool presets = false;  // compare each preset with the modes that beat it, instead of the front
};
// Returns the cost of a point. Time and energy are divided by the batch, power is not.
double front_cost(FrontCost cost, const OperatingPoint& point, const predict::Prediction& of);
// Returns the points of the question that no sample measured.
std::vector<OperatingPoint> points_to_predict(const PredictQuestion& question);
// Returns the candidates of a front: predictions, replaced by measured values where there are
// samples. If samples cover every point, nothing is fitted and `method` is empty.
PredictAnswer predicted_points(const PredictQuestion& question);
// Returns the rows of a sweep as candidates. They have no intervals.
PredictAnswer measured_points(const Sweep& rows);
// Returns a remark if rows were modelled or predicted (their errors are unknown); else empty.
std::string unread_errors(const Sweep& rows);
// Returns the Pareto front of predicted_points(), in ascending order of the first cost.
PredictAnswer predicted_front(const PredictQuestion& question, FrontCost first, FrontCost second);
PredictAnswer measured_front(const Sweep& rows, FrontCost first, FrontCost second);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
