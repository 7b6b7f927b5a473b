// Simulates heat on a fake board: its thermal zones have the temperatures of a model with two
// thermal masses (thermal/thermal_model.h), with constants from the board's seed. The board
// throttles like a Jetson.
//
// A fake board has heat only if $RIDGEWATT_FAKE_HEAT ("ambient=35,scale=60") is set when the board
// is created; otherwise zones keep their initial values. Settings and state are stored in the tree,
// so every process sees the same temperatures, and the board cools while no process runs.
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/thermal/thermal_model.h"

namespace ridgewatt::platform {

struct FakeHeatSpec {
  double ambient_celsius = 25;
  double scale = 1;          // speed of heat relative to real time
  double cooling = 1;        // factor on the heat flow from the heat sink to the air
  double trip_celsius = 95;  // above this temperature, clocks are lowered
  double limit_w = 0;        // above this power, the board counts over-current events; 0: never
  // Like FakeSpecimen::parse; empty for an empty text.
  static std::optional<FakeHeatSpec> parse(const std::string& text, const std::string& where);
  std::string text() const;
};
// The settings in $RIDGEWATT_FAKE_HEAT.
std::optional<FakeHeatSpec> fake_heat_of_environment();

// Adds heat to the fake board in `folder`, which is idle in its mode. Does nothing without a spec.
void heat_fake_board(const std::string& folder, const std::optional<FakeHeatSpec>& spec);
// How many times faster than in real time the board heats up. 1 for a real
// board.
double heat_time_scale(const Sysfs& sysfs);

class FakeHeat {
 public:
  // Empty if the board has no heat.
  static std::optional<FakeHeat> open(const Sysfs& sysfs);

  const thermal::ThermalModel& model() const { return model_; }
  const FakeHeatSpec& spec() const { return spec_; }
  thermal::ThermalState now() const;
  // Power at the current temperature. `power_w` is the power at the reference temperature.
  double warm_power_w(double power_w) const;
  // Sets the power of the load from now on, at the reference temperature. Returns the number of
  // steps by which clocks must be lowered.
  int load(double power_w);
  // Ends the load and its throttling; the idle board draws `power_w`.
  void rest(double power_w);
  // Whether the process of the load ended without calling rest(), for example because it was
  // killed.
  bool load_is_gone() const;
  // Content of a zone's `temp` file, in steps of half a degree as in the kernel.
  std::string zone_text(const std::string& zone_type, int zone) const;

 private:
  struct State {
    double time_s = 0;  // CLOCK_MONOTONIC
    thermal::ThermalState at;
    double power_w = 0, fan = 0;
    int heat_steps = 0, current_steps = 0;
    long events = 0;
    long process = 0;  // process number of the load; 0: none
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
  bool new_ = false;  // whether there is no state yet
  double looked_s_ = 0, written_s_ = 0;
  thermal::Throttle throttle_{thermal::ThrottleRules{}};
};

}  // namespace ridgewatt::platform
