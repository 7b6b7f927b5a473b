// The question after a few profiles: what do all other modes cost, which to profile next, and which
// modes does no other beat?
//
//   PredictQuestion question;
//   question.samples = read_samples("samples.csv", "agx-orin").sweep;
//   question.points = points_of_board("agx-orin", question.samples);
//   const PredictAnswer found = predict_modes(question);
//
// Throws UsageError on a question that means nothing, and what reading boards and twins throws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/design.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/sweep/trusted_sweep.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::answer {

// The trusted rows of a file without those under a governor, whose clocks wander. With the name of
// a board they must be its own (fit_to_board); empty: not known.
TrustedSweep read_samples(const std::string& path, const std::string& device,
                          const TrustOptions& options = {});
// All modes of the board, with the knobs that the samples vary, at their batches.
std::vector<OperatingPoint> points_of_board(const std::string& device, const Sweep& samples);
// A point without a batch is asked at those of the samples.
std::vector<OperatingPoint> at_batches_of(const Sweep& samples,
                                          const std::vector<OperatingPoint>& points);

struct PredictQuestion {
  Sweep samples;                       // none: only the prior speaks
  std::vector<OperatingPoint> points;  // where to predict
  std::vector<Sweep> references;       // of other workloads
  std::string device;                  // of the points; empty: not known
  std::shared_ptr<const workload::DeployedWorkload>
      workload;                                            // with a device: its twin is the prior
  std::optional<predict::ReferenceModel> reference_model;  // of the method powertrain
  std::string method = "auto";                             // one of predictor_methods()
  double interval = predict::kDefaultInterval;             // probability
  std::uint64_t seed = 1;
  bool quiet = false;  // no progress while networks are trained
};

struct PredictAnswer {
  std::vector<OperatingPoint> points;
  std::vector<predict::Prediction> predictions;  // one per point; none where nothing was fitted
  std::vector<RowOrigin> origins;                // one for all, or one per point
  RowOrigin origin;                              // of what is predicted
  std::string method;  // the predictor's name for itself; empty: rows as they are
  std::optional<predict::AutoSummary> summary;  // of the method auto, once fitted

  // Parameters are fitted on some of very many samples.
  bool rests_on_a_part() const { return summary && summary->part != summary->samples; }
};

PredictAnswer predict_modes(const PredictQuestion& question);
// The modes to profile next, in an order that a board follows with few changes: clocks from high to
// low. With budgets, those that tell the fastest mode within each. No points where none is left.
PredictAnswer suggest_modes(const PredictQuestion& question, std::size_t count,
                            const std::optional<predict::PowerBudgets>& budgets = {});

enum class FrontCost { kTime, kPower, kEnergy };  // per sample; power as it is
constexpr auto enum_names(FrontCost) {
  return named<FrontCost>(
      {{FrontCost::kTime, "time"}, {FrontCost::kPower, "power"}, {FrontCost::kEnergy, "energy"}});
}
// Per sample, as objectives are; power is not divided.
double front_cost(FrontCost cost, const OperatingPoint& point, const predict::Prediction& of);
// All points that a front is chosen from: predicted ones with what was measured in place, and rows
// as they are.
PredictAnswer predicted_points(const PredictQuestion& question);
PredictAnswer measured_points(const Sweep& rows);
// Those of them that no other beats in both costs, by rising first cost.
PredictAnswer predicted_front(const PredictQuestion& question, FrontCost first, FrontCost second);
PredictAnswer measured_front(const Sweep& rows, FrontCost first, FrontCost second);

}  // namespace ridgewatt::answer
