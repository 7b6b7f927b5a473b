#include "ridgewatt/answer/held.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/tune_answer.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/thermal/hold.h"
#include "ridgewatt/thermal/thermal_file.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {
namespace {

std::string without_bsp(const std::string& board) {
  return board.substr(0, board.find('@'));
}

void require_same_board(const thermal::ThermalFile& file, const std::string& device) {
  if (file.board.empty() || device.empty()) return;
  const std::string name = load_board(device).name;
  if (without_bsp(file.board) == name) return;
  throw UsageError("the thermal constants are for board " + file.board + ", not for " + name,
                   "--thermal", "record this board with `ridgewatt soak`");
}

// The power of a processor is not modelled, and without a sensor power is not measured.
void require_known(double power_w, const std::string& device) {
  if (!std::isnan(power_w)) return;
  throw NotSupportedError("the power of this board is not known, so neither is its heat", device,
                          "omit --thermal");
}

// Time and power of a minibatch.
struct Pace {
  double time_s = 0, power_w = 0;
};

// The mean pace of a board that alternates between two neighboring GPU clocks: the lowest that
// draws more than the sustained power and the next one below. The share of time at each clock makes
// the mean power equal to `sustained_w`. A lower clock switches no SM on.
std::optional<Pace> throttled_pace(const twin::Estimator& estimator, const Board& board,
                                   PowerMode mode, double sustained_w) {
  auto clocks = knob_space(board).levels(Knob::kGpuClock);
  std::sort(clocks.rbegin(), clocks.rend());
  const auto at = [&](const PowerMode& there) {
    const twin::MinibatchCost cost = estimator(there);
    return Pace{cost.period_s, cost.power_w};
  };
  Pace above = at(mode);
  const double from_hz = mode.gpu_clock_hz > 0 ? mode.gpu_clock_hz : clocks.front();
  for (const double clock_hz : clocks) {
    if (clock_hz >= from_hz) continue;
    mode.gpu_clock_hz = clock_hz;
    const Pace below = at(mode);
    if (below.power_w > sustained_w) {
      above = below;
      continue;
    }
    const double share = (sustained_w - below.power_w) / (above.power_w - below.power_w);
    return Pace{1 / (share / above.time_s + (1 - share) / below.time_s), sustained_w};
  }
  return std::nullopt;
}

}  // namespace

void add_holds(EstimateAnswer& found, const thermal::ThermalFile& file,
               thermal::HoldQuestion question) {
  if (found.over != EstimateAnswer::Over::kModes) {
    throw UsageError("thermal constants apply to one board and one runtime", "--thermal",
                     "give one --device and one --runtime");
  }
  require_same_board(file, found.device);
  found.held.clear();
  for (const auto& row : found.rows) {
    const twin::MinibatchCost& total = row.estimate.total;
    question.power_w = total.power_w;
    require_known(question.power_w, found.device);
    HeldRow held{thermal::how_long(file, question), {}, {}};
    if (held.hold.holds) {
      held.sustained_time_s = total.period_s;
      held.sustained_power_w = total.power_w;
    } else if (const auto pace = throttled_pace(
                   found.model->estimator(row.setting->batch)
                       .with_sms_on(found.model->twin().sms_in(row.mode)),
                   load_board(found.device), row.estimate.clocks, held.hold.sustained_w)) {
      held.sustained_time_s = pace->time_s;
      held.sustained_power_w = pace->power_w;
    }
    found.held.push_back(held);
  }
}

void add_holds(TuneAnswer& found, const thermal::ThermalFile& file,
               thermal::HoldQuestion question) {
  require_same_board(file, found.source.device.value_or(""));
  const auto held = [&](const tune::ComparedPoint& point) {
    question.power_w = point.cost.power_w.mean;
    require_known(question.power_w, found.source.device.value_or(""));
    return thermal::how_long(file, question);
  };
  if (found.outcome.best) found.outcome.best->hold = held(*found.outcome.best);
  for (auto& other : found.outcome.compared) other.hold = held(other);
}

void add_holds(EstimateAnswer& found, const HeatQuestion& heat) {
  if (!heat.file.empty()) add_holds(found, thermal::read_thermal_file(heat.file), heat.hold());
}

void add_holds(TuneAnswer& found, const HeatQuestion& heat) {
  if (!heat.file.empty()) add_holds(found, thermal::read_thermal_file(heat.file), heat.hold());
}

thermal::HoldQuestion HeatQuestion::hold() const {
  thermal::HoldQuestion question;
  question.ambient_celsius = ambient_celsius;
  question.fan = fan;
  question.trip_celsius = trip_celsius;
  return question;
}

}  // namespace ridgewatt::answer
