// Estimates of a model's cost in the modes of a board, and plans for inference and training.
#include "ridgewatt/answer/estimate.h"

#include <fmt/format.h>

#include "python/binding/parameters.h"
#include "python/binding/questions.h"
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/schedule_report.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::python {
namespace {

using answer::EstimateAnswer;
using report::EstimateLine;

struct Estimates {
  std::shared_ptr<const EstimateAnswer> found;
  std::vector<EstimateLine> rows;
  std::string_view command_name() const { return answer::estimate_parameters().command; }
  Json json() const { return report::estimate_json(*found).whole(); }
  std::vector<std::string> remarks() const {
    const int batch = found->rows.front().setting->batch;
    std::vector<std::string> lines = found->model->estimator(batch).cost().caveats.lines();
    const auto [preset, envelope, waits, mixed, caller, wide] = report::estimate_remarks(*found);
    for (const auto& line : {preset, envelope, waits, mixed, caller, wide}) {
      if (!line.empty()) lines.push_back(line);
    }
    return lines;
  }
};

const Fields<EstimateLine>& line_fields() {
  static const Fields<EstimateLine> fields = attributes(report::estimate_fields());
  return fields;
}

const Fields<Estimates>& estimate_fields() {
  using A = Estimates;
  static const Fields<A> fields = {
      {"provenance", [](const A&) { return std::string(name_of(Provenance::kModelled)); },
       "always \"modelled\""},
      {"ground", [](const A& a) { return report::estimate_ground(*a.found); },
       "what the figures are based on, as text"},
      {"fits_memory", [](const A& a) { return a.found->fits_memory(); },
       "whether at least one row fits the memory of its board"}};
  return fields;
}

constexpr std::size_t kRowsBetweenChecks = 1000;  // chosen: about a millisecond of work

std::shared_ptr<Estimates> estimates(EstimateAnswer found) {
  found.check();
  auto made = std::make_shared<Estimates>();
  made->found = std::make_shared<const EstimateAnswer>(std::move(found));
  const std::size_t count = made->found->rows.size();
  made->rows.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % kRowsBetweenChecks == 0) check_work();
    made->rows.emplace_back(made->found, i);
  }
  return made;
}

std::shared_ptr<Estimates> estimate(const py::kwargs& given) {
  Arguments asked(given);
  answer::EstimateQuestion question;
  const answer::ParameterTable& table = answer::estimate_parameters();
  fill(asked, table, &question);
  question.device = device_or_local(question.device);
  const auto workload = workload_of(asked, question.workload);
  if (!workload) throw UsageError("MODEL is required");
  check(asked, table, &question);
  const py::object progress = asked.progress();
  asked.done();
  return without_gil([&] { return estimates(answer::estimate(question, workload)); }, progress);
}

// A plan. Its rows are the profiled points.
struct PlanRow {
  schedule::Plan plan;
};
struct BoundPlan {
  answer::PlanAnswer found;
  std::vector<std::string> of_sweeps;  // remarks on the given sweeps
  std::vector<PlanRow> rows;
  std::string_view command_name() const { return answer::plan_parameters().command; }
  Json json() const { return report::plan_to_json(found); }
  std::vector<std::string> remarks() const { return of_sweeps; }
};

const schedule::Plan& plan_of(const PlanRow& row) {
  return row.plan;
}
const schedule::Plan& plan_of(const BoundPlan& bound) {
  return bound.found.plan;
}

// Fields of a plan, for the answer and for each row.
template <class T>
Fields<T> plan_fields() {
  return {
      {"feasible", [](const T& t) { return plan_of(t).feasible; },
       "whether the plan meets every limit; if not, it is the nearest miss"},
      {"mode", [](const T& t) { return plan_of(t).candidate.mode; }, "power mode"},
      {"batch", [](const T& t) { return plan_of(t).candidate.infer().batch; },
       "inference batch; 0 without inference"},
      {"training_minibatches_per_cycle",
       [](const T& t) { return plan_of(t).cycle.training_minibatches; },
       "training minibatches per cycle; with several workloads, rounds of one minibatch each"},
      {"training_throughput_hz", [](const T& t) { return plan_of(t).cycle.training_throughput_hz; },
       "training minibatches (or rounds) per second (1/s)"},
      {"latency_s",
       [](const T& t) {
         const auto& cycle = plan_of(t).cycle;
         return cycle.stable ? std::optional(cycle.latency_s) : std::nullopt;
       },
       "worst latency of a request (s); None if the load is too high, so that no bound exists"},
      {"power_w", [](const T& t) { return plan_of(t).cycle.peak_power_w; },
       "peak power of the cycle (W)"},
      {"busy_power_w", [](const T& t) { return plan_of(t).cycle.busy_power_w; },
       "mean power while the device is busy (W)"},
      {"mean_power_w", [](const T& t) { return plan_of(t).cycle.mean_power_w; },
       "mean power over the period (W)"},
      {"idle_power_w", [](const T& t) { return plan_of(t).candidate.idle_power_w; },
       "power while nothing runs (W)"},
      {"period_s", [](const T& t) { return plan_of(t).cycle.period_s; },
       "duration of the cycle (s)"},
      {"inference_time_s", [](const T& t) { return plan_of(t).candidate.infer().time_s; },
       "time of an inference minibatch (s)"},
      {"training_time_s", [](const T& t) { return plan_of(t).candidate.train().time_s; },
       "time of a training minibatch, or of a round (s)"},
      {"utilization", [](const T& t) { return plan_of(t).cycle.utilization; },
       "share of the period in which the device is busy"},
      {"miss", [](const T& t) { return plan_of(t).miss; },
       "the violated limits, as text; empty if there are none"}};
}

const Fields<BoundPlan>& bound_plan_fields() {
  static const Fields<BoundPlan> fields = [] {
    Fields<BoundPlan> all = plan_fields<BoundPlan>();
    using B = BoundPlan;
    all.push_back({"workload", [](const B& b) { return b.found.origin.workload; },
                   "names and kinds of the workloads: \"resnet18 inference + resnet18 training\""});
    all.push_back({"board", [](const B& b) { return b.found.origin.board; },
                   "board of the sweeps; empty if unknown or if they differ"});
    all.push_back({"strategy", [](const B& b) { return b.found.strategy; },
                   "name of the strategy that found the plan"});
    all.push_back({"idle_source", [](const B& b) { return b.found.idle_source; },
                   "origin of the idle power, as text"});
    all.push_back(
        {"provenance", [](const B& b) { return std::string(name_of(b.found.origin.provenance)); },
         "provenance of the sweeps; if they differ, that of the sweep that is farthest from a "
         "measurement"});
    return all;
  }();
  return fields;
}

std::vector<Sweep> plain_sweeps(Arguments& asked, const char* name) {
  std::vector<Sweep> sweeps;
  for (const auto& one : asked.objects(name)) {
    sweeps.push_back(raw_sweep(name, one, std::nullopt));
  }
  return sweeps;
}

// Reads a sweep. If it is a file with training and inference, selects the sweep of `kind`.
Sweep of_kind(Arguments& asked, const char* name, const py::object& given, WorkloadKind kind,
              bool keep_outliers) {
  if (!py::isinstance<py::str>(given) && !py::hasattr(given, "__fspath__")) {
    return trusted_sweep(asked, raw_sweep(name, given, std::nullopt), keep_outliers);
  }
  return with_remark(asked,
                     answer::read_program(read_text(name, given, true), kind, keep_outliers));
}

answer::ScheduleSweeps programs_of(Arguments& asked, bool keep) {
  answer::ScheduleSweeps sweeps;
  if (asked.has("inference")) {
    sweeps.inference =
        of_kind(asked, "inference", asked.object("inference"), WorkloadKind::kInference, keep);
  }
  for (const auto& one : asked.objects("training")) {
    sweeps.training.push_back(of_kind(asked, "training", one, WorkloadKind::kTraining, keep));
  }
  for (const auto& one : asked.objects("non_urgent")) {
    sweeps.non_urgent.push_back(of_kind(asked, "non_urgent", one, WorkloadKind::kInference, keep));
  }
  return sweeps;
}

// Adds the Models among the given models. Refuses a workload that is given as model and as sweep.
void add_models(Arguments& asked, const char* name, WorkloadKind kind,
                answer::ScheduledModels& models) {
  const std::string sweep(name_of(kind));
  if (asked.has(name) && asked.has(sweep.c_str())) {
    throw UsageError(fmt::format("{} and {} both give the {}", name, sweep, sweep), "",
                     "give one of them");
  }
  for (const py::object& given : asked.objects(name)) {
    if (!py::isinstance<workload::DeployedWorkload>(given)) continue;
    asked.refuse({(sweep + "_precision").c_str()}, "with a Model",
                 "it was given when the Model was made");
    models.loaded.push_back(given.cast<std::shared_ptr<workload::DeployedWorkload>>());
    if (models.loaded.back()->options().kind != kind) {
      throw UsageError(fmt::format("{}: the Model has another kind", name), "",
                       fmt::format("make it with kind=\"{}\"", sweep));
    }
  }
}

void check_strategy(Arguments& asked, const std::string& name) {
  const auto& strategy = schedule::find_plan_strategy(name);
  const std::string when = "with strategy " + name;
  if (strategy.every_point) {
    asked.refuse({"profiles"}, when, "it knows every point of the sweeps");
  } else {
    asked.refuse({"confidence"}, when, "it profiles the points");
  }
  if (!strategy.uses_prior) {
    asked.refuse({"training_references", "inference_references"}, when, "it learns from none");
  }
}

answer::PlanQuestion plan_question(Arguments& asked) {
  answer::PlanRequest request;
  fill(asked, answer::plan_parameters(), &request);
  check(asked, answer::plan_parameters(), &request);
  check_strategy(asked, request.strategy);
  add_models(asked, "inference_model", WorkloadKind::kInference, request.schedule.models);
  add_models(asked, "training_model", WorkloadKind::kTraining, request.schedule.models);
  answer::PlanQuestion question;
  question.problem = request.schedule.problem;
  const bool inference = asked.has("inference") || asked.has("inference_model");
  if (inference && !(question.problem.arrival_rate_hz > 0)) {
    throw UsageError("inference needs an arrival rate", "arrival_rate_hz",
                     "give requests per second");
  }
  question.problem.check(inference);
  question.strategy = request.strategy;
  question.profiles = request.profiles;
  question.idle_power_w = request.schedule.idle_power_w;
  question.seed = request.seed;
  question.inference_references = plain_sweeps(asked, "inference_references");
  question.training_references = plain_sweeps(asked, "training_references");
  question.confidence = request.confidence;
  const auto& models = request.schedule.models;
  const std::string board = models.empty() ? "" : device_or_local(models.device);
  question.workloads = workloads_to_schedule(
      request.schedule, programs_of(asked, request.schedule.keep_outliers), board);
  return question;
}

std::shared_ptr<BoundPlan> plan(const py::kwargs& given) {
  Arguments asked(given);
  const answer::PlanQuestion question = plan_question(asked);
  const py::object progress = asked.progress();
  asked.done();
  auto made = std::make_shared<BoundPlan>();
  made->found = without_gil([&] { return answer::plan_schedule(question); }, progress);
  made->of_sweeps = asked.remarks();
  for (const auto& one : made->found.profiled) made->rows.push_back({one});
  return made;
}

}  // namespace

void bind_estimate(py::module_& module) {
  record<EstimateLine>(module, "Estimate",
                       "Estimated cost of a model in one power mode, from the board's twin.",
                       line_fields());
  auto made = answer_class<Estimates>(module, "Estimates",
                                      "Estimated costs of a model: a sequence of Estimate.",
                                      estimate_fields(), line_fields());
  made.def_property_readonly(
      "left_out",
      [](Self<Estimates> self) {
        py::list list;
        for (const auto& [name, reason] : self->found->left_out) {
          list.append(py::make_tuple(name, reason));
        }
        return list;
      },
      "(name, reason) of each board or runtime without rows");
  module.def("estimate", &estimate);
}

void bind_plan(py::module_& module) {
  static const Fields<PlanRow> kRows = plan_fields<PlanRow>();
  record<PlanRow>(module, "PlanRow", "The plan at one profiled point.", kRows);
  answer_class<BoundPlan>(module, "Plan",
                          "A plan for inference and training on one board. Its attributes are "
                          "those of the best plan or, if no plan meets the limits, of the nearest "
                          "miss. It is a sequence of PlanRow, one per profiled point.",
                          bound_plan_fields(), kRows)
      .def(
          "__bool__", [](Self<BoundPlan> self) { return self->found.plan.feasible; },
          "Returns whether a plan meets the limits.")
      .def_property_readonly(
          "confidence", [](Self<BoundPlan> self) { return dict_of(self->found.confidence); },
          kConfidenceText)
      .def_property_readonly(
          "origin", [](Self<BoundPlan> self) { return self->found.origin; },
          "origin of the sweeps");
  module.def("plan", &plan);
}

}  // namespace ridgewatt::python
