// Compares the published study of training on AGX Xavier, Xavier NX and Nano (Prashanthi,
// Kesanapalli and Simmhan, SIGMETRICS 2023) with the pipeline model: a few of its figures fit the
// parameters, at most two per device and network; the others are predicted.
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
  std::string knob;      // the varied quantity: "workers", "GPU clock"
  std::string what;
  std::string unit;   // "s", "%", "x"; for fitted parameters: "B", "W", "1"
  double before = 0;  // base of a change, in the same unit; 0 if the value is a change itself
  double lo = 0;      // published value, or its range
  double hi = 0;
  bool known_to_twin = false;  // the board's twin was fitted to it (studies/published/boards.csv)
};

struct PublishedRow {
  PublishedFigure published;
  double predicted_before = 0;
  double predicted = 0;
  // the parameter that was fitted to this row; empty: predicted, or by the twin
  std::string fitted;

  // Whether it tests the model: it was not used to fit a parameter, here or in the twin.
  bool scored() const { return fitted.empty() && !published.known_to_twin; }
  // Prediction less published value, in its unit; 0 within the published range.
  double miss() const;
  // The same relative to the published value.
  double error() const;
  // For a row in percent: the relative error of the outcome of the change, (1 + ours) / (1 +
  // published) - 1; for any other row error().
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
  std::string quantity;  // "all": of all quantities
  int rows = 0;
  int within_quarter = 0;          // error() of at most 25 %
  int outcome_within_quarter = 0;  // outcome_error() of at most 25 %
  double median_error = 0;
  double worst_error = 0;
};

struct PublishedPipeline {
  std::vector<PipelineParameter> parameters;
  std::vector<PublishedRow> rows;
  std::vector<PipelineScore> scores;  // the first: all quantities
};

// Fits and predicts; results that depend on random service times are means over ten epochs from
// `seed`.
PublishedPipeline evaluate_published_pipeline(std::uint64_t seed);

}  // namespace ridgewatt::evaluate
