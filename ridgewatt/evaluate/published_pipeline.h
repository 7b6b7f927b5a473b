// Compares the pipeline model with the published study of training on AGX Xavier, Xavier NX and
// Nano (Prashanthi, Kesanapalli and Simmhan, SIGMETRICS 2023). At most two parameters per device
// and network are fitted to its figures; all other figures are predicted.
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
  std::string what;      // description of the figure
  std::string unit;      // "s", "%", "x"; for fitted parameters: "B", "W", "1"
  double before = 0;     // value before a change; 0 if the figure states a change
  double lo = 0;         // published value or range
  double hi = 0;
  // Whether the board's twin was fitted to it (studies/published/boards.csv).
  bool known_to_twin = false;
};

struct PublishedRow {
  PublishedFigure published;
  double predicted_before = 0;
  double predicted = 0;
  // Name of the parameter that was fitted to this row; empty: none.
  std::string fitted;

  // Returns whether the row tests the model. False if a parameter was fitted to it, here or in the
  // twin.
  bool scored() const { return fitted.empty() && !published.known_to_twin; }
  // Returns prediction - published value, in `unit`; 0 within the published range.
  double miss() const;
  // Returns the miss relative to the published value.
  double error() const;
  // For a row in percent, returns the relative error of the value after the change, (1 + predicted)
  // / (1 + published) - 1. For other rows, returns error().
  double outcome_error() const;
};

// A fitted parameter.
struct PipelineParameter {
  std::string device;
  std::string network;
  std::string name;
  std::string unit;
  double value = 0;
};

// Summary of the scored rows of one quantity.
struct PipelineScore {
  std::string quantity;  // a quantity, or "all"
  int rows = 0;
  int within_quarter = 0;          // error() of at most 25 %
  int outcome_within_quarter = 0;  // outcome_error() of at most 25 %
  double median_error = 0;
  double worst_error = 0;
};

struct PublishedPipeline {
  std::vector<PipelineParameter> parameters;
  std::vector<PublishedRow> rows;
  std::vector<PipelineScore> scores;  // the first is over all quantities
};

// Fits and predicts. Results that depend on random service times are means over ten epochs, with
// seeds from `seed` on.
PublishedPipeline evaluate_published_pipeline(std::uint64_t seed);

}  // namespace ridgewatt::evaluate
