// The published neural predictors. `nn` trains one network for time and one for power, using only
// the profiled modes. `powertrain` trains the same networks on the full sweep of a reference
// workload, replaces their last layers, and fine-tunes them on the profiled modes (PowerTrain,
// 2024).
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
  // Number of training rows per profiled mode, which stand for minibatches. A sweep contains only
  // medians, so its rows are repeated.
  int rows_per_mode = 40;
  std::uint64_t seed = 1;
  int threads = 0;    // time and power are trained in parallel; 0: all available
  bool quiet = true;  // false: progress on standard error

  void check() const;  // throws UsageError with field, value and constraint
};

// A network with the standardization of its inputs and its target.
struct TrainedNetwork {
  std::vector<int> inputs;  // dimensions of OperatingPoint that vary: 0 to 3 knobs, 4 batch
  // Scale 0: the input is the same in every row and has no effect.
  std::vector<double> center, scale;
  std::optional<Mlp> network;
};

// The two networks of a workload. Their file is JSON with the fields `format`
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
// Throws InputError if the file is not such a model.
ReferenceModel read_reference_model(const std::string& path);

class NnPredictor : public MeanPredictor {
 public:
  explicit NnPredictor(NnOptions options) : options_(std::move(options)) {}
  // Creates `powertrain`, which starts from `reference`.
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
