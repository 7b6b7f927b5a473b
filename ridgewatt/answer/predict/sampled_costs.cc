#include "ridgewatt/answer/predict/sampled_costs.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/answer/board/known_power.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/predict/interval.h"
#include "ridgewatt/predict/twin_reference.h"
#include "ridgewatt/sweep/board_fit.h"
#include "ridgewatt/sweep/points.h"

namespace ridgewatt::answer {
namespace {

void limit_power(predict::Prediction& one, double most_w, double upper) {
  auto& power = one.power_w;
  auto& energy = one.energy_j;
  if (predict::has_interval(power) && power.hi > most_w) {
    if (power.log_sd == 0 && power.hi > power.mean) {  // before the upper end is cut
      power.log_sd =
          std::log(power.hi / power.mean) /
          (power.degrees > 0 ? student_quantile(upper, power.degrees) : normal_quantile(upper));
    }
    power.hi = most_w;
    energy.hi = std::min(energy.hi, one.time_s.hi * most_w);
  }
  // The lower ends keep their ratios to the means.
  const auto lower = [](predict::Estimate& value, double most) {
    if (value.mean <= most) return;
    value.lo *= most / value.mean;
    value.mean = most;
  };
  lower(power, most_w);
  lower(energy, one.time_s.mean * most_w);
}

// The points that the predictor compares the samples with. With a board, they are all its modes at
// the batches of samples and question, so that the answer for a mode does not depend on the other
// modes of the question. Modes that the board lacks are added.
std::vector<OperatingPoint> compared_points(const PredictQuestion& question) {
  if (question.device.empty()) return question.points;
  const KnobSpace board = knob_space(load_board(question.device));
  const auto& samples = question.samples.observations;
  const auto modes = (samples.empty() ? board : knobs_of_samples(board, question.samples)).modes();
  std::set<int> batches;
  for (const auto& point : question.points) batches.insert(point.batch);
  if (question.points.size() == modes.size() * batches.size()) return question.points;
  for (const auto& sample : samples) batches.insert(sample.point.batch);
  std::vector<OperatingPoint> points;
  for (const auto& mode : modes) {
    for (const int batch : batches) points.push_back({mode, batch});
  }
  const std::set<PowerMode> own(modes.begin(), modes.end());
  for (const auto& point : question.points) {
    if (!own.contains(point.mode)) points.push_back(point);
  }
  return points;
}

}  // namespace

std::unique_ptr<predict::Predictor> predictor_of(const PredictQuestion& question) {
  predict::PredictorOptions options;
  options.method = question.method;
  options.seed = question.seed;
  options.network.quiet = question.quiet;
  options.space = compared_points(question);
  options.references = question.references;
  options.kind = find_name<WorkloadKind>(question.samples.kind);
  if (question.reference_model) options.reference_model = *question.reference_model;
  if (question.workload) {
    if (question.device.empty()) {
      throw UsageError("--model has no effect on the prediction without --device", "",
                       "give --device; the twin's estimates for the model become the prior");
    }
    require_batches(question.samples);
    const Board board = load_board(question.device);
    require_power(twin::load_twin(board), board.name, "omit --model");
    options.priors.push_back(predict::twin_reference(question.device, question.workload,
                                                     question.samples.provenance, options.space,
                                                     question.run));
  }
  return predict::make_predictor(options);
}

LimitedPredictions predict_limited(const PredictQuestion& question,
                                   const predict::Predictor& predictor,
                                   std::span<const OperatingPoint> points, double interval) {
  LimitedPredictions found{predictor.predict(points, interval)};
  if (question.device.empty()) return found;
  const auto limit_w = load_board(question.device).power_limit_w;
  if (!limit_w) return found;
  found.most_w = *limit_w;
  for (const auto& seen : question.samples.observations) {
    found.most_w = std::max(found.most_w, seen.power_w);
  }
  found.by_sample = found.most_w > *limit_w;
  for (auto& one : found.predictions) {
    found.lowered += one.power_w.mean > found.most_w ? 1 : 0;
    limit_power(one, found.most_w, (1 + interval) / 2);
  }
  return found;
}

SampledCosts::SampledCosts(const PredictQuestion& question)
    : question_(question),
      predictor_(predictor_of(question)),
      measured_(question.samples.observations) {
  predictor_->fit(measured_);
  const auto* fitted = dynamic_cast<const predict::AutoPredictor*>(predictor_.get());
  if (fitted == nullptr) return;
  disturbed_ = predict::disturbed_remark(*fitted, measured_);
  measured_ = predict::undisturbed(fitted->summary(), measured_);
}

std::vector<predict::Prediction> SampledCosts::at(std::span<const OperatingPoint> points,
                                                  double interval) const {
  auto costs = predict_limited(question_, *predictor_, points, interval).predictions;
  predict::use_measured(points, measured_, costs);
  return costs;
}

bool SampledCosts::measured(const OperatingPoint& point) const {
  return std::any_of(measured_.begin(), measured_.end(),
                     [&](const Observation& one) { return one.point == point; });
}

}  // namespace ridgewatt::answer
