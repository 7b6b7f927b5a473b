// The best modes of a language model, as text, table and JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/language/figures_of.h"
#include "ridgewatt/report/language_report.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::report {
namespace {

using answer::LanguageGoal;
using answer::LanguageLimits;
using answer::LanguagePlan;

std::string goal_text(const answer::LanguageTuneQuestion& question) {
  const auto of_goal = [&]() -> std::string {
    switch (question.goal) {
      case LanguageGoal::kEnergy:
        return "least energy of a request";
      case LanguageGoal::kTokenEnergy:
        return "fewest joules per token";
      case LanguageGoal::kTime:
        return "shortest request";
      case LanguageGoal::kTokenTime:
        return "least time per token";
    }
    return "";
  };
  const LanguageLimits& limits = question.limits;
  std::vector<std::string> within;
  if (limits.power_w < LanguageLimits::kNone) {
    within.push_back(sentence("{:.4g} W", limits.power_w));
  }
  if (limits.ttft_s < LanguageLimits::kNone) {
    within.push_back(sentence("{:.4g} ms to the first token", limits.ttft_s * 1e3));
  }
  if (limits.tpot_s < LanguageLimits::kNone) {
    within.push_back(sentence("{:.4g} ms per token", limits.tpot_s * 1e3));
  }
  std::string text = of_goal();
  if (!within.empty()) text += fmt::format(" within {}", fmt::join(within, ", "));
  if (limits.tokens_per_s > 0) {
    text += sentence(", at least {:.4g} tokens per second", limits.tokens_per_s);
  }
  return text;
}

std::string plan_text(const Board& board, const LanguagePlan& plan) {
  const auto in_words = [&](const PowerMode& mode) {
    const std::string preset = preset_name(board, mode);
    return describe(mode) + (preset.empty() ? "" : " (preset " + preset + ")");
  };
  if (plan.one_mode()) return in_words(plan.decode);
  return fmt::format("prompt: {}; decoding: {}", in_words(plan.prefill), in_words(plan.decode));
}

// For example, "one mode for both phases needs 12 % more: ..".
std::string saving_text(const answer::LanguageTuneAnswer& found,
                        const answer::TunedLanguage& tuned) {
  if (!tuned.best || !tuned.one_mode) return "";
  const LanguageGoal goal = found.question.goal;
  const double one = goal_value(goal, tuned.one_mode->forecast);
  const double two = goal_value(goal, tuned.best->forecast);
  if (tuned.best->one_mode()) {
    return "one mode for both phases is as good as two: they differ by less than the error of the "
           "estimates";
  }
  return sentence("one mode for both phases needs {:.3g} % more: {}", 100 * (one / two - 1),
                  describe(tuned.one_mode->decode));
}

Json plan_json(const LanguagePlan& plan) {
  Json json = Json::object();
  if (plan.one_mode()) {
    json["mode"] = mode_to_json(plan.decode);
  } else {
    json["prefill_mode"] = mode_to_json(plan.prefill);
    json["decode_mode"] = mode_to_json(plan.decode);
  }
  json["switch_ms"] = plan.switch_s * 1e3;
  add_forecast(json, plan.forecast);
  json["bound"] = plan.forecast.limited_by;
  return json;
}

Json tuned_json(const answer::LanguageTuneAnswer& found, const answer::TunedLanguage& tuned) {
  const answer::LanguageAnswer& language = found.language;
  const auto& setting = language.settings[tuned.setting];
  Json json = json_object({{"board", board_label(language.boards[setting.board])},
                           {"runtime", setting.engine->name},
                           {"quantization", language.weights[setting.weights].name},
                           {"fits", tuned.fits},
                           {"feasible", tuned.best.has_value()},
                           {"considered", tuned.modes}});
  if (tuned.best) json.update(plan_json(*tuned.best));
  if (tuned.one_mode) json["one_mode"] = plan_json(*tuned.one_mode);
  if (tuned.miss) {
    json["nearest_miss"] = plan_json(*tuned.miss);
    json["misses"] = tuned.broken;
  }
  json["presets"] = Json::array();
  for (const auto& [name, plan] : tuned.presets) {
    Json preset = json_object({{"preset", name}});
    preset.update(plan_json(plan));
    json["presets"].push_back(std::move(preset));
  }
  if (!setting.widened_by.empty()) json["interval_widened_by"] = setting.widened_by;
  json["provenance"] = "modelled";
  return json;
}

Json limits_json(const LanguageLimits& limits) {
  const auto known = [](double value, double scale) {
    return value < LanguageLimits::kNone ? Json(value * scale) : Json();
  };
  return json_object(
      {{"power_w", known(limits.power_w, 1)},
       {"ttft_ms", known(limits.ttft_s, 1e3)},
       {"tpot_ms", known(limits.tpot_s, 1e3)},
       {"tokens_per_s", limits.tokens_per_s > 0 ? Json(limits.tokens_per_s) : Json()}});
}

// Lists the settings that fit but have no answer; empty if there is none.
std::string missing_text(const answer::LanguageTuneAnswer& found) {
  const answer::LanguageAnswer& language = found.language;
  std::vector<std::string> missing;
  for (const auto& tuned : found.settings) {
    if (tuned.best || !tuned.fits) continue;
    const auto& setting = language.settings[tuned.setting];
    const std::string what = language.weights[setting.weights].name + " in " + setting.engine->name;
    const std::string board = board_label(language.boards[setting.board]);
    missing.push_back(language.boards.size() == 1   ? what
                      : language.weights.size() > 1 ? board + " " + what
                                                    : board);
  }
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  if (missing.empty()) return "";
  return fmt::format("no mode within the limits: {} (--format json has the nearest modes)",
                     fmt::join(missing, ", "));
}

}  // namespace

Json language_tune_json(const answer::LanguageTuneAnswer& found) {
  const llm::Request& request = found.language.question.request;
  Json json = json_object({{"model", found.language.model.name},
                           {"goal", name_of(found.question.goal)},
                           {"limits", limits_json(found.question.limits)},
                           {"confidence", found.question.confidence},
                           {"phases", found.question.phases},
                           {"prompt", request.prompt_tokens},
                           {"generate", request.generated_tokens},
                           {"concurrency", request.concurrency}});
  json.update(tuned_json(found, found.settings.front()));
  json["settings"] = Json::array();
  for (const auto& tuned : found.settings) json["settings"].push_back(tuned_json(found, tuned));
  json["left_out"] = Json::array();
  for (const auto& [what, reason] : found.language.left_out) {
    json["left_out"].push_back(json_object({{"what", what}, {"reason", reason}}));
  }
  json["remarks"] = language_remarks(found.language);
  return json;
}

std::vector<std::string> language_tune_headline(const answer::LanguageTuneAnswer& found) {
  const answer::TunedLanguage& tuned = found.settings.front();
  const answer::LanguageAnswer& language = found.language;
  const auto& setting = language.settings[tuned.setting];
  const Board& board = language.boards[setting.board];
  std::vector<std::string> lines = {
      capitalized(goal_text(found.question)),
      fmt::format("{} in {}, {} on {}: {}, modelled", language.model.name,
                  language.weights[setting.weights].name, setting.title, board_label(board),
                  counted(tuned.modes, "mode"))};
  if (!tuned.fits) {
    lines.emplace_back("No answer: the model does not fit the board.");
    return lines;
  }
  if (!tuned.best) {
    lines.push_back(tuned.modes == 1 ? "No answer: the only mode does not meet the limits."
                                     : fmt::format("No answer: none of the {} meets the limits.",
                                                   counted(tuned.modes, "mode")));
    lines.push_back(fmt::format("Nearest: {}: {}.", plan_text(board, *tuned.miss),
                                fmt::join(tuned.broken, "; ")));
    return lines;
  }
  const llm::Forecast& forecast = tuned.best->forecast;
  lines.push_back(plan_text(board, *tuned.best));
  lines.push_back(fmt::format("first token {}, {} per token, {}",
                              figure_text(forecast.ttft_s, 1e3, "ms"),
                              figure_text(forecast.tpot_s, 1e3, "ms"),
                              figure_text(forecast.tokens_per_s, 1, "tokens per second")));
  if (forecast.power_known()) {
    lines.push_back(fmt::format(
        "{} of the prompt, {} of decoding; {} per token, {} per request",
        figure_text(forecast.prefill_power_w, 1, "W"), figure_text(forecast.decode_power_w, 1, "W"),
        figure_text(forecast.joules_per_token, 1, "J"), figure_text(forecast.request_j, 1, "J")));
  }
  if (!tuned.best->one_mode()) {
    lines.push_back(sentence("each switch takes {:.3g} ms, and there are two for each request",
                             tuned.best->switch_s * 1e3));
    lines.push_back(
        fmt::format("for a program that marks its phases: ridgewatt govern --phase-mode "
                    "prefill={} --phase-mode decode={} -- PROGRAM",
                    mode_text(tuned.best->prefill), mode_text(tuned.best->decode)));
  }
  const std::string saving = saving_text(found, tuned);
  if (!saving.empty()) lines.push_back(saving);
  if (std::string missing = missing_text(found); !missing.empty()) {
    lines.push_back(std::move(missing));
  }
  return lines;
}

Table language_tune_table(const answer::LanguageTuneAnswer& found) {
  const answer::LanguageAnswer& language = found.language;
  const int of_setting = found.settings.size() > 1 ? 0 : 6;
  std::vector<Column> columns = {{"plan"},
                                 column("board", of_setting),
                                 {.name = "quantization", .rank = of_setting},
                                 column("runtime", of_setting),
                                 {.name = "prefill_mode", .heading = "prompt in", .rank = 3},
                                 {.name = "decode_mode", .heading = "decoding in", .rank = 3}};
  append(columns, forecast_columns());
  Table table(columns);
  const auto add = [&](const std::string& name, const answer::TunedLanguage& tuned,
                       const LanguagePlan& plan) {
    const auto& setting = language.settings[tuned.setting];
    const Board& board = language.boards[setting.board];
    std::vector<Cell> cells = {name,
                               board_label(board),
                               language.weights[setting.weights].name,
                               setting.engine->name,
                               mode_name(board, plan.prefill),
                               mode_name(board, plan.decode)};
    add_forecast(cells, plan.forecast);
    table.add_row(std::move(cells));
  };
  const answer::TunedLanguage& first = found.settings.front();
  if (first.best) add("answer", first, *first.best);
  if (first.miss) add("nearest miss", first, *first.miss);
  if (first.one_mode) add("one mode", first, *first.one_mode);
  for (const auto& [name, plan] : first.presets) add(name, first, plan);
  for (std::size_t i = 1; i < found.settings.size(); ++i) {
    if (found.settings[i].best) add("other", found.settings[i], *found.settings[i].best);
  }
  return table;
}

}  // namespace ridgewatt::report
