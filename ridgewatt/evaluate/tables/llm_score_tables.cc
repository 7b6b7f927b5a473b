// Tables of the scores of language-model engines on public runs.
#include <map>

#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/report/columns.h"

namespace ridgewatt::evaluate {
namespace {

using report::Cell;
using report::known_cell;
using report::Table;

Cell or_all(const std::string& name) {
  return name.empty() ? Cell(std::string("all")) : Cell(name);
}

template <std::size_t N>
void add_part(Table& table, const std::string& engine, const char* of,
              const llm::EnginePart<N>& part, std::span<const llm::EngineTerm> terms) {
  for (std::size_t i = 0; i < N; ++i) {
    table.add_row({engine, std::string(of), std::string(terms[i].key), std::string(terms[i].unit),
                   part.value[i], part.log_sd[i], static_cast<std::int64_t>(part.rows)});
  }
}

}  // namespace

Table llm_group_table(std::span<const LlmGroup> groups) {
  Table table({{"engine"},
               {"board"},
               {"mode"},
               {"model"},
               {"quantization"},
               {"cells"},
               {"learned_from", "learned from", {}, 1},
               {"tpot_error_pct", "time per token off by (%)", 3},
               {"tpot_bias_pct", "of it to one side (%)", 3, 1},
               {"ttft_error_pct", "first token (%)", 3},
               {"power_error_pct", "decode power (%)", 3},
               {"prefill_power_error_pct", "prefill power (%)", 3},
               {"tpot_inside_pct", "within 90 % interval: token (%)", 3},
               {"ttft_inside_pct", "first (%)", 3},
               {"power_inside_pct", "power (%)", 3}});
  for (const auto& group : groups) {
    table.add_row({or_all(group.engine), group.board, group.mode, or_all(group.model),
                   or_all(group.quantization), static_cast<std::int64_t>(group.cells),
                   static_cast<std::int64_t>(group.learned_from),
                   known_cell(100 * group.step.error), known_cell(100 * group.step.bias),
                   known_cell(100 * group.prompt.error), known_cell(100 * group.decode_power.error),
                   known_cell(100 * group.prefill_power.error), known_cell(100 * group.step.inside),
                   known_cell(100 * group.prompt.inside),
                   known_cell(100 * group.decode_power.inside)});
  }
  return table;
}

Table llm_slope_table(std::span<const LlmSlope> slopes) {
  Table table({{"engine"},
               {"model"},
               {"quantization"},
               {"cells"},
               {"measured_slope", "measured, of the cache's bytes at peak", 3},
               {"measured_generated_slope", "over generations alone", 3},
               {"predicted_slope", "predicted", 3},
               {"host_share_pct", "host busy (%)", 3}});
  for (const auto& one : slopes) {
    table.add_row({one.engine, one.model, one.quantization, static_cast<std::int64_t>(one.cells),
                   known_cell(one.measured), known_cell(one.measured_generated),
                   known_cell(one.predicted), known_cell(100 * one.host_share)});
  }
  return table;
}

Table llm_judged_table(std::span<const LlmJudged> rows) {
  Table table({{"engine"},
               {"board"},
               {"mode"},
               {"model"},
               {"quantization"},
               {"figure"},
               {"measured", "measured", 3},
               {"predicted", "predicted", 3},
               {"lo", "low", 3},
               {"hi", "high", 3},
               {"error_pct", "off by (%)", 3}});
  for (const auto& one : rows) {
    table.add_row({one.engine, one.board, one.mode, one.model, one.quantization, one.figure,
                   one.measured, one.predicted, one.low, one.high,
                   100 * (one.predicted / one.measured - 1)});
  }
  return table;
}

Table llm_engine_table(std::span<const llm::ShippedEngine> engines) {
  Table table({{"engine"},
               {"of"},
               {"term"},
               {"unit"},
               {"value", "value", 3},
               {"log_sd", "deviation of its logarithm", 3},
               {"rows"}});
  for (const llm::ShippedEngine& engine : engines) {
    for (const llm::EngineRelease& one : engine.releases) {
      add_part(table, one.works_as, "token", one.engine.step, llm::step_terms());
      add_part(table, one.works_as, "prompt", one.engine.prompt, llm::prompt_terms());
      add_part(table, one.works_as, "decode power", one.engine.draw, llm::draw_terms());
      add_part(table, one.works_as, "prefill power", one.engine.prompt_draw,
               llm::prompt_draw_terms());
    }
  }
  return table;
}

Table llm_left_out_table(std::span<const llm::LeftOutEngineRow> rows) {
  Table table({{"row"}, {"reason"}});
  for (const auto& row : rows) table.add_row({row.label, row.reason});
  return table;
}

}  // namespace ridgewatt::evaluate
