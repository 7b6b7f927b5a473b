// The published neural predictors: `nn`, one network for time and one for power trained only on the
// profiled modes, and `powertrain`, the same networks trained on a reference workload's full sweep,
// with a new last layer and fine-tuned on the profiled modes (PowerTrain, 2024).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/predict/mean_predictor.h"
#include "ridgewatt/predict/mlp.h"

namespace ridgewatt::predict {

struct NnOptions {
  MlpOptions network;
  // Number of training rows per profiled mode: its minibatches. A sweep contains only medians, so
  // its rows are repeated.
  int rows_per_mode = 40;
  std::uint64_t seed = 1;
  int threads = 0;    // time and power are trained in parallel
  bool quiet = true;  // false: progress on standard error

  void check() const;  // UsageError with field, value and constraint
};

// A network with the standardization of its inputs and the unit of its target.
struct TrainedNetwork {
  std::vector<int> inputs;            // dimensions of OperatingPoint that vary: 0..3 knobs, 4 batch
  std::vector<double> center, scale;  // scale 0: the same in every row, without effect
  std::optional<Mlp> network;
};

// The two networks of a workload, and their file: JSON with the fields `format`
// ("ridgewatt-reference"), `version` (1), `workload`, and for each of `time_ms` and `power_w`:
// `inputs` (field names), `center`, `scale`, `widths`, and `parameters` (layer by layer, weights
// inputs x outputs row-major, then biases).
struct ReferenceModel {
  std::string workload;
  TrainedNetwork time, power;
};
ReferenceModel train_reference(const std::string& workload, std::span<const Observation> rows,
                               const NnOptions& options);
std::string write_reference_model(const ReferenceModel& model);
// Throws InputError if a file is not such a model.
ReferenceModel read_reference_model(const std::string& path);

class NnPredictor : public MeanPredictor {
 public:
  explicit NnPredictor(NnOptions options) : options_(std::move(options)) {}
  // Starts from a reference: `powertrain`.
  NnPredictor(NnOptions options, ReferenceModel reference)
      : options_(std::move(options)), reference_(std::move(reference)) {}

  std::string name() const override { return reference_ ? "powertrain" : "nn"; }
  void fit(std::span<const Observation> samples) override;
  std::vector<Observation> predict(std::span<const OperatingPoint> points) const override;

 private:
  NnOptions options_;
  std::optional<ReferenceModel> reference_;
  ReferenceModel fitted_;
  double least_time_s_ = 0, least_power_w_ = 0;
};

}  // namespace ridgewatt::predict
