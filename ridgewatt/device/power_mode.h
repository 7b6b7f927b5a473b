// A power mode: the settings of a board that a user can choose before running a workload.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/base/enum_array.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

// The four knobs of a Jetson board, in the order of the columns of a sweep CSV.
enum class Knob { kCpuCores, kCpuClock, kGpuClock, kMemClock };
inline constexpr std::array<Knob, 4> kKnobs = {Knob::kCpuCores, Knob::kCpuClock, Knob::kGpuClock,
                                               Knob::kMemClock};
// An array with one entry per knob.
template <class T>
using KnobArray = EnumArray<Knob, T, kKnobs.size()>;

// A mode. Absent knobs are 0: the board does not have the knob, or it was not varied.
struct PowerMode {
  int cpu_cores = 0;  // number of online CPU cores
  double cpu_clock_hz = 0;
  double gpu_clock_hz = 0;
  double mem_clock_hz = 0;  // memory (EMC) clock as reported by the kernel
  // Name of a DVFS governor, for which the clocks are upper limits; empty: fixed clocks.
  std::string governor;

  double get(Knob knob) const;        // number of cores, or Hz; 0 if absent
  void set(Knob knob, double value);  // the number of cores is rounded
  bool has(Knob knob) const { return get(knob) > 0; }
  auto operator<=>(const PowerMode&) const = default;
};

// Returns the field name in CSV and JSON: "cpu_cores", "cpu_mhz", "gpu_mhz" or "mem_mhz".
std::string_view knob_field(Knob knob);
// Returns the value in the unit of the field: number of cores, or MHz.
double knob_in_field_unit(const PowerMode& mode, Knob knob);
// Converts MHz to Hz and rounds to whole Hz, so that modes from files, answers and boards compare
// equal: 1065.6 MHz is always 1065600000 Hz.
double hz_of_mhz(double mhz);
// Converts Hz, rounded to whole Hz, to MHz: 114750000 Hz is 114.75 MHz, not 114.75000000000001.
double mhz_of_hz(double hz);
// Returns why `value`, in the unit of the field, is invalid for this knob; absent if it is valid.
// Valid values are 1 to 1024 whole cores and 1 to 20000 MHz.
std::optional<std::string_view> knob_fault(Knob knob, double value);
// The inverse of knob_in_field_unit(). All code that parses modes sets knobs with it.
void set_in_field_unit(PowerMode& mode, Knob knob, double value);
// A discrete GPU has power limits, which its firmware enforces by lowering the clock.
// PowerMode::governor then contains the limit, such as "150W". Absent: the mode has no limit.
std::optional<double> power_limit_w(const PowerMode& mode);
void set_power_limit(PowerMode& mode, double limit_w);
// Returns `mode` with each knob at the lower of its values in both modes, if both set it.
PowerMode lowered_to(PowerMode mode, const PowerMode& other);
// Returns "12 cores, CPU 2201.6, GPU 1300.5, memory 3199 MHz", for people.
std::string describe(const PowerMode& mode);

}  // namespace ridgewatt

#pragma GCC visibility pop
