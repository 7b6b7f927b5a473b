// The published study of training on AGX Xavier, Xavier NX and Nano (Prashanthi, Kesanapalli and
// Simmhan, SIGMETRICS 2023) against the pipeline model: a few of its figures fit the parameters, at
// most two for a device and network, the others are predicted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridgewatt::evaluate {

// One figure of studies/published/training_pipeline.csv.
struct PublishedFigure {
  std::string device;
  std::string network;
  std::string what;
  std::string unit;   // "s", "%", "x"; of what only fits: "B", "W", "1"
  double before = 0;  // what the value is a change from: the same unit; a change itself: 0
  double lo = 0;      // published value, or its range
  double hi = 0;
};

struct PublishedRow {
  PublishedFigure published;
  double predicted_before = 0;
  double predicted = 0;
  std::string fitted;  // the parameter that this row gave; empty: predicted

  // Relative distance of the prediction from the published range.
  double error() const;
  // Both rise, both fall, or both stay within 6 % (the variation between boards).
  bool direction_right() const;
};

struct PipelineParameter {
  std::string device;
  std::string network;
  std::string name;
  std::string unit;
  double value = 0;
};

struct PublishedPipeline {
  std::vector<PipelineParameter> parameters;
  std::vector<PublishedRow> rows;
  int predicted = 0;
  int direction_right = 0;  // of the predicted
  int within_quarter = 0;
};

// Fits and predicts; what depends on random service times is a mean over ten epochs from `seed`.
PublishedPipeline evaluate_published_pipeline(std::uint64_t seed);

}  // namespace ridgewatt::evaluate
