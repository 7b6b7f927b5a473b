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
  Sweep samples;                       // none: the prediction is the prior
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

// The same as a user writes it: files, and names of boards and models.
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
// Of all modes, or which of them to profile next.
// Reads samples (where given), references and the points asked: those of `query`, or all modes of
// the device at the samples' batches. The model on the twin of the device is the prior. `remarks`
// gets what was left out. UsageError where nothing says which modes.
PredictQuestion predict_question(const PredictRequest& asked, std::vector<std::string>& remarks);
struct SuggestRequest {
  PredictRequest inputs = {};
  std::optional<int> count = {};                      // nothing: all modes are predicted
  std::optional<predict::PowerBudgets> budgets = {};  // one for each W between
};

struct PredictAnswer {
  std::vector<OperatingPoint> points;
  std::vector<predict::Prediction> predictions;  // one per point; none where nothing was fitted
  std::vector<RowOrigin> origins;                // one for all, or one per point
  RowOrigin origin;                              // of what is predicted
  std::string method;  // the predictor's name for itself; empty: rows as they are
  std::optional<predict::AutoSummary> summary;  // of the method auto, once fitted
  // The value of each knob that the samples do not vary, 0 of others: nothing is learned of its
  // effect, and intervals at other values are wider.
  AxisArray<double> unvaried{};
  std::vector<std::string> remarks;  // why intervals are wide or missing

  // Parameters are fitted on some of very many samples.
  bool rests_on_a_part() const { return summary && summary->part != summary->samples; }
};

PredictAnswer predict_modes(const PredictQuestion& question);
// The modes to profile next, in an order that a board follows with few changes: clocks from high to
// low. With budgets, the modes that best identify the fastest mode within each budget. Empty if no
// mode is left.
PredictAnswer suggest_modes(const PredictQuestion& question, std::size_t count,
                            const std::optional<predict::PowerBudgets>& budgets = {});

enum class FrontCost { kTime, kPower, kEnergy };  // per sample; power as it is
constexpr auto enum_names(FrontCost) {
  return named<FrontCost>(
      {{FrontCost::kTime, "time"}, {FrontCost::kPower, "power"}, {FrontCost::kEnergy, "energy"}});
}
// A front of a sweep, or of predictions from samples.
struct ParetoRequest {
  PredictRequest inputs = {};
  std::string sweep = {};  // CSV file
  FrontCost x = FrontCost::kTime, y = FrontCost::kPower;
  bool presets = false;  // what beats each preset of the board, in place of the front
};
// Per sample, as objectives are; power is not divided.
double front_cost(FrontCost cost, const OperatingPoint& point, const predict::Prediction& of);
// Those of the question's points that no sample has.
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
