// Explains why a measured time is longer than the hardware permits.
#include "ridgewatt/answer/explain.h"

#include "python/binding/parameters.h"
#include "python/binding/questions.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/report/explain_report.h"

namespace ridgewatt::python {
namespace {

using report::ExplainLine;

struct Explanation {
  std::shared_ptr<const answer::ExplainAnswer> found;
  std::vector<ExplainLine> rows;
  std::string_view command_name() const { return answer::explain_parameters().command; }
  Json json() const { return report::explain_json(*found); }
  // Texts of the JSON, and what the layers of a profile cannot show.
  std::vector<std::string> remarks() const {
    std::vector<std::string> lines = found->caveats.lines();
    const Json whole = json();
    for (const char* key : {"sentences", "remarks"}) {
      if (!whole.contains(key)) continue;
      for (const Json& line : whole[key]) lines.push_back(line.get<std::string>());
    }
    if (found->profile) {
      const auto& more = found->profile->remarks;
      lines.insert(lines.end(), more.begin(), more.end());
    }
    return lines;
  }
};

const Fields<ExplainLine>& cause_fields() {
  static const Fields<ExplainLine> fields = attributes(report::explain_fields());
  return fields;
}

const Fields<Explanation>& explanation_fields() {
  using A = Explanation;
  static const Fields<A> fields = {
      {"time_of", [](const A& a) { return std::string(name_of(a.found->of)); },
       "what the times refer to: \"minibatch\", \"token\" or \"first token\""},
      {"measured_s", [](const A& a) { return a.found->time.measured; }, "measured time (s)"},
      {"expected_s", [](const A& a) { return a.found->time.expected; },
       "expected time: the estimate, scaled to the published time if that is given (s)"},
      {"expected_lo_s", [](const A& a) { return a.found->time.low; },
       "lower end of the 90 % interval of expected_s (s)"},
      {"expected_hi_s", [](const A& a) { return a.found->time.high; },
       "upper end of the 90 % interval of expected_s (s)"},
      {"measured_first_token_s",
       [](const A& a) {
         const auto& first = a.found->first_token;
         return first ? std::optional(first->measured) : std::nullopt;
       },
       "measured time to the first token (s), if the time per token was also given; else None. "
       "measured_s is then the time per token"},
      {"expected_first_token_s",
       [](const A& a) {
         const auto& first = a.found->first_token;
         return first ? std::optional(first->expected) : std::nullopt;
       },
       "expected time to the first token (s); None if measured_first_token_s is None"},
      {"gap_of", [](const A& a) { return std::string(name_of(a.found->gap_of)); },
       "time to which gap_s and the times and gains of the causes refer: time_of or, if the time "
       "to the first token deviates more, \"first token\""},
      {"gap_s", [](const A& a) { return a.found->gap_s(); },
       "measured minus expected time of gap_of (s)"},
      {"layers",
       [](const A& a) {
         const auto& profile = a.found->profile;
         return profile ? report::json_list(report::explained_layer_fields(), profile->rows)
                        : Json::array();
       },
       "layers of the profile as dicts, with the same keys as in JSON; empty without a profile"},
      {"expected_power_w", [](const A& a) { return a.found->expected_power_w; },
       "expected power (W)"},
      {"provenance", [](const A&) { return std::string(name_of(Provenance::kModelled)); },
       "always \"modelled\""}};
  return fields;
}

std::shared_ptr<Explanation> explain(const py::kwargs& given) {
  Arguments asked(given);
  answer::ExplainQuestion question;
  const answer::ParameterTable& table = answer::explain_parameters();
  fill(asked, table, &question);
  question.device = device_or_local(question.device);
  const auto workload = question.of_language() ? nullptr : workload_of(asked, question.workload);
  check(asked, table, &question);
  const py::object progress = asked.progress();
  asked.done();
  return without_gil(
      [&] {
        auto made = std::make_shared<Explanation>();
        made->found = std::make_shared<const answer::ExplainAnswer>(
            workload ? answer::explain(question, workload) : answer::explain(question));
        for (std::size_t i = 0; i < made->found->rows.size(); ++i) {
          made->rows.push_back({made->found, i});
        }
        return made;
      },
      progress);
}

}  // namespace

void bind_explain(py::module_& module) {
  record<ExplainLine>(module, "ExplainedCause", "A possible cause of a longer time than expected.",
                      cause_fields());
  answer_class<Explanation>(module, "Explanation",
                            "Possible causes of a longer time than expected: a sequence of "
                            "ExplainedCause, the most probable first.",
                            explanation_fields(), cause_fields())
      .def_property_readonly(
          "origin", [](Self<Explanation> self) { return self->found->origin; },
          "origin of the expected times");
  module.def("explain", &explain);
}

}  // namespace ridgewatt::python
