// What a model costs in the modes of a board, without any profile; plans of serving and training.
#include "ridgewatt/answer/estimate.h"

#include "python/binding/parameters.h"
#include "python/binding/questions.h"
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/schedule_report.h"

namespace ridgewatt::python {
namespace {

using answer::EstimateAnswer;
using report::EstimateLine;

struct Estimates {
  std::shared_ptr<const EstimateAnswer> found;
  std::vector<EstimateLine> rows;
  Json json() const { return report::estimate_json(*found).whole(); }
};

const Fields<EstimateLine>& line_fields() {
  static const Fields<EstimateLine> fields = attributes(report::estimate_fields());
  return fields;
}

const Fields<Estimates>& answer_fields() {
  using A = Estimates;
  static const Fields<A> fields = {
      {"provenance", [](const A&) { return std::string(name_of(Provenance::kModelled)); },
       "always \"modelled\""},
      {"ground", [](const A& a) { return report::estimate_ground(*a.found); },
       "what the figures rest on, in words"},
      {"fits_memory", [](const A& a) { return a.found->fits_memory(); },
       "some row fits the board's memory"}};
  return fields;
}

std::shared_ptr<Estimates> estimates(EstimateAnswer found) {
  found.check();
  auto made = std::make_shared<Estimates>();
  made->found = std::make_shared<const EstimateAnswer>(std::move(found));
  for (std::size_t i = 0; i < made->found->rows.size(); ++i)
    made->rows.emplace_back(made->found, i);
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

// A plan: what was profiled are its rows.
struct PlanRow {
  schedule::Plan plan;
};
struct BoundPlan {
  answer::PlanAnswer found;
  std::vector<PlanRow> rows;
  Json json() const { return report::plan_to_json(found); }
};

const schedule::Plan& plan_of(const PlanRow& row) {
  return row.plan;
}
const schedule::Plan& plan_of(const BoundPlan& bound) {
  return bound.found.plan;
}

// What a plan says, of the whole answer and of each row.
template <class T>
Fields<T> plan_fields() {
  return {
      {"feasible", [](const T& t) { return plan_of(t).feasible; },
       "it keeps every limit; else it is the nearest miss"},
      {"mode", [](const T& t) { return plan_of(t).candidate.mode; }, "the PowerMode"},
      {"batch", [](const T& t) { return plan_of(t).candidate.infer().batch; },
       "of the inference; 0 without one"},
      {"training_minibatches_per_cycle",
       [](const T& t) { return plan_of(t).cycle.training_minibatches; }, "count"},
      {"training_throughput_hz", [](const T& t) { return plan_of(t).cycle.training_throughput_hz; },
       "minibatches of training per second"},
      {"latency_s",
       [](const T& t) {
         const auto& cycle = plan_of(t).cycle;
         return cycle.stable ? std::optional(cycle.latency_s) : std::nullopt;
       },
       "worst latency of a request (s); None in an overload, which has no bound"},
      {"power_w", [](const T& t) { return plan_of(t).cycle.peak_power_w; },
       "peak of the cycle (W)"},
      {"busy_power_w", [](const T& t) { return plan_of(t).cycle.busy_power_w; },
       "mean while the device is busy (W)"},
      {"mean_power_w", [](const T& t) { return plan_of(t).cycle.mean_power_w; },
       "mean over the period (W)"},
      {"idle_power_w", [](const T& t) { return plan_of(t).candidate.idle_power_w; },
       "while nothing runs (W)"},
      {"period_s", [](const T& t) { return plan_of(t).cycle.period_s; }, "of the cycle (s)"},
      {"inference_time_s", [](const T& t) { return plan_of(t).candidate.infer().time_s; },
       "of an inference minibatch (s)"},
      {"training_time_s", [](const T& t) { return plan_of(t).candidate.train().time_s; },
       "of a training minibatch (s)"},
      {"utilization", [](const T& t) { return plan_of(t).cycle.utilization; },
       "busy share of the period"},
      {"miss", [](const T& t) { return plan_of(t).miss; }, "what it misses; empty: nothing"}};
}

const Fields<BoundPlan>& bound_plan_fields() {
  static const Fields<BoundPlan> fields = [] {
    Fields<BoundPlan> all = plan_fields<BoundPlan>();
    using B = BoundPlan;
    all.push_back({"strategy", [](const B& b) { return b.found.strategy; }, "how it was found"});
    all.push_back({"idle_source", [](const B& b) { return b.found.idle_source; },
                   "where the idle power comes from, in words"});
    all.push_back({"provenance",
                   [](const B& b) { return std::string(name_of(b.found.origin.provenance)); },
                   "of the sweeps, weakest first"});
    return all;
  }();
  return fields;
}

// One sweep or path, or a list of them.
std::vector<py::object> one_or_more(Arguments& asked, const char* name) {
  const py::object given = asked.object(name);
  if (given.is_none()) return {};
  if (PyList_Check(given.ptr()) || PyTuple_Check(given.ptr())) return read_list(name, given);
  return {given};
}

std::vector<Sweep> plain_sweeps(Arguments& asked, const char* name) {
  std::vector<Sweep> sweeps;
  for (const auto& one : one_or_more(asked, name)) {
    sweeps.push_back(raw_sweep(name, one, std::nullopt));
  }
  return sweeps;
}

// Of a file with training and inference the part that is asked for.
Sweep of_kind(const char* name, const py::object& given, WorkloadKind kind, bool keep_outliers) {
  if (!py::isinstance<py::str>(given) && !py::hasattr(given, "__fspath__")) {
    return trusted_sweep(raw_sweep(name, given, std::nullopt), keep_outliers);
  }
  return answer::read_program(read_text(name, given, true), kind, keep_outliers).sweep;
}

answer::ScheduleSweeps programs_of(Arguments& asked, bool keep) {
  answer::ScheduleSweeps sweeps;
  if (asked.has("inference")) {
    sweeps.inference =
        of_kind("inference", asked.object("inference"), WorkloadKind::kInference, keep);
  }
  for (const auto& one : one_or_more(asked, "training")) {
    sweeps.training.push_back(of_kind("training", one, WorkloadKind::kTraining, keep));
  }
  for (const auto& one : one_or_more(asked, "non_urgent")) {
    sweeps.non_urgent.push_back(of_kind("non_urgent", one, WorkloadKind::kInference, keep));
  }
  return sweeps;
}

void check_strategy(Arguments& asked, const std::string& name) {
  const auto& strategy = schedule::find_plan_strategy(name);
  const std::string when = "with strategy " + name;
  if (strategy.every_point) {
    asked.refuse({"profiles"}, when, "it knows every point of the sweeps");
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
  answer::PlanQuestion question;
  question.problem = request.schedule.problem;
  if (asked.has("inference") && !(question.problem.arrival_rate_hz > 0)) {
    throw UsageError("inference needs an arrival rate", "arrival_rate_hz",
                     "give requests per second");
  }
  question.problem.check(asked.has("inference"));
  question.strategy = request.strategy;
  question.profiles = request.profiles;
  question.idle_power_w = request.schedule.idle_power_w;
  question.seed = request.seed;
  question.inference_references = plain_sweeps(asked, "inference_references");
  question.training_references = plain_sweeps(asked, "training_references");
  question.workloads = workloads_to_schedule(
      request.schedule, programs_of(asked, request.schedule.keep_outliers), "");
  return question;
}

std::shared_ptr<BoundPlan> plan(const py::kwargs& given) {
  Arguments asked(given);
  const answer::PlanQuestion question = plan_question(asked);
  const py::object progress = asked.progress();
  asked.done();
  auto made = std::make_shared<BoundPlan>();
  made->found = without_gil([&] { return answer::plan_schedule(question); }, progress);
  for (const auto& one : made->found.profiled) made->rows.push_back({one});
  return made;
}

}  // namespace

void bind_estimate(py::module_& module) {
  record<EstimateLine>(module, "Estimate", "What a model costs in one mode, by the board's twin.",
                       line_fields());
  auto made = answer_class<Estimates>(
      module, "Estimates", "What a model costs: a sequence of Estimate, in the order asked.",
      answer_fields(), line_fields());
  made.def_property_readonly(
      "left_out",
      [](Self<Estimates> self) {
        py::list list;
        for (const auto& [name, reason] : self->found->left_out) {
          list.append(py::make_tuple(name, reason));
        }
        return list;
      },
      "(name, reason) of each board or runtime that cannot be asked");
  module.def("estimate", &estimate);
}

void bind_plan(py::module_& module) {
  static const Fields<PlanRow> kRows = plan_fields<PlanRow>();
  record<PlanRow>(module, "PlanRow", "The plan at a point that was profiled.", kRows);
  answer_class<BoundPlan>(module, "Plan",
                          "A plan: its own attributes are the answer's, or the nearest miss's; as "
                          "a sequence it holds a PlanRow for each point that was profiled.",
                          bound_plan_fields(), kRows)
      .def(
          "__bool__", [](Self<BoundPlan> self) { return self->found.plan.feasible; },
          "There is a plan within the limits.");
  module.def("plan", &plan);
}

}  // namespace ridgewatt::python
