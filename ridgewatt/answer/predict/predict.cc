#include "ridgewatt/answer/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "ridgewatt/answer/board/time_unit.h"
#include "ridgewatt/answer/predict/sampled_costs.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/conformal_predictor.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/predict/interval.h"
#include "ridgewatt/predict/nn_predictor.h"
#include "ridgewatt/predict/pareto.h"
#include "ridgewatt/predict/unvaried.h"
#include "ridgewatt/sweep/board_fit.h"
#include "ridgewatt/sweep/points.h"
#include "ridgewatt/tune/comparison.h"

namespace ridgewatt::answer {
namespace {

RowOrigin predicted_origin(const PredictQuestion& question) {
  RowOrigin origin = question.samples.origin_of(Provenance::kPredicted);
  if (origin.board.empty()) origin.board = question.device;
  return origin;
}

// In cores, MHz or samples; 0 if absent.
double in_field_unit(const OperatingPoint& point, PointAxis axis) {
  const auto knob = knob_of(axis);
  return knob ? knob_in_field_unit(point.mode, *knob) : point.batch;
}

// Names the knobs of points that are far from all samples, where no sample checks the intervals.
void describe_extrapolation(const std::vector<Observation>& samples, PredictAnswer& found) {
  static constexpr double kFar = 2;  // chosen
  for (const PointAxis axis : kPointAxes) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const auto& sample : samples) {
      const double value = in_field_unit(sample.point, axis);
      if (value > 0) least = std::min(least, value), most = std::max(most, value);
    }
    if (!(most > least)) continue;  // unvaried
    const auto far = std::count_if(found.points.begin(), found.points.end(), [&](const auto& at) {
      const double value = in_field_unit(at, axis);
      return value > 0 && (value * kFar < least || value > most * kFar);
    });
    if (far == 0) continue;
    found.remarks.push_back(sentence(
        "{} of {}: {} is far outside the samples ({:.5g} to {:.5g}), so that the true values may "
        "lie outside the intervals",
        far, counted(static_cast<std::int64_t>(found.points.size()), "point"), axis_field(axis),
        least, most));
  }
}

void describe_intervals(const PredictQuestion& question, PredictAnswer& found) {
  const auto& samples = question.samples.observations;
  describe_extrapolation(samples, found);
  found.unvaried = predict::fixed_values(samples);
  for (const PointAxis axis : predict::unvaried_axes(samples, found.points)) {
    found.remarks.push_back(
        fmt::format("all samples have the same {}, so its effect is not learned, and intervals are "
                    "wider at other values",
                    axis_field(axis)));
  }
  const auto& predicted = found.predictions;
  if (predicted.empty() || predict::has_interval(predicted.front().time_s)) return;
  found.remarks.push_back(
      sentence("there are no {:.4g} % intervals: they need {} sampled points, and the number of "
               "points is {}",
               100 * question.interval, predict::samples_for_interval(question.interval),
               predict::mean_by_point(samples).size()));
}

// Predicts the points of `found` with a fitted predictor, and stores the method.
void predict_into(const PredictQuestion& question, const predict::Predictor& predictor,
                  PredictAnswer& found) {
  auto limited = predict_limited(question, predictor, found.points, question.interval);
  found.predictions = std::move(limited.predictions);
  found.method = predictor.name();
  if (const auto* fitted = dynamic_cast<const predict::AutoPredictor*>(&predictor)) {
    found.summary = fitted->summary();
    if (auto remark = predict::disturbed_remark(*fitted, question.samples.observations)) {
      found.remarks.push_back(std::move(*remark));
    }
  }
  if (limited.lowered > 0) {
    found.remarks.push_back(
        sentence("limited to {:.4g} W, the {}: {} of {}", limited.most_w,
                 limited.by_sample ? "highest sample, which is above the power limit of the board"
                                   : "power limit of the board",
                 limited.lowered,
                 counted(static_cast<std::int64_t>(found.predictions.size()), "predicted power")));
  }
  describe_intervals(question, found);
  if (auto remark =
          time_unit_remark(question.samples, question.device, question.workload, question.run);
      !remark.empty()) {
    found.remarks.push_back(std::move(remark));
  }
  if (auto remark = unread_errors(question.samples); !remark.empty()) {
    found.remarks.push_back(remark + "; the intervals of the predictions leave them out");
  }
}

// Predicts some of the question's points.
PredictAnswer predict_at(const PredictQuestion& question,
                         const std::vector<OperatingPoint>& points) {
  const auto predictor = predictor_of(question);
  predictor->fit(question.samples.observations);
  PredictAnswer found;
  found.points = points;
  found.origin = predicted_origin(question);
  found.origins = {found.origin};
  predict_into(question, *predictor, found);
  return found;
}

// Sorts so that the board's clocks change seldom from point to point.
void sort_by_clocks(std::vector<OperatingPoint>& points) {
  const auto key = [](const OperatingPoint& p) {
    return std::tuple(p.mode.mem_clock_hz, p.mode.gpu_clock_hz, p.mode.cpu_clock_hz,
                      p.mode.cpu_cores, p.batch);
  };
  std::sort(points.begin(), points.end(),
            [&](const OperatingPoint& a, const OperatingPoint& b) { return key(a) > key(b); });
}

// Keeps only the front of an answer.
void keep_front(PredictAnswer& found, FrontCost first, FrontCost second) {
  std::vector<double> firsts, seconds;
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    firsts.push_back(front_cost(first, found.points[i], found.predictions[i]));
    seconds.push_back(front_cost(second, found.points[i], found.predictions[i]));
  }
  std::vector<OperatingPoint> points;
  std::vector<predict::Prediction> predictions;
  std::vector<RowOrigin> origins;
  for (const auto index : predict::pareto_front(firsts, seconds)) {
    points.push_back(found.points[index]);
    predictions.push_back(found.predictions[index]);
    if (found.origins.size() > 1) origins.push_back(found.origins[index]);
  }
  found.points = std::move(points);
  found.predictions = std::move(predictions);
  if (found.origins.size() > 1) found.origins = std::move(origins);
}

}  // namespace

TrustedSweep read_samples(const std::string& path, const std::string& device,
                          const TrustOptions& options) {
  TrustedSweep samples = read_trusted_sweep(path, options);
  tune::take_governed(samples.sweep);
  if (!device.empty()) fit_to_board(samples.sweep, load_board(device));
  return samples;
}

std::vector<OperatingPoint> points_of_board(const std::string& device, const Sweep& samples) {
  const KnobSpace board = knob_space(load_board(device));
  const KnobSpace space = samples.observations.empty() ? board : knobs_of_samples(board, samples);
  std::vector<OperatingPoint> points;
  for (const auto& mode : space.modes()) points.push_back({mode, 0});
  return at_batches_of(samples, points);
}

std::vector<OperatingPoint> at_batches_of(const Sweep& samples,
                                          const std::vector<OperatingPoint>& points) {
  if (samples.observations.empty()) return points;
  const std::vector<int> batches = samples.batches();  // costly: sorts all rows
  std::vector<OperatingPoint> asked;
  for (const auto& point : points) {
    if (point.batch > 0) {
      asked.push_back(point);
      continue;
    }
    for (const int batch : batches) asked.push_back({point.mode, batch});
  }
  return asked;
}

PredictAnswer predict_modes(const PredictQuestion& question) {
  return predict_at(question, question.points);
}

PredictAnswer suggest_modes(const PredictQuestion& question, std::size_t count,
                            const std::optional<predict::PowerBudgets>& budgets) {
  const auto made = predictor_of(question);
  auto* predictor = dynamic_cast<predict::AutoPredictor*>(made.get());
  if (predictor == nullptr)
    throw UsageError("only --method auto can suggest modes", "--suggest", "give --method auto");
  const bool sampled = !question.samples.observations.empty();
  if (sampled) predictor->fit(question.samples.observations);
  const auto chosen = budgets ? predictor->suggest_for_budgets(question.points, count, *budgets)
                              : predictor->suggest(question.points, count);
  PredictAnswer found;
  for (const auto index : chosen) found.points.push_back(question.points[index]);
  sort_by_clocks(found.points);
  found.origin = predicted_origin(question);
  found.origins = {found.origin};
  if (!sampled) return found;
  predict_into(question, *predictor, found);
  return found;
}

double front_cost(FrontCost cost, const OperatingPoint& point, const predict::Prediction& of) {
  const double samples = std::max(point.batch, 1);
  switch (cost) {
    case FrontCost::kTime:
      return of.time_s.mean / samples;
    case FrontCost::kEnergy:
      return of.energy_j.mean / samples;
    case FrontCost::kPower:
      break;
  }
  return of.power_w.mean;
}

namespace {

// The question's points that are not in `means`.
std::vector<OperatingPoint> points_without(std::span<const Observation> means,
                                           const PredictQuestion& question) {
  std::vector<OperatingPoint> others;
  for (const auto& point : question.points) {
    if (predict::find_point(means, point) == nullptr) others.push_back(point);
  }
  return others;
}

}  // namespace

std::vector<OperatingPoint> points_to_predict(const PredictQuestion& question) {
  return points_without(predict::mean_by_point(question.samples.observations), question);
}

PredictAnswer predicted_points(const PredictQuestion& question) {
  auto means = predict::mean_by_point(question.samples.observations);
  const auto others = points_without(means, question);
  PredictAnswer found;
  if (others.empty()) {
    require_name("predictor", question.method, {predict::predictor_methods()});
    found.origin = predicted_origin(question);
    found.origin.provenance = question.samples.provenance;
  } else {
    found = predict_at(question, others);
    if (found.summary && found.summary->disturbed) {
      means = predict::mean_by_point(
          predict::undisturbed(*found.summary, question.samples.observations));
      found = predict_at(question, points_without(means, question));
    }
  }
  RowOrigin known = found.origin;
  known.provenance = question.samples.provenance;
  const auto predictions = std::exchange(found.predictions, {});
  auto predicted = predictions.begin();
  found.origins.clear();
  for (const auto& point : question.points) {
    const Observation* measured = predict::find_point(means, point);
    found.predictions.push_back(measured != nullptr ? predict::exactly(*measured) : *predicted++);
    found.origins.push_back(measured != nullptr ? known : found.origin);
  }
  found.points = question.points;
  return found;
}

PredictAnswer measured_points(const Sweep& rows) {
  PredictAnswer found;
  found.points = rows.points();
  const auto stated = [](double value) {
    return predict::Estimate{value, 0, std::numeric_limits<double>::infinity()};
  };
  for (const auto& row : rows.observations) {
    found.predictions.push_back({stated(row.time_s), stated(row.power_w), stated(row.energy_j())});
  }
  found.origin = rows.origin();
  found.origins = {found.origin};
  if (auto remark = unread_errors(rows); !remark.empty()) found.remarks.push_back(remark);
  return found;
}

std::string unread_errors(const Sweep& rows) {
  if (rows.provenance != Provenance::kModelled && rows.provenance != Provenance::kPredicted) {
    return "";
  }
  std::string text = fmt::format("the rows are {}, and their intervals are not read from the file",
                                 name_of(rows.provenance));
  if (rows.provenance == Provenance::kModelled && !rows.board.empty()) {
    text += fmt::format(": 'ridgewatt tune MODEL --device {}' counts the errors", rows.board);
  }
  return text;
}

PredictAnswer predicted_front(const PredictQuestion& question, FrontCost first, FrontCost second) {
  PredictAnswer found = predicted_points(question);
  keep_front(found, first, second);
  return found;
}

PredictAnswer measured_front(const Sweep& rows, FrontCost first, FrontCost second) {
  PredictAnswer found = measured_points(rows);
  keep_front(found, first, second);
  return found;
}

PredictQuestion predict_question(const PredictRequest& asked, std::vector<std::string>& remarks) {
  const auto trusted = [&](TrustedSweep read) {
    if (auto text = read.remark(); !text.empty()) remarks.push_back(std::move(text));
    return std::move(read.sweep);
  };
  PredictQuestion question;
  if (!asked.samples.empty()) {
    question.samples =
        trusted(read_samples(asked.samples, asked.device, {asked.keep_outliers, asked.workload}));
  }
  if (!asked.query.empty()) {
    question.points = at_batches_of(question.samples, read_points(asked.query));
  } else if (!asked.device.empty()) {
    question.points = points_of_board(asked.device, question.samples);
  } else {
    throw UsageError("predict needs the modes to predict", "", "give --device or --query");
  }
  for (const auto& path : asked.references) {
    question.references.push_back(trusted(read_trusted_sweep(path, {asked.keep_outliers, {}})));
  }
  if (!asked.reference_model.empty()) {
    question.reference_model = std::make_shared<const predict::ReferenceModel>(
        predict::read_reference_model(asked.reference_model));
  }
  question.device = asked.device;
  question.method = asked.method;
  question.interval = asked.interval;
  if (asked.model.empty()) return question;
  if (asked.device.empty()) {
    throw UsageError("--model has no effect on the prediction without --device", "",
                     "give --device; the twin's estimates for the model become the prior");
  }
  question.workload = std::make_shared<const workload::DeployedWorkload>(
      asked.model, workload::DeployOptions{workload_kind_of(question.samples.kind)});
  return question;
}

}  // namespace ridgewatt::answer
