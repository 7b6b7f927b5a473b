// Language models: whether they fit a board.
#include <limits>

#include "python/binding/parameters.h"
#include "python/binding/questions.h"
#include "ridgewatt/answer/fits.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/report/analysis_report.h"

namespace ridgewatt::python {
namespace {

struct BoundFits {
  answer::FitsAnswer found;
  std::vector<llm::Fit> rows;
  std::string_view command_name() const { return answer::fits_parameters().command; }
  Json json() const { return report::fits_json(found.model, found.options, rows); }
  std::vector<std::string> remarks() const { return found.model.remarks; }
};

// Empty for NaN, which stands for an unknown value.
std::optional<double> known(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::optional<double> count_of(const llm::LanguageModel& model,
                               std::int64_t (*count)(const llm::Description&)) {
  if (!model.weights_known) return std::nullopt;
  return static_cast<double>(count(model.description));
}

const Fields<llm::Fit>& fit_fields() {
  using F = llm::Fit;
  static const Fields<F> fields = {
      {"board", [](const F& f) { return f.board; }, "name of the board"},
      {"quantization", [](const F& f) { return f.quantization; }, "quantization of the weights"},
      {"fits", [](const F& f) { return f.fits(); }, "whether the model fits: left_bytes >= 0"},
      {"left_bytes", [](const F& f) { return f.left_bytes(); },
       "memory of the board that is left after all parts below (bytes)"},
      {"board_bytes", [](const F& f) { return f.board_bytes; },
       "memory of the board, as Linux reports it (bytes)"},
      {"system_bytes", [](const F& f) { return f.system_bytes; },
       "memory for the system and other programs (bytes)"},
      {"runtime_bytes", [](const F& f) { return f.runtime_bytes; },
       "memory of the engine's process without a model (bytes)"},
      {"weights_bytes", [](const F& f) { return f.weights_bytes; },
       "memory of the stored weights (bytes)"},
      {"kv_bytes", [](const F& f) { return f.kv_bytes; },
       "memory of the key-value cache at this context and batch (bytes)"},
      {"buffer_bytes", [](const F& f) { return f.buffer_bytes; },
       "memory of the buffers for computation (bytes)"},
      {"bits_per_weight", [](const F& f) { return known(f.bits_per_weight); },
       "mean over all weights (bits); None if their number is unknown"},
      {"largest_context", [](const F& f) { return f.largest_context; },
       "tokens per sequence that fit at this batch; 0 if not even one fits"},
      {"largest_batch", [](const F& f) { return f.largest_batch; },
       "number of sequences that fit at this context"},
      {"decode_bytes", [](const F& f) { return known(f.decode_bytes); },
       "memory traffic of one decoding step (bytes); None if unknown"},
      {"decode_flop", [](const F& f) { return known(f.decode_flop); },
       "operations of one decoding step (FLOP); None if unknown"},
      {"sum", [](const llm::Fit& f) { return report::fits_text(f); },
       "the memory balance as text: board - system - runtime - weights - cache - buffers = left"}};
  return fields;
}

const Fields<BoundFits>& fits_fields() {
  using A = BoundFits;
  static const Fields<A> fields = {
      {"model", [](const A& a) { return a.found.model.name; }, "name of the model"},
      {"source", [](const A& a) { return a.found.model.source; },
       "path of the model, or source of the numbers of a zoo model"},
      {"architecture", [](const A& a) { return a.found.model.architecture; },
       "architecture, as named in the file"},
      {"parameters", [](const A& a) { return count_of(a.found.model, &llm::parameters_of); },
       "number of weights; None if unknown"},
      {"active_parameters",
       [](const A& a) { return count_of(a.found.model, &llm::active_parameters_of); },
       "number of weights that one token uses; None if unknown"},
      {"trained_context", [](const A& a) { return a.found.model.description.context; },
       "context for which the model was trained (tokens); 0 if unknown"},
      {"context", [](const A& a) { return a.found.options.context; }, "tokens per sequence"},
      {"batch", [](const A& a) { return a.found.options.batch; },
       "number of simultaneous sequences"},
      {"kv_bytes_per_token",
       [](const A& a) {
         return llm::kv_bytes_per_token(a.found.model.description,
                                        llm::stored_type_of(a.found.options.kv_type));
       },
       "key-value cache per token, as long as no attention window is full (bytes)"},
      {"provenance", [](const A&) { return std::string("modelled"); }, "always \"modelled\""}};
  return fields;
}

std::shared_ptr<BoundFits> fits(const py::kwargs& given) {
  Arguments asked(given);
  answer::FitsQuestion question;
  fill(asked, answer::fits_parameters(), &question);
  const py::object progress = asked.progress();
  asked.done();
  question.device = device_or_local(question.device);
  return without_gil(
      [&] {
        auto made = std::make_shared<BoundFits>();
        made->found = answer::fits_on_boards(question);
        made->rows = made->found.rows;
        return made;
      },
      progress);
}

py::list language_models() {
  py::list names;
  for (const auto& entry : llm::language_zoo()) {
    names.append("zoo:" + std::string(entry.name));
  }
  return names;
}

}  // namespace

void bind_llm(py::module_& module) {
  record<llm::Fit>(module, "Fit", "Whether a language model fits the memory of a board.",
                   fit_fields());
  answer_class<BoundFits>(module, "Fits",
                          "Whether a language model fits the memory of boards: a sequence of Fit, "
                          "one per board and quantization.",
                          fits_fields(), fit_fields());
  module.def("llm_fits", &fits);
  module.def("llm_zoo", &language_models);
}

}  // namespace ridgewatt::python
