// Simulates a workload on a fake board: the time of its minibatches and the power of the board. To
// avoid circular results, the load differs from the twin that the program uses for predictions:
//   every parameter of the twin is changed by up to 20 % (a uniform factor in [0.8, 1.2]);
//   time and power at each combination of clocks deviate by up to 3 %, like the effects of memory
//   alignment on real boards; leakage grows with temperature, which follows power with a delay;
//   minibatch times vary by 2 %, and one in a hundred takes 1.5 times as long.
// The board's seed determines all of this. RIDGEWATT_FAKE_SPECIMEN may add other deviations
// (docs/methods/fake_board.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/base/random.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/jetson_power.h"
#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::platform {

// How busy a load keeps the parts of a board, as shares of time.
struct FakeUse {
  double cpu = 0;  // of the busiest core
  double gpu = 0;
  double memory = 0;  // share of the highest bandwidth at these clocks
};

class FakeLoad {
 public:
  FakeLoad(const twin::Twin& twin, const workload::WorkloadCost& cost, std::uint64_t seed,
           FakeSpecimen specimen = {}, const twin::RunOptions& run = {});
  // Begins the next minibatch and returns its time relative to the mean.
  double next();
  // Sets the number of SMs that are on. If all are on, as at the start, a mode with exactly the
  // knobs of a preset has the SMs of the preset.
  void set_sms(int sms) { sms_ = std::max(sms, 1); }
  // Mean time of a minibatch at these clocks, including its wait for data, and module power during
  // it. Both are at the current temperature; see warm().
  twin::TimePower at(const PowerMode& clocks) const;
  FakeUse use(const PowerMode& clocks) const;
  // Share of a minibatch in which it waits for its data.
  double stall_share(const PowerMode& clocks) const;
  // Warms the board for `time_s`.
  void warm(double time_s);
  // Means without noise on a cold board: the result of a perfect measurement.
  twin::TimePower truth(const PowerMode& mode) const;

 private:
  const twin::Estimator& estimator() const { return estimator_.with_sms_on(sms_); }

  twin::Estimator estimator_;
  int sms_;
  std::uint64_t seed_;
  FakeSpecimen specimen_;
  twin::TimePower top_;  // time and power of the type in its top mode
  Random random_;
  double warm_ = 0;  // from 0 (cold) to 1 (hot)
};

// Writes the power rails of a fake board.
class FakeRails {
 public:
  explicit FakeRails(const Sysfs& sysfs);
  // Divides module power among the rails as on the board, with the resolution of the sensor.
  void set(double power_w) const;

 private:
  const Sysfs& sysfs_;
  PowerRails rails_;
};

// An idle fake board. Its power is the power of its mode without a workload, computed by the same
// twin as the power under load.
class FakeRest {
 public:
  FakeRest(const Sysfs& sysfs, const FakeBoardMark& board);
  double power_w() const;  // at the clocks in the files
  void set() const;        // sets the rails, unless a load is running

 private:
  const Sysfs& sysfs_;
  JetsonLayout layout_;
  FakeRails rails_;
  Board board_;
  twin::Twin twin_;
  FakeSpecimen specimen_;
};

// Name of the board file for a fake board, with "@BSP" if its clocks are not those of the default
// BSP.
std::string board_of_fake(const std::string& name);
// Name of the board file for a device, such as "agx-orin" or "fake:agx-orin".
std::string board_of_device(const std::string& device);
// The board file for a device, or for the board that a series names; empty if there is none.
std::optional<Board> find_board_of_device(const std::string& device);
// The current clocks and the number of online cores.
PowerMode fake_clocks(const Sysfs& sysfs, const JetsonLayout& layout);

// Runs minibatches on a fake board at `speed` times real time, marks them if RIDGEWATT_MARK_FD is
// set, and leaves the board idle. Returns the number of minibatches, which is smaller after
// SIGTERM.
int run_fake_load(const Sysfs& sysfs, const FakeBoardMark& name, const workload::WorkloadCost& cost,
                  int minibatches, double speed);

// Governors and counters of a fake board while a workload runs. The destructor returns to idle.
//   schedutil (and interactive)   5/4 of the highest clock times the use of the busiest core
//   ondemand                      the highest clock above 80 %, otherwise in proportion
//   conservative                  up (above 80 % use) or down (below 20 %) by 1/20 of the highest
//   nvhost_podgov and other GPU governors   the clock at which its load would be 70 %
//   performance, powersave, userspace       no change
// All clocks are within the limits and taken from the table.
class FakeActivity {
 public:
  static constexpr double kTickS = 0.02;  // interval of the governors

  explicit FakeActivity(const Sysfs& sysfs);
  ~FakeActivity();
  FakeActivity(const FakeActivity&) = delete;
  FakeActivity& operator=(const FakeActivity&) = delete;
  // One step of the governors, with the use since the previous step. Updates the counters.
  void step(const FakeUse& use);
  // Lowers all clocks to `steps` table steps below their limits, because of heat or current.
  void throttle(int steps) {
    throttled_ = steps > 0 || throttle_steps_ > 0, throttle_steps_ = steps;
  }
  PowerMode clocks() const { return fake_clocks(sysfs_, layout_); }

 private:
  struct Domain {
    std::string folder;
    std::string governor, current;  // paths of files
    std::string minimum, maximum, table, request;
    bool gpu = false;
    double clock = 0;  // the clock whose time is being counted
  };
  void count(Domain& domain) const;
  void remember(const std::string& path);
  void govern(const Domain& domain, double use) const;

  const Sysfs& sysfs_;
  JetsonLayout layout_;
  std::vector<Domain> domains_;
  int throttle_steps_ = 0;
  bool throttled_ = false;  // throttled now or at the last step
  // Paths on this machine, each with its content on an idle board.
  std::vector<std::pair<std::string, std::string>> at_rest_;
};

}  // namespace ridgewatt::platform
