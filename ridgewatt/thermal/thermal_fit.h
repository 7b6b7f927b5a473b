// Fits a board's thermal constants to a trace of power, temperature and fan.
//
//   const ThermalFit fit = fit_thermal(read_heat_trace("trace.csv"));
//   fit.model.sink_j_per_k;  fit.sd(ThermalParam::kSink);  // relative
//
// The power of each row drives the exact solution of the two masses (thermal_model.h). Temperatures
// are compared under the soft-L1 loss by Levenberg-Marquardt in the logarithms of the constants.
// The priors are wide: constants that a trace does not determine keep the usual values of boards,
// with matching intervals. Zones round (to 0.5 or 1 C) and rounding errors persist, so residuals
// are correlated. The information of the rows is divided by the sum of their autocorrelations
// (Bartlett 1946), so that the intervals are not too narrow.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/thermal/heat_trace.h"
#include "ridgewatt/thermal/thermal_model.h"

namespace ridgewatt::thermal {

// The fitted parameters: logarithms, except for the ambient temperature.
enum class ThermalParam : std::size_t {
  kResistance,  // junction to sink
  kJunction,    // its heat capacity
  kSink,        // its heat capacity
  kCooling,     // conductance at the trace's mean fan
  kStill,       // the share of it that remains without the fan
  kAmbient      // during the trace
};
inline constexpr std::size_t kThermalParams = 6;
using ThermalPoint = std::array<double, kThermalParams>;
// "junction_sink_k_per_w", "sink_w_per_k", ..
std::string_view thermal_param_name(ThermalParam param);

struct ThermalFitOptions {
  std::optional<double> ambient_celsius;  // measured; otherwise fitted, 25 +- 8 C at first
  double ambient_sd_k = 0.5;              // of the measured one
  std::size_t most_rows = 4000;           // longer traces are thinned where power is constant
  void check() const;                     // UsageError, by name
};

struct ThermalFit {
  ThermalModel model;
  double ambient_celsius = 25;  // during the trace
  double fan = 1;               // mean of the trace, weighted by time
  bool fan_varied = false;      // false: the usual dependence of cooling on the fan is assumed
  double idle_w = 0;            // the lowest mean of half a minute
  double leakage_sd = 0;        // of leakage_per_k; 0: not observed, the usual value
  double hottest_celsius = 0, coldest_celsius = 0;
  // Covariance of the six parameters about `at`.
  ThermalPoint at{};
  std::array<ThermalPoint, kThermalParams> covariance{};
  double rmse_k = 0;  // modelled against recorded temperatures
  double step_k = 0;  // rounding step of the zone
  double duration_s = 0;
  std::size_t rows = 0;
  bool converged = false;
  ThermalState last;                        // modelled, at the end of the trace
  std::optional<double> trip_celsius = {};  // of the board, if known

  double sd(ThermalParam param) const;
  // The 90 % interval of a constant, or of the ambient temperature in C.
  Interval interval(ThermalParam param) const;
  double value(ThermalParam param) const;
  // The model and its ambient temperature at other parameters.
  ThermalFit moved(const ThermalPoint& to) const;
};

// Throws UsageError if power or temperature hardly change: such a trace does not determine the
// constants.
ThermalFit fit_thermal(const HeatTrace& trace, const ThermalFitOptions& options = {});

}  // namespace ridgewatt::thermal
