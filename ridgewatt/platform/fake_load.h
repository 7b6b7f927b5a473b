// A workload on a fake board: how long its minibatches take and what the board then draws, by a
// twin that is not the one the program predicts with. Against circular results
//   every parameter of the twin is off by up to 20 % (factor uniform in [0.8, 1.2]);
//   each combination of clocks deviates by up to 3 % in time and power, as real boards do by the
//   luck of alignment; leakage grows with temperature, which follows power with a delay;
//   minibatches vary by 2 %, one in a hundred takes half as long again.
// All of it follows from the board's seed; what a specimen differs by from its kind comes on top.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/base/random.h"
#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/jetson_power.h"
#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::platform {

// How busy a load keeps the parts of a board, as shares of the time.
struct FakeUse {
  double cpu = 0;  // of the busiest core
  double gpu = 0;
  double memory = 0;  // of the highest bandwidth in these clocks
};

class FakeLoad {
 public:
  FakeLoad(const twin::Twin& twin, const workload::WorkloadCost& cost, std::uint64_t seed,
           FakeSpecimen specimen = {}, const twin::RunOptions& run = {});
  // The next minibatch: how many times as long as a mean one it takes.
  double next();
  // A minibatch with these clocks, its wait for data included, and the module's power during it: of
  // a mean one, and as warm as the board is after `warm`.
  twin::TimePower at(const PowerMode& clocks) const;
  FakeUse use(const PowerMode& clocks) const;
  double stall_share(const PowerMode& clocks) const;  // of a minibatch, spent waiting for its data
  void warm(double time_s);
  // Mean without noise, cold: what a perfect measurement would find.
  twin::TimePower truth(const PowerMode& mode) const;

 private:
  twin::Estimator estimator_;
  std::uint64_t seed_;
  FakeSpecimen specimen_;
  twin::TimePower top_;  // what the kind takes and draws in its top mode
  Random random_;
  double warm_ = 0;  // 0 cold, 1 hot
};

// The power rails of a fake board, to be set.
class FakeRails {
 public:
  explicit FakeRails(const Sysfs& sysfs);
  // A module power shared among the rails as on the board and rounded as the sensor rounds.
  void set(double power_w) const;

 private:
  const Sysfs& sysfs_;
  PowerRails rails_;
};

// A fake board with nothing to do: it draws what its mode draws for time alone, by the same twin as
// under load.
class FakeRest {
 public:
  FakeRest(const Sysfs& sysfs, const FakeBoardMark& board);
  double power_w() const;  // with the clocks that the files show now
  void set() const;        // the rails, unless a load runs

 private:
  const Sysfs& sysfs_;
  JetsonLayout layout_;
  FakeRails rails_;
  twin::Twin twin_;
  FakeSpecimen specimen_;
};

// Name of the board file of a fake board, with "@BSP" where its clocks are not those of the
// default.
std::string board_of_fake(const std::string& name);
// Clocks that run now, and the cores that are online.
PowerMode fake_clocks(const Sysfs& sysfs, const JetsonLayout& layout);

// Runs minibatches on a fake board, X times as fast as the board would, marks them where
// RIDGEWATT_MARK_FD asks for it, and leaves the board at rest. Returns how many were run: fewer
// where SIGTERM came.
int run_fake_load(const Sysfs& sysfs, const FakeBoardMark& name, const workload::WorkloadCost& cost,
                  int minibatches, double speed);

// Governors and counters of a fake board while a workload runs. Its end is the rest again.
//   schedutil (and interactive)   5/4 of what the busiest core used of the highest clock
//   ondemand                      the highest clock above 80 %, else in proportion
//   conservative                  a twentieth of the highest clock up above 80 %, down below 20 %
//   nvhost_podgov and others of the GPU   the clock at which its load would be 70 %
//   performance, powersave, userspace     stay
// All within the limits, on the clocks of the table.
class FakeActivity {
 public:
  static constexpr double kTickS = 0.02;  // of the governors

  explicit FakeActivity(const Sysfs& sysfs);
  ~FakeActivity();
  FakeActivity(const FakeActivity&) = delete;
  FakeActivity& operator=(const FakeActivity&) = delete;
  // A tick of the governors under this use since the last one; the counters show it.
  void step(const FakeUse& use);
  // Heat or current keep all clocks that many steps of their tables below the limits.
  void throttle(int steps) {
    throttled_ = steps > 0 || throttle_steps_ > 0, throttle_steps_ = steps;
  }
  PowerMode clocks() const { return fake_clocks(sysfs_, layout_); }

 private:
  struct Domain {
    std::string folder;
    std::string governor, current;  // files
    std::string minimum, maximum, table, request;
    bool gpu = false;
    double clock = 0;  // that the counters know of
  };
  void count(Domain& domain) const;
  void remember(const std::string& path);
  void govern(const Domain& domain, double use) const;

  const Sysfs& sysfs_;
  JetsonLayout layout_;
  std::vector<Domain> domains_;
  int throttle_steps_ = 0;
  bool throttled_ = false;                                    // or was at the last tick
  std::vector<std::pair<std::string, std::string>> at_rest_;  // file of this machine, content
};

}  // namespace ridgewatt::platform
