#include "ridgewatt/predict/nn_predictor.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt::predict {
namespace {

constexpr const char* kTrainAgain = "train it again with `ridgewatt predict --train-reference`";

constexpr int kBatchInput = static_cast<int>(PointAxis::kBatch);
constexpr int kCoresInput = static_cast<int>(PointAxis::kCpuCores);

double input_value(const OperatingPoint& point, int input) {
  return axis_value(point, kPointAxes[static_cast<std::size_t>(input)]);
}

std::string input_name(int input) {
  return std::string(axis_field(kPointAxes[static_cast<std::size_t>(input)]));
}

// The inputs that occur, with the mean and standard deviation of each. An input that is the same in
// every row has the scale 0: its effect is unknown.
TrainedNetwork standardize(std::span<const Observation> rows) {
  TrainedNetwork result;
  for (int input = 0; input <= kBatchInput; ++input) {
    std::vector<double> values;
    for (const auto& row : rows) values.push_back(input_value(row.point, input));
    const bool fixed = std::equal(values.begin() + 1, values.end(), values.begin());
    if (values.front() <= 0 || (input == kBatchInput && fixed)) continue;
    result.inputs.push_back(input);
    result.center.push_back(mean(values));
    result.scale.push_back(fixed ? 0 : standard_deviation(values));
  }
  if (result.inputs.empty())
    throw UsageError("the power modes of the samples give no clock and no number of cores");
  return result;
}

// An input with scale 0, or one that a point does not have, is set to its center: no effect.
std::vector<float> inputs_of(const TrainedNetwork& network,
                             std::span<const OperatingPoint> points) {
  std::vector<float> result;
  result.reserve(points.size() * network.inputs.size());
  for (const auto& point : points) {
    for (std::size_t i = 0; i < network.inputs.size(); ++i) {
      const double value = input_value(point, network.inputs[i]);
      const bool known = network.scale[i] > 0 && value > 0;
      result.push_back(known ? static_cast<float>((value - network.center[i]) / network.scale[i])
                             : 0.0F);
    }
  }
  return result;
}

enum class Target { kTime, kPower };
constexpr double kMsPerS = 1e3, kMwPerW = 1e3;

// Progress over the epochs of two networks that are trained in parallel.
class EpochProgress {
 public:
  explicit EpochProgress(const NnOptions& options)
      : progress_("epochs of training", 2 * static_cast<std::size_t>(options.network.epochs),
                  options.quiet) {}
  void epoch_done() {
    const std::lock_guard lock(mutex_);
    progress_.update(++done_);
  }

 private:
  std::mutex mutex_;
  Progress progress_;
  std::size_t done_ = 0;
};

void train(TrainedNetwork& network, std::span<const Observation> rows, Target target,
           const NnOptions& options) {
  std::vector<OperatingPoint> points;
  std::vector<float> targets;
  for (const auto& row : rows) {
    for (int i = 0; i < options.rows_per_mode; ++i) {
      points.push_back(row.point);
      targets.push_back(static_cast<float>(target == Target::kTime ? row.time_s * kMsPerS
                                                                   : row.power_w * kMwPerW));
    }
  }
  const auto stream = static_cast<std::uint64_t>(target);
  network.network->train(inputs_of(network, points), targets, options.network,
                         Random(options.seed).fork(10 + stream).next());
}

// Trains both networks, the one for time first. `start(network, i)` prepares each.
void train_both(TrainedNetwork& time, TrainedNetwork& power, std::span<const Observation> rows,
                const NnOptions& options,
                const std::function<void(TrainedNetwork&, std::size_t)>& start) {
  EpochProgress progress(options);
  NnOptions watched = options;
  watched.network.on_epoch = [&progress] { progress.epoch_done(); };
  parallel_for(
      2,
      [&](std::size_t i) {
        TrainedNetwork& network = i == 0 ? time : power;
        start(network, i);
        train(network, rows, i == 0 ? Target::kTime : Target::kPower, watched);
      },
      options.threads);
}

std::vector<double> evaluate(const TrainedNetwork& network,
                             std::span<const OperatingPoint> points) {
  const std::vector<float> outputs = network.network->predict(inputs_of(network, points));
  return {outputs.begin(), outputs.end()};
}

Json network_json(const TrainedNetwork& network) {
  Json inputs = Json::array();
  for (const int input : network.inputs) inputs.push_back(input_name(input));
  return json_object({{"inputs", inputs},
                      {"center", network.center},
                      {"scale", network.scale},
                      {"widths", network.network->widths()},
                      {"parameters", network.network->parameters()}});
}

TrainedNetwork network_from_json(const Json& json, const std::string& path) {
  TrainedNetwork network;
  for (const auto& name : json.at("inputs")) {
    int found = -1;
    for (int input = 0; input <= kBatchInput; ++input) {
      if (input_name(input) == name.get<std::string>()) found = input;
    }
    if (found < 0) throw InputError("the reference model has an unknown input", path, kTrainAgain);
    network.inputs.push_back(found);
  }
  network.center =
      json.at(json.contains("center") ? "center" : "centre").get<std::vector<double>>();
  network.scale = json.at("scale").get<std::vector<double>>();
  const auto widths = json.at("widths").get<std::vector<std::size_t>>();
  const std::size_t inputs = network.inputs.size();
  const bool sane =
      inputs > 0 && network.center.size() == inputs && network.scale.size() == inputs &&
      widths.size() >= 3 && widths.size() <= 16 && widths.front() == inputs && widths.back() == 1 &&
      std::all_of(widths.begin(), widths.end(), [](std::size_t width) { return width <= 8192; }) &&
      std::all_of(network.scale.begin(), network.scale.end(),
                  [](double scale) { return std::isfinite(scale) && scale >= 0; });
  if (!sane)
    throw InputError("the layers of the reference model have shapes that do not fit together", path,
                     kTrainAgain);
  for (std::size_t i = 0; i < inputs; ++i) {
    // Older files have a scale of 1 Hz for a clock that was the same in every row.
    const bool clock = network.inputs[i] != kBatchInput && network.inputs[i] != kCoresInput;
    if (clock && network.scale[i] <= 1) network.scale[i] = 0;
  }
  network.network.emplace(inputs, std::vector<std::size_t>(widths.begin() + 1, widths.end() - 1),
                          1);
  auto parameters = json.at("parameters").get<std::vector<float>>();
  if (parameters.size() != network.network->parameters().size() ||
      !std::all_of(parameters.begin(), parameters.end(),
                   [](float value) { return std::isfinite(value); })) {
    throw InputError("the parameters of the reference model do not fit its shape", path,
                     kTrainAgain);
  }
  network.network->set_parameters(std::move(parameters));
  return network;
}

}  // namespace

ReferenceModel train_reference(const std::string& workload, std::span<const Observation> rows,
                               const NnOptions& options) {
  if (rows.empty()) throw UsageError("the reference model needs at least one row to train on");
  ReferenceModel model;
  model.workload = workload;
  model.time = model.power = standardize(rows);
  train_both(model.time, model.power, rows, options, [&](TrainedNetwork& network, std::size_t i) {
    network.network.emplace(network.inputs.size(), options.network.hidden,
                            Random(options.seed).fork(i).next());
  });
  return model;
}

std::string write_reference_model(const ReferenceModel& model) {
  const Json json = json_object({{"format", "ridgewatt-reference"},
                                 {"version", 1},
                                 {"workload", model.workload},
                                 {"time_ms", network_json(model.time)},
                                 {"power_w", network_json(model.power)}});
  return json.dump() + "\n";
}

ReferenceModel read_reference_model(const std::string& path) {
  try {
    const Json json = Json::parse(read_file(path, std::size_t{1} << 28));
    if (json.at("format") != "ridgewatt-reference" || json.at("version") != 1) {
      throw InputError("is not a reference model of version 1", path, kTrainAgain);
    }
    ReferenceModel model;
    model.workload = json.at("workload").get<std::string>();
    model.time = network_from_json(json.at("time_ms"), path);
    model.power = network_from_json(json.at("power_w"), path);
    return model;
  } catch (const Json::exception&) {  // its text is about the JSON library
    throw InputError("is not a reference model", path, kTrainAgain);
  }
}

void NnOptions::check() const {
  network.check();
  require_option(rows_per_mode >= 1, "NnOptions::rows_per_mode", rows_per_mode, "1 or more");
  require_option(threads >= 0, "NnOptions::threads", threads, "0 (all processors) or more");
}

void NnPredictor::fit(std::span<const Observation> samples) {
  options_.check();
  if (samples.empty()) throw UsageError("the predictor needs at least one sample");
  least_time_s_ = samples.front().time_s, least_power_w_ = samples.front().power_w;
  for (const auto& sample : samples) {
    least_time_s_ = std::min(least_time_s_, sample.time_s);
    least_power_w_ = std::min(least_power_w_, sample.power_w);
  }
  if (reference_) {
    fitted_ = *reference_;
    train_both(fitted_.time, fitted_.power, samples, options_,
               [&](TrainedNetwork& network, std::size_t i) {
                 network.network->replace_last_layer(Random(options_.seed).fork(20 + i).next());
               });
  } else {
    fitted_ = train_reference("", samples, options_);
  }
}

std::vector<Observation> NnPredictor::predict(std::span<const OperatingPoint> points) const {
  if (!fitted_.time.network)
    throw UsageError("the predictor must be fitted to samples before it predicts");
  const std::vector<double> times = evaluate(fitted_.time, points);
  const std::vector<double> powers = evaluate(fitted_.power, points);
  std::vector<Observation> result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    // A network can predict negative values. The floor is a tenth of the lowest sample.
    result.push_back({points[i], std::max(times[i] / kMsPerS, least_time_s_ / 10),
                      std::max(powers[i] / kMwPerW, least_power_w_ / 10)});
  }
  return result;
}

}  // namespace ridgewatt::predict
