#include "ridgewatt/llm/engine_left_out.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt::llm {
namespace {

// Whether `row` is held out together with `asked`. On the first board of the cells, other
// quantizations of the model stay in the fit as the best evidence. On other boards a model ran in
// one quantization only, so all rows of the model are held out.
bool is_like(const EngineRow& row, const EngineRow& asked, bool whole_model) {
  return row.engine == asked.engine && row.model == asked.model &&
         (whole_model || row.quantization == asked.quantization);
}

double scale_of(std::span<const LeftOutCell> cells, LeftOutFigure LeftOutCell::*figure,
                std::string_view without) {
  using Group = std::tuple<std::string, std::string, std::string>;
  const auto group = [](const LeftOutCell& cell) {
    return Group(cell.row->engine, cell.row->model, cell.row->quantization);
  };
  const auto counts = [&](const LeftOutCell& cell) {
    return cell.row->fitted && cell.row->engine != without && (cell.*figure).known();
  };
  std::map<Group, double> sizes;
  for (const LeftOutCell& cell : cells) {
    if (counts(cell)) sizes[group(cell)] += 1;
  }
  std::vector<std::pair<double, double>> distances;  // distance and weight
  double whole = 0;
  for (const LeftOutCell& cell : cells) {
    if (!counts(cell)) continue;
    const LeftOutFigure& one = cell.*figure;
    const double weight = 1 / sizes.at(group(cell));
    distances.emplace_back(std::abs(one.log_error()) / one.log_sd, weight);
    whole += weight;
  }
  if (distances.empty()) return 1;
  std::sort(distances.begin(), distances.end());
  constexpr double kInside = 0.9, kZ90 = 1.645;
  double sum = 0;
  for (const auto& [distance, weight] : distances) {
    sum += weight;
    if (sum >= kInside * whole) return std::max(1.0, distance / kZ90);
  }
  return std::max(1.0, distances.back().first / kZ90);
}

}  // namespace

double LeftOutFigure::log_error() const {
  return std::log(predicted / measured);
}
bool LeftOutFigure::known() const {
  return !std::isnan(measured);
}

std::vector<LeftOutCell> left_out_cells(std::span<const EngineRow> rows) {
  std::map<std::tuple<std::string, std::string, std::string>, Engine> engines;
  std::vector<LeftOutCell> cells;
  for (const EngineRow& row : rows) {
    const bool whole_model = row.board != rows.front().board;
    const std::tuple key(row.engine, row.model, whole_model ? "" : row.quantization);
    auto found = engines.find(key);
    if (found == engines.end()) {
      std::vector<EngineRow> left;
      for (const EngineRow& other : rows) {
        if (!is_like(other, row, whole_model)) left.push_back(other);
      }
      found = engines.emplace(key, fit_engines(left).of(row.engine)).first;
    }
    const Engine& engine = found->second;
    LeftOutCell cell;
    cell.row = &row;
    cell.learned_from = engine.step.rows;
    cell.engine = engine;
    cell.step = {row.step_s, engine.step_s(row.decode, row.hardware),
                 engine.step_log_sd(row.decode, row.hardware)};
    cell.prompt = {row.prompt_s, engine.prompt_s(row.prompt, row.hardware),
                   engine.prompt_log_sd(row.prompt, row.hardware)};
    cell.decode_power = {row.decode_power_w, metered_decode_w(engine, row),
                         engine.decode_power_log_sd(row.decode, row.hardware)};
    cell.prefill_power = {row.prefill_power_w, metered_prefill_w(engine, row),
                          engine.prefill_power_log_sd(row.prompt, row.hardware)};
    cells.push_back(cell);
  }
  for (LeftOutCell& cell : cells) {
    const EngineRow& row = *cell.row;
    if (std::isnan(row.board_power_w)) continue;
    const double dynamic = dynamic_of(board_draws(cells, "", row.engine), row.board);
    cell.decode_power = {row.board_power_w,
                         metered_w(cell.engine.decode_power_w(row.decode, row.hardware),
                                   cell.engine.decode_idle_w(row.hardware), dynamic),
                         cell.engine.decode_power_log_sd(row.decode, row.hardware)};
  }
  return cells;
}

double rail_share_of(std::span<const LeftOutCell> cells) {
  std::vector<double> shares;
  for (const LeftOutCell& cell : cells) {
    const EngineRow& row = *cell.row;
    if (std::isnan(row.rail_share)) continue;
    const double above_w = row.decode_power_w - cell.engine.decode_idle_w(row.hardware);
    shares.push_back((row.rail_share * row.decode_power_w - row.hardware.leak_w) / above_w);
  }
  return shares.empty() ? std::numeric_limits<double>::quiet_NaN() : median(shares);
}

std::vector<BoardDraw> board_draws(std::span<const LeftOutCell> cells,
                                   std::string_view without_model,
                                   std::string_view without_engine) {
  const double share = rail_share_of(cells);
  std::map<std::string, std::vector<double>> ratios;
  // Only cells in modes with fitted rows count. This excludes modes whose cells are only scored.
  std::set<std::pair<std::string, std::string>> modes;
  for (const LeftOutCell& cell : cells) {
    if (cell.row->fitted) modes.emplace(cell.row->board, cell.row->mode);
  }
  for (const LeftOutCell& cell : cells) {
    const EngineRow& row = *cell.row;
    if (row.model == without_model || row.engine == without_engine) continue;
    if (!modes.contains({row.board, row.mode})) continue;
    const double idle_w = cell.engine.decode_idle_w(row.hardware);
    const double above_w = cell.engine.decode_power_w(row.decode, row.hardware) - idle_w;
    if (!std::isnan(row.board_power_w)) {
      ratios[row.board].push_back((row.board_power_w - idle_w) / above_w);
    } else if (!std::isnan(row.rail_token_j) && !std::isnan(share)) {
      const double rail_w = row.rail_token_j / cell.step.predicted - row.hardware.leak_w;
      ratios[row.board].push_back(rail_w / (share * above_w));
    }
  }
  std::vector<BoardDraw> draws;
  for (const auto& [board, all] : ratios) draws.push_back({board, median(all), all.size()});
  return draws;
}

double dynamic_of(std::span<const BoardDraw> draws, std::string_view board) {
  const auto found = std::find_if(draws.begin(), draws.end(),
                                  [&](const BoardDraw& one) { return one.board == board; });
  return found == draws.end() ? 1 : found->dynamic;
}

EngineScales engine_scales(std::span<const LeftOutCell> cells, std::string_view without) {
  return {scale_of(cells, &LeftOutCell::step, without),
          scale_of(cells, &LeftOutCell::prompt, without),
          scale_of(cells, &LeftOutCell::decode_power, without),
          scale_of(cells, &LeftOutCell::prefill_power, without)};
}

}  // namespace ridgewatt::llm
