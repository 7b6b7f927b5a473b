// Results of `llm`: the cost of a language model and its best modes, as text, tables, JSON and
// HTML.
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

// The name of a board, with its BSP if that is not the default: "agx-orin-32gb@super".
std::string board_label(const Board& board);

struct LanguageTableOptions {
  // For the terminal: omits values that are equal in all rows, and shows memory in GiB.
  bool for_people = false;
  bool front = false;  // only rows on the Pareto front
};
// One row per row of the answer: board, runtime, quantization, mode, times, power and energy with
// 90 % bounds, memory. If not `for_people`, also the time of a decode step at each context.
Table language_table(const answer::LanguageAnswer& found, const LanguageTableOptions& options);

// The documented JSON of `llm`: model, request, engines, memory, phases, rows, left_out.
Json language_json(const answer::LanguageAnswer& found, bool front = false);

// The question, the sum of the memory, and what limits a decode step; one string per line.
std::vector<std::string> language_headline(const answer::LanguageAnswer& found);
// The basis of the figures and reasons for wide intervals; one string per line.
std::vector<std::string> language_remarks(const answer::LanguageAnswer& found);
// The row LanguageAnswer::shown at several contexts: time of a step, tokens per second, memory.
Table language_context_table(const answer::LanguageAnswer& found);
// Both phases of the same row and the roofline of its mode. Empty if the weights are unknown.
Table language_phase_table(const answer::LanguageAnswer& found);

// The complete result. `front`: only rows on the Pareto front.
Result language_result(const answer::LanguageAnswer& found, bool front, OutputFormat format);
Result language_tune_result(const answer::LanguageTuneRequest& asked,
                            const answer::LanguageTuneAnswer& found, OutputFormat format);

// A page with facts, tables and figures: time per token over context, the Pareto front, the
// roofline of both phases, memory.
HtmlReport language_page(const answer::LanguageAnswer& found);

// The documented JSON of `tune llm`: feasible, mode (or prefill_mode and decode_mode), the figures
// of the plan, and all settings.
Json language_tune_json(const answer::LanguageTuneAnswer& found);
// The best setting, or why there is none; one string per line.
std::vector<std::string> language_tune_headline(const answer::LanguageTuneAnswer& found);
// The best setting compared with one mode for both phases and with the presets of the board, and
// the answers for the other settings.
Table language_tune_table(const answer::LanguageTuneAnswer& found);

}  // namespace ridgewatt::report
