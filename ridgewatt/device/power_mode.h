// A power mode: what the user of a board may set before running a workload.
#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "ridgewatt/base/enum_array.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

// The four knobs of a Jetson board, in the order of the sweep CSV.
enum class Knob { kCpuCores, kCpuClock, kGpuClock, kMemClock };
inline constexpr std::array<Knob, 4> kKnobs = {Knob::kCpuCores, Knob::kCpuClock, Knob::kGpuClock,
                                               Knob::kMemClock};
// One entry per knob.
template <class T>
using KnobArray = EnumArray<Knob, T, kKnobs.size()>;

// A value. A knob that a board does not have, or that was not varied, is absent: 0.
struct PowerMode {
  int cpu_cores = 0;        // CPU cores online
  double cpu_clock_hz = 0;  // CPU clock
  double gpu_clock_hz = 0;  // GPU clock
  double mem_clock_hz = 0;  // memory (EMC) clock, as the kernel reports it
  std::string governor;     // named DVFS governor instead of fixed clocks; empty: clocks are fixed

  double get(Knob knob) const;        // cores, or Hz; 0 when absent
  void set(Knob knob, double value);  // cores are rounded
  bool has(Knob knob) const { return get(knob) > 0; }
  auto operator<=>(const PowerMode&) const = default;
};

// "cpu_cores", "cpu_mhz", "gpu_mhz", "mem_mhz": the field names of CSV and JSON.
std::string_view knob_field(Knob knob);
// The knob in the unit of its field: cores, or MHz.
double knob_in_field_unit(const PowerMode& mode, Knob knob);
// A clock in Hz from MHz, in whole Hz: 1065.6 MHz is 1065600000 Hz wherever it is read, so that the
// modes of files, answers and boards are equal.
double hz_of_mhz(double mhz);
// A clock in MHz, also from whole Hz: 114750000 Hz is 114.75 MHz, not 114.75000000000001.
double mhz_of_hz(double hz);
// The reason why `value`, in the unit of the field, is not valid for this knob; absent if it is
// valid: whole cores from 1 to 1024, clocks from 1 to 20000 MHz.
std::optional<std::string_view> knob_fault(Knob knob, double value);
// The inverse of knob_in_field_unit: every reader of modes sets knobs with it.
void set_in_field_unit(PowerMode& mode, Knob knob, double value);
// A power limit that the firmware of a GPU holds by lowering its clock takes the place of a
// governor: "150W". Absent: the mode has none.
std::optional<double> power_limit_w(const PowerMode& mode);
void set_power_limit(PowerMode& mode, double limit_w);
// "12 cores, CPU 2201.6, GPU 1300.5, memory 3199 MHz", for people.
std::string describe(const PowerMode& mode);

}  // namespace ridgewatt

#pragma GCC visibility pop
