// Fits a board's thermal constants to a trace of power, temperature and fan.
//
//   const ThermalFit fit = fit_thermal(read_heat_trace("trace.csv"));
//   fit.model.sink_j_per_k;  fit.sd(ThermalParam::kSink);  // as a share of it
//
// The power of each row drives the exact solution of the two masses (thermal_model.h); temperatures
// are compared under the soft-L1 loss by Levenberg-Marquardt in the logarithms of the constants,
// with wide priors, so that what a trace does not tell stays what boards usually have, with an
// interval to match. Zones round (to 0.5 or 1 C), and what they round off lasts: residuals depend
// on each other. The information of the rows is divided by the sum of their autocorrelations
// (Bartlett 1946), so that intervals do not come out too narrow.
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

// What is fitted: logarithms, but for the ambient temperature.
enum class ThermalParam : std::size_t {
  kResistance,  // junction to sink
  kJunction,    // its heat capacity
  kSink,        // its heat capacity
  kCooling,     // conductance at the trace's mean fan
  kStill,       // share of it that is there without fan
  kAmbient      // during the trace
};
inline constexpr std::size_t kThermalParams = 6;
using ThermalPoint = std::array<double, kThermalParams>;
// "junction_sink_k_per_w", "sink_w_per_k", ..
std::string_view thermal_param_name(ThermalParam param);

struct ThermalFitOptions {
  std::optional<double> ambient_celsius;  // as it was measured; else fitted, 25 +- 8 C at first
  double ambient_sd_k = 0.5;              // of the measured one
  std::size_t most_rows = 4000;           // longer traces are thinned where power is even
  void check() const;                     // UsageError, by name
};

struct ThermalFit {
  ThermalModel model;
  double ambient_celsius = 25;  // during the trace
  double fan = 1;               // mean of the trace, weighted by time
  bool fan_varied = false;      // else how cooling depends on the fan is what is usual
  double idle_w = 0;            // the least mean of half a minute
  double leakage_sd = 0;        // of leakage_per_k; 0: not seen, it is the usual one
  double hottest_celsius = 0, coldest_celsius = 0;
  // Of the six parameters about `at`.
  ThermalPoint at{};
  std::array<ThermalPoint, kThermalParams> covariance{};
  double rmse_k = 0;  // modelled against recorded temperatures
  double step_k = 0;  // in which the zone rounds
  double duration_s = 0;
  std::size_t rows = 0;
  bool converged = false;
  ThermalState last;                        // modelled, at the end of the trace
  std::optional<double> trip_celsius = {};  // of the board, where it is known

  double sd(ThermalParam param) const;
  // 90 %: of a constant itself, or of the ambient temperature in C.
  Interval interval(ThermalParam param) const;
  double value(ThermalParam param) const;
  // The model and its ambient temperature at another place of the parameters.
  ThermalFit moved(const ThermalPoint& to) const;
};

// Throws UsageError where power or temperature hardly change: such a trace tells nothing.
ThermalFit fit_thermal(const HeatTrace& trace, const ThermalFitOptions& options = {});

}  // namespace ridgewatt::thermal
