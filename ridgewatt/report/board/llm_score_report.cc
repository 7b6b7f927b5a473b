// Engines of language models against public runs, as tables.
#include <map>

#include "ridgewatt/report/calibrate_report.h"
#include "ridgewatt/report/columns.h"

namespace ridgewatt::report {
namespace {

Cell or_all(const std::string& name) {
  return name.empty() ? Cell(std::string("all")) : Cell(name);
}

}  // namespace

Table llm_group_table(std::span<const evaluate::LlmGroup> groups) {
  Table table({{"engine"},
               {"board"},
               {"mode"},
               {"model"},
               {"quantization"},
               {"cells"},
               {"learned_from", "learned from"},
               {"tpot_error_pct", "time per token off by (%)", 3},
               {"tpot_bias_pct", "of it to one side (%)", 3, 1},
               {"ttft_error_pct", "first token (%)", 3},
               {"power_error_pct", "decode power (%)", 3}});
  for (const auto& group : groups) {
    table.add_row({or_all(group.engine), group.board, group.mode, or_all(group.model),
                   or_all(group.quantization), static_cast<std::int64_t>(group.cells),
                   static_cast<std::int64_t>(group.learned_from),
                   known_cell(100 * group.step_error), known_cell(100 * group.step_bias),
                   known_cell(100 * group.prompt_error), known_cell(100 * group.power_error)});
  }
  return table;
}

Table llm_engine_table(const evaluate::LlmScores& scores) {
  std::map<std::string, std::vector<llm::EngineRow>> engines;
  for (const auto& row : scores.rows.rows) engines[row.engine].push_back(row);
  Table table({{"engine"}, {"of"}, {"term"}, {"value", "value", 3}, {"rows"}});
  const auto add = [&](const std::string& engine, const char* of, const char* term, double value,
                       std::size_t rows) {
    table.add_row(
        {engine, std::string(of), std::string(term), value, static_cast<std::int64_t>(rows)});
  };
  for (const auto& [name, rows] : engines) {
    const llm::Engine engine = llm::fit_engine(rows);
    constexpr const char* kStep[] = {"layers (CPU cycles)",  "layers (GPU cycles)",
                                     "weights (at peak)",    "cache (at peak)",
                                     "unpacked (SM cycles)", "vocabulary (CPU cycles)"};
    constexpr const char* kPrompt[] = {"layers (CPU cycles)", "weights (at peak)",
                                       "products (at peak)", "attention (at peak)"};
    constexpr const char* kDraw[] = {"always (W)", "weights (J/byte)", "unpacked (J)"};
    for (std::size_t i = 0; i < llm::kStepTerms; ++i) {
      add(name, "token", kStep[i], engine.step[i], engine.step_rows);
    }
    for (std::size_t i = 0; i < llm::kPromptTerms; ++i) {
      add(name, "prompt", kPrompt[i], engine.prompt[i], engine.prompt_rows);
    }
    for (std::size_t i = 0; i < llm::kDrawTerms; ++i) {
      add(name, "power", kDraw[i], engine.draw[i], engine.draw_rows);
    }
  }
  return table;
}

Table llm_left_out_table(std::span<const llm::LeftOutEngineRow> rows) {
  Table table({{"row"}, {"reason"}});
  for (const auto& row : rows) table.add_row({row.label, row.reason});
  return table;
}

}  // namespace ridgewatt::report
