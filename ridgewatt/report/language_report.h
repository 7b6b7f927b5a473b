// What a language model costs, and its best modes, as text, tables, JSON and a page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/answer/language.h"
#include "ridgewatt/answer/language_tune.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// "agx-orin-32gb@super": with the BSP where it is not the board's default.
std::string board_label(const Board& board);

struct LanguageTableOptions {
  bool for_people = false;  // what all rows have in common is left out, memory in GiB
  bool front = false;       // only rows on the Pareto front
};
// A row of the answer each: board, runtime, quantization, mode, times, power and joules with their
// 90 % bounds, memory. Not for people: also the time of a step at each context.
Table language_table(const answer::LanguageAnswer& found, const LanguageTableOptions& options);

// The contract of `llm --format json`: model, request, engines, memory, phases, rows, left_out.
Json language_json(const answer::LanguageAnswer& found, bool front = false);

// What was asked and of what, the sum of the memory, what a step waits for; a line each.
std::vector<std::string> language_headline(const answer::LanguageAnswer& found);
// What figures rest on and why intervals are wide; a line each.
std::vector<std::string> language_remarks(const answer::LanguageAnswer& found);
// The shown row over contexts: time of a step, tokens per second, memory.
Table language_context_table(const answer::LanguageAnswer& found);
// Both phases of the shown row against the roofs of its mode. Empty where weights are not known.
Table language_phase_table(const answer::LanguageAnswer& found);

// The whole. `front`: only rows on the Pareto front.
Result language_result(const answer::LanguageAnswer& found, bool front, OutputFormat format);
Result language_tune_result(const answer::LanguageTuneAnswer& found, const std::string& model);

// Facts, tables and figures: time per token over context, the Pareto front, the roofline of both
// phases, memory.
HtmlReport language_page(const answer::LanguageAnswer& found);

// The contract of `tune llm --format json`: feasible, mode (or prefill_mode and decode_mode), the
// figures of the plan, and all settings.
Json language_tune_json(const answer::LanguageTuneAnswer& found);
// What was found of the best setting, or why nothing was; a line each.
std::vector<std::string> language_tune_headline(const answer::LanguageTuneAnswer& found);
// The answer of the best setting against one mode for both phases and the board's presets, and the
// answers of the other settings.
Table language_tune_table(const answer::LanguageTuneAnswer& found);

}  // namespace ridgewatt::report
