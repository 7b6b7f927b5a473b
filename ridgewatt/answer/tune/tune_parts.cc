#include "ridgewatt/answer/tune/tune_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/platform/mode_control.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::answer {

namespace {

// The board that a sweep names, "agx-orin" or "fake:agx-orin". Empty for an unknown board.
std::optional<Board> board_named(const std::string& name) {
  const auto known = find_meant(fake_name(name).value_or(name), board_names());
  return known ? std::optional(load_board(*known)) : std::nullopt;
}

}  // namespace

tune::StrategyOptions strategy_options(const TuneQuestion& question) {
  tune::StrategyOptions strategy;
  strategy.strategy = question.strategy.value_or("auto");
  strategy.budget = question.budget;
  strategy.seed = question.seed;
  strategy.min_gain = question.min_gain;
  strategy.near_best = question.near_best;
  strategy.job_samples = question.job_samples;
  strategy.noise = question.noise;
  return strategy;
}

std::string count_idle(TuneQuestion& question, const std::string& board,
                       std::span<const Observation> rows) {
  tune::Goal& goal = question.goal;
  if (!(goal.rate_hz > 0)) return "";
  try {
    if (!board.empty()) {
      const Board known = load_board(fake_name(board).value_or(board));
      const auto twin = std::make_shared<const twin::Twin>(twin::load_twin(known));
      if (twin->cpu) return "";
      goal.idle_power_w = [twin](const PowerMode& mode) { return twin::idle_power_w(*twin, mode); };
      return "modelled by the twin of " + known.name;
    }
  } catch (const NotFoundError&) {  // the rows name an unknown board
  } catch (const NotSupportedError&) {
  }
  if (rows.empty()) return "";
  const double least_w =
      std::min_element(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.power_w < b.power_w;
      })->power_w;
  goal.idle_power_w = [least_w](const PowerMode&) { return least_w; };
  return fmt::format("the least power in the rows, {:.1f} W, since they name no known board",
                     least_w);
}

tune::Caution caution_of(const TuneQuestion& question) {
  return question.confidence != 0.5 ? tune::Caution::kUpperEnds : tune::Caution::kMeans;
}

std::optional<double> job_samples_of(const TuneQuestion& question) {
  return question.job_samples > 0 ? std::optional(question.job_samples) : std::nullopt;
}

double interval_of(const TuneQuestion& question) {
  return caution_of(question) == tune::Caution::kUpperEnds ? std::abs(2 * question.confidence - 1)
                                                           : predict::kDefaultInterval;
}

namespace {

constexpr char kHighest[] = "highest mode";

// Allows a small difference because a recorded clock is only near a level. Ignores knobs that were
// not recorded.
bool is_top(const PowerMode& mode, const PowerMode& top) {
  constexpr double kSameClockHz = 1e6;
  return std::all_of(kKnobs.begin(), kKnobs.end(), [&](Knob knob) {
    const double off = std::abs(mode.get(knob) - top.get(knob));
    return !mode.has(knob) || off <= (knob == Knob::kCpuCores ? 0 : kSameClockHz);
  });
}

// The highest mode of a set of points is MAXN only if the board has no higher mode.
std::string highest_name(const std::optional<Board>& board, const PowerMode& mode) {
  if (!board) return kHighest;
  if (is_top(mode, knob_space(*board).top())) return "MAXN";
  const std::string preset = preset_name(*board, mode);
  return preset.empty() ? kHighest : preset;
}

// A machine without knobs tunes threads, so any highest mode counts as that of the machine.
bool is_top_of(const platform::JetsonModeControl& control, const PowerMode& mode) {
  try {
    return is_top(mode, control.space().top());
  } catch (const NotSupportedError&) {
    return true;
  }
}

}  // namespace

std::vector<tune::NamedMode> named_modes(const std::string& device, const tune::SearchSpace& space,
                                         const std::string& rows_of) {
  const PowerMode& highest = space[space.top()].mode;
  if (device.empty()) return {{highest_name(board_named(rows_of), highest), highest}};
  std::vector<PowerMode> modes;
  for (const auto& point : space.points()) {
    if (modes.empty() || modes.back() != point.mode) modes.push_back(point.mode);
  }
  const KnobSpace knobs(std::move(modes));
  const Board board = load_board(device);
  std::vector<tune::NamedMode> names = {{highest_name(board, highest), highest}};
  for (const auto& preset : presets(board)) {
    const PowerMode& nearest = knobs.nearest(preset.mode);
    if (nearest == names[0].mode) continue;
    names.push_back({(nearest == preset.mode ? "" : "near ") + preset.name, nearest});
  }
  return names;
}

std::vector<tune::NamedMode> preset_modes(const platform::JetsonModeControl& control,
                                          const KnobSpace& modes) {
  const PowerMode& top = modes.top();
  std::vector<tune::NamedMode> names = {{is_top_of(control, top) ? "MAXN" : kHighest, top}};
  if (!control.presets()) return names;
  for (const auto& preset : control.presets()->modes) {
    names.push_back({preset.name, modes.nearest(platform::limits_of(*control.presets(), preset))});
  }
  return names;
}

void compare_modes(TuneAnswer& found, const std::vector<tune::NamedMode>& modes,
                   const std::vector<int>& batches,
                   const std::function<Observation(const OperatingPoint&)>& seen,
                   const std::function<predict::Prediction(const OperatingPoint&)>& cost) {
  const tune::Goal& goal = found.outcome.goal;
  for (const auto& [name, mode] : modes) {
    std::vector<Observation> rows;
    for (const int batch : batches) rows.push_back(seen({mode, batch}));
    auto chosen = tune::best_feasible(goal, rows);
    if (!chosen) chosen = tune::nearest_miss(goal, rows);
    if (!chosen) continue;
    const OperatingPoint& point = rows[*chosen].point;
    found.outcome.compared.push_back(tune::compared(goal, name, point, cost(point)));
  }
  if (!found.outcome.best || modes.empty()) return;
  const OperatingPoint highest{modes.front().mode, found.outcome.best->point.batch};
  found.outcome.highest = tune::compared(goal, modes.front().name, highest, cost(highest));
}

void compare_rows(TuneAnswer& found, const Sweep& rows, const std::vector<tune::NamedMode>& modes) {
  found.outcome.compared = tune::compare_with_sweep(found.outcome.goal, rows, modes);
  if (!found.outcome.best || modes.empty()) return;
  for (const Observation& row : rows.observations) {
    if (row.point.mode != modes.front().mode) continue;
    if (row.point.batch != found.outcome.best->point.batch) continue;
    found.outcome.highest = tune::compared(found.outcome.goal, modes.front().name, row);
  }
}

void compare_profiled(TuneAnswer& found, const Sweep& rows,
                      const std::vector<tune::NamedMode>& modes) {
  compare_rows(found, rows, modes);
  auto& compared = found.outcome.compared;
  if (!compared.empty() && compared.back().name == "optimum of the sweep") compared.pop_back();
}

void name_presets(TuneAnswer& found, const Board& board) {
  const auto name = [&](tune::ComparedPoint& point) {
    point.preset = preset_name(board, point.point.mode);
  };
  if (found.outcome.best) name(*found.outcome.best);
  if (found.outcome.miss) name(*found.outcome.miss);
  for (auto& other : found.outcome.compared) name(other);
}

void add_relaxations(TuneAnswer& found, std::span<const OperatingPoint> points,
                     std::span<const predict::Prediction> costs, tune::Caution caution) {
  if (found.outcome.best) return;
  for (const auto& [kind, value, point] :
       tune::relaxations(found.outcome.goal, points, costs, caution)) {
    found.outcome.relaxations.push_back({kind, value, points[point]});
  }
}

void add_job(TuneAnswer& found) {
  if (!found.outcome.job_samples || !found.outcome.best) return;
  const auto& [point, cost] = std::pair(found.outcome.best->point, found.outcome.best->cost);
  found.outcome.job =
      twin::job_cost(cost.time_s.mean, cost.energy_j.mean, point.batch, *found.outcome.job_samples);
}

TuneAnswer search_answer(const TuneQuestion& question, const tune::SearchSpace& space,
                         const tune::SearchSummary& summary) {
  TuneAnswer found;
  found.outcome.goal = question.goal;
  found.outcome.confidence = question.confidence;
  found.outcome.goal.reference_time_s = summary.reference_time_s;
  found.trace.strategy = summary.strategy;
  found.trace.seed = question.seed;
  if (summary.answer)
    found.outcome.best = tune::compared(found.outcome.goal, "answer", *summary.answer);
  if (summary.miss)
    found.outcome.miss = tune::compared(found.outcome.goal, "nearest miss", *summary.miss);
  found.trace.profiled = summary.steps;
  found.trace.again = summary.again;
  found.trace.considered = space.size();
  found.trace.stopped_because = summary.stop;
  found.trace.near_best = summary.near_best;
  found.trace.board_time_s = summary.board_time_s;
  found.trace.board_energy_j = summary.board_energy_j;
  found.outcome.job_samples = job_samples_of(question);
  add_job(found);
  std::vector<OperatingPoint> points;
  std::vector<predict::Prediction> costs;
  for (const auto& step : summary.steps) {
    points.push_back(step.seen.point);
    costs.push_back(predict::exactly(step.seen));
  }
  add_relaxations(found, points, costs, tune::Caution::kMeans);
  const bool more = question.verify > 0 || summary.stop_reason == tune::StopReason::kBudget;
  if (!found.outcome.best && summary.steps.size() < space.size() && more) {
    found.outcome.advice = fmt::format("the search profiled only {} of {}: raise {}",
                                       summary.steps.size(), counted(space.size(), "point"),
                                       question.verify > 0 ? "--verify" : "--profiles");
  }
  return found;
}

}  // namespace ridgewatt::answer
