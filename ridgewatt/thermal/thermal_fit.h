// Fits a board's thermal constants to a trace of power, temperature and fan speed.
//
//   const ThermalFit fit = fit_thermal(read_heat_trace("trace.csv"));
//   fit.model.sink_j_per_k;  fit.sd(ThermalParam::kSink);  // relative
//
// The power of each row drives the exact solution of the thermal model (thermal_model.h). The fit
// minimizes the soft-L1 loss of the temperatures by Levenberg-Marquardt in the logarithms of the
// constants. The priors are wide: a constant that the trace does not determine keeps the usual
// value of boards, with a wide interval. Temperature zones round to 0.5 or 1 C, and rounding
// errors persist over many rows, so the residuals are correlated. To avoid too narrow intervals,
// the information of the rows is divided by the sum of the residuals' autocorrelations (Bartlett
// 1946).
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

// The fitted parameters, as logarithms except for the ambient temperature.
enum class ThermalParam : std::size_t {
  kResistance,  // thermal resistance from junction to heat sink
  kJunction,    // heat capacity of the junction
  kSink,        // heat capacity of the heat sink
  kCooling,     // conductance from heat sink to ambient at the mean fan speed of the trace
  kStill,       // share of this conductance that remains without the fan
  kAmbient      // ambient temperature during the trace
};
inline constexpr std::size_t kThermalParams = 6;
using ThermalPoint = std::array<double, kThermalParams>;
// "junction_sink_k_per_w", "sink_w_per_k", ..
std::string_view thermal_param_name(ThermalParam param);

struct ThermalFitOptions {
  std::optional<double> ambient_celsius;  // Measured. Absent: fitted, with a prior of 25 +- 8 C.
  double ambient_sd_k = 0.5;              // standard deviation of the measured value
  std::size_t most_rows = 4000;           // longer traces are thinned where power is constant
  void check() const;                     // throws UsageError with the name of the option
};

struct ThermalFit {
  ThermalModel model;
  double ambient_celsius = 25;  // during the trace
  double fan = 1;               // mean of the trace, weighted by time
  bool fan_varied = false;      // false: the usual dependence of the cooling on the fan is assumed
  double idle_w = 0;            // lowest mean power over half a minute
  // Standard deviation of leakage_per_k. 0: not observed, so the usual value is used.
  double leakage_sd = 0;
  double hottest_celsius = 0, coldest_celsius = 0;
  // Estimate and covariance of the six parameters.
  ThermalPoint at{};
  std::array<ThermalPoint, kThermalParams> covariance{};
  double rmse_k = 0;  // modelled minus recorded temperatures, root mean square
  double step_k = 0;  // rounding step of the zone
  double duration_s = 0;
  std::size_t rows = 0;
  bool converged = false;
  ThermalState last;                        // modelled state at the end of the trace
  std::optional<double> trip_celsius = {};  // throttling temperature of the board, if known

  // Standard deviation of a parameter: relative, or in K for the ambient temperature.
  double sd(ThermalParam param) const;
  // 90 % interval of a constant, or of the ambient temperature in C.
  Interval interval(ThermalParam param) const;
  double value(ThermalParam param) const;
  // Returns the fit with other values of the parameters.
  ThermalFit moved(const ThermalPoint& to) const;
};

// Throws UsageError for an invalid option, fewer than ten rows, or if power or temperature hardly
// change, because such a trace does not determine the constants.
ThermalFit fit_thermal(const HeatTrace& trace, const ThermalFitOptions& options = {});

}  // namespace ridgewatt::thermal
