#include "ridgewatt/device/power_mode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/plural.h"

namespace ridgewatt {

double PowerMode::get(Knob knob) const {
  switch (knob) {
    case Knob::kCpuCores:
      return cpu_cores;
    case Knob::kCpuClock:
      return cpu_clock_hz;
    case Knob::kGpuClock:
      return gpu_clock_hz;
    case Knob::kMemClock:
      return mem_clock_hz;
  }
  return 0;
}

void PowerMode::set(Knob knob, double value) {
  switch (knob) {
    case Knob::kCpuCores:
      cpu_cores = static_cast<int>(std::lround(value));
      break;
    case Knob::kCpuClock:
      cpu_clock_hz = value;
      break;
    case Knob::kGpuClock:
      gpu_clock_hz = value;
      break;
    case Knob::kMemClock:
      mem_clock_hz = value;
      break;
  }
}

std::string_view knob_field(Knob knob) {
  switch (knob) {
    case Knob::kCpuCores:
      return "cpu_cores";
    case Knob::kCpuClock:
      return "cpu_mhz";
    case Knob::kGpuClock:
      return "gpu_mhz";
    case Knob::kMemClock:
      return "mem_mhz";
  }
  return "";
}

double knob_in_field_unit(const PowerMode& mode, Knob knob) {
  if (knob == Knob::kCpuCores) return mode.cpu_cores;
  return mhz_of_hz(mode.get(knob));
}

double hz_of_mhz(double mhz) {
  return std::round(mhz * 1e6);
}

double mhz_of_hz(double hz) {
  return std::round(hz) / 1e6;
}

std::optional<std::string_view> knob_fault(Knob knob, double value) {
  constexpr double kMostCores = 1024;
  constexpr double kMostMhz = 20000;  // finds wrong units: clocks in kHz or Hz are far above
  if (knob == Knob::kCpuCores) {
    if (value >= 1 && value <= kMostCores && value == std::floor(value)) return std::nullopt;
    return "give a whole number of cores from 1 to 1024";
  }
  if (value >= 1 && value <= kMostMhz) return std::nullopt;
  return "give a clock in MHz, from 1 to 20000";
}

void set_in_field_unit(PowerMode& mode, Knob knob, double value) {
  mode.set(knob, knob == Knob::kCpuCores ? value : hz_of_mhz(value));
}

std::optional<double> power_limit_w(const PowerMode& mode) {
  if (!mode.governor.ends_with('W')) return std::nullopt;
  const auto limit_w = parse_double(mode.governor.substr(0, mode.governor.size() - 1));
  return limit_w && std::isfinite(*limit_w) && *limit_w > 0 ? limit_w : std::nullopt;
}

void set_power_limit(PowerMode& mode, double limit_w) {
  mode.governor = fmt::format("{}W", limit_w);
}

PowerMode lowered_to(PowerMode mode, const PowerMode& other) {
  for (const Knob knob : kKnobs) {
    if (mode.has(knob) && other.has(knob))
      mode.set(knob, std::min(mode.get(knob), other.get(knob)));
  }
  return mode;
}

std::string describe(const PowerMode& mode) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (mode.cpu_cores > 0) add(counted(mode.cpu_cores, "core"));
  if (mode.cpu_clock_hz > 0) add(fmt::format("CPU {}", knob_in_field_unit(mode, Knob::kCpuClock)));
  if (mode.gpu_clock_hz > 0) add(fmt::format("GPU {}", knob_in_field_unit(mode, Knob::kGpuClock)));
  if (mode.mem_clock_hz > 0) {
    add(fmt::format("memory {}", knob_in_field_unit(mode, Knob::kMemClock)));
  }
  if (mode.cpu_clock_hz + mode.gpu_clock_hz + mode.mem_clock_hz > 0) text += " MHz";
  if (const auto limit_w = power_limit_w(mode)) {
    add(fmt::format("limit {} W", *limit_w));
  } else if (!mode.governor.empty()) {
    add("governor " + mode.governor);
  }
  return text.empty() ? "any" : text;
}

}  // namespace ridgewatt
