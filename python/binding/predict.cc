// Predicts the costs of all modes from a few profiled ones, suggests which modes to profile next,
// and finds Pareto fronts.
#include "ridgewatt/answer/predict.h"

#include "python/binding/parameters.h"
#include "python/binding/questions.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/predict/interval.h"
#include "ridgewatt/predict/nn_predictor.h"
#include "ridgewatt/report/prediction_report.h"
#include "ridgewatt/sweep/points.h"

namespace ridgewatt::python {
namespace {

using answer::PredictAnswer;
using answer::PredictQuestion;
using predict::Estimate;

struct PredictedPoint {
  OperatingPoint point;
  std::optional<predict::Prediction> cost = {};  // absent: nothing was fitted
  Provenance provenance = Provenance::kPredicted;

  std::optional<double> known(Estimate predict::Prediction::*of, double Estimate::*end) const {
    const bool known = cost && (end == &Estimate::mean || predict::has_interval((*cost).*of));
    return known ? std::optional((*cost).*of.*end) : std::nullopt;
  }
};

struct Predictions {
  PredictAnswer found;
  std::vector<std::string> of_rows;  // remarks on the given rows and the model
  std::uint64_t seed = 1;
  std::vector<std::string> axes;  // for a Pareto front: the two costs
  std::vector<PredictedPoint> rows;
  std::string_view command_name() const {
    return (axes.empty() ? answer::predict_parameters() : answer::pareto_parameters()).command;
  }
  Json json() const { return {{"rows", report::predictions_to_json(found)}}; }
  std::vector<std::string> remarks() const {
    std::vector<std::string> lines = of_rows;
    for (auto& line : report::prediction_remarks(found, seed)) lines.push_back(std::move(line));
    return lines;
  }
};

template <Estimate predict::Prediction::*kOf, double Estimate::*kEnd>
std::optional<double> end_of(const PredictedPoint& point) {
  return point.known(kOf, kEnd);
}

const Fields<PredictedPoint>& point_fields() {
  using P = PredictedPoint;
  using Cost = predict::Prediction;
  static const Fields<P> fields = {
      {"mode", [](const P& p) { return p.point.mode; }, "power mode"},
      {"batch", [](const P& p) { return p.point.batch; },
       "samples per minibatch; 0 if the points have no batch"},
      {"time_s", &end_of<&Cost::time_s, &Estimate::mean>,
       "time of a minibatch (s); None if unknown"},
      {"time_lo_s", &end_of<&Cost::time_s, &Estimate::lo>,
       "lower end of the interval of time_s (s); None without an interval"},
      {"time_hi_s", &end_of<&Cost::time_s, &Estimate::hi>,
       "upper end of the interval of time_s (s); None without an interval"},
      {"power_w", &end_of<&Cost::power_w, &Estimate::mean>,
       "mean power over a minibatch (W); None if unknown"},
      {"power_lo_w", &end_of<&Cost::power_w, &Estimate::lo>,
       "lower end of the interval of power_w (W); None without an interval"},
      {"power_hi_w", &end_of<&Cost::power_w, &Estimate::hi>,
       "upper end of the interval of power_w (W); None without an interval"},
      {"energy_j", &end_of<&Cost::energy_j, &Estimate::mean>,
       "energy of a minibatch (J); None if unknown"},
      {"energy_lo_j", &end_of<&Cost::energy_j, &Estimate::lo>,
       "lower end of the interval of energy_j (J); None without an interval"},
      {"energy_hi_j", &end_of<&Cost::energy_j, &Estimate::hi>,
       "upper end of the interval of energy_j (J); None without an interval"},
      {"provenance", [](const P& p) { return std::string(name_of(p.provenance)); },
       "provenance of this row: \"predicted\", or that of the sample"}};
  return fields;
}

const Fields<Predictions>& prediction_fields() {
  using A = Predictions;
  static const Fields<A> fields = {
      {"method", [](const A& a) { return a.found.method; },
       "name of the prediction method; empty if nothing was predicted"},
      {"provenance", [](const A& a) { return std::string(name_of(a.found.origin.provenance)); },
       "provenance of the predicted rows, or of all rows if nothing was predicted"},
      {"costs", [](const A& a) { return a.axes; },
       "for a Pareto front: its two costs, such as [\"time\", \"power\"]; otherwise empty"}};
  return fields;
}

std::shared_ptr<Predictions> predictions(PredictAnswer found, const Arguments& asked,
                                         std::uint64_t seed) {
  auto made = std::make_shared<Predictions>();
  made->found = std::move(found);
  made->of_rows = asked.remarks();
  made->seed = seed;
  const PredictAnswer& answer = made->found;
  for (std::size_t i = 0; i < answer.points.size(); ++i) {
    PredictedPoint row{answer.points[i]};
    if (!answer.predictions.empty()) row.cost = answer.predictions[i];
    row.provenance = answer.origins[answer.origins.size() == 1 ? 0 : i].provenance;
    made->rows.push_back(std::move(row));
  }
  return made;
}

// Reads `query`: the path of a CSV file, or a list of PowerMode or (PowerMode, batch).
std::vector<OperatingPoint> query_points(const py::object& query) {
  if (!PyList_Check(query.ptr())) return read_points(read_text("query", query, true));
  std::vector<OperatingPoint> points;
  for (const auto& member : read_list("query", query)) {
    OperatingPoint point;
    py::object mode = member;
    if (PyTuple_Check(member.ptr()) && py::len(member) == 2) {
      mode = member[py::int_(0)];
      point.batch = static_cast<int>(read_whole("query", member[py::int_(1)], kBatches));
    }
    if (!py::isinstance<PowerMode>(mode)) {
      throw UsageError("query: a list of PowerMode, or of (PowerMode, batch), is needed");
    }
    point.mode = *held<PowerMode>(mode);
    points.push_back(point);
  }
  return points;
}

void add_prior(Arguments& asked, const std::string& model, PredictQuestion& question) {
  const py::object given = asked.object("model");
  if (given.is_none()) return;
  if (question.device.empty()) {
    throw UsageError("a model without a board predicts no time and power", "model",
                     "give device: its twin becomes the prior");
  }
  if (py::isinstance<workload::DeployedWorkload>(given)) {
    question.workload = given.cast<std::shared_ptr<workload::DeployedWorkload>>();
    require_kind_of(question.workload.get(), question.samples);
  } else {
    question.workload = std::make_shared<const workload::DeployedWorkload>(
        model, workload::DeployOptions{.kind = workload_kind_of(question.samples.kind)});
  }
  const int batch = question.points.empty() ? 0 : question.points.front().batch;
  for (const auto& line : question.workload->at(batch)->caveats.lines()) asked.remark(line);
}

// Combines the request with the given sweeps, points and Model.
PredictQuestion predict_question(Arguments& asked, const answer::PredictRequest& request) {
  PredictQuestion question;
  question.device = request.device;
  const bool keep = request.keep_outliers;
  if (asked.has("samples")) {
    const auto workload = asked.maybe_text("workload");
    question.samples = trusted_samples(
        asked, raw_sweep("samples", asked.object("samples"), workload), keep, question.device);
  }
  if (asked.has("query")) {
    question.points = answer::at_batches_of(question.samples, query_points(asked.object("query")));
  } else if (!question.device.empty()) {
    question.points = answer::points_of_board(question.device, question.samples);
  } else {
    throw UsageError("no modes to predict", "predict", "give device or query");
  }
  question.references = references_of(asked, keep);
  question.method = request.method;
  if (question.method != "powertrain") {
    asked.refuse({"reference_model"}, "with method " + question.method,
                 "powertrain starts from it");
  }
  if (!request.reference_model.empty()) {
    question.reference_model = std::make_shared<const predict::ReferenceModel>(
        predict::read_reference_model(request.reference_model));
  }
  question.interval = request.interval;
  question.seed = request.seed;
  question.quiet = true;
  add_prior(asked, request.model, question);
  return question;
}

template <class Request>
Request request_of(Arguments& asked, const answer::ParameterTable& table) {
  Request request;
  fill(asked, table, &request);
  check(asked, table, &request);
  return request;
}

std::shared_ptr<Predictions> predict_all(const py::kwargs& given) {
  Arguments asked(given);
  if (!asked.has("samples")) throw UsageError("samples is required");
  const auto request = request_of<answer::SuggestRequest>(asked, answer::predict_parameters());
  const PredictQuestion question = predict_question(asked, request.inputs);
  const py::object progress = asked.progress();
  asked.done();
  return without_gil(
      [&] { return predictions(answer::predict_modes(question), asked, question.seed); }, progress);
}

std::shared_ptr<Predictions> suggest(const py::kwargs& given) {
  constexpr int kUsually = 5;  // chosen: a board profiles 5 modes in minutes
  Arguments asked(given);
  const auto request = request_of<answer::SuggestRequest>(asked, answer::suggest_parameters());
  const PredictQuestion question = predict_question(asked, request.inputs);
  const py::object progress = asked.progress();
  asked.done();
  const auto count = static_cast<std::size_t>(request.count.value_or(kUsually));
  auto found = without_gil([&] { return answer::suggest_modes(question, count, request.budgets); },
                           progress);
  if (found.points.empty()) {
    throw request.budgets
        ? NoSolutionError("no further mode is expected to be faster within these budgets")
        : NoSolutionError("every mode is already profiled", question.samples.source);
  }
  return predictions(std::move(found), asked, question.seed);
}

std::shared_ptr<Predictions> pareto(const py::kwargs& given) {
  Arguments asked(given);
  const auto request = request_of<answer::ParetoRequest>(asked, answer::pareto_parameters());
  const py::object progress = asked.progress();
  const auto front_of = [&](const auto& answer) {
    return without_gil(
        [&] {
          auto front = predictions(answer(), asked, request.inputs.seed);
          front->axes = {std::string(name_of(request.x)), std::string(name_of(request.y))};
          return front;
        },
        progress);
  };
  if (asked.has("sweep")) {
    asked.refuse({"samples", "device", "model", "query", "method", "references", "reference_model",
                  "interval"},
                 "with a sweep", "its rows are used without a prediction");
    asked.done();
    const auto workload = asked.maybe_text("workload");
    const Sweep rows = trusted_sweep(asked, raw_sweep("sweep", asked.object("sweep"), workload),
                                     request.inputs.keep_outliers);
    return front_of([&] { return answer::measured_front(rows, request.x, request.y); });
  }
  if (!asked.has("samples")) throw UsageError("samples or sweep is required");
  const PredictQuestion question = predict_question(asked, request.inputs);
  asked.done();
  return front_of([&] { return answer::predicted_front(question, request.x, request.y); });
}

}  // namespace

void bind_predict(py::module_& module) {
  record<PredictedPoint>(module, "PredictedPoint",
                         "Predicted time, power and energy of an operating point.", point_fields());
  auto made = answer_class<Predictions>(
      module, "Predictions", "Predicted costs of operating points: a sequence of PredictedPoint.",
      prediction_fields(), point_fields());
  made.def_property_readonly(
      "origin", [](Self<Predictions> self) { return self->found.origin; },
      "origin of the predicted rows");
  made.def_property_readonly(
      "weights",
      [](Self<Predictions> self) {
        py::dict weights;
        if (!self->found.summary) return weights;
        for (const auto& one : self->found.summary->candidates) {
          weights[py::str(one.name)] = py::make_tuple(one.time_weight, one.power_weight);
        }
        return weights;
      },
      "for the method auto: dict from the name of each candidate method to its posterior "
      "probabilities (for time, for power); otherwise empty");
  module.def("predict", &predict_all);
  module.def("suggest", &suggest);
  module.def("pareto", &pareto);
}

}  // namespace ridgewatt::python
