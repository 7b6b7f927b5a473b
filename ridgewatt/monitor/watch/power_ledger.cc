#include "ridgewatt/monitor/watch/power_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ridgewatt/base/error.h"

namespace ridgewatt::monitor {
namespace {

constexpr double kGapIntervals = 10, kLeastGapS = 1;
constexpr double kNoPower = std::numeric_limits<double>::quiet_NaN();

std::optional<double> valid(double power_w) {
  return std::isfinite(power_w) ? std::optional(power_w) : std::nullopt;
}

Energy energy_of(const measure::EnergySum& sum) {
  return {sum.energy_j, sum.error_j};
}

}  // namespace

PowerLedger::PowerLedger(const std::vector<platform::PowerSource::Channel>& channels, bool means,
                         double rate_hz)
    : means_(means), gap_s_(std::max(kLeastGapS, kGapIntervals / rate_hz)) {
  const Integral empty(Integral::kNone, gap_s_);
  for (const auto& channel : channels) {
    has_total_ = has_total_ || channel.in_total;
    rails_.push_back({channel.in_total, empty, kNoPower});
  }
  total_ = {true, empty, kNoPower};
}

// If powers are means since the previous sample, adds a step from there.
void PowerLedger::extend(Integral& integral, double time_s, double power_w) const {
  if (means_ && last_s_ > 0) integral.add(std::nextafter(last_s_, time_s), power_w);
  integral.add(time_s, power_w);
}

void PowerLedger::add(Channel& channel, double time_s, double power_w) const {
  extend(channel.energy, time_s, power_w);
  channel.power_w = power_w;
  // A sensor near zero may read negative values, but a counter must not decrease.
  const auto sum = channel.energy.sum();
  auto& highest = channel.highest;
  highest.energy_j = std::max(highest.energy_j, sum.energy_j);
  const bool known = std::isfinite(highest.error_j);
  highest.error_j = known ? std::max(highest.error_j, sum.error_j) : sum.error_j;
}

// A counter that has not advanced has no value. It keeps its last value as long as another counter
// has one. Returns false if none has a value.
bool PowerLedger::hold(std::array<double, measure::kMaxPowerChannels>& power_w) const {
  bool news = false;
  for (std::size_t i = 0; i < rails_.size(); ++i) news = news || std::isfinite(power_w[i]);
  for (std::size_t i = 0; news && i < rails_.size(); ++i) {
    if (!std::isfinite(power_w[i])) power_w[i] = rails_[i].power_w;
  }
  return news;
}

void PowerLedger::add(const measure::PowerSample& sample) {
  const double time_s = sample.time_s;
  if (!(time_s > last_s_)) return;
  std::array<double, measure::kMaxPowerChannels> power_w_of = sample.power_w;
  if (means_ && !hold(power_w_of) && (last_s_ == 0 || time_s - last_s_ < gap_s_)) {
    if (last_s_ == 0) last_s_ = time_s;  // the first mean begins here
    return;
  }
  for (std::size_t i = 0; i < rails_.size(); ++i) add(rails_[i], time_s, power_w_of[i]);
  const auto in_total = [&](std::size_t i) { return power_w_of[i]; };
  const double power_w = platform::total_power_w(rails_, in_total).value_or(kNoPower);
  add(total_, time_s, power_w);
  for (auto& [number, open] : open_) extend(open.energy, time_s, power_w);
  for (auto& [number, ended] : ended_) {
    if (!ended.energy.settled()) extend(ended.energy, time_s, power_w);
  }
  if (minibatches_ > 0) {
    extend(marked_, time_s, power_w);
    extend(marked_until_newest_, time_s, power_w);
  }
  bool whole = std::isfinite(power_w);
  if (!has_total_) {
    whole = std::all_of(rails_.begin(), rails_.end(),
                        [](const Channel& rail) { return std::isfinite(rail.power_w); });
  }
  ++samples_;
  missing_ += whole ? 0 : 1;
  if (std::isfinite(power_w)) {
    if (means_ && last_s_ > 0) before_.push_back({std::nextafter(last_s_, time_s), power_w});
    before_.push_back({time_s, power_w});
    while (before_.size() > 3) before_.pop_front();
  }
  last_s_ = time_s;
}

PowerLedger::Integral PowerLedger::integral_from(double begin_s) const {
  Integral integral(begin_s, gap_s_);
  for (const auto& point : before_) integral.add(point.time_s, point.power_w);
  return integral;
}

void PowerLedger::mark(double now_s) {
  now_s = std::max(now_s, last_s_);
  if (minibatches_ == 0) marked_ = integral_from(now_s);
  ++minibatches_;
  marked_until_newest_ = marked_;
  marked_until_newest_.end(now_s);
  for (auto& [number, open] : open_) ++open.window.minibatches;
}

std::size_t PowerLedger::begin_window(const std::string& name, double now_s) {
  if (open_.size() >= kMostOpen)
    throw UsageError("the monitor has 256 open windows, which is the maximum", name,
                     "end one first");
  now_s = std::max(now_s, last_s_);
  Open open;
  open.window.number = next_window_;
  open.window.name = name;
  open.window.begin_s = now_s;
  open.energy = integral_from(now_s);
  open_.emplace(next_window_, std::move(open));
  return next_window_++;
}

Window PowerLedger::end_window(std::size_t number, double now_s) {
  const auto found = open_.find(number);
  if (found == open_.end()) {
    for (const auto& [known, ended] : ended_) {
      if (known == number) return priced(ended, now_s);
    }
    throw NotFoundError("there is no window with this number", fmt::format("{}", number),
                        "give the number of an open window");
  }
  Open open = std::move(found->second);
  open_.erase(found);
  open.window.end_s = std::max(now_s, last_s_);
  open.window.ended = true;
  open.energy.end(open.window.end_s);
  const Window window = priced(open, now_s);
  ended_.emplace_back(number, std::move(open));
  if (ended_.size() > kMostEnded) ended_.pop_front();
  return window;
}

Window PowerLedger::priced(const Open& open, double now_s) {
  Window window = open.window;
  if (!window.ended) window.end_s = std::max(now_s, window.begin_s);
  window.energy = energy_of(open.energy.until(window.end_s));
  return window;
}

std::vector<Window> PowerLedger::windows(double now_s) const {
  std::vector<Window> windows;
  for (const auto& [number, open] : open_) windows.push_back(priced(open, now_s));
  for (const auto& [number, ended] : ended_) windows.push_back(priced(ended, now_s));
  std::sort(windows.begin(), windows.end(),
            [](const Window& a, const Window& b) { return a.number < b.number; });
  return windows;
}

void PowerLedger::fill(Snapshot& snapshot) const {
  snapshot.has_total = has_total_;
  snapshot.power_time_s = last_s_;
  snapshot.total_w = valid(total_.power_w);
  snapshot.total = total_.highest;
  for (std::size_t i = 0; i < rails_.size() && i < snapshot.rails.size(); ++i) {
    snapshot.rails[i].power_w = valid(rails_[i].power_w);
    snapshot.rails[i].since_start = rails_[i].highest;
  }
  snapshot.samples = samples_;
  snapshot.missing = missing_;
  snapshot.minibatches = minibatches_;
  // Without the extrapolation after the newest sample, which later samples could reduce.
  if (minibatches_ > 1) snapshot.minibatch_energy = energy_of(marked_until_newest_.sum());
}

double PowerLedger::mean_w(Channel& channel) {
  const double energy_j = channel.energy.sum().energy_j, time_s = channel.energy.newest_s();
  const bool some = channel.history_s > 0 && time_s > channel.history_s;
  double mean_w = some ? (energy_j - channel.history_j) / (time_s - channel.history_s) : kNoPower;
  // The first point of the history has no predecessor.
  if (channel.history_s == 0 && !channel.energy.empty()) mean_w = channel.power_w;
  channel.history_j = energy_j;
  channel.history_s = time_s;
  return mean_w;
}

void PowerLedger::add_means(HistoryPoint& point) {
  point.total_w = mean_w(total_);
  for (auto& rail : rails_) point.rail_w.push_back(mean_w(rail));
}

}  // namespace ridgewatt::monitor
