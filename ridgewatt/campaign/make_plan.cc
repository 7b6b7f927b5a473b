#include "ridgewatt/campaign/make_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::campaign {
namespace {

// The position of a mode's value among the levels of each knob, from 0 to 1.
using LevelPlace = KnobArray<double>;

std::vector<LevelPlace> places_of(const std::vector<PowerMode>& modes) {
  std::vector<LevelPlace> places(modes.size());
  for (const Knob knob : kKnobs) {
    std::set<double> levels;
    for (const auto& mode : modes) levels.insert(mode.get(knob));
    const double last = std::max<double>(1, static_cast<double>(levels.size()) - 1);
    std::map<double, double> place;
    for (const double level : levels)
      place.emplace(level, static_cast<double>(place.size()) / last);
    for (std::size_t i = 0; i < modes.size(); ++i) places[i][knob] = place.at(modes[i].get(knob));
  }
  return places;
}

double squared_distance(const LevelPlace& a, const LevelPlace& b) {
  double sum = 0;
  for (const Knob knob : kKnobs) sum += (a[knob] - b[knob]) * (a[knob] - b[knob]);
  return sum;
}

void predict_point(PlannedPoint& point, const twin::TwinModel& model,
                   const measure::MeasureOptions& options) {
  const Observation seen = model.observe(point.point);
  const double period_s = seen.time_s;
  const auto& settle = options.settle;
  // Settling needs two windows that agree; see SteadyLoad.
  const double settle_s =
      settle.at_most_s <= 0
          ? 0
          : std::min(settle.at_most_s, 2 * std::max(settle.window_s, 2 * period_s));
  const double load_s =
      settle_s + period_s * (options.window.warm_up + std::max(1, options.window.minibatches));
  point.predicted_s = options.idle_s + load_s;
  point.predicted_j = seen.power_w * load_s;
}

}  // namespace

BoardKind planned_kind(const std::string& name, int boards, const std::vector<PowerMode>& modes,
                       const std::vector<int>& batches, const PlanOptions& options) {
  if (modes.empty())
    throw UsageError("the campaign has no power mode to measure", name,
                     "give --modes, --sample, --suggest or --all");
  if (options.repeats < 1)
    throw UsageError("the number of repeats is 0, but must be 1 or more", name);
  const auto order = measure::profiling_order(modes);
  const std::vector<int> all_batches = batches.empty() ? std::vector<int>{0} : batches;
  BoardKind kind;
  kind.name = name;
  kind.boards = boards;
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    for (const auto& mode : order) {
      for (const int batch : all_batches) {
        kind.points.push_back({.label = fmt::to_string(kind.points.size()),
                               .point = {mode, batch},
                               .repeat = repeat});
      }
    }
  }
  for (const auto& mode : spanning_modes(order, options.calibration)) {
    kind.calibration.push_back({.label = fmt::format("cal-{}", kind.calibration.size()),
                                .point = {mode, all_batches.front()}});
  }
  kind.points_per_task = points_per_task(kind.points.size(), options.most_tasks);
  return kind;
}

std::vector<PowerMode> spanning_modes(const std::vector<PowerMode>& modes, std::size_t count) {
  std::vector<PowerMode> chosen;
  if (modes.empty() || count == 0) return chosen;
  const auto places = places_of(modes);
  std::vector<double> nearest(modes.size(), INFINITY);
  auto next =
      static_cast<std::size_t>(std::max_element(modes.begin(), modes.end()) - modes.begin());
  while (chosen.size() < std::min(count, modes.size()) && nearest[next] > 0) {
    chosen.push_back(modes[next]);
    for (std::size_t i = 0; i < modes.size(); ++i) {
      nearest[i] = std::min(nearest[i], squared_distance(places[i], places[next]));
    }
    next = static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) -
                                    nearest.begin());
  }
  return chosen;
}

void predict_costs(BoardKind& kind, const twin::TwinModel& model,
                   const measure::ProfileOptions& options) {
  const auto predict_all = [&](std::vector<PlannedPoint>& points) {
    for (auto& point : points) {
      if (model.fits_memory(std::max(1, point.point.batch))) {
        predict_point(point, model, options.measure);
      }
    }
  };
  predict_all(kind.points);
  predict_all(kind.calibration);
}

PredictedCost predicted_cost(const BoardKind& kind) {
  PredictedCost sum;
  double calibration_s = 0, calibration_j = 0;
  for (const auto& point : kind.calibration) {
    calibration_s += point.predicted_s;
    calibration_j += point.predicted_j;
  }
  for (const auto& point : kind.points) {
    sum.points_s += point.predicted_s;
    sum.energy_j += point.predicted_j;
    sum.unknown += point.predicted_s > 0 ? 0 : 1;
  }
  if (sum.points_s == 0) return sum;
  sum.duration_s = calibration_s + sum.points_s / kind.boards;
  sum.energy_j += calibration_j * kind.boards;
  return sum;
}

NamedBoards parse_boards(const std::string& text) {
  constexpr std::string_view kFake = "fake";
  NamedBoards named;
  named.kind = text;
  const auto colon = text.rfind(':');
  if (colon != std::string::npos && text.substr(0, colon) != kFake) {
    const auto count = parse_int(text.substr(colon + 1));
    if (!count || *count < 1 || *count > 100000) {
      throw UsageError("does not name a kind of board and a number of boards", text,
                       "write KIND:NUMBER, for example agx-orin:4");
    }
    named.kind = text.substr(0, colon);
    named.count = static_cast<int>(*count);
  }
  named.board = load_board(platform::board_of_device(named.kind));
  return named;
}

void predict_model(BoardKind& kind, const Board& board, const std::string& model,
                   const measure::ProfileOptions& options) {
  const auto workload_kind =
      find_name<WorkloadKind>(options.series.kind).value_or(WorkloadKind::kInference);
  const auto workload = std::make_shared<const workload::DeployedWorkload>(
      model, workload::DeployOptions{.kind = workload_kind});
  predict_costs(kind, twin::TwinModel(twin::load_twin(board), workload), options);
}

}  // namespace ridgewatt::campaign
