// What disturbs the load of a fake board from outside: another process on the device, a step of the
// surrounding temperature, larger inputs. Read from a file in the fake tree while the load runs, a
// row each; tests and trials write it:
//
//   begin_s,end_s,time,power,celsius,process
//   20,,1.25,1.08,0,4242 other.py        # from 20 s after the load's beginning, another process
//   20,60,1,1.06,18,                     # 18 degrees warmer for 40 s
//
// `time` and `power` are factors on a minibatch's time and the module's power; an empty end_s: for
// good.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::platform {

struct FakeDisturbance {
  double begin_s = 0, end_s = 0;
  double time = 1, power = 1;
  double celsius = 0;        // by which every zone is warmer
  std::string process = {};  // number and name; empty: none
  bool active(double time_s) const { return time_s >= begin_s && time_s < end_s; }
};

// Throws InputError naming `where` if the text is not such a table, a factor is outside 0.1 to 10,
// or the rise or fall exceeds 200 degrees.
std::vector<FakeDisturbance> parse_fake_disturbances(const std::string& text,
                                                     const std::string& where);

// Those of a board, under a load that begins now; a file that changes is read again.
class FakeDisturbances {
 public:
  static constexpr const char* kFile = "/.ridgewatt-fake-disturbances.csv";
  explicit FakeDisturbances(const Sysfs& sysfs) : sysfs_(sysfs) {}
  ~FakeDisturbances();
  FakeDisturbances(const FakeDisturbances&) = delete;
  FakeDisturbances& operator=(const FakeDisturbances&) = delete;
  // Time of a minibatch and module power at this time of the load; the zones and the device's list
  // of processes show the disturbance. Throws what parse_fake_disturbances throws.
  twin::TimePower disturbed(twin::TimePower at, double time_s);

 private:
  void read(double time_s);
  void show(double celsius, const std::vector<std::string>& processes);

  const Sysfs& sysfs_;
  std::string text_;
  double read_s_ = -1;
  std::vector<FakeDisturbance> all_;
  double shown_celsius_ = 0;
  std::vector<std::string> shown_;
};

}  // namespace ridgewatt::platform
