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
  Json json() const { return report::fits_json(found.model, found.options, rows); }
};

// NaN: nothing reported it.
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
      {"board", [](const F& f) { return f.board; }, "its name"},
      {"quantization", [](const F& f) { return f.quantization; }, "how weights are stored"},
      {"fits", [](const F& f) { return f.fits(); }, "left_bytes is not below 0"},
      {"left_bytes", [](const F& f) { return f.left_bytes(); },
       "of the board, after all that is below (bytes)"},
      {"board_bytes", [](const F& f) { return f.board_bytes; },
       "memory that Linux reports (bytes)"},
      {"system_bytes", [](const F& f) { return f.system_bytes; },
       "kept for the system and other programs (bytes)"},
      {"runtime_bytes", [](const F& f) { return f.runtime_bytes; },
       "of the process without a model (bytes)"},
      {"weights_bytes", [](const F& f) { return f.weights_bytes; }, "weights as stored (bytes)"},
      {"kv_bytes", [](const F& f) { return f.kv_bytes; },
       "cache of keys and values at the context and batch (bytes)"},
      {"buffer_bytes", [](const F& f) { return f.buffer_bytes; }, "of computing (bytes)"},
      {"bits_per_weight", [](const F& f) { return known(f.bits_per_weight); },
       "mean over all weights; None: their number is not known"},
      {"largest_context", [](const F& f) { return f.largest_context; },
       "tokens that fit at the batch; 0: not one"},
      {"largest_batch", [](const F& f) { return f.largest_batch; },
       "sequences that fit at the context"},
      {"decode_bytes", [](const F& f) { return known(f.decode_bytes); },
       "that one step of decoding moves (bytes); None: not known"},
      {"decode_flop", [](const F& f) { return known(f.decode_flop); },
       "and its operations (FLOP); None: not known"}};
  return fields;
}

const Fields<BoundFits>& fits_fields() {
  using A = BoundFits;
  static const Fields<A> fields = {
      {"model", [](const A& a) { return a.found.model.name; }, "its name"},
      {"source", [](const A& a) { return a.found.model.source; },
       "its path, or where the zoo's numbers come from"},
      {"architecture", [](const A& a) { return a.found.model.architecture; },
       "as the file calls it"},
      {"parameters", [](const A& a) { return count_of(a.found.model, &llm::parameters_of); },
       "number of weights; None: not known"},
      {"active_parameters",
       [](const A& a) { return count_of(a.found.model, &llm::active_parameters_of); },
       "those that a token uses; None: not known"},
      {"trained_context", [](const A& a) { return a.found.model.description.context; },
       "tokens; 0: not said"},
      {"context", [](const A& a) { return a.found.options.context; }, "tokens of each sequence"},
      {"batch", [](const A& a) { return a.found.options.batch; }, "sequences at once"},
      {"kv_bytes_per_token",
       [](const A& a) {
         return llm::kv_bytes_per_token(a.found.model.description,
                                        llm::stored_type_of(a.found.options.kv_type));
       },
       "of the cache, as long as no window is full (bytes)"},
      {"provenance", [](const A&) { return std::string("modelled"); }, "always \"modelled\""},
      {"remarks", [](const A& a) { return a.found.model.remarks; },
       "what is not known of the model or not usual, a sentence each"}};
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
  auto row =
      record<llm::Fit>(module, "Fit", "Whether a board holds a language model.", fit_fields());
  row.def_property_readonly(
      "sum", [](Self<llm::Fit> self) { return report::fits_text(*self); },
      "the sum in words: board - system - runtime - weights - cache - buffers = left");
  answer_class<BoundFits>(
      module, "Fits",
      "Which boards hold a language model: a sequence of Fit, one per board and "
      "quantization.",
      fits_fields(), fit_fields());
  module.def("llm_fits", &fits);
  module.def("llm_zoo", &language_models);
}

}  // namespace ridgewatt::python
