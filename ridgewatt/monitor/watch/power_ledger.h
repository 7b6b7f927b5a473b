// The energies of a monitor, in bounded memory: of every rail and the total since the start, of
// windows and of minibatches. Every sample updates them.
//
//   PowerLedger ledger(source.channels(), source.tells_means(), rate_hz);
//   ledger.add(sample);                   // in the order of time
//   ledger.begin_window("epoch", now_s);  // `now_s` must not be before the newest sample
#pragma once

#include <array>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "ridgewatt/measure/energy.h"
#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/monitor/monitor.h"

namespace ridgewatt::monitor {

class PowerLedger {
 public:
  static constexpr std::size_t kMostOpen = 256, kMostEnded = 100;

  // If a sensor has no value for ten intervals plus a second, this is a gap (measure/energy.h).
  PowerLedger(const std::vector<platform::PowerSource::Channel>& channels, bool means,
              double rate_hz);

  void add(const measure::PowerSample& sample);
  void mark(double now_s);
  // Throws UsageError if kMostOpen windows are open.
  std::size_t begin_window(const std::string& name, double now_s);
  Window end_window(std::size_t number, double now_s);
  std::vector<Window> windows(double now_s) const;

  // Sets power, energies and counts so far.
  void fill(Snapshot& snapshot) const;
  // Sets the mean powers since the last call.
  void add_means(HistoryPoint& point);

 private:
  using Integral = measure::EnergyIntegral;
  struct Channel {
    bool in_total = false;
    Integral energy;
    double power_w = 0;  // newest; NaN: missing
    Energy highest = {0, measure::kUnknownBound};
    double history_j = 0, history_s = 0;  // up to the last point of the history
  };
  struct Open {
    Window window;
    Integral energy;
  };

  bool hold(std::array<double, measure::kMaxPowerChannels>& power_w) const;
  void add(Channel& channel, double time_s, double power_w) const;
  void extend(Integral& integral, double time_s, double power_w) const;
  Integral integral_from(double begin_s) const;
  static Window priced(const Open& open, double now_s);
  static double mean_w(Channel& channel);

  bool means_;
  double gap_s_;
  bool has_total_ = false;
  std::vector<Channel> rails_;
  Channel total_;
  struct Point {
    double time_s, power_w;
  };
  // The newest points of the total, for interpolation at the ends of windows.
  std::deque<Point> before_;
  double last_s_ = 0;  // time of the newest sample, valid or not; 0: none
  std::uint64_t samples_ = 0, missing_ = 0, minibatches_ = 0;
  Integral marked_, marked_until_newest_;
  std::map<std::size_t, Open> open_;
  std::deque<std::pair<std::size_t, Open>> ended_;
  std::size_t next_window_ = 1;
};

}  // namespace ridgewatt::monitor
