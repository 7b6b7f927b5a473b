#include "ridgewatt/twin/carry.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/hardware.h"
#include "ridgewatt/twin/twin_roofline.h"

namespace ridgewatt::twin {
namespace {

using P = TwinParam;
using S = TwinScaling;

// The voltage curve of one domain, scaled to another highest clock.
struct Voltage {
  double rise = 0;
  double knee = 0;
  double top_squared = 1;  // square of the highest voltage, relative to the source board
};

Voltage carry_voltage(double rise, double knee, double from_hz, double to_hz, bool same_chip) {
  if (!same_chip || !(from_hz > 0) || !(to_hz > 0)) return {rise, knee, 1};
  constexpr double kLeastRise = 1e-9;  // parameters are positive
  const double flat = relative_voltage(0, rise, knee);
  const double top = relative_voltage(to_hz / from_hz, rise, knee);
  return {std::max(top / flat - 1, kLeastRise), knee * from_hz / to_hz, squared(top)};
}

// Slope of the logarithm of the scaled rise over the logarithm of the knee. It is steep if the
// highest clock is near the knee.
double rise_over_knee(double rise, double knee, double from_hz, double to_hz, bool same_chip) {
  constexpr double kStep = 0.02;
  const double moved = carry_voltage(rise, knee * std::exp(kStep), from_hz, to_hz, same_chip).rise;
  return std::log(moved / carry_voltage(rise, knee, from_hz, to_hz, same_chip).rise) / kStep;
}

struct Carried {
  const Twin& from;
  const Twin& to;  // only its hardware is read
  bool same_chip = false;
  Voltage gpu, cpu;

  double factor(TwinScaling scaling) const {
    const double cores = to.flop_per_cycle / from.flop_per_cycle;
    const double bandwidth =
        to.bus_bytes_per_cycle * to.mem_clock_hz / (from.bus_bytes_per_cycle * from.mem_clock_hz);
    // The idle power of cards scales with their power limits, not with bandwidth: GDDR draws far
    // more than HBM.
    const bool cards = from.discrete && to.discrete;
    const double limit = to.power_limit_w / from.power_limit_w;
    switch (scaling) {
      case S::kNone:
        return 1;
      case S::kPerSm:
        return cards ? static_cast<double>(to.sms) / from.sms : cores;
      case S::kGpuPower:
        return cores * to.gpu_clock_hz / from.gpu_clock_hz * gpu.top_squared;
      case S::kGpuLeakage:
        return cores * gpu.top_squared;
      case S::kGpuEnergy:
        return gpu.top_squared;
      case S::kCpuPower:
        return to.cpu_clock_hz / from.cpu_clock_hz * cpu.top_squared;
      case S::kCpuLeakage:
        return cpu.top_squared;
      case S::kMemoryPower:
        return cards ? limit : bandwidth;
      case S::kBoardPower:
        return cards ? limit : std::sqrt(bandwidth);
      case S::kGpuRise:
        return gpu.rise / from[P::kGpuVoltageRise];
      case S::kGpuKnee:
        return gpu.knee / from[P::kGpuVoltageKnee];
      case S::kCpuRise:
        return cpu.rise / from[P::kCpuVoltageRise];
      case S::kCpuKnee:
        return cpu.knee / from[P::kCpuVoltageKnee];
    }
    return 1;
  }
};

constexpr double kCardSpread = 0.35;  // deviation of ln(idle power / limit) between cards
// ErrorScale::board of time between cards. The parameters of a scaled twin already have the width
// of their priors; with this addition, 85 to 100 % of the rows of four held-out cards are inside
// the 90 % intervals (docs/results/discrete_gpus.md).
constexpr double kCardTimeError = 0.4;

bool is_voltage(TwinScaling scaling) {
  return scaling == S::kGpuRise || scaling == S::kGpuKnee || scaling == S::kCpuRise ||
         scaling == S::kCpuKnee;
}

Carried carried_between(const Twin& from, const Twin& to, bool same_chip) {
  return {from, to, same_chip,
          carry_voltage(from[P::kGpuVoltageRise], from[P::kGpuVoltageKnee], from.gpu_clock_hz,
                        to.gpu_clock_hz, same_chip),
          carry_voltage(from[P::kCpuVoltageRise], from[P::kCpuVoltageKnee], from.cpu_clock_hz,
                        to.cpu_clock_hz, same_chip)};
}

// Adds to the variance of a parameter's logarithm and keeps its covariances.
void widen(Twin& twin, std::size_t param, double added_variance) {
  const double before = twin.log_sd[param];
  const double after = std::sqrt(squared(before) + added_variance);
  twin.log_sd[param] = after;
  if (twin.correlations.empty() || !(after > 0)) return;
  for (std::size_t other = 0; other < kTwinParamCount; ++other) {
    if (other == param) continue;
    twin.correlations[param * kTwinParamCount + other] *= before / after;
    twin.correlations[other * kTwinParamCount + param] *= before / after;
  }
}

// Bytes that the memory delivers per GPU cycle, at the highest clocks.
double memory_bytes_per_cycle(const Twin& twin) {
  return twin.bus_bytes_per_cycle * twin.mem_clock_hz / twin.gpu_clock_hz;
}

// Share of the tensor cores' TF32 peak that convolutions reach on `to`, divided by their share on
// `from`. A convolution takes time on the tensor cores and outside them (loads of operands,
// instructions). Per multiprocessor and FLOP, the cycles outside do not depend on the tensor cores,
// so slower tensor cores reach a larger share. 1 if a card has no TF32.
double tensor_share_ratio(const Twin& twin, const Board& from, const Board& to) {
  if (!supports(from, Arithmetic::kTf32) || !supports(to, Arithmetic::kTf32)) return 1;
  const double share = std::min(1.0, twin[P::kConvRate] / conv_over_fp32(from));
  const double faster = *stated_rate(to, Arithmetic::kTf32) / *stated_rate(from, Arithmetic::kTf32);
  return 1 / (share + faster * (1 - share));
}

// Variance of the rise that the knee's own prior causes. 0 for the knees.
double knee_variance(const Carried& change, TwinScaling scaling) {
  const Twin& from = change.from;
  const auto of = [&](P rise, P knee, double from_hz, double to_hz) {
    const double slope = rise_over_knee(from[rise], from[knee], from_hz, to_hz, change.same_chip);
    return squared(slope * twin_parameters()[static_cast<std::size_t>(knee)].prior_log_sd);
  };
  if (scaling == S::kGpuRise) {
    return of(P::kGpuVoltageRise, P::kGpuVoltageKnee, from.gpu_clock_hz, change.to.gpu_clock_hz);
  }
  if (scaling == S::kCpuRise) {
    return of(P::kCpuVoltageRise, P::kCpuVoltageKnee, from.cpu_clock_hz, change.to.cpu_clock_hz);
  }
  return 0;
}

}  // namespace

Twin carry_to_bsp(const Twin& twin, const Board& board) {
  Twin carried = twin;
  set_hardware(board, carried);
  const Carried change = carried_between(twin, carried, true);
  for (const auto& spec : twin_parameters()) {
    carried.values[static_cast<std::size_t>(spec.param)] *= change.factor(spec.scaling);
  }
  limit_tensor_share(carried);
  // No knob changes the base power, so it keeps its value.
  carried.values[static_cast<std::size_t>(P::kBasePower)] = twin[P::kBasePower];
  return carried;
}

Twin with_sms(const Twin& twin, int sms) {
  Twin fewer = twin;
  fewer.preset_sms.clear();
  fewer.sms = sms;
  fewer.flop_per_cycle *= static_cast<double>(sms) / twin.sms;
  const Carried change = carried_between(twin, fewer, true);
  for (const auto& spec : twin_parameters()) {
    if (is_voltage(spec.scaling)) continue;
    const auto param = static_cast<std::size_t>(spec.param);
    const double factor = change.factor(spec.scaling);
    fewer.values[param] *= factor;
    widen(fewer, param, squared(std::log(factor) / 2));
  }
  return fewer;
}

Twin carried_twin(const Board& board) {
  const Board relative = relative_of(board);
  return carry_twin(load_twin(relative), relative, board);
}

Twin carry_twin(const Twin& twin, const Board& from, const Board& to) {
  Twin carried = twin;
  set_hardware(to, carried);
  const bool same_chip = from.soc == to.soc;
  const Carried change = carried_between(twin, carried, same_chip);
  double conv_pipe = conv_over_fp32(to) / conv_over_fp32(from);
  // FP32 pipes compute 3x3 convolutions with Winograd's algorithm; tensor cores do not. Five fitted
  // GPUs without TF32 reach 1.3 times their peak, four GPUs with TF32 reach 0.25 to 0.64 times
  // theirs. The fits of Jetson boards start without this correction.
  const bool of_cards = twin.discrete && carried.discrete;
  if (of_cards && supports(from, Arithmetic::kTf32) != supports(to, Arithmetic::kTf32)) {
    conv_pipe *= supports(to, Arithmetic::kTf32) ? 1 / kWinograd : kWinograd;
  }
  if (of_cards) conv_pipe *= tensor_share_ratio(twin, from, to);
  for (const auto& spec : twin_parameters()) {
    const auto param = static_cast<std::size_t>(spec.param);
    double factor = change.factor(spec.scaling);
    if (is_voltage(spec.scaling)) {
      // Voltage tables are fused per chip. Another board with the same system on a chip gives a
      // typical one.
      carried.values[param] *= factor;
      widen(carried, param, squared(spec.prior_log_sd) + knee_variance(change, spec.scaling));
      continue;
    }
    // Four cards draw 14 to 27 % of their limits when idle.
    const bool without_work = spec.scaling == S::kMemoryPower || spec.scaling == S::kBoardPower;
    if (of_cards && without_work) widen(carried, param, squared(kCardSpread));
    // On the fitted cards, the requests of all multiprocessors are 1.6 to 2.3 times what the memory
    // delivers at the highest clocks. Per multiprocessor, they differ by a factor of 2.6.
    if (of_cards && spec.param == P::kGpuBytesPerCycle) {
      factor = memory_bytes_per_cycle(carried) / memory_bytes_per_cycle(twin);
    }
    // The rate of a dense convolution is relative to the FP32 peak, but it depends on the pipe that
    // computes the convolution.
    if (spec.param == P::kConvRate) factor *= conv_pipe;
    carried.values[param] *= factor;
    widen(carried, param,
          squared((same_chip ? kSameChip : 1) * spec.prior_log_sd) + squared(std::log(factor) / 2));
  }
  limit_tensor_share(carried);
  if (of_cards) {
    carried.errors.scales[kTime].board = kCardTimeError;
  }
  carried.fit = TwinFitError{};  // the errors of the fit are those of another board
  carried.relative = from.name;
  carried.scaled = true;
  carried.status = twin.status == kFittedToFake ? "scaled from fake rows, not validated"
                                                : "scaled, not validated";
  carried.origin = "parameters of " + twin.board + ", scaled by peaks";
  return carried;
}

}  // namespace ridgewatt::twin
