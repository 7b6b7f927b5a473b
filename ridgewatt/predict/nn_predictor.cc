#include "ridgewatt/predict/nn_predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/file.h"
#include "ridgewatt/base/json.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt {
namespace {

constexpr int kBatchInput = static_cast<int>(kKnobs.size());

double input_value(const OperatingPoint& point, int input) {
  return input == kBatchInput ? point.batch
                              : point.mode.get(kKnobs[static_cast<std::size_t>(input)]);
}

std::string input_name(int input) {
  return input == kBatchInput ? "batch"
                              : std::string(knob_field(kKnobs[static_cast<std::size_t>(input)]));
}

// Inputs that occur and the mean and standard deviation of each.
TrainedNetwork standardise(std::span<const Observation> rows) {
  TrainedNetwork result;
  for (int input = 0; input <= kBatchInput; ++input) {
    std::vector<double> values;
    for (const auto& row : rows) values.push_back(input_value(row.point, input));
    const bool batch_is_fixed =
        input == kBatchInput && std::equal(values.begin() + 1, values.end(), values.begin());
    if (values.front() <= 0 || batch_is_fixed) continue;
    result.inputs.push_back(input);
    result.centre.push_back(mean(values));
    const double deviation = standard_deviation(values);
    result.scale.push_back(deviation > 0 ? deviation : 1);
  }
  if (result.inputs.empty()) throw UsageError("the samples have no knob");
  return result;
}

std::vector<float> inputs_of(const TrainedNetwork& network,
                             std::span<const OperatingPoint> points) {
  std::vector<float> result;
  result.reserve(points.size() * network.inputs.size());
  for (const auto& point : points) {
    for (std::size_t i = 0; i < network.inputs.size(); ++i) {
      result.push_back(static_cast<float>(
          (input_value(point, network.inputs[i]) - network.centre[i]) / network.scale[i]));
    }
  }
  return result;
}

enum class Target { kTime, kPower };
constexpr double kMsPerS = 1e3, kMwPerW = 1e3;

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

std::vector<double> evaluate(const TrainedNetwork& network,
                             std::span<const OperatingPoint> points) {
  const std::vector<float> outputs = network.network->predict(inputs_of(network, points));
  return {outputs.begin(), outputs.end()};
}

Json network_json(const TrainedNetwork& network) {
  Json inputs = Json::array();
  for (const int input : network.inputs) inputs.push_back(input_name(input));
  return {{"inputs", inputs},
          {"centre", network.centre},
          {"scale", network.scale},
          {"widths", network.network->widths()},
          {"parameters", network.network->parameters()}};
}

TrainedNetwork network_from_json(const Json& json, const std::string& path) {
  TrainedNetwork network;
  for (const auto& name : json.at("inputs")) {
    int found = -1;
    for (int input = 0; input <= kBatchInput; ++input) {
      if (input_name(input) == name.get<std::string>()) found = input;
    }
    if (found < 0) throw InputError("unknown input of a reference model", path);
    network.inputs.push_back(found);
  }
  network.centre = json.at("centre").get<std::vector<double>>();
  network.scale = json.at("scale").get<std::vector<double>>();
  const auto widths = json.at("widths").get<std::vector<std::size_t>>();
  const std::size_t inputs = network.inputs.size();
  const bool sane =
      inputs > 0 && network.centre.size() == inputs && network.scale.size() == inputs &&
      widths.size() >= 3 && widths.size() <= 16 && widths.front() == inputs && widths.back() == 1 &&
      std::all_of(widths.begin(), widths.end(), [](std::size_t width) { return width <= 8192; }) &&
      std::all_of(network.scale.begin(), network.scale.end(),
                  [](double scale) { return std::isfinite(scale) && scale > 0; });
  if (!sane) throw InputError("the shapes of the reference model do not fit", path);
  network.network.emplace(inputs, std::vector<std::size_t>(widths.begin() + 1, widths.end() - 1),
                          1);
  auto parameters = json.at("parameters").get<std::vector<float>>();
  if (parameters.size() != network.network->parameters().size() ||
      !std::all_of(parameters.begin(), parameters.end(),
                   [](float value) { return std::isfinite(value); })) {
    throw InputError("the parameters of the reference model do not fit its shape", path);
  }
  network.network->set_parameters(std::move(parameters));
  return network;
}

double log_deviation(const std::vector<double>& predicted, const std::vector<double>& actual) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    errors.push_back(std::log(std::max(predicted[i], actual[i] / 10) / actual[i]));
  }
  return std::sqrt(mean(errors) * mean(errors) +
                   (errors.size() > 1 ? std::pow(standard_deviation(errors), 2) : 0));
}

}  // namespace

ReferenceModel train_reference(const std::string& workload, std::span<const Observation> rows,
                               const NnOptions& options) {
  if (rows.empty()) throw UsageError("no rows to train on");
  ReferenceModel model;
  model.workload = workload;
  model.time = model.power = standardise(rows);
  parallel_for(
      2,
      [&](std::size_t i) {
        TrainedNetwork& network = i == 0 ? model.time : model.power;
        network.network.emplace(network.inputs.size(), options.network.hidden,
                                Random(options.seed).fork(i).next());
        train(network, rows, i == 0 ? Target::kTime : Target::kPower, options);
      },
      options.threads);
  return model;
}

std::string write_reference_model(const ReferenceModel& model) {
  const Json json = {{"format", "ridgewatt-reference"},
                     {"version", 1},
                     {"workload", model.workload},
                     {"time_ms", network_json(model.time)},
                     {"power_w", network_json(model.power)}};
  return json.dump() + "\n";
}

ReferenceModel read_reference_model(const std::string& path) {
  try {
    const Json json = Json::parse(read_file(path, std::size_t{1} << 28));
    if (json.at("format") != "ridgewatt-reference" || json.at("version") != 1) {
      throw InputError("not a reference model of version 1", path);
    }
    ReferenceModel model;
    model.workload = json.at("workload").get<std::string>();
    model.time = network_from_json(json.at("time_ms"), path);
    model.power = network_from_json(json.at("power_w"), path);
    return model;
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("not a reference model ({})", error.what()), path);
  }
}

void NnPredictor::fit(std::span<const Observation> samples) {
  if (samples.empty()) throw UsageError("no samples to learn from");
  std::vector<OperatingPoint> points;
  std::vector<double> times, powers;
  least_time_s_ = samples.front().time_s, least_power_w_ = samples.front().power_w;
  for (const auto& sample : samples) {
    points.push_back(sample.point);
    times.push_back(sample.time_s * kMsPerS);
    powers.push_back(sample.power_w * kMwPerW);
    least_time_s_ = std::min(least_time_s_, sample.time_s);
    least_power_w_ = std::min(least_power_w_, sample.power_w);
  }
  if (reference_) {
    fitted_ = *reference_;
    parallel_for(
        2,
        [&](std::size_t i) {
          TrainedNetwork& network = i == 0 ? fitted_.time : fitted_.power;
          network.network->replace_last_layer(Random(options_.seed).fork(20 + i).next());
          train(network, samples, i == 0 ? Target::kTime : Target::kPower, options_);
        },
        options_.threads);
  } else {
    fitted_ = train_reference("", samples, options_);
  }
  time_deviation_ = log_deviation(evaluate(fitted_.time, points), times);
  power_deviation_ = log_deviation(evaluate(fitted_.power, points), powers);
}

std::vector<Prediction> NnPredictor::predict(std::span<const OperatingPoint> points,
                                             double interval) const {
  if (!fitted_.time.network) throw UsageError("predict before fit");
  const std::vector<double> times = evaluate(fitted_.time, points);
  const std::vector<double> powers = evaluate(fitted_.power, points);
  const double z = normal_quantile(0.5 + interval / 2);
  const auto estimate = [z](double value, double deviation) {
    const double factor = std::exp(z * deviation);
    return Estimate{value, value / factor, value * factor};
  };
  std::vector<Prediction> result(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    // A network may answer below zero; a tenth of the least sample is the floor.
    const double time_s = std::max(times[i] / kMsPerS, least_time_s_ / 10);
    const double power_w = std::max(powers[i] / kMwPerW, least_power_w_ / 10);
    result[i] = {estimate(time_s, time_deviation_), estimate(power_w, power_deviation_),
                 estimate(time_s * power_w, std::hypot(time_deviation_, power_deviation_))};
  }
  return result;
}

}  // namespace ridgewatt
