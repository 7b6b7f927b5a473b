// Models the temperature of a board with two thermal masses: the junction (the chip, where power
// becomes heat) and the heat sink, which a fan cools by ambient air.
//
//   power -> junction --resistance--> heat sink --conductance(fan)--> ambient
//
//   C_j dT_j/dt = P(T_j) - (T_j - T_s) / R
//   C_s dT_s/dt = (T_j - T_s) / R - G(fan) (T_s - T_a)
//   P(T_j) = P (1 + leakage (T_j - 50 C)),   G(fan) = G_still + G_fan fan^0.8
//
// Compact thermal models use such lumped networks (Skadron et al., "Temperature-aware
// microarchitecture", ISCA 2003). 0.8 is the exponent of turbulent forced convection (Dittus and
// Boelter 1930). The leakage is the first-order expansion of the exponential at 50 C. It keeps the
// system linear, so that steps of any length are exact.
//
// The model predicts how warm a board gets and when it throttles (hold.h), is fitted to recorded
// traces (thermal_fit.h), and simulates fake boards (platform/fake_heat.h).
#pragma once

#include <optional>

namespace ridgewatt::thermal {

// Junction temperature at which the power of a mode is stated.
inline constexpr double kPowerCelsius = 50;

struct ThermalModel {
  double junction_sink_k_per_w = 0.5;  // R
  double junction_j_per_k = 10;        // C_j
  double sink_j_per_k = 300;           // C_s
  double still_w_per_k = 0.3;          // G_still: conductance without the fan
  double fan_w_per_k = 0.7;            // G_fan: additional conductance at full speed of the fan
  double leakage_per_k = 0.0015;       // relative increase of the power per kelvin
  // Throws UsageError, naming the constant, if a constant is physically impossible.
  void check() const;
  // G(fan), with `fan` as a share of full speed.
  double sink_w_per_k(double fan) const;
};

// Conditions that stay constant during a step.
struct HeatFlow {
  double power_w = 0;  // power at kPowerCelsius
  double ambient_celsius = 25;
  double fan = 1;  // share of full speed
};

struct ThermalState {
  double junction_celsius = 25;
  double sink_celsius = 25;
};

// The linear system under constant conditions. Steps of any length are exact, because the
// exponential of a 2x2 matrix has a closed form.
class ThermalSystem {
 public:
  ThermalSystem(const ThermalModel& model, const HeatFlow& flow);
  // Returns the state `time_s` after `from`.
  ThermalState after(const ThermalState& from, double time_s) const;
  // Returns the steady state; empty if leakage grows faster than heat is removed (thermal runaway).
  std::optional<ThermalState> steady() const;
  // Time until the junction first reaches `celsius`. 0 if it is already reached; empty if it is
  // never reached.
  std::optional<double> time_until(const ThermalState& from, double celsius) const;
  // The slower time constant, that of the heat sink. Infinite in a thermal runaway.
  double slow_s() const;

 private:
  double slope(const ThermalState& at) const;  // slope of the junction temperature, K/s

  double a11_, a12_, a21_, a22_, b1_, b2_;  // x' = A x + b
  double fast_, slow_;                      // eigenvalues, fast_ < slow_
};

// Power with which the junction reaches exactly `celsius` in steady state.
double sustained_power_w(const ThermalModel& model, double celsius, double ambient_celsius,
                         double fan);
// Factor on the power of a mode at this junction temperature.
double leakage_factor(const ThermalModel& model, double junction_celsius);

// The board's protection against heat and over-current. At the trip temperature, the clocks go down
// by one step per `step_s`; below the trip temperature minus the hysteresis, they go up again.
// Above the power limit, over-current events are counted and the clocks also go down, until the
// power is below 90 % of the limit.
struct ThrottleRules {
  // Absent: no protection of this kind.
  std::optional<double> trip_celsius;
  double hysteresis_k = 2;
  std::optional<double> power_limit_w;
  double step_s = 1;      // time between two steps
  int most_steps = 1000;  // largest number of steps down
};

class Throttle {
 public:
  explicit Throttle(const ThrottleRules& rules) : rules_(rules) {}
  Throttle(const ThrottleRules& rules, int heat_steps, int current_steps)
      : rules_(rules), heat_steps_(heat_steps), current_steps_(current_steps) {}
  // Updates the state, `time_s` after the previous update. Takes several steps if `time_s` is long.
  void look(double junction_celsius, double power_w, double time_s);
  // Number of steps by which the clocks are currently lowered: in total, due to heat, due to
  // current.
  int steps() const { return heat_steps_ > current_steps_ ? heat_steps_ : current_steps_; }
  int heat_steps() const { return heat_steps_; }
  int current_steps() const { return current_steps_; }
  int over_current_events() const { return events_; }  // since construction

 private:
  ThrottleRules rules_;
  int heat_steps_ = 0, current_steps_ = 0, events_ = 0;
  double waited_s_ = 0;
};

}  // namespace ridgewatt::thermal
