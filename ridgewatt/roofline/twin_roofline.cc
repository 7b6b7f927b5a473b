#include "ridgewatt/roofline/twin_roofline.h"

#include <cmath>
#include <vector>

#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt {

using P = TwinParam;

EnergyRoofline twin_roofline(const Twin& t, const PowerMode& mode, OpClass op_class) {
  const double cpu_hz = mode.has(Knob::kCpuClock) ? mode.cpu_clock_hz : t.cpu_clock_hz;
  const double gpu_hz = mode.has(Knob::kGpuClock) ? mode.gpu_clock_hz : t.gpu_clock_hz;
  const double mem_hz = mode.has(Knob::kMemClock) ? mode.mem_clock_hz : t.mem_clock_hz;
  const double cores = mode.has(Knob::kCpuCores) ? mode.cpu_cores : t.cpu_cores;
  const double cpu = cpu_hz / t.cpu_clock_hz;
  const double gpu = gpu_hz / t.gpu_clock_hz;
  const double cpu_v2 =
      std::pow(relative_voltage(cpu, t[P::kCpuVoltageRise], t[P::kCpuVoltageKnee]), 2);
  const double gpu_v2 =
      std::pow(relative_voltage(gpu, t[P::kGpuVoltageRise], t[P::kGpuVoltageKnee]), 2);
  P rate = P::kVectorRate;
  if (op_class == OpClass::kConv) rate = P::kConvRate;
  if (op_class == OpClass::kDepthwiseConv) rate = P::kDepthwiseRate;
  if (op_class == OpClass::kGemm || op_class == OpClass::kRecurrent ||
      op_class == OpClass::kAttention) {
    rate = P::kGemmRate;
  }
  const double dram = t[P::kMemoryBandwidthShare] * t.bus_bytes_per_cycle * mem_hz;
  const double request = t[P::kGpuBytesPerCycle] * gpu_hz;
  EnergyRoofline roofline;
  roofline.peak_flop_per_s = t[rate] * t.flop_per_cycle * gpu_hz;
  roofline.bandwidth_bytes_per_s = 1 / std::cbrt(std::pow(dram, -3) + std::pow(request, -3));
  roofline.energy_per_flop_j = t[P::kEnergyPerFlop] * gpu_v2;
  roofline.energy_per_byte_j = t[P::kEnergyPerByte];
  roofline.static_power_w = t[P::kBasePower] + t[P::kMemoryClockPower] * mem_hz / t.mem_clock_hz +
                            cores * t[P::kCpuCoreLeakage] * cpu_v2 +
                            t[P::kCpuBusyPower] * cpu * cpu_v2 + t[P::kGpuLeakage] * gpu_v2 +
                            (t[P::kGpuClockPower] + t[P::kGpuBusyPower]) * gpu * gpu_v2;
  return roofline;
}

FittedValue twin_race_to_halt(const Twin& twin, const PowerMode& mode, OpClass op_class,
                              std::uint64_t seed) {
  constexpr int kSamples = 1000;
  Random random(seed);
  std::vector<double> ratios;
  for (int sample = 0; sample < kSamples; ++sample) {
    Twin drawn = twin;
    for (std::size_t i = 0; i < kTwinParamCount; ++i) {
      drawn.values[i] *= std::exp(drawn.log_sd[i] * random.normal());
    }
    ratios.push_back(twin_roofline(drawn, mode, op_class).race_to_halt_ratio());
  }
  return {twin_roofline(twin, mode, op_class).race_to_halt_ratio(), quantile(ratios, 0.05),
          quantile(ratios, 0.95)};
}

}  // namespace ridgewatt
