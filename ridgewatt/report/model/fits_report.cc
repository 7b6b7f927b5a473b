// Whether a language model fits a board: rows, the sum in words, and the sources of its parts.
#include <fmt/format.h>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/report/analysis_report.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

Json fit_json(const llm::Fit& fit) {
  return json_object({{"board", fit.board},
                      {"quantization", fit.quantization},
                      {"fits", fit.fits()},
                      {"beyond_training", fit.beyond_training},
                      {"board_bytes", fit.board_bytes},
                      {"system_bytes", fit.system_bytes},
                      {"system_source", fit.system_source},
                      {"runtime_bytes", fit.runtime_bytes},
                      {"weights_bytes", fit.weights_bytes},
                      {"kv_bytes", fit.kv_bytes},
                      {"buffer_bytes", fit.buffer_bytes},
                      {"left_bytes", fit.left_bytes()},
                      {"bits_per_weight", known_json(fit.bits_per_weight)},
                      {"largest_context", fit.largest_context},
                      {"largest_context_by", fit.context_of_model ? "model" : "memory"},
                      {"largest_batch", fit.largest_batch},
                      {"decode_bytes", known_json(fit.decode_bytes)},
                      {"decode_flop", known_json(fit.decode_flop)},
                      {"sum", fits_text(fit)}});
}

}  // namespace

Table fits_table(std::span<const llm::Fit> fits) {
  Table table({column("board"),
               {"quantization"},
               {"fits"},
               {.name = "left_gib", .digits = 3},
               {.name = "weights_gib", .digits = 3},
               {.name = "kv_gib", .heading = "cache (GiB)", .digits = 3},
               {.name = "buffer_gib", .digits = 3, .rank = 2},
               {.name = "runtime_gib", .digits = 3, .rank = 2},
               {.name = "system_gib", .digits = 3, .rank = 1},
               {.name = "board_gib", .digits = 3, .rank = 1},
               {.name = "bits_per_weight", .digits = 3, .rank = 3},
               {.name = "largest_context"},
               {.name = "largest_batch"}});
  for (const llm::Fit& fit : fits) {
    table.add_row({fit.board, fit.quantization, fits_word(fit), fit.left_bytes() / kGibibyte,
                   fit.weights_bytes / kGibibyte, fit.kv_bytes / kGibibyte,
                   fit.buffer_bytes / kGibibyte, fit.runtime_bytes / kGibibyte,
                   fit.system_bytes / kGibibyte, fit.board_bytes / kGibibyte,
                   known_cell(fit.bits_per_weight), fit.largest_context, fit.largest_batch});
  }
  return table;
}

Json language_model_json(const llm::LanguageModel& model) {
  Json json = json_object({{"model", model.name},
                           {"source", model.source},
                           {"format", name_of(model.format)},
                           {"architecture", model.architecture},
                           {"provenance", "modelled"}});
  json["parameters"] = model.weights_known ? Json(llm::parameters_of(model.description)) : Json();
  json["active_parameters"] =
      model.weights_known ? Json(llm::active_parameters_of(model.description)) : Json();
  json["trained_context"] = model.description.context;
  return json;
}

Json fits_json(const llm::LanguageModel& model, const llm::FitsOptions& options,
               std::span<const llm::Fit> fits) {
  const llm::StoredType kv = llm::stored_type_of(options.kv_type);
  Json json = language_model_json(model);
  json["context"] = options.context;
  json["batch"] = options.batch;
  json["kv_type"] = name_of(options.kv_type);
  json["kv_bytes_per_token"] = llm::kv_bytes_per_token(model.description, kv);
  json["runtime_source"] = fits.empty() ? Json() : Json(fits.front().runtime_source);
  json["remarks"] = model.remarks;
  json["rows"] = Json::array();
  for (const llm::Fit& fit : fits) json["rows"].push_back(fit_json(fit));
  return json;
}

std::string fits_word(const llm::Fit& fit) {
  if (!fit.fits()) return "no";
  return fit.beyond_training > 0 ? "yes, beyond training" : "yes";
}

std::string fits_text(const llm::Fit& fit) {
  const auto gib = [](double bytes) { return bytes / kGibibyte; };
  return fmt::format(
      "board {:.2f} GiB - system {:.2f} - runtime {:.2f} - weights {:.2f} - cache {:.2f} - buffers "
      "{:.2f} = {:.2f} GiB left: {}{}",
      gib(fit.board_bytes), gib(fit.system_bytes), gib(fit.runtime_bytes), gib(fit.weights_bytes),
      gib(fit.kv_bytes), gib(fit.buffer_bytes), gib(fit.left_bytes()),
      fit.fits() ? "fits" : "does not fit",
      fit.beyond_training > 0
          ? fmt::format(", {} {} more than the model's training context",
                        fit.fits() ? "but" : "and", counted(fit.beyond_training, "token"))
          : "");
}

Result fits_result(const answer::FitsAnswer& found) {
  Result result{fits_table(found.rows)};
  result.json = fits_json(found.model, found.options, found.rows);
  result.remarks = found.model.remarks;
  if (found.rows.size() == 1) result.text_after('\n' + fits_text(found.rows.front()) + '\n');
  return result;
}

}  // namespace ridgewatt::report
