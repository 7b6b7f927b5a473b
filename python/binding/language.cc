// Estimates of a language model's cost with an engine, in the modes of a board, and its best modes.
#include <utility>

#include "python/binding/parameters.h"
#include "python/binding/questions.h"
#include "ridgewatt/answer/language_tune.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/report/language_report.h"

namespace ridgewatt::python {
namespace {

using answer::LanguageAnswer;
using answer::LanguagePlan;

// A row of the answer with the values to which it refers.
struct LanguageEstimate {
  std::string board, runtime, quantization;
  PowerMode mode;
  std::string preset;
  llm::Forecast forecast;
  llm::Fit fit;
  bool on_front = false;
};

struct BoundLanguage {
  LanguageAnswer found;
  std::vector<LanguageEstimate> rows;
  std::string_view command_name() const { return answer::llm_parameters().command; }
  Json json() const { return report::language_json(found); }
  std::vector<std::string> remarks() const { return report::language_remarks(found); }
};

using Bounded = decltype(llm::Forecast::ttft_s);

template <double Bounded::*End, Bounded llm::Forecast::*Of>
double figure(const llm::Forecast& forecast) {
  return (forecast.*Of).*End;
}
double time_of_request(const llm::Forecast& forecast) {
  return forecast.request_s;
}

// A figure of the forecast that `t` contains. `Of` returns this forecast, or a pointer that is null
// if there is none; then the figure is optional.
template <class T, auto Of, double (*Figure)(const llm::Forecast&)>
auto figure_of(const T& t) {
  if constexpr (std::is_pointer_v<decltype(Of(t))>) {
    const llm::Forecast* forecast = Of(t);
    return forecast == nullptr ? std::nullopt : std::optional(Figure(*forecast));
  } else {
    return Figure(Of(t));
  }
}

// Fields for the figures of the forecast that a `T` contains.
template <class T, auto Of>
Fields<T> forecast_fields() {
  using F = llm::Forecast;
  constexpr auto kValue = &Bounded::value, kLow = &Bounded::low, kHigh = &Bounded::high;
  return {{"ttft_s", &figure_of<T, Of, &figure<kValue, &F::ttft_s>>,
           "time to the first token, which includes reading the prompt (s)"},
          {"ttft_lo_s", &figure_of<T, Of, &figure<kLow, &F::ttft_s>>,
           "lower end of the 90 % interval of ttft_s (s)"},
          {"ttft_hi_s", &figure_of<T, Of, &figure<kHigh, &F::ttft_s>>,
           "upper end of the 90 % interval of ttft_s (s)"},
          {"tpot_s", &figure_of<T, Of, &figure<kValue, &F::tpot_s>>,
           "time per further token of a sequence, mean over the generated tokens (s)"},
          {"tpot_lo_s", &figure_of<T, Of, &figure<kLow, &F::tpot_s>>,
           "lower end of the 90 % interval of tpot_s (s)"},
          {"tpot_hi_s", &figure_of<T, Of, &figure<kHigh, &F::tpot_s>>,
           "upper end of the 90 % interval of tpot_s (s)"},
          {"tokens_per_s", &figure_of<T, Of, &figure<kValue, &F::tokens_per_s>>,
           "output tokens of all sequences per second while decoding (1/s)"},
          {"tokens_lo_per_s", &figure_of<T, Of, &figure<kLow, &F::tokens_per_s>>,
           "lower end of the 90 % interval of tokens_per_s (1/s)"},
          {"tokens_hi_per_s", &figure_of<T, Of, &figure<kHigh, &F::tokens_per_s>>,
           "upper end of the 90 % interval of tokens_per_s (1/s)"},
          {"prefill_power_w", &figure_of<T, Of, &figure<kValue, &F::prefill_power_w>>,
           "power of the board while it reads the prompt (W)"},
          {"prefill_power_lo_w", &figure_of<T, Of, &figure<kLow, &F::prefill_power_w>>,
           "lower end of the 90 % interval of prefill_power_w (W)"},
          {"prefill_power_hi_w", &figure_of<T, Of, &figure<kHigh, &F::prefill_power_w>>,
           "upper end of the 90 % interval of prefill_power_w (W)"},
          {"decode_power_w", &figure_of<T, Of, &figure<kValue, &F::decode_power_w>>,
           "power of the board while it generates tokens (W)"},
          {"decode_power_lo_w", &figure_of<T, Of, &figure<kLow, &F::decode_power_w>>,
           "lower end of the 90 % interval of decode_power_w (W)"},
          {"decode_power_hi_w", &figure_of<T, Of, &figure<kHigh, &F::decode_power_w>>,
           "upper end of the 90 % interval of decode_power_w (W)"},
          {"joules_per_token", &figure_of<T, Of, &figure<kValue, &F::joules_per_token>>,
           "energy per output token of any sequence during decoding (J)"},
          {"joules_lo_per_token", &figure_of<T, Of, &figure<kLow, &F::joules_per_token>>,
           "lower end of the 90 % interval of joules_per_token (J)"},
          {"joules_hi_per_token", &figure_of<T, Of, &figure<kHigh, &F::joules_per_token>>,
           "upper end of the 90 % interval of joules_per_token (J)"},
          {"request_j", &figure_of<T, Of, &figure<kValue, &F::request_j>>,
           "energy of one request, from its prompt to its last token (J)"},
          {"request_lo_j", &figure_of<T, Of, &figure<kLow, &F::request_j>>,
           "lower end of the 90 % interval of request_j (J)"},
          {"request_hi_j", &figure_of<T, Of, &figure<kHigh, &F::request_j>>,
           "upper end of the 90 % interval of request_j (J)"},
          {"request_s", &figure_of<T, Of, &time_of_request>, "time of one request (s)"}};
}

constexpr char kBound[] = "what takes most of a decoding step: weights, cache, launches ..";

const llm::Forecast& forecast_of_row(const LanguageEstimate& row) {
  return row.forecast;
}

const Fields<LanguageEstimate>& row_fields() {
  using R = LanguageEstimate;
  static const Fields<R> fields = [] {
    Fields<R> all = {
        {"board", [](const R& r) { return r.board; }, "name of the board"},
        {"runtime", [](const R& r) { return r.runtime; }, "name of the engine"},
        {"quantization", [](const R& r) { return r.quantization; }, "quantization of the weights"},
        {"mode", [](const R& r) { return r.mode; }, "power mode"},
        {"preset", [](const R& r) { return r.preset; },
         "name of the board's preset with this mode; empty if there is none"}};
    for (auto& field : forecast_fields<R, forecast_of_row>()) all.push_back(field);
    all.push_back({"bound", [](const R& r) { return r.forecast.limited_by; }, kBound});
    all.push_back({"memory_bytes",
                   [](const R& r) { return answer::LanguageMemory::needed_bytes(r.fit); },
                   "memory of weights, cache, buffers and process after the last token (bytes)"});
    all.push_back({"left_bytes", [](const R& r) { return r.fit.left_bytes(); },
                   "memory of the board that is left, after the system's share (bytes)"});
    all.push_back({"fits", [](const R& r) { return r.fit.fits(); },
                   "whether the model fits the memory: left_bytes >= 0; the other values are "
                   "modelled in any case"});
    all.push_back(
        {"largest_context", [](const R& r) { return r.fit.largest_context; },
         "tokens per sequence that fit with this number of sequences; 0 if not even one fits"});
    all.push_back({"largest_batch", [](const R& r) { return r.fit.largest_batch; },
                   "number of sequences that fit with this number of tokens"});
    all.push_back({"on_front", [](const R& r) { return r.on_front; },
                   "whether the row is on the Pareto front: no other row of its quantization that "
                   "fits has both more tokens per second and fewer joules per token"});
    return all;
  }();
  return fields;
}

const Fields<BoundLanguage>& language_fields() {
  using A = BoundLanguage;
  static const Fields<A> fields = {
      {"model", [](const A& a) { return a.found.model.name; }, "name of the model"},
      {"source", [](const A& a) { return a.found.model.source; },
       "path of the model, or source of the numbers of a zoo model"},
      {"prompt", [](const A& a) { return a.found.question.request.prompt_tokens; },
       "tokens of the prompt"},
      {"generate", [](const A& a) { return a.found.question.request.generated_tokens; },
       "generated tokens"},
      {"concurrency", [](const A& a) { return a.found.question.request.concurrency; },
       "number of simultaneous sequences"},
      {"provenance", [](const A&) { return std::string("modelled"); }, "always \"modelled\""}};
  return fields;
}

// Reads the arguments. Without a device, uses the board of this machine.
template <class Request>
py::object read_request(const py::kwargs& given, const answer::ParameterTable& table,
                        Request& request, answer::LanguageRequest& language) {
  Arguments asked(given);
  fill(asked, table, &request);
  const py::object progress = asked.progress();
  asked.done();
  language.device = device_or_local(language.device);
  return progress;
}

std::shared_ptr<BoundLanguage> estimate_language(const py::kwargs& given) {
  answer::LanguageRequest asked;
  const py::object progress = read_request(given, answer::llm_parameters(), asked, asked);
  return without_gil(
      [&] {
        auto made = std::make_shared<BoundLanguage>();
        made->found = answer::ask_language(asked);
        const LanguageAnswer& found = made->found;
        for (const auto& row : found.rows) {
          const auto& setting = found.setting_of(row);
          made->rows.push_back({report::board_label(found.board_of(row)), setting.engine->name,
                                found.quantization_of(row), row.mode,
                                preset_name(found.board_of(row), row.mode), row.forecast,
                                found.memory_of(row).fit, row.on_front});
        }
        return made;
      },
      progress);
}

// The best plan for one board, engine and quantization, or the nearest miss.
struct LanguageTuned {
  std::string board, runtime, quantization;
  bool fits = true, feasible = false;
  std::size_t considered = 0;
  std::optional<LanguagePlan> plan = {};  // absent: the model does not fit
  std::vector<std::string> misses;
};

struct BoundLanguageTuned {
  std::string path;  // path of the model, as given
  answer::LanguageTuneAnswer found;
  std::vector<LanguageTuned> rows;
  std::string_view command_name() const { return answer::tune_llm_parameters().command; }
  Json json() const { return report::language_tune_json(found); }
  std::vector<std::string> remarks() const { return report::language_remarks(found.language); }
};

const llm::Forecast* forecast_of_plan(const LanguageTuned& row) {
  return row.plan ? &row.plan->forecast : nullptr;
}

const Fields<LanguageTuned>& tuned_row_fields() {
  using R = LanguageTuned;
  static const Fields<R> fields = [] {
    Fields<R> all = {
        {"board", [](const R& r) { return r.board; }, "name of the board"},
        {"runtime", [](const R& r) { return r.runtime; }, "name of the engine"},
        {"quantization", [](const R& r) { return r.quantization; }, "quantization of the weights"},
        {"fits", [](const R& r) { return r.fits; },
         "whether the model fits the memory of the board"},
        {"feasible", [](const R& r) { return r.feasible; },
         "whether the model fits and a mode meets every limit; if not, the attributes are those of "
         "the nearest miss. If the model does not fit, no knob is set, and times, powers and "
         "energies are None"},
        {"mode", [](const R& r) { return r.plan ? r.plan->decode : PowerMode(); },
         "best power mode; with phases=True, that of decoding"},
        {"prefill_mode", [](const R& r) { return r.plan ? r.plan->prefill : PowerMode(); },
         "power mode of the prompt; the same as mode if one mode is used for both phases"},
        {"switch_s",
         [](const R& r) { return r.plan ? std::optional(r.plan->switch_s) : std::nullopt; },
         "time of a switch between the modes of the prompt and of decoding (s); 0 with one mode"}};
    for (auto& field : forecast_fields<R, forecast_of_plan>()) all.push_back(field);
    all.push_back({"bound",
                   [](const R& r) { return r.plan ? r.plan->forecast.limited_by : std::string(); },
                   kBound});
    all.push_back({"considered", [](const R& r) { return static_cast<std::int64_t>(r.considered); },
                   "number of compared modes"});
    all.push_back({"misses", [](const R& r) { return r.misses; }, "violated limits, as text"});
    return all;
  }();
  return fields;
}

const Fields<BoundLanguageTuned>& tuned_language_fields() {
  using A = BoundLanguageTuned;
  static const Fields<A> fields = {
      {"model", [](const A& a) { return a.found.language.model.name; }, "name of the model"},
      {"feasible", [](const A& a) { return a.rows.front().feasible; },
       "whether at least one setting meets every limit"},
      {"provenance", [](const A&) { return std::string("modelled"); }, "always \"modelled\""}};
  return fields;
}

LanguageTuned tuned_row(const LanguageAnswer& language, const answer::TunedLanguage& tuned) {
  const auto& setting = language.settings[tuned.setting];
  return {report::board_label(language.boards[setting.board]),
          setting.engine->name,
          language.weights[setting.weights].name,
          tuned.fits,
          tuned.best.has_value(),
          tuned.modes,
          tuned.best ? tuned.best : tuned.miss,
          tuned.broken};
}

std::shared_ptr<BoundLanguageTuned> tune(const py::kwargs& given) {
  answer::LanguageTuneRequest asked;
  const py::object progress =
      read_request(given, answer::tune_llm_parameters(), asked, asked.language);
  return without_gil(
      [&] {
        auto made = std::make_shared<BoundLanguageTuned>();
        made->path = asked.language.model;
        made->found = answer::tuned_language(asked);
        for (const auto& tuned : made->found.settings) {
          made->rows.push_back(tuned_row(made->found.language, tuned));
        }
        return made;
      },
      progress);
}

}  // namespace

void bind_language(py::module_& module) {
  record<LanguageEstimate>(
      module, "LanguageEstimate",
      "Estimated cost of a language model with one engine, quantization and power mode.",
      row_fields());
  auto made = answer_class<BoundLanguage>(
      module, "LanguageEstimates",
      "Estimated costs of a language model: a sequence of LanguageEstimate, sorted by board, "
      "quantization, engine and mode as they were given.",
      language_fields(), row_fields());
  made.def_property_readonly(
      "left_out",
      [](Self<BoundLanguage> self) {
        py::list list;
        for (const auto& one : self->found.left_out) {
          list.append(py::make_tuple(one.what, one.reason));
        }
        return list;
      },
      "(name, reason) of each combination that cannot run, and of each board that lacks the given "
      "modes");
  record<LanguageTuned>(
      module, "LanguageTuned",
      "The best power modes for a language model with one engine and quantization.",
      tuned_row_fields());
  auto tuned = answer_class<BoundLanguageTuned>(
      module, "LanguageTunes",
      "The best power modes for a language model: a sequence of LanguageTuned, one per board, "
      "quantization and engine, the best first.",
      tuned_language_fields(), tuned_row_fields());
  tuned.def_property_readonly(
      "best",
      [](Self<BoundLanguageTuned> self) {
        if (self->rows.front().feasible) return self->rows.front();
        const bool fits = self->rows.front().fits;
        throw NoSolutionError(
            fits ? "no mode meets the limits" : "the model does not fit any of the boards",
            self->path, fits ? "relax a limit" : "use a smaller quantization");
      },
      "the first LanguageTuned. Raises NoSolutionError if no setting meets the limits");
  module.def("llm_estimate", &estimate_language);
  module.def("llm_tune", &tune);
}

}  // namespace ridgewatt::python
