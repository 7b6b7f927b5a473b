// The question after a few profiles: what do all other modes cost, which to profile next, and which
// modes are on the Pareto front?
//
//   PredictQuestion question;
//   question.samples = read_samples("samples.csv", "agx-orin").sweep;
//   question.points = points_of_board("agx-orin", question.samples);
//   const PredictAnswer found = predict_modes(question);
//
// Throws UsageError on an invalid question, and the errors of reading boards and twins.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/sweep/point_axis.h"
#include "ridgewatt/sweep/trusted_sweep.h"
#include "ridgewatt/workload/deployed_workload.h"

#pragma GCC visibility push(default)

namespace ridgewatt::predict {
struct ReferenceModel;
}  // namespace ridgewatt::predict

namespace ridgewatt::answer {

// The trusted rows of a file, without rows with a governor, whose clocks vary. With the name of a
// board, they must belong to it (fit_to_board); empty: unknown.
TrustedSweep read_samples(const std::string& path, const std::string& device,
                          const TrustOptions& options = {});
// All modes of the board, with the knobs that the samples vary, at their batches.
std::vector<OperatingPoint> points_of_board(const std::string& device, const Sweep& samples);
// Points without a batch get the batches of the samples.
std::vector<OperatingPoint> at_batches_of(const Sweep& samples,
                                          const std::vector<OperatingPoint>& points);

struct PredictQuestion {
  Sweep samples;                       // empty: the prediction is the prior
  std::vector<OperatingPoint> points;  // where to predict
  std::vector<Sweep> references;       // of other workloads
  std::string device;                  // board of the points; empty: unknown
  std::shared_ptr<const workload::DeployedWorkload>
      workload;  // with a device: its twin is the prior
  std::shared_ptr<const predict::ReferenceModel> reference_model;  // of the method powertrain
  std::string method = "auto";                                     // one of predictor_methods()
  double interval = predict::kDefaultInterval;                     // probability
  std::uint64_t seed = 1;
  bool quiet = false;  // no progress while networks are trained
};

// The same question as a user writes it: files, and names of boards and models.
struct PredictRequest {
  std::string samples = {};                  // CSV file
  std::string workload = {};                 // which sweep of the file
  std::vector<std::string> references = {};  // CSV files
  std::string device = {};
  std::string model = {};  // ONNX file or zoo:NAME
  std::string query = {};  // CSV file of points; empty: all modes of the device
  std::string method = "auto";
  std::string reference_model = {};  // file
  double interval = predict::kDefaultInterval;
  bool keep_outliers = false;
  std::uint64_t seed = 1;
};
// Reads samples (if given), references and the points asked: those of `query`, or all modes of the
// device at the samples' batches. The model on the twin of the device is the prior. `remarks`
// receives what was left out. UsageError if nothing says which modes.
PredictQuestion predict_question(const PredictRequest& asked, std::vector<std::string>& remarks);
struct SuggestRequest {
  PredictRequest inputs = {};
  std::optional<int> count = {};                      // absent: all modes are predicted
  std::optional<predict::PowerBudgets> budgets = {};  // in steps of 1 W
};

struct PredictAnswer {
  std::vector<OperatingPoint> points;
  std::vector<predict::Prediction> predictions;  // one per point; empty if nothing was fitted
  std::vector<RowOrigin> origins;                // one for all, or one per point
  RowOrigin origin;                              // of the predictions
  std::string method;  // the predictor's name for itself; empty: rows as they are
  std::optional<predict::AutoSummary> summary;  // of the method auto, once fitted
  // The value of each knob that the samples do not vary; 0 for other knobs. Its effect is not
  // learned, and intervals at other values are wider.
  AxisArray<double> unvaried{};
  std::vector<std::string> remarks;  // why intervals are wide or missing

  // True if the parameters were fitted on only some of very many samples.
  bool rests_on_a_part() const { return summary && summary->part != summary->samples; }
};

PredictAnswer predict_modes(const PredictQuestion& question);
// The modes to profile next, in an order that a board follows with few changes: clocks from high to
// low. With budgets, the modes that best identify the fastest mode within each budget. Empty if no
// mode is left.
PredictAnswer suggest_modes(const PredictQuestion& question, std::size_t count,
                            const std::optional<predict::PowerBudgets>& budgets = {});

enum class FrontCost { kTime, kPower, kEnergy };  // per sample; power is not divided
constexpr auto enum_names(FrontCost) {
  return named<FrontCost>(
      {{FrontCost::kTime, "time"}, {FrontCost::kPower, "power"}, {FrontCost::kEnergy, "energy"}});
}
// A front of a sweep, or of predictions from samples.
struct ParetoRequest {
  PredictRequest inputs = {};
  std::string sweep = {};  // CSV file
  FrontCost x = FrontCost::kTime, y = FrontCost::kPower;
  bool presets = false;  // the modes that beat each preset, instead of the front
};
// Costs are per sample, like objectives; power is not divided.
double front_cost(FrontCost cost, const OperatingPoint& point, const predict::Prediction& of);
// The points of the question without a sample.
std::vector<OperatingPoint> points_to_predict(const PredictQuestion& question);
// The candidates of a front: predictions, with measured values where available, or the rows of a
// sweep. If every point was measured, nothing is fitted and the method is empty.
PredictAnswer predicted_points(const PredictQuestion& question);
PredictAnswer measured_points(const Sweep& rows);
// The Pareto front of these points, by ascending first cost.
PredictAnswer predicted_front(const PredictQuestion& question, FrontCost first, FrontCost second);
PredictAnswer measured_front(const Sweep& rows, FrontCost first, FrontCost second);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
