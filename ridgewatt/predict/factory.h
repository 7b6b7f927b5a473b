// Creates predictors by name.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/predict/nn_predictor.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/predict/reference.h"
#include "ridgewatt/predict/workload_groups.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::predict {

struct PredictorOptions {
  std::string method = "auto";
  // The points to predict; see AutoOptions::space.
  std::vector<OperatingPoint> space;
  // Sweeps of other workloads. `auto` uses all of them, `powertrain` the first; other methods use
  // none.
  std::vector<Sweep> references;
  // A trained reference for `powertrain`; empty: it is trained on the first of `references`.
  std::optional<ReferenceModel> reference_model;
  // Models of this workload from a twin, for `auto`.
  std::vector<Reference> priors;
  std::optional<WorkloadKind> kind = {};   // AutoOptions::kind
  std::vector<WorkloadGroup> groups = {};  // AutoOptions::groups
  // For the neural methods. A reference has a full sweep, so it needs fewer training rows per mode.
  NnOptions network;
  int reference_rows_per_mode = 8;
  std::uint64_t seed = 1;
  std::uint64_t design_seed = 0;  // AutoOptions::design_seed
};

// "auto", "gp", "linear", "nn", "powertrain", and "trees" if XGBoost is installed.
std::vector<std::string> predictor_methods();
// Whether a method uses a trained reference (PredictorOptions::reference_model).
bool takes_reference_model(const std::string& method);
// Throws UsageError for an unknown method, or `powertrain` without a reference.
std::unique_ptr<Predictor> make_predictor(const PredictorOptions& options);

}  // namespace ridgewatt::predict
