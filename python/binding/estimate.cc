// What a model costs in the modes of a board, without any profile; plans of serving and training.
#include "ridgewatt/answer/estimate.h"

#include "python/binding/questions.h"
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/schedule_report.h"

namespace ridgewatt::python {
namespace {

using answer::EstimateAnswer;
using answer::EstimateRow;

struct Estimates {
  EstimateAnswer found;
  std::vector<EstimateRow> rows;
  Json json() const { return report::estimate_json(found).whole(); }
};

// Ends of the 90 % interval, as report/estimate_report.h has them: a Python caller may cost `more`.
double lower(double mean, const twin::LogError& error) {
  return mean / error.factor(predict::kDefaultInterval);
}
double upper(double mean, const twin::LogError& error, double more = 0) {
  return (mean + more) * error.factor(predict::kDefaultInterval);
}

const Fields<EstimateRow>& estimate_fields() {
  using R = EstimateRow;
  static const Fields<R> fields = {
      {"board", [](const R& r) { return r.setting->board; }, "its name"},
      {"runtime", [](const R& r) { return std::string(name_of(r.setting->runtime)); },
       "what runs the model"},
      {"precision", [](const R& r) { return std::string(name_of(r.setting->precision)); },
       "it computes in"},
      {"mode", [](const R& r) { return r.mode; }, "the PowerMode"},
      {"preset", [](const R& r) { return r.preset; },
       "the board's preset with this mode; empty: none"},
      {"batch", [](const R& r) { return r.setting->batch; }, "samples per minibatch"},
      {"time_s", [](const R& r) { return r.estimate.total.period_s; },
       "from one minibatch to the next, its wait for data included (s)"},
      {"time_lo_s",
       [](const R& r) { return lower(r.estimate.total.period_s, r.error[twin::kTime]); },
       "lower end of its 90 % interval (s)"},
      {"time_hi_s",
       [](const R& r) {
         return upper(r.estimate.total.period_s, r.error[twin::kTime], r.python_call_s);
       },
       "upper end (s)"},
      {"time_median_s", [](const R& r) { return r.estimate.total.median_s; },
       "what a median of timed minibatches shows (s)"},
      {"fetch_stall_s", [](const R& r) { return r.estimate.total.stall_s(); },
       "of the time, the wait for data (s)"},
      {"power_w", [](const R& r) { return r.estimate.total.power_w; }, "mean over that time (W)"},
      {"power_lo_w",
       [](const R& r) { return lower(r.estimate.total.power_w, r.error[twin::kPower]); },
       "lower end (W)"},
      {"power_hi_w",
       [](const R& r) { return upper(r.estimate.total.power_w, r.error[twin::kPower]); },
       "upper end (W)"},
      {"energy_j", [](const R& r) { return r.estimate.total.energy_j(); }, "of a minibatch (J)"},
      {"energy_lo_j",
       [](const R& r) { return lower(r.estimate.total.energy_j(), r.error[twin::kEnergy]); },
       "lower end (J)"},
      {"energy_hi_j",
       [](const R& r) { return upper(r.estimate.total.energy_j(), r.error[twin::kEnergy]); },
       "upper end (J)"},
      {"dominant", [](const R& r) { return std::string(name_of(r.estimate.dominant())); },
       "what most of the time goes to"},
      {"memory_bytes", [](const R& r) { return r.setting->memory.needed_bytes(); },
       "that it needs (bytes)"},
      {"fits_memory", [](const R& r) { return r.setting->memory.fits(); },
       "the board has that much free"},
      {"twin", [](const R& r) { return r.setting->twin; },
       "\"fitted\" or \"scaled, not validated\""}};
  return fields;
}

const Fields<Estimates>& answer_fields() {
  using A = Estimates;
  static const Fields<A> fields = {
      {"provenance", [](const A&) { return std::string(name_of(Provenance::kModelled)); },
       "always \"modelled\""},
      {"ground", [](const A& a) { return report::estimate_ground(a.found); },
       "what the figures rest on, in words"},
      {"fits_memory", [](const A& a) { return a.found.fits_memory(); },
       "some row fits the board's memory"}};
  return fields;
}

std::shared_ptr<Estimates> estimates(EstimateAnswer found) {
  found.check();
  auto made = std::make_shared<Estimates>();
  made->rows = found.rows;
  made->found = std::move(found);
  return made;
}

}  // namespace

twin::RunOptions run_options(Arguments& asked) {
  twin::RunOptions run;
  run.loader_workers = asked.whole("workers", {"whole number", "", 0, 1024}, run.loader_workers);
  run.loader_s_per_sample = asked.quantity("loader_s_per_sample", kLoaderSeconds);
  run.python_caller = asked.flag("python_caller");
  return run;
}

void check_python_caller(const twin::RunOptions& run, const workload::DeployedWorkload* workload) {
  if (!run.python_caller || workload == nullptr || is_engine(workload->options().runtime)) return;
  throw UsageError("python_caller has no effect without an engine's runtime", "",
                   "the launches of PyTorch are Python's already");
}

namespace {

std::shared_ptr<Estimates> estimate(const py::kwargs& given) {
  Arguments asked(given);
  answer::EstimateQuestion question;
  question.modes = modes_of(asked);
  question.batches = asked.wholes("batch", kBatches);
  question.run = run_options(asked);
  if (!asked.has("dataset_size")) asked.refuse({"epochs"}, "without dataset_size");
  question.job_samples =
      static_cast<double>(asked.whole("dataset_size", {"whole number", "", 1, 1e12}).value_or(0)) *
      asked.quantity("epochs", kPositive, 1);
  const std::string device = device_or_at_hand(device_of(asked));
  const py::object runtime = asked.object("runtime");
  const bool all_runtimes =
      py::isinstance<py::str>(runtime) && same_word(runtime.cast<std::string>(), "all");
  std::vector<workload::Precision> precisions;
  if (const auto one = asked.choice<workload::Precision>("precision", "precision")) {
    if (all_runtimes) precisions = {*one};
  }
  if (all_runtimes) asked.replace("runtime", py::none());
  const auto workload = workload_of(asked);
  if (!workload) throw UsageError("MODEL is required");
  if (!all_runtimes) check_python_caller(question.run, workload.get());
  const py::object progress = asked.progress();
  asked.done();
  if (device == "all" && all_runtimes) {
    throw UsageError("boards and runtimes cannot both be all", "",
                     "name a board with device, or a runtime");
  }
  return without_gil(
      [&] {
        if (device == "all") return estimates(answer::estimate_over_boards(question, workload));
        if (!all_runtimes) return estimates(answer::estimate_on_board(question, workload, device));
        return estimates(answer::estimate_over_runtimes(question, workload, device, precisions));
      },
      progress);
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
  const std::string path = read_text(name, given, true);
  std::vector<Sweep> sweeps = read_sweeps(path);
  if (sweeps.size() > 1) {
    std::erase_if(sweeps, [&](const Sweep& one) { return workload_kind_of(one.kind) != kind; });
  }
  return trusted_sweep(choose_sweep(std::move(sweeps), std::nullopt, path), keep_outliers);
}

schedule::ScheduleWorkloads workloads_of(Arguments& asked) {
  const bool keep = asked.flag("keep_outliers");
  schedule::ScheduleWorkloads workloads;
  if (asked.has("inference")) {
    workloads.inference =
        of_kind("inference", asked.object("inference"), WorkloadKind::kInference, keep);
  }
  for (const auto& one : one_or_more(asked, "training")) {
    workloads.background.push_back({of_kind("training", one, WorkloadKind::kTraining, keep), 0});
  }
  const auto others = one_or_more(asked, "non_urgent");
  const auto rates = one_or_more(asked, "non_urgent_rate_hz");
  if (rates.size() > others.size()) {
    throw UsageError("more rates than non-urgent inferences", "non_urgent_rate_hz");
  }
  for (std::size_t i = 0; i < others.size(); ++i) {
    const double rate = i < rates.size() ? read_number("non_urgent_rate_hz", rates[i], kHertz) : 0;
    workloads.background.push_back(
        {of_kind("non_urgent", others[i], WorkloadKind::kInference, keep), rate});
  }
  return workloads;
}

answer::PlanQuestion plan_question(Arguments& asked) {
  answer::PlanQuestion question;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  schedule::PlanProblem& problem = question.problem;
  problem.arrival_rate_hz = asked.quantity("arrival_rate_hz", kHertz, 0);
  problem.max_latency_s = asked.quantity("max_latency_s", kSeconds, kNone);
  problem.max_power_w = asked.quantity("max_power_w", kWatts, kNone);
  problem.bound =
      asked.choice<schedule::Bound>("bound", "bound").value_or(schedule::Bound::kStrict);
  if (asked.has("inference") && !(problem.arrival_rate_hz > 0)) {
    throw UsageError("inference needs an arrival rate", "arrival_rate_hz",
                     "give requests per second");
  }
  problem.check(asked.has("inference"));
  question.strategy = asked.text("strategy", question.strategy);
  const auto& strategy = schedule::find_plan_strategy(question.strategy);
  const std::string when = "with strategy " + question.strategy;
  if (strategy.every_point) {
    asked.refuse({"profiles"}, when, "it knows every point of the sweeps");
  }
  if (!strategy.uses_prior) {
    asked.refuse({"training_references", "inference_references"}, when, "it learns from none");
  }
  question.profiles = asked.whole("profiles", kCounts, question.profiles);
  question.idle_power_w = asked.quantity("idle_power_w", kIdleWatts);
  question.seed = asked.seed();
  question.inference_references = plain_sweeps(asked, "inference_references");
  question.training_references = plain_sweeps(asked, "training_references");
  question.workloads = workloads_of(asked);
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
  record<EstimateRow>(module, "Estimate", "What a model costs in one mode, by the board's twin.",
                      estimate_fields());
  auto made = answer_class<Estimates>(
      module, "Estimates", "What a model costs: a sequence of Estimate, in the order asked.",
      answer_fields(), estimate_fields());
  made.def_property_readonly(
      "left_out",
      [](Self<Estimates> self) {
        py::list list;
        for (const auto& [name, reason] : self->found.left_out) {
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
