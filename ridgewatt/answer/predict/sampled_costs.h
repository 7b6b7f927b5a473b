// Predictions from samples, as `predict`, `pareto` and `tune --samples` state them.
//
//   SampledCosts costs(question);
//   costs.at(question.points, 0.9);  // measured points keep their measured values
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/answer/predict.h"

namespace ridgewatt::answer {

// Returns an unfitted predictor for the question.
std::unique_ptr<predict::Predictor> predictor_of(const PredictQuestion& question);

// Predictions of points, and the number of powers that exceeded `most_w` and were set to `most_w`.
struct LimitedPredictions {
  std::vector<predict::Prediction> predictions;
  std::size_t lowered = 0;
  double most_w = 0;
  bool by_sample = false;  // `most_w` is the power of a sample above the board's limit
};
// Predicts with a fitted predictor. Limits powers to the board's power limit, or to the highest
// sample if a sample exceeds it.
LimitedPredictions predict_limited(const PredictQuestion& question,
                                   const predict::Predictor& predictor,
                                   std::span<const OperatingPoint> points, double interval);

// A fitted predictor whose predictions are replaced by measured values where the samples have them.
class SampledCosts {
 public:
  // `question` must outlive this object.
  explicit SampledCosts(const PredictQuestion& question);
  std::vector<predict::Prediction> at(std::span<const OperatingPoint> points,
                                      double interval) const;
  bool measured(const OperatingPoint& point) const;
  // Names the sample that was probably disturbed; empty if there is none.
  const std::optional<std::string>& disturbed() const { return disturbed_; }

 private:
  const PredictQuestion& question_;
  std::unique_ptr<predict::Predictor> predictor_;
  std::vector<Observation> measured_;  // without a probably disturbed observation
  std::optional<std::string> disturbed_;
};

}  // namespace ridgewatt::answer
