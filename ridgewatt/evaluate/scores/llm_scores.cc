#include "ridgewatt/evaluate/llm_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/llm/forecast.h"

namespace ridgewatt::evaluate {
namespace {

using llm::EngineRow;
using llm::LeftOutCell;
using llm::LeftOutFigure;

constexpr double kNotScored = std::numeric_limits<double>::quiet_NaN();
constexpr double kLlmZ90 = 1.645;

struct FigureErrors {
  std::vector<double> all, sides;
  std::size_t inside = 0;

  void add(const LeftOutFigure& figure, double scale) {
    if (!figure.known()) return;
    sides.push_back(figure.error());
    all.push_back(std::abs(figure.error()));
    if (std::abs(figure.log_error()) <= kLlmZ90 * scale * figure.log_sd) ++inside;
  }
  LlmFigureScore score() const {
    if (all.empty()) return {kNotScored, kNotScored, kNotScored};
    return {median(all), median(sides),
            static_cast<double>(inside) / static_cast<double>(all.size())};
  }
};

struct LlmErrors {
  std::size_t cells = 0, learned_from = 0;
  FigureErrors step, prompt, decode_power, prefill_power;

  void add(const LeftOutCell& cell, const llm::EngineScales& scales) {
    learned_from = cells++ == 0 ? cell.learned_from : std::min(learned_from, cell.learned_from);
    step.add(cell.step, scales.step);
    prompt.add(cell.prompt, scales.prompt);
    decode_power.add(cell.decode_power, scales.decode_power);
    prefill_power.add(cell.prefill_power, scales.prefill_power);
  }
};

using LlmKey = std::tuple<std::string, std::string, std::string, std::string, std::string>;

std::vector<LlmGroup> groups_of(const std::map<LlmKey, LlmErrors>& errors) {
  std::vector<LlmGroup> groups;
  for (const auto& [key, found] : errors) {
    LlmGroup group;
    std::tie(group.engine, group.board, group.mode, group.model, group.quantization) = key;
    group.cells = found.cells;
    group.learned_from = found.learned_from;
    group.step = found.step.score();
    group.prompt = found.prompt.score();
    group.decode_power = found.decode_power.score();
    group.prefill_power = found.prefill_power.score();
    groups.push_back(std::move(group));
  }
  return groups;
}

// Least-squares slope of y over x, with a separate mean for each group.
struct SlopeSums {
  struct Group {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  };
  std::map<double, Group> groups;
  void add(double group, double x, double y) {
    Group& sums = groups[group];
    sums.n += 1;
    sums.x += x;
    sums.y += y;
    sums.xx += x * x;
    sums.xy += x * y;
  }
  double slope() const {
    double xx = 0, xy = 0;
    for (const auto& [key, sums] : groups) {
      xx += sums.xx - sums.x * sums.x / sums.n;
      xy += sums.xy - sums.x * sums.y / sums.n;
    }
    return xx > 0 ? xy / xx : kNotScored;
  }
};

std::vector<LlmSlope> slopes_of(const std::vector<LeftOutCell>& cells, const EngineRow& first) {
  struct Sums {
    std::size_t cells = 0;
    SlopeSums measured, generated, predicted;
    std::vector<double> host;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Sums> all;
  for (const LeftOutCell& cell : cells) {
    const EngineRow& row = *cell.row;
    if (row.board != first.board || !cell.step.known()) continue;
    Sums& sums = all[{row.engine, row.model, row.quantization}];
    const double cache_s = row.decode.cache_bytes / row.hardware.bytes_per_s;
    ++sums.cells;
    sums.measured.add(0, cache_s, row.step_s);
    sums.generated.add(row.prompt_tokens, cache_s, row.step_s);
    sums.predicted.add(0, cache_s, cell.step.predicted);
    sums.host.push_back(cell.engine.host_share(row.decode, row.hardware));
  }
  std::vector<LlmSlope> slopes;
  for (const auto& [key, sums] : all) {
    LlmSlope slope;
    std::tie(slope.engine, slope.model, slope.quantization) = key;
    slope.cells = sums.cells;
    slope.measured = sums.measured.slope();
    slope.measured_generated = sums.generated.slope();
    slope.predicted = sums.predicted.slope();
    slope.host_share = median(sums.host);
    if (!std::isnan(slope.measured)) slopes.push_back(std::move(slope));
  }
  return slopes;
}

std::vector<LlmJudged> judged_of(const std::vector<LeftOutCell>& cells,
                                 const llm::EngineScales& scales) {
  const double share = llm::rail_share_of(cells);
  std::vector<LlmJudged> all;
  for (const LeftOutCell& cell : cells) {
    const EngineRow& row = *cell.row;
    if (row.fitted) continue;
    LlmJudged one{row.engine, row.board, row.mode, row.model, row.quantization, "", 0, 0, 0, 0};
    const double step_s = cell.step.predicted;
    double log_sd = std::hypot(scales.step * cell.step.log_sd, llm::kOtherBoardStep);
    const double power_sd =
        std::hypot(scales.decode_power * cell.decode_power.log_sd, llm::kOtherBoardPower);
    if (cell.step.known()) {
      one.figure = "token (ms)";
      one.measured = 1e3 * row.step_s;
      one.predicted = 1e3 * step_s;
    } else if (!std::isnan(row.request_s)) {
      one.figure = "request (s)";
      one.measured = row.request_s;
      const double decode_s = step_s * (row.generated_tokens - 1);
      one.predicted = cell.prompt.predicted + decode_s;
      const double prompt_sd =
          std::hypot(scales.prompt * cell.prompt.log_sd, llm::kOtherBoardPrompt);
      log_sd = std::hypot(log_sd * decode_s, prompt_sd * cell.prompt.predicted) / one.predicted;
    } else if (!std::isnan(row.rail_token_j) && !std::isnan(share)) {
      one.figure = "GPU and CPU (mJ/token)";
      one.measured = 1e3 * row.rail_token_j;
      // The factor of the board, fitted without this model.
      const double factor = llm::dynamic_of(llm::board_draws(cells, row.model), row.board);
      const double above_w = cell.decode_power.predicted - cell.engine.decode_idle_w(row.hardware);
      one.predicted = 1e3 * step_s * (share * factor * above_w + row.hardware.leak_w);
      log_sd = std::hypot(log_sd, power_sd);
    } else {
      continue;
    }
    one.low = one.predicted * std::exp(-kLlmZ90 * log_sd);
    one.high = one.predicted * std::exp(kLlmZ90 * log_sd);
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

llm::EngineRows load_llm_rows(const std::vector<std::string>& paths) {
  llm::EngineRows all;
  for (const std::string& path : paths) {
    auto more = llm::load_engine_rows(path);
    std::move(more.rows.begin(), more.rows.end(), std::back_inserter(all.rows));
    std::move(more.left_out.begin(), more.left_out.end(), std::back_inserter(all.left_out));
    all.memory_twice += more.memory_twice;
  }
  if (all.rows.empty()) throw UsageError("no row of the files can be used", paths.front());
  return all;
}

LlmScores score_llm(const std::vector<std::string>& paths) {
  LlmScores scores;
  scores.rows = load_llm_rows(paths);
  const auto& rows = scores.rows.rows;
  const std::vector<LeftOutCell> cells = llm::left_out_cells(rows);
  std::map<std::string, llm::EngineScales> scales;  // fitted without one engine
  std::map<LlmKey, LlmErrors> groups, by_engine, totals;
  for (const LeftOutCell& cell : cells) {
    const EngineRow& row = *cell.row;
    auto scale = scales.find(row.engine);
    if (scale == scales.end()) {
      scale = scales.emplace(row.engine, llm::engine_scales(cells, row.engine)).first;
    }
    // This row is scored only by judged_of().
    const bool alone = !row.fitted && !cell.step.known();
    if (alone) continue;
    const LlmKey whole(row.engine, row.board, row.mode, row.model, row.quantization);
    groups[whole].add(cell, scale->second);
    by_engine[LlmKey(row.engine, row.board, row.mode, "", "")].add(cell, scale->second);
    totals[LlmKey("", row.board, row.mode, "", "")].add(cell, scale->second);
  }
  scores.groups = groups_of(groups);
  scores.engines = groups_of(by_engine);
  scores.totals = groups_of(totals);
  scores.slopes = slopes_of(cells, rows.front());
  scores.judged = judged_of(cells, llm::engine_scales(cells));
  scores.fitted = llm::ship_engines(rows, cells);
  return scores;
}

}  // namespace ridgewatt::evaluate
