// Finds the best power mode and batch within limits.
#include "ridgewatt/answer/tune.h"

#include "python/binding/parameters.h"
#include "python/binding/questions.h"
#include "python/binding/tuning.h"
#include "ridgewatt/answer/tune_request.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/report/tune_report.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::python {
namespace {

using answer::TuneAnswer;
using answer::TuneForms;
using answer::TuneQuestion;

struct Tuned {
  TuneAnswer found;
  answer::TuneRanking ranking;     // by board or runtime; empty if only one was given
  std::vector<std::string> given;  // remarks on the given rows, or on a search in place
  std::vector<tune::ComparedPoint>
      rows;  // the answer (or the nearest miss), then points for comparison

  std::string_view command_name() const { return answer::tune_parameters().command; }
  Json json() const {
    return ranking.answers.empty() ? report::tune_to_json(found) : report::ranking_to_json(ranking);
  }
  std::vector<std::string> remarks() const {
    std::vector<std::string> lines = given;
    const auto add = [&](std::vector<std::string> more) {
      for (auto& line : more) lines.push_back(std::move(line));
    };
    if (found.source.caveats) add(found.source.caveats->lines());
    add(report::tune_sentences(found));
    add(report::tune_cautions(found));
    if (!ranking.answers.empty()) add(report::ranking_remarks(ranking));
    return lines;
  }
};

const Fields<Tuned>& tuned_fields() {
  using T = Tuned;
  static const Fields<T> fields = {
      {"feasible", [](const T& t) { return t.found.outcome.best.has_value(); },
       "whether a point meets every limit; then best contains it, otherwise miss contains the "
       "nearest point"},
      {"workload", [](const T& t) { return t.found.source.workload; }, "name of the workload"},
      {"device", [](const T& t) { return t.found.source.device.value_or(""); },
       "name of the board; empty if none was given"},
      {"minimize", [](const T& t) { return std::string(name_of(t.found.outcome.goal.objective)); },
       "the objective that is minimized"},
      {"strategy", [](const T& t) { return t.found.trace.strategy; },
       "strategy that chose the profiled points"},
      {"provenance", [](const T& t) { return std::string(name_of(t.found.source.provenance)); },
       "measured, replayed, profiled, predicted, modelled or fake"},
      {"remark", [](const T& t) { return t.found.source.remark.value_or(""); },
       "what the figures are based on, as text"},
      {"stop", [](const T& t) { return t.found.trace.stopped_because.value_or(""); },
       "why the search ended; empty without a search"},
      {"near_best", [](const T& t) { return t.found.trace.near_best; },
       "probability that no other point is better by more than 1 %; None without a search"},
      {"advice", [](const T& t) { return t.found.outcome.advice.value_or(""); },
       "without an answer: what to do instead, as text"},
      {"considered", [](const T& t) { return static_cast<std::int64_t>(t.found.trace.considered); },
       "number of candidate operating points"},
      {"memory_bytes",
       [](const T& t) {
         return t.found.outcome.memory ? std::optional(t.found.outcome.memory->needed_bytes())
                                       : std::nullopt;
       },
       "memory that the answer needs (bytes); None if unknown"},
      {"search_time_s", [](const T& t) { return t.found.trace.board_time_s; },
       "time on the board for all profiles (s)"},
      {"search_energy_j", [](const T& t) { return t.found.trace.board_energy_j; },
       "energy of all profiles (J)"},
      {"job_time_s",
       [](const T& t) {
         return t.found.outcome.job ? std::optional(t.found.outcome.job->time_s) : std::nullopt;
       },
       "time of the job (s); None if no job was given"},
      {"job_energy_j",
       [](const T& t) {
         return t.found.outcome.job ? std::optional(t.found.outcome.job->energy_j) : std::nullopt;
       },
       "energy of the job (J); None if no job was given"},
      {"left_out", [](const T& t) { return t.found.trace.left_out; }, "what was left out and why"}};
  return fields;
}

}  // namespace

TuneQuestion tune_question(Arguments& asked, const answer::Form& way) {
  answer::TuneRequest request;
  fill(asked, answer::search_parameters(), &request);
  check(asked, answer::search_parameters(), &request,
        forms_of(request, way, answer::Surface::kPython));
  return request.asked();
}

namespace {

std::shared_ptr<Tuned> tuned(TuneAnswer found, answer::TuneRanking ranking = {},
                             std::vector<std::string> given = {}) {
  auto made = std::make_shared<Tuned>();
  const auto& best = found.outcome.best;
  const auto& miss = found.outcome.miss;
  if (const auto& first = best ? best : miss) {
    made->rows.push_back(*first);
    made->rows.front().name = best ? "answer" : "nearest miss";
  }
  for (const auto& other : found.outcome.compared) made->rows.push_back(other);
  made->found = std::move(found);
  made->ranking = std::move(ranking);
  made->given = std::move(given);
  return made;
}

}  // namespace

py::object tuned_answer(TuneAnswer found, std::vector<std::string> remarks) {
  return py::cast(tuned(std::move(found), {}, std::move(remarks)));
}

namespace {

using Workload = std::shared_ptr<const workload::DeployedWorkload>;

std::shared_ptr<Tuned> best_of(answer::TuneRanking ranking) {
  if (ranking.answers.empty()) throw NoSolutionError("no board has an answer within the limits");
  TuneAnswer best = ranking.answers.front();
  best.trace.left_out = ranking.left_out;
  return tuned(std::move(best), std::move(ranking));
}

std::shared_ptr<Tuned> ask_twin(const answer::TuneRequest& request, const Workload& workload) {
  const bool every_board = request.device == "all", every_runtime = request.workload.all_runtimes;
  if (request.question.verify > 0 && (every_board || every_runtime)) {
    throw UsageError("one board and runtime are verified at a time", "verify",
                     "give device=BOARD and runtime=NAME");
  }
  if (every_board && every_runtime) {
    throw UsageError("boards and runtimes cannot both be all", "",
                     "name a board with device, or a runtime");
  }
  answer::TuneReply reply = answer::answer_on_twin(request, workload);
  return reply.ranking ? best_of(*std::move(reply.ranking)) : tuned(std::move(reply.answer));
}

// The model that was given in addition to rows. A model given by name gets the kind of the rows.
Workload model_of_rows(Arguments& asked, answer::WorkloadQuestion named, Sweep& rows) {
  named.kind = workload_kind_of(rows.kind);
  Workload workload = workload_of(asked, named);
  require_kind_of(workload.get(), rows);
  return workload;
}

// Answers from rows: a sweep, which takes the place of the board, or samples, from which all other
// points are predicted.
std::shared_ptr<Tuned> ask_rows(Arguments& asked, const answer::TuneRequest& request,
                                const char* name) {
  const bool keep = request.keep_outliers, sweep = std::string(name) == "sweep";
  answer::ProfiledRows rows;
  rows.device = request.device;
  Sweep raw = raw_sweep(name, asked.object(name), asked.maybe_text("workload"));
  rows.rows = sweep ? trusted_sweep(asked, std::move(raw), keep)
                    : trusted_samples(asked, std::move(raw), keep, request.device);
  rows.references = references_of(asked, keep);
  rows.workload = model_of_rows(asked, request.workload, rows.rows);
  const py::object progress = asked.progress();
  asked.done();
  if (!sweep && request.question.verify > 0 && !rows.workload) {
    throw UsageError("verification needs the model and its board", "verify",
                     "give a model and device=BOARD");
  }
  return without_gil(
      [&] {
        return tuned(answer::answer_from_rows(
                         request, rows, sweep ? answer::RowsOf::kSweep : answer::RowsOf::kSamples),
                     {}, asked.remarks());
      },
      progress);
}

std::shared_ptr<Tuned> ask(const py::kwargs& given) {
  Arguments asked(given);
  answer::TuneRequest request;
  const answer::ParameterTable& table = answer::tune_parameters();
  fill(asked, table, &request);
  const bool sweep = asked.has("sweep"), samples = asked.has("samples");
  if (sweep) asked.refuse({"samples"}, "with a sweep", "give one of them");
  const answer::Form& way = sweep     ? TuneForms::kSweep
                            : samples ? TuneForms::kSamples
                                      : TuneForms::kTwin;
  check(asked, table, &request, forms_of(request, way, answer::Surface::kPython));
  if (sweep || samples) return ask_rows(asked, request, sweep ? "sweep" : "samples");
  if (!asked.has("model")) {
    throw UsageError("nothing to tune", "", "give a model and device=BOARD, a sweep or samples");
  }
  const Workload workload = workload_of(asked, request.workload);
  const py::object progress = asked.progress();
  asked.done();
  request.device = device_or_local(request.device);
  return without_gil([&] { return ask_twin(request, workload); }, progress);
}

tune::ComparedPoint best_point(Self<Tuned> self) {
  if (self->found.outcome.best) return self->rows.front();
  throw NoSolutionError("no answer within the limits",
                        report::describe_goal(self->found.outcome.goal),
                        report::how_to_relax(self->found));
}

void add_parts(Class<Tuned>& made) {
  made.def_property_readonly(
      "best", &best_point,
      "the answer, a TunedPoint. Raises NoSolutionError if no point meets the limits");
  made.def_property_readonly(
      "miss",
      [](Self<Tuned> self) -> py::object {
        if (self->found.outcome.best || self->rows.empty()) return py::none();
        return py::cast(self->rows.front());
      },
      "without an answer: the TunedPoint nearest to the limits; otherwise None");
  made.def_property_readonly(
      "relaxations", [](Self<Tuned> self) { return list_of(self->found.outcome.relaxations); },
      "without an answer: a list of Relaxation, single limits whose relaxation permits an answer");
  made.def_property_readonly(
      "mends",
      [](Self<Tuned> self) {
        constexpr char kRemark[] = "Tuned.mends is deprecated: use Tuned.relaxations";
        if (PyErr_WarnEx(PyExc_DeprecationWarning, kRemark, 1) < 0) throw py::error_already_set();
        return list_of(self->found.outcome.relaxations);
      },
      "deprecated name of relaxations");
  made.def_property_readonly(
      "other_boards", [](Self<Tuned> self) { return list_of(self->found.outcome.boards); },
      "without an answer: a list of BoardWithAnswer, other boards that meet all limits");
  made.def_property_readonly(
      "profiled", [](Self<Tuned> self) { return list_of(report::profiled_points(self->found)); },
      "profiled points, a list of SearchStep in the order of profiling");
  made.def_property_readonly(
      "next", [](Self<Tuned> self) { return list_of(self->found.trace.next); },
      "with `verify`: points that the user should profile next, a list of NextProfile");
  made.def_property_readonly(
      "confidence",
      [](Self<Tuned> self) {
        const auto& best = self->found.outcome.best;
        return best ? dict_of(best->confidence) : py::dict();
      },
      kConfidenceText);
  made.def_property_readonly(
      "origin", [](Self<Tuned> self) { return self->found.source.origin; }, "origin of the rows");
  made.def_property_readonly(
      "ranking",
      [](Self<Tuned> self) {
        py::list list;
        for (const auto& one : self->ranking.answers) list.append(tuned(one));
        return list;
      },
      "for device=\"all\" or runtime=\"all\": a list of Tuned, the best first. Those without an "
      "answer follow, the nearest to the limits first");
}

}  // namespace

py::dict dict_of(const std::vector<tune::LimitConfidence>& limits) {
  py::dict probabilities;
  for (const auto& limit : limits) {
    probabilities[py::str(std::string(name_of(limit.kind)))] = limit.probability;
  }
  return probabilities;
}

void bind_tune(py::module_& module) {
  static const auto kPoint = attributes(report::point_fields());
  static const auto kProfiled = attributes(report::profiled_fields());
  static const auto kRelaxation = attributes(report::relaxation_fields());
  static const auto kNext = attributes(report::next_fields());
  static const auto kBoard = attributes(report::other_board_fields());
  record<tune::ComparedPoint>(
      module, "TunedPoint", "An operating point with its costs and their 90 % intervals.", kPoint);
  record<report::ProfiledPoint>(module, "SearchStep", "A point that a search profiled.", kProfiled);
  record<answer::Relaxation>(
      module, "Relaxation",
      "A limit that can be relaxed: if only this limit has the new value, there is an answer.",
      kRelaxation);
  record<answer::NextProfile>(module, "NextProfile", "A point that the user should profile next.",
                              kNext);
  record<answer::BoardWithAnswer>(module, "BoardWithAnswer", "Another board that meets all limits.",
                                  kBoard);
  auto made = answer_class<Tuned>(
      module, "Tuned",
      "The result of tune(): a sequence of TunedPoint. The first is the answer or, without one, "
      "the nearest miss. The others are points for comparison, such as presets.",
      tuned_fields(), kPoint);
  made.def(
      "__bool__", [](Self<Tuned> self) { return self->found.outcome.best.has_value(); },
      "Returns whether a point meets the limits.");
  add_parts(made);
  module.def("tune", &ask);
}

}  // namespace ridgewatt::python
