// The JSON of `llm`.
#include <set>

#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/report/analysis_report.h"
#include "ridgewatt/report/language/figures_of.h"
#include "ridgewatt/report/language_report.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::report {
namespace {

Json engines_json(const answer::LanguageAnswer& found) {
  Json list = Json::array();
  std::set<const llm::EngineRelease*> listed;
  for (const auto& setting : found.settings) {
    const llm::EngineRelease& release = *setting.release;
    if (!listed.insert(&release).second) continue;
    list.push_back(json_object({{"runtime", setting.engine->name},
                                {"title", release.title},
                                {"boards", release.boards},
                                {"quantizations", release.quantizations},
                                {"origin", release.origin}}));
  }
  return list;
}

Json memory_json(const answer::LanguageAnswer& found) {
  Json list = Json::array();
  for (std::size_t b = 0; b < found.boards.size(); ++b) {
    for (std::size_t w = 0; w < found.weights.size(); ++w) {
      const auto& memory = found.memory[b * found.weights.size() + w];
      const llm::Fit& fit = memory.fit;
      Json contexts = Json::array();
      for (std::size_t i = 0; i < memory.at_contexts.size(); ++i) {
        const llm::Fit& at = memory.at_contexts[i];
        contexts.push_back(json_object({{"context", found.question.contexts[i]},
                                        {"memory_bytes", answer::LanguageMemory::needed_bytes(at)},
                                        {"fits", at.fits()},
                                        {"beyond_training", at.beyond_training}}));
      }
      list.push_back(json_object({{"board", board_label(found.boards[b])},
                                  {"quantization", fit.quantization},
                                  {"fits", fit.fits()},
                                  {"beyond_training", fit.beyond_training},
                                  {"board_bytes", fit.board_bytes},
                                  {"system_bytes", fit.system_bytes},
                                  {"runtime_bytes", fit.runtime_bytes},
                                  {"weights_bytes", fit.weights_bytes},
                                  {"kv_bytes", fit.kv_bytes},
                                  {"buffer_bytes", fit.buffer_bytes},
                                  {"left_bytes", fit.left_bytes()},
                                  {"largest_context", fit.largest_context},
                                  {"largest_context_by", fit.context_of_model ? "model" : "memory"},
                                  {"largest_batch", fit.largest_batch},
                                  {"sum", fits_text(fit)},
                                  {"contexts", std::move(contexts)}}));
    }
  }
  return list;
}

Json phases_json(const answer::LanguageAnswer& found) {
  Json list = Json::array();
  for (const auto& weights : found.weights) {
    for (const auto& step : weights.steps) {
      list.push_back(json_object({{"quantization", weights.name},
                                  {"phase", name_of(step.phase)},
                                  {"work_flop", step.work_flop},
                                  {"traffic_bytes", step.traffic_bytes},
                                  {"flop_per_byte", step.intensity()}}));
    }
  }
  return list;
}

Json row_json(const answer::LanguageAnswer& found, const answer::LanguageRow& row) {
  const Board& board = found.board_of(row);
  const llm::Fit& fit = found.memory_of(row).fit;
  const std::string preset = preset_name(board, row.mode);
  const auto& setting = found.setting_of(row);
  constexpr std::size_t kKeys = 48;
  Json json = Json::object();
  json.get_ref<Json::object_t&>().reserve(kKeys);  // saves time with thousands of rows
  json["model"] = found.model.name;
  json["board"] = board_label(board);
  json["preset"] = preset.empty() ? Json() : Json(preset);
  json["mode"] = mode_to_json(row.mode);
  json["runtime"] = setting.engine->name;
  json["quantization"] = found.quantization_of(row);
  add_forecast(json, row.forecast);
  json["bound"] = row.forecast.limited_by;
  json["memory_bytes"] = answer::LanguageMemory::needed_bytes(fit);
  json["fits"] = fit.fits();
  json["beyond_training"] = fit.beyond_training;
  json["largest_context"] = fit.largest_context;
  json["largest_batch"] = fit.largest_batch;
  Json::array_t steps;
  steps.reserve(row.step_s.size());
  for (const double step_s : row.step_s) steps.emplace_back(step_s * 1e3);
  json["step_ms"] = std::move(steps);
  json["ridge_flop_per_byte"] = answer::roof_of(found, row).ridge();
  json["on_front"] = row.on_front;
  const auto reasons = found.widened_by(row);
  if (!reasons.empty()) json["interval_widened_by"] = reasons;
  json["provenance"] = "modelled";
  return json;
}

}  // namespace

Json language_json(const answer::LanguageAnswer& found, bool front) {
  const llm::LanguageModel& model = found.model;
  const llm::Request& request = found.question.request;
  Json json = language_model_json(model);
  json["prompt"] = request.prompt_tokens;
  json["generate"] = request.generated_tokens;
  json["concurrency"] = request.concurrency;
  json["kv_type"] = name_of(found.question.kv_type);
  json["kv_bytes_per_token"] = llm::kv_bytes_per_token(model.description, request.kv_type);
  json["contexts"] = found.question.contexts;
  Json::array_t rows;
  rows.reserve(found.rows.size());
  for (const auto& row : found.rows) {
    if (!front || row.on_front) rows.push_back(row_json(found, row));
  }
  json["rows"] = std::move(rows);
  json["memory"] = memory_json(found);
  json["phases"] = phases_json(found);
  json["engines"] = engines_json(found);
  json["left_out"] = Json::array();
  for (const auto& [what, reason] : found.left_out) {
    json["left_out"].push_back(json_object({{"what", what}, {"reason", reason}}));
  }
  json["remarks"] = language_remarks(found);
  return json;
}

}  // namespace ridgewatt::report
