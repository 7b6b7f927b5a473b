// Heat of a fake board: its temperature zones follow two thermal masses (thermal/thermal_model.h)
// whose constants are those of the board's seed, and the board throttles as Jetsons do.
//
// A fake board has heat only where it is asked for when it is laid out, in $RIDGEWATT_FAKE_HEAT
// ("ambient=35,scale=60"); without it zones stay as they are laid out. What was asked stays in the
// tree, and so does the state: any process that reads a zone sees the same board, which cools while
// nobody looks.
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/thermal/thermal_model.h"

namespace ridgewatt::platform {

struct FakeHeatSpec {
  double ambient_celsius = 25;
  double scale = 1;          // heat runs that many times as fast as the clock
  double cooling = 1;        // factor on what the heat sink gives off
  double trip_celsius = 95;  // clocks go down from here
  double limit_w = 0;        // above it the board counts over-current events; 0: never
  // As FakeSpecimen::parse; nothing for an empty text.
  static std::optional<FakeHeatSpec> parse(const std::string& text, const std::string& where);
  std::string text() const;
};
// That of $RIDGEWATT_FAKE_HEAT.
std::optional<FakeHeatSpec> fake_heat_of_environment();

// Gives the fake board in `folder` heat, at rest in its mode; nothing changes without a spec.
void heat_fake_board(const std::string& folder, const std::optional<FakeHeatSpec>& spec);
// How many times as fast as the clock heat runs under this root: 1 but for fake boards.
double heat_time_scale(const Sysfs& sysfs);

class FakeHeat {
 public:
  // Nothing where the tree has none.
  static std::optional<FakeHeat> open(const Sysfs& sysfs);

  const thermal::ThermalModel& model() const { return model_; }
  const FakeHeatSpec& spec() const { return spec_; }
  thermal::ThermalState now() const;
  // What is drawn now, where the twin says `power_w`.
  double warm_power_w(double power_w) const;
  // The load draws this from now on (as the twin says it); the steps that clocks are to go down.
  int load(double power_w);
  // The board rests and draws this; alarms go off.
  void rest(double power_w);
  // A load that was killed goes on heating on paper.
  bool load_is_gone() const;
  // Content of a zone's `temp`, in the half degrees of the kernel's zones.
  std::string zone_text(const std::string& zone_type, int zone) const;

 private:
  struct State {
    double time_s = 0;  // CLOCK_MONOTONIC
    thermal::ThermalState at;
    double power_w = 0, fan = 0;
    int heat_steps = 0, current_steps = 0;
    long events = 0;
    long process = 0;  // of the load; 0: at rest
  };
  explicit FakeHeat(const Sysfs& sysfs) : sysfs_(&sysfs) {}
  bool read_state();
  void write_state() const;
  void write_files();
  void advance();
  double fan() const;
  thermal::ThrottleRules rules() const;

  const Sysfs* sysfs_;
  FakeHeatSpec spec_;
  thermal::ThermalModel model_;
  State state_;
  bool new_ = false;  // no state yet
  double looked_s_ = 0, written_s_ = 0;
  thermal::Throttle throttle_{thermal::ThrottleRules{}};
};

}  // namespace ridgewatt::platform
