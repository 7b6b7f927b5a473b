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
  std::string quantity;  // "stall", "end to end", "compute", "energy", "GPU busy"
  std::string knob;      // what is changed: "workers", "GPU clock"
  std::string what;
  std::string unit;   // "s", "%", "x"; of what only fits: "B", "W", "1"
  double before = 0;  // what the value is a change from: the same unit; a change itself: 0
  double lo = 0;      // published value, or its range
  double hi = 0;
  bool known_to_twin = false;  // the board's twin was fitted to it (studies/published/boards.csv)
};

struct PublishedRow {
  PublishedFigure published;
  double predicted_before = 0;
  double predicted = 0;
  std::string fitted;  // the parameter that this row gave; empty: predicted, or by the twin

  // Whether it says anything of the model: it gave no parameter, here or to the twin.
  bool scored() const { return fitted.empty() && !published.known_to_twin; }
  // Prediction less published value, in its unit; 0 within the published range.
  double miss() const;
  // The same over the published value.
  double error() const;
  // Of a row in percent: how far off what the change leads to is, (1 + ours) / (1 + published) - 1;
  // of any other row error().
  double outcome_error() const;
};

struct PipelineParameter {
  std::string device;
  std::string network;
  std::string name;
  std::string unit;
  double value = 0;
};

// The scored rows of one quantity.
struct PipelineScore {
  std::string quantity;  // "all": of every one
  int rows = 0;
  int within_quarter = 0;          // error() of at most 25 %
  int outcome_within_quarter = 0;  // outcome_error() of at most 25 %
  double median_error = 0;
  double worst_error = 0;
};

struct PublishedPipeline {
  std::vector<PipelineParameter> parameters;
  std::vector<PublishedRow> rows;
  std::vector<PipelineScore> scores;  // the first: of all
};

// Fits and predicts; what depends on random service times is a mean over ten epochs from `seed`.
PublishedPipeline evaluate_published_pipeline(std::uint64_t seed);

}  // namespace ridgewatt::evaluate
