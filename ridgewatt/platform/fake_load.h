// A workload on a fake board: how long its minibatches take and what the board then draws, by a
// twin that is not the one the program predicts with. Against circular results
//   every parameter of the twin is off by up to 20 % (factor uniform in [0.8, 1.2]);
//   each combination of clocks deviates by up to 3 % in time and power, as real boards do by the
//   luck of alignment; leakage grows with temperature, which follows power with a delay;
//   minibatches vary by 2 %, one in a hundred takes half as long again.
// All of it follows from the board's seed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/base/random.h"
#include "ridgewatt/platform/jetson_power.h"
#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/roofline/estimate.h"

namespace ridgewatt {

class FakeLoad {
 public:
  FakeLoad(const Twin& twin, const WorkloadCost& cost, std::uint64_t seed);
  // The next minibatch in `mode`: its time, and the module's power meanwhile.
  TimePower next(const PowerMode& mode);
  // Power of the idle board in `mode`.
  double idle_w(const PowerMode& mode) const;
  // Mean without noise, cold: what a perfect measurement would find.
  TimePower truth(const PowerMode& mode) const;

 private:
  Estimator estimator_;
  std::uint64_t seed_;
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

// What governors and counters of a fake board show while a workload keeps its GPU busy: clocks at
// their upper limits unless the governor holds them, and the GPU's load. Its end is the rest again.
class FakeActivity {
 public:
  explicit FakeActivity(const Sysfs& sysfs);
  ~FakeActivity();
  FakeActivity(const FakeActivity&) = delete;
  FakeActivity& operator=(const FakeActivity&) = delete;

 private:
  std::vector<std::pair<std::string, std::string>> at_rest_;  // file of this machine, content
};

}  // namespace ridgewatt
