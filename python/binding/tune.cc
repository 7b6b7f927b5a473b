// Which power mode and batch is best within limits.
#include "ridgewatt/answer/tune.h"

#include "python/binding/questions.h"
#include "python/binding/tuning.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::python {
namespace {

using answer::TuneAnswer;
using answer::TuneQuestion;

// A point beside the goal that it is judged by.
struct TunedPoint {
  tune::ComparedPoint at;
  tune::Goal goal;

  bool feasible() const { return at.verdict.feasibility == tune::Feasibility::kFeasible; }
};

struct Tuned {
  TuneAnswer found;
  answer::TuneRanking ranking;   // of all boards or runtimes; empty: one was asked
  std::vector<TunedPoint> rows;  // the answer (or the nearest miss), then what it is compared with

  Json json() const {
    return ranking.answers.empty() ? report::tune_to_json(found) : report::ranking_to_json(ranking);
  }
};

const Fields<TunedPoint>& point_fields() {
  using P = TunedPoint;
  static const Fields<P> fields = {
      {"name", [](const P& p) { return p.at.name; },
       "\"answer\", \"nearest miss\", \"MAXN\", a preset, \"optimum of the sweep\""},
      {"mode", [](const P& p) { return p.at.point.mode; }, "the PowerMode"},
      {"batch", [](const P& p) { return p.at.point.batch; },
       "samples per minibatch; 0: not a dimension"},
      {"time_s", [](const P& p) { return p.at.cost.time_s.mean; }, "of a minibatch (s)"},
      {"time_lo_s", [](const P& p) { return p.at.cost.time_s.lo; }, "its lower end (s)"},
      {"time_hi_s", [](const P& p) { return p.at.cost.time_s.hi; }, "its upper end (s)"},
      {"power_w", [](const P& p) { return p.at.cost.power_w.mean; }, "mean over that time (W)"},
      {"power_lo_w", [](const P& p) { return p.at.cost.power_w.lo; }, "its lower end (W)"},
      {"power_hi_w", [](const P& p) { return p.at.cost.power_w.hi; }, "its upper end (W)"},
      {"energy_j", [](const P& p) { return p.at.cost.energy_j.mean; }, "of a minibatch (J)"},
      {"energy_lo_j", [](const P& p) { return p.at.cost.energy_j.lo; }, "its lower end (J)"},
      {"energy_hi_j", [](const P& p) { return p.at.cost.energy_j.hi; }, "its upper end (J)"},
      {"latency_s",
       [](const P& p) {
         return p.goal.rate_hz > 0 ? std::optional(tune::serving_latency_s(p.goal, p.at.point.batch,
                                                                           p.at.cost.time_s.mean))
                                   : std::nullopt;
       },
       "worst latency of a request (s); None without a rate"},
      {"objective", [](const P& p) { return p.at.objective; }, "per sample, SI"},
      {"preset", [](const P& p) { return p.at.preset; },
       "the board's preset with this mode; empty: none"},
      {"feasible", [](const P& p) { return p.feasible(); }, "its means keep every limit"}};
  return fields;
}

const Fields<tune::SearchStep>& step_fields() {
  using S = tune::SearchStep;
  static const Fields<S> fields = {
      {"mode", [](const S& s) { return s.seen.point.mode; }, "the PowerMode"},
      {"batch", [](const S& s) { return s.seen.point.batch; }, "samples per minibatch"},
      {"time_s", [](const S& s) { return s.seen.time_s; }, "of a minibatch (s)"},
      {"power_w", [](const S& s) { return s.seen.power_w; }, "mean over that time (W)"},
      {"energy_j", [](const S& s) { return s.seen.energy_j(); }, "of a minibatch (J)"},
      {"feasible", [](const S& s) { return s.verdict.feasibility == tune::Feasibility::kFeasible; },
       "it keeps every limit"},
      {"reason", [](const S& s) { return s.reason; }, "why it was profiled"}};
  return fields;
}

const Fields<answer::Mend>& mend_fields() {
  using M = answer::Mend;
  static const Fields<M> fields = {
      {"kind", [](const M& m) { return std::string(name_of(m.kind)); }, "the limit to loosen"},
      {"value", [](const M& m) { return m.value; },
       "what it has to be: SI, requests per second, or a share of slowdown"},
      {"mode", [](const M& m) { return m.at.mode; }, "the mode that then keeps every limit"},
      {"batch", [](const M& m) { return m.at.batch; }, "and its batch"}};
  return fields;
}

const Fields<answer::NextProfile>& next_fields() {
  using N = answer::NextProfile;
  static const Fields<N> fields = {
      {"mode", [](const N& n) { return n.point.mode; }, "the mode to profile"},
      {"batch", [](const N& n) { return n.point.batch; }, "at this batch"},
      {"reason", [](const N& n) { return n.reason; }, "why"}};
  return fields;
}

const Fields<answer::BoardWithAnswer>& board_fields() {
  using B = answer::BoardWithAnswer;
  static const Fields<B> fields = {
      {"name", [](const B& b) { return b.name; }, "a board that keeps all limits"},
      {"twin", [](const B& b) { return b.twin; }, "\"fitted\" or \"scaled, not validated\""},
      {"power_w", [](const B& b) { return b.power_w; }, "that it draws (W)"}};
  return fields;
}

const Fields<Tuned>& tuned_fields() {
  using T = Tuned;
  static const Fields<T> fields = {
      {"feasible", [](const T& t) { return t.found.answer.has_value(); },
       "a point keeps every limit: best holds it, else miss the nearest"},
      {"workload", [](const T& t) { return t.found.workload; }, "name"},
      {"device", [](const T& t) { return t.found.device; }, "board; empty: none was named"},
      {"minimize", [](const T& t) { return std::string(name_of(t.found.goal.objective)); },
       "the objective"},
      {"strategy", [](const T& t) { return t.found.strategy; }, "how points were chosen"},
      {"provenance", [](const T& t) { return std::string(name_of(t.found.provenance)); },
       "measured, replayed, profiled, predicted, modelled or fake"},
      {"remark", [](const T& t) { return t.found.remark; }, "what the figures rest on"},
      {"stop", [](const T& t) { return t.found.stop; }, "why the search ended"},
      {"advice", [](const T& t) { return t.found.advice; }, "without an answer: what else to do"},
      {"considered", [](const T& t) { return static_cast<std::int64_t>(t.found.considered); },
       "operating points that could have been chosen"},
      {"memory_bytes",
       [](const T& t) {
         return t.found.memory_known ? std::optional(t.found.memory.needed_bytes()) : std::nullopt;
       },
       "that the answer needs (bytes); None: not known"},
      {"search_time_s", [](const T& t) { return t.found.board_time_s; },
       "time on the board that the profiles took (s)"},
      {"search_energy_j", [](const T& t) { return t.found.board_energy_j; },
       "energy that they took (J)"},
      {"job_time_s",
       [](const T& t) { return t.found.job ? std::optional(t.found.job->time_s) : std::nullopt; },
       "of the job, where asked for (s)"},
      {"job_energy_j",
       [](const T& t) { return t.found.job ? std::optional(t.found.job->energy_j) : std::nullopt; },
       "of the job, where asked for (J)"},
      {"left_out", [](const T& t) { return t.found.left_out; },
       "what could not be profiled or asked, and why"}};
  return fields;
}

tune::Goal goal_of(Arguments& asked) {
  tune::Goal goal;
  const auto rate = asked.quantity("arrival_rate_hz", kHertz);
  const auto minimize = asked.maybe_text("minimize");
  goal.objective = minimize ? tune::parse_objective(*minimize)
                   : rate   ? tune::Objective::kLatency
                            : tune::Objective::kTime;
  constexpr double kNone = tune::Limits::kNone;
  goal.limits.power_w = asked.quantity("max_power_w", kWatts, kNone);
  goal.limits.time_s = asked.quantity("max_time_s", kSeconds, kNone);
  goal.limits.energy_j = asked.quantity("max_energy_j", kJoules, kNone);
  goal.limits.latency_s = asked.quantity("max_latency_s", kSeconds, kNone);
  goal.limits.slowdown = asked.quantity("max_slowdown", kSlowdown, kNone);
  goal.rate_hz = rate.value_or(0);
  if (!rate) {
    asked.refuse({"max_latency_s"}, "of its own without arrival_rate_hz",
                 "it counts how long a batch gathers; max_time_s limits a minibatch");
  }
  if (goal.objective != tune::Objective::kCost) {
    asked.refuse({"energy_weight", "time_weight"}, "without minimize=\"cost\"");
  }
  goal.energy_weight = asked.quantity("energy_weight", kWeight, 1);
  goal.time_weight = asked.quantity("time_weight", kWeight, 1);
  goal.check();
  return goal;
}

}  // namespace

TuneQuestion tune_question(Arguments& asked) {
  TuneQuestion question;
  question.goal = goal_of(asked);
  question.batches = asked.wholes("batch", kBatches);
  question.confidence = asked.quantity("confidence", kConfidence, 0.5);
  if (!asked.has("dataset_size")) asked.refuse({"epochs"}, "without dataset_size");
  question.job_samples =
      static_cast<double>(asked.whole("dataset_size", {"whole number", "", 1, 1e12}).value_or(0)) *
      asked.quantity("epochs", kPositive, 1);
  question.strategy = asked.maybe_text("strategy");
  if (question.strategy) tune::find_strategy(*question.strategy);
  question.budget.profiles = asked.whole("profiles", kCounts, question.budget.profiles);
  question.budget.minibatches = asked.whole("minibatches", kCounts, question.budget.minibatches);
  question.budget.time_s = asked.quantity("time_budget_s", kSeconds, question.budget.time_s);
  question.verify = asked.whole("verify", {"whole number", "", 0, 1000}, 0);
  if (question.verify > 0) question.budget.profiles = question.verify;
  question.min_gain = asked.quantity("min_gain", kShare, question.min_gain);
  question.noise = asked.quantity("noise", kShare, question.noise);
  question.seed = asked.seed();
  return question;
}

namespace {

std::shared_ptr<Tuned> tuned(TuneAnswer found, answer::TuneRanking ranking = {}) {
  auto made = std::make_shared<Tuned>();
  const auto& first = found.answer ? found.answer : found.miss;
  if (first) {
    made->rows.push_back({*first, found.goal});
    made->rows.front().at.name = found.answer ? "answer" : "nearest miss";
  }
  for (const auto& other : found.others) made->rows.push_back({other, found.goal});
  made->found = std::move(found);
  made->ranking = std::move(ranking);
  return made;
}

}  // namespace

py::object tuned_answer(TuneAnswer found) {
  return py::cast(tuned(std::move(found)));
}

namespace {

using Workload = std::shared_ptr<const workload::DeployedWorkload>;

std::shared_ptr<Tuned> best_of(answer::TuneRanking ranking) {
  if (ranking.answers.empty()) throw NoSolutionError("no board has an answer within the limits");
  TuneAnswer best = ranking.answers.front();
  best.left_out = ranking.left_out;
  return tuned(std::move(best), std::move(ranking));
}

// Which runtimes are asked: the one of the workload, or all.
struct AskedRuntimes {
  bool all = false;
  std::vector<workload::Precision> precisions;  // of all: empty: those that each is used in
};

AskedRuntimes runtimes_of(Arguments& asked) {
  AskedRuntimes runtimes;
  const py::object runtime = asked.object("runtime");
  runtimes.all = py::isinstance<py::str>(runtime) && same_word(runtime.cast<std::string>(), "all");
  if (!runtimes.all) return runtimes;
  if (const auto one = asked.choice<workload::Precision>("precision", "precision")) {
    runtimes.precisions = {*one};
  }
  asked.replace("runtime", py::none());
  return runtimes;
}

std::shared_ptr<Tuned> ask_twin(const TuneQuestion& question, const Workload& workload,
                                const std::string& device, const AskedRuntimes& runtimes) {
  if (question.verify > 0 && (device == "all" || runtimes.all)) {
    throw UsageError("one board and runtime are verified at a time", "verify",
                     "give device=BOARD and runtime=NAME");
  }
  if (device == "all" && runtimes.all) {
    throw UsageError("boards and runtimes cannot both be all", "",
                     "name a board with device, or a runtime");
  }
  if (device == "all") return best_of(answer::rank_boards(question, workload));
  if (runtimes.all) {
    return best_of(answer::rank_runtimes(question, workload, device, runtimes.precisions));
  }
  TuneAnswer found = question.verify > 0 ? answer::verify_by_hand(question, workload, device, {})
                                         : answer::tune_on_twin(question, workload, device);
  answer::find_alternatives(question, workload, found);
  return tuned(std::move(found));
}

// A model that is one more thing known beside rows: of their kind, where it is given by name.
Workload model_beside(Arguments& asked, const Sweep& rows, const std::string& device) {
  if (device.empty()) {
    asked.refuse({"model"}, "without device", "its twin is to be a reference");
  }
  asked.refuse({"training"}, "beside a sweep or samples", "their kind counts");
  const py::object given = asked.object("model");
  const Workload named = workload_of(asked);
  if (!named || py::isinstance<workload::DeployedWorkload>(given)) return named;
  workload::DeployOptions options = named->options();
  options.kind = workload_kind_of(rows.kind);
  return std::make_shared<const workload::DeployedWorkload>(named->name(), options);
}

std::shared_ptr<Tuned> ask_rows(Arguments& asked, const TuneQuestion& question, const char* name,
                                const std::string& device) {
  const bool keep = asked.flag("keep_outliers"), sweep = std::string(name) == "sweep";
  const auto workload = asked.maybe_text("workload");
  answer::ProfiledRows rows;
  rows.device = device;
  Sweep raw = raw_sweep(name, asked.object(name), workload);
  rows.rows =
      sweep ? trusted_sweep(std::move(raw), keep) : trusted_samples(std::move(raw), keep, device);
  rows.references = references_of(asked, keep);
  rows.workload = model_beside(asked, rows.rows, device);
  if (sweep) asked.refuse({"confidence"}, "with a sweep");
  if (!sweep) asked.refuse({"strategy"}, "with samples", "nothing is profiled");
  const py::object progress = asked.progress();
  asked.done();
  if (sweep)
    return without_gil([&] { return tuned(answer::tune_on_sweep(question, rows)); }, progress);
  if (question.verify == 0) {
    return without_gil([&] { return tuned(answer::tune_from_samples(question, rows)); }, progress);
  }
  if (!rows.workload) {
    throw UsageError("a twin's answer is verified, so the model and its board are needed", "verify",
                     "give a model and device=BOARD");
  }
  return without_gil(
      [&] { return tuned(answer::verify_by_hand(question, rows.workload, device, rows.rows)); },
      progress);
}

std::shared_ptr<Tuned> ask(const py::kwargs& given) {
  Arguments asked(given);
  const TuneQuestion question = tune_question(asked);
  const std::string device = device_of(asked);
  const bool sweep = asked.has("sweep"), samples = asked.has("samples");
  if (sweep) asked.refuse({"samples"}, "with a sweep", "give one of them");
  if (sweep || samples) return ask_rows(asked, question, sweep ? "sweep" : "samples", device);
  if (!asked.has("model")) {
    throw UsageError("nothing to tune", "", "give a model and device=BOARD, a sweep or samples");
  }
  asked.refuse({"references", "workload", "keep_outliers"}, "on a twin",
               "they go with a sweep or samples");
  if (question.strategy) {
    asked.refuse({"confidence"}, "with a strategy",
                 "without it every point is judged with its interval");
  } else {
    asked.refuse({"profiles", "time_budget_s", "minibatches", "min_gain", "noise"},
                 "on a twin without a strategy", "every point is estimated, none is profiled");
  }
  const AskedRuntimes runtimes = runtimes_of(asked);
  const Workload workload = workload_of(asked);
  const py::object progress = asked.progress();
  asked.done();
  const std::string board = device_or_at_hand(device);
  return without_gil([&] { return ask_twin(question, workload, board, runtimes); }, progress);
}

TunedPoint best_point(Self<Tuned> self) {
  if (self->found.answer) return self->rows.front();
  throw NoSolutionError("no answer within the limits", report::describe_goal(self->found.goal),
                        report::how_to_mend(self->found));
}

void add_parts(Class<Tuned>& made) {
  made.def_property_readonly("best", &best_point,
                             "the TunedPoint that is the answer; NoSolutionError without one, with "
                             "the line of the command line");
  made.def_property_readonly(
      "miss",
      [](Self<Tuned> self) -> py::object {
        if (self->found.answer || self->rows.empty()) return py::none();
        return py::cast(self->rows.front());
      },
      "without an answer: the TunedPoint nearest to the limits");
  made.def_property_readonly(
      "mends", [](Self<Tuned> self) { return list_of(self->found.mends); },
      "without an answer: a list of Mend, limits that would mend it alone");
  made.def_property_readonly(
      "other_boards", [](Self<Tuned> self) { return list_of(self->found.boards); },
      "without an answer: a list of BoardWithAnswer, boards that keep all limits");
  made.def_property_readonly(
      "profiled", [](Self<Tuned> self) { return list_of(self->found.profiled); },
      "what was profiled, a list of SearchStep in order");
  made.def_property_readonly(
      "next", [](Self<Tuned> self) { return list_of(self->found.next); },
      "by hand: a list of NextProfile");
  made.def_property_readonly(
      "confidence",
      [](Self<Tuned> self) {
        py::dict kept;
        for (const auto& limit : self->found.confidence) {
          kept[py::str(std::string(name_of(limit.kind)))] = limit.probability;
        }
        return kept;
      },
      "of an estimate: probability that each limit is kept, by its kind");
  made.def_property_readonly(
      "origin", [](Self<Tuned> self) { return self->found.origin; }, "the Origin of its rows");
  made.def_property_readonly(
      "ranking",
      [](Self<Tuned> self) {
        py::list list;
        for (const auto& one : self->ranking.answers) list.append(tuned(one));
        return list;
      },
      "of device=\"all\" or runtime=\"all\": a list of Tuned, the best first");
}

}  // namespace

void bind_tune(py::module_& module) {
  record<TunedPoint>(module, "TunedPoint",
                     "An operating point and what it costs; interval of 90 %.", point_fields());
  record<tune::SearchStep>(module, "SearchStep", "A point that a search profiled.", step_fields());
  record<answer::Mend>(module, "Mend", "A limit that mends a question without answer.",
                       mend_fields());
  record<answer::NextProfile>(module, "NextProfile", "What to profile next by hand.",
                              next_fields());
  record<answer::BoardWithAnswer>(module, "BoardWithAnswer", "Another board.", board_fields());
  auto made = answer_class<Tuned>(
      module, "Tuned",
      "What tune() found: a sequence of TunedPoint, the answer (or the nearest miss) first, then "
      "what it is compared with.",
      tuned_fields(), point_fields());
  made.def(
      "__bool__", [](Self<Tuned> self) { return self->found.answer.has_value(); },
      "There is an answer within the limits.");
  add_parts(made);
  module.def("tune", &ask);
}

}  // namespace ridgewatt::python
