#include "ridgewatt/evaluate/llm_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::evaluate {
namespace {

using llm::EngineRow;

struct LlmErrors {
  std::size_t cells = 0, learned_from = 0;
  std::vector<double> step, bias, prompt, power;
};

double llm_median(const std::vector<double>& values) {
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : median(values);
}

using LlmKey = std::tuple<std::string, std::string, std::string, std::string, std::string>;

std::vector<LlmGroup> groups_of(const std::map<LlmKey, LlmErrors>& errors) {
  std::vector<LlmGroup> groups;
  for (const auto& [key, found] : errors) {
    LlmGroup group;
    std::tie(group.engine, group.board, group.mode, group.model, group.quantization) = key;
    group.cells = found.cells;
    group.learned_from = found.learned_from;
    group.step_error = llm_median(found.step);
    group.step_bias = llm_median(found.bias);
    group.prompt_error = llm_median(found.prompt);
    group.power_error = llm_median(found.power);
    groups.push_back(std::move(group));
  }
  return groups;
}

// What is left of an engine's rows when one is asked for.
std::vector<EngineRow> rows_without(const std::vector<EngineRow>& rows, const EngineRow& asked,
                                    bool whole_model) {
  std::vector<EngineRow> left;
  for (const EngineRow& row : rows) {
    if (row.engine != asked.engine) continue;
    if (row.model == asked.model && (whole_model || row.quantization == asked.quantization)) {
      continue;
    }
    left.push_back(row);
  }
  return left;
}

void add_errors(const EngineRow& row, const llm::Engine& engine, LlmErrors& errors) {
  const double step_s = engine.step_s(row.decode, row.hardware);
  const bool first = errors.cells++ == 0;
  errors.learned_from = first ? engine.step_rows : std::min(errors.learned_from, engine.step_rows);
  errors.bias.push_back(step_s / row.step_s - 1);
  errors.step.push_back(std::abs(errors.bias.back()));
  if (!std::isnan(row.prompt_s)) {
    errors.prompt.push_back(std::abs(engine.prompt_s(row.prompt, row.hardware) / row.prompt_s - 1));
  }
  // By the time that was predicted, not the measured one.
  if (!std::isnan(row.decode_power_w)) {
    errors.power.push_back(std::abs(engine.power_w(row.decode, step_s) / row.decode_power_w - 1));
  }
}

}  // namespace

LlmScores score_llm(const std::vector<std::string>& paths) {
  LlmScores scores;
  for (const std::string& path : paths) {
    auto more = llm::load_engine_rows(path);
    auto& rows = scores.rows;
    std::move(more.rows.begin(), more.rows.end(), std::back_inserter(rows.rows));
    std::move(more.left_out.begin(), more.left_out.end(), std::back_inserter(rows.left_out));
  }
  const auto& rows = scores.rows.rows;
  if (rows.empty()) throw UsageError("no row of these files can be used", paths.front());
  std::map<std::tuple<std::string, std::string, std::string>, llm::Engine> engines;
  std::map<LlmKey, LlmErrors> groups, by_engine, totals;
  for (const EngineRow& row : rows) {
    const bool whole_model = row.board != rows.front().board;
    const std::tuple key(row.engine, row.model, whole_model ? "" : row.quantization);
    auto found = engines.find(key);
    if (found == engines.end()) {
      const auto left = rows_without(rows, row, whole_model);
      found = engines.emplace(key, llm::fit_engine(left)).first;
    }
    const LlmKey whole(row.engine, row.board, row.mode, row.model, row.quantization);
    add_errors(row, found->second, groups[whole]);
    add_errors(row, found->second, by_engine[LlmKey(row.engine, row.board, row.mode, "", "")]);
    add_errors(row, found->second, totals[LlmKey("", row.board, row.mode, "", "")]);
  }
  scores.groups = groups_of(groups);
  scores.engines = groups_of(by_engine);
  scores.totals = groups_of(totals);
  return scores;
}

}  // namespace ridgewatt::evaluate
