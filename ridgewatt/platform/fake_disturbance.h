// Simulates external disturbances of the load on a fake board: another process on the device, a
// change of ambient temperature, larger inputs. Tests write disturbances to a file in the fake
// tree, which is read while the load runs. It has one row per disturbance:
//
//   begin_s,end_s,time,power,celsius,process
//   20,,1.25,1.08,0,4242 other.py        # from 20 s after the load's beginning, another process
//   20,60,1,1.06,18,                     # 18 degrees warmer for 40 s
//
// `time` and `power` are factors on minibatch time and module power. An empty end_s means no end.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::platform {

struct FakeDisturbance {
  double begin_s = 0, end_s = 0;
  double time = 1, power = 1;
  double celsius = 0;        // temperature rise of every zone
  std::string process = {};  // process number and name; empty: none
  bool active(double time_s) const { return time_s >= begin_s && time_s < end_s; }
};

// Throws InputError that names `where` if the text is not such a table, a factor is outside 0.1 to
// 10, or `celsius` is outside -200 to 200.
std::vector<FakeDisturbance> parse_fake_disturbances(const std::string& text,
                                                     const std::string& where);

// The disturbances of a board, for a load that begins now. The file is read again when it changes.
class FakeDisturbances {
 public:
  static constexpr const char* kFile = "/.ridgewatt-fake-disturbances.csv";
  explicit FakeDisturbances(const Sysfs& sysfs) : sysfs_(sysfs) {}
  ~FakeDisturbances();
  FakeDisturbances(const FakeDisturbances&) = delete;
  FakeDisturbances& operator=(const FakeDisturbances&) = delete;
  // Minibatch time and module power with the disturbances at `time_s` after the load began. Updates
  // the thermal zones and the device's list of processes. Throws the errors of
  // parse_fake_disturbances().
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
