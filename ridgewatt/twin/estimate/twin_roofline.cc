#include "ridgewatt/twin/twin_roofline.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/numerics/two_quantiles.h"
#include "ridgewatt/twin/carry.h"
#include "ridgewatt/twin/estimate/kernel_terms.h"
#include "ridgewatt/twin/hardware.h"

namespace ridgewatt::twin {
namespace {

using P = TwinParam;

constexpr std::size_t kRaceSamples = 1000;

// A mode relative to the twin's board. Absent knobs are at their highest value.
struct RelativeMode {
  double cores, cpu, gpu, gpu_hz, mem_hz;

  RelativeMode(const Twin& t, const PowerMode& mode)
      : cores(mode.has(Knob::kCpuCores) ? mode.cpu_cores : t.cpu_cores),
        cpu((mode.has(Knob::kCpuClock) ? mode.cpu_clock_hz : t.cpu_clock_hz) / t.cpu_clock_hz),
        gpu_hz(mode.has(Knob::kGpuClock) ? mode.gpu_clock_hz : t.gpu_clock_hz),
        mem_hz(mode.has(Knob::kMemClock) ? mode.mem_clock_hz : t.mem_clock_hz) {
    gpu = gpu_hz / t.gpu_clock_hz;
  }
};

// The parameters of a twin that the rooflines of one kind of kernel need, in a compact struct.
struct RoofParameters {
  double flop_per_cycle, dram_bytes_per_cycle, request_bytes_per_cycle;
  double energy_per_flop_j, energy_per_byte_j;
  double base_w, memory_clock_w, memory_top_hz, core_leakage_w, cpu_busy_w, gpu_leakage_w, gpu_w;
  double cpu_rise, cpu_knee, gpu_rise, gpu_knee;

  RoofParameters(const Twin& t, RoofClass roof, workload::Precision precision) {
    constexpr std::array kRates = {P::kConvRate, P::kGemmRate, P::kDepthwiseRate, P::kVectorRate};
    constexpr std::array kKinds = {workload::OpClass::kConv, workload::OpClass::kGemm,
                                   workload::OpClass::kDepthwiseConv,
                                   workload::OpClass::kElementwise};
    const auto index = static_cast<std::size_t>(roof);
    const Arithmetic arithmetic = workload::arithmetic_of(precision);
    const double faster = arithmetic_speedup(t, arithmetic, kKinds[index]);
    flop_per_cycle =
        t[kRates[index]] * t.flop_per_cycle * faster * runtime_gain(t, arithmetic, kKinds[index]);
    dram_bytes_per_cycle = t[P::kMemoryBandwidthShare] * t.bus_bytes_per_cycle;
    request_bytes_per_cycle = t[P::kGpuBytesPerCycle];
    energy_per_flop_j = t[P::kEnergyPerFlop] / faster;
    energy_per_byte_j = t[P::kEnergyPerByte];
    base_w = t[P::kBasePower];
    memory_clock_w = t[P::kMemoryClockPower];
    memory_top_hz = t.mem_clock_hz;
    core_leakage_w = t[P::kCpuCoreLeakage];
    cpu_busy_w = t[P::kCpuBusyPower];
    gpu_leakage_w = t[P::kGpuLeakage];
    gpu_w = t[P::kGpuClockPower] + t[P::kGpuBusyPower];
    cpu_rise = t[P::kCpuVoltageRise], cpu_knee = t[P::kCpuVoltageKnee];
    gpu_rise = t[P::kGpuVoltageRise], gpu_knee = t[P::kGpuVoltageKnee];
  }

  double cpu_v2(double relative_clock) const {
    return std::pow(relative_voltage(relative_clock, cpu_rise, cpu_knee), 2);
  }
  double gpu_v2(double relative_clock) const {
    return std::pow(relative_voltage(relative_clock, gpu_rise, gpu_knee), 2);
  }
  double bandwidth(double gpu_hz, double mem_hz) const {
    const double dram = dram_bytes_per_cycle * mem_hz;
    const double request = request_bytes_per_cycle * gpu_hz;
    return 1 / std::cbrt(std::pow(dram, -3) + std::pow(request, -3));
  }
};

// The expensive part of a roofline (powers and roots). It depends on few clocks.
struct ClockTerms {
  double cpu_v2, gpu_v2, bandwidth;
};

roofline::EnergyRoofline assemble_roofline(const RoofParameters& p, const RelativeMode& m,
                                           const ClockTerms& c) {
  roofline::EnergyRoofline roofline;
  roofline.peak_flop_per_s = p.flop_per_cycle * m.gpu_hz;
  roofline.bandwidth_bytes_per_s = c.bandwidth;
  roofline.energy_per_flop_j = p.energy_per_flop_j * c.gpu_v2;
  roofline.energy_per_byte_j = p.energy_per_byte_j;
  roofline.static_power_w = p.base_w + p.memory_clock_w * m.mem_hz / p.memory_top_hz +
                            m.cores * p.core_leakage_w * c.cpu_v2 +
                            p.cpu_busy_w * m.cpu * c.cpu_v2 + p.gpu_leakage_w * c.gpu_v2 +
                            p.gpu_w * m.gpu * c.gpu_v2;
  return roofline;
}

ClockTerms clock_terms(const RoofParameters& p, const RelativeMode& m) {
  return {p.cpu_v2(m.cpu), p.gpu_v2(m.gpu), p.bandwidth(m.gpu_hz, m.mem_hz)};
}

// Values of a function for each draw at each key that occurs, each computed once.
template <class Key>
class DrawTable {
 public:
  void want(const Key& key) { values_[key]; }
  template <class Function>
  void fill(std::size_t draws, const Function& function) {
    std::vector<std::pair<const Key*, std::vector<double>*>> open;
    for (auto& [key, values] : values_) open.emplace_back(&key, &values);
    parallel_for(open.size(), [&](std::size_t i) {
      open[i].second->resize(draws);
      for (std::size_t d = 0; d < draws; ++d) (*open[i].second)[d] = function(d, *open[i].first);
    });
  }
  const std::vector<double>& at(const Key& key) const { return values_.at(key); }

 private:
  std::map<Key, std::vector<double>> values_;
};

std::vector<RoofParameters> draw_parameters(const Twin& twin, RoofClass roof,
                                            workload::Precision precision, std::uint64_t seed) {
  Random random(seed);
  std::vector<RoofParameters> draws;
  Twin drawn = twin;
  for (std::size_t sample = 0; sample < kRaceSamples; ++sample) {
    for (std::size_t i = 0; i < kTwinParamCount; ++i) {
      drawn.values[i] = twin.values[i] * std::exp(twin.log_sd[i] * random.normal());
    }
    draws.emplace_back(drawn, roof, precision);
  }
  return draws;
}

// The roofs of all draws in many modes. Splits assemble_roofline() and EnergyRoofline into terms.
// Each term is computed once for the clocks that it depends on; a mode adds them in the same order.
class DrawnRoofs {
 public:
  DrawnRoofs(const std::vector<RoofParameters>& draws, const Twin& twin,
             std::span<const PowerMode> modes)
      : draws_(draws.size()) {
    for (const auto& mode : modes) {
      const RelativeMode m(twin, mode);
      base_w_.want(m.mem_hz), leakage_w_.want({m.cores, m.cpu}), busy_w_.want(m.cpu);
      for (auto* of_gpu : {&gpu_leakage_w_, &gpu_w_, &flop_j_, &energy_balance_, &peak_}) {
        of_gpu->want(m.gpu_hz);
      }
      time_balance_.want({m.gpu_hz, m.mem_hz});
    }
    const auto fill = [&](auto& table, const auto& function) {
      table.fill(draws.size(),
                 [&](std::size_t d, const auto& at) { return function(draws[d], at); });
    };
    using R = RoofParameters;
    const auto relative = [&](double gpu_hz) { return gpu_hz / twin.gpu_clock_hz; };
    const auto flop_j = [&](const R& p, double hz) {
      return p.energy_per_flop_j * p.gpu_v2(relative(hz));
    };
    fill(base_w_,
         [](const R& p, double hz) { return p.base_w + p.memory_clock_w * hz / p.memory_top_hz; });
    fill(leakage_w_, [](const R& p, const std::pair<double, double>& at) {
      return at.first * p.core_leakage_w * p.cpu_v2(at.second);
    });
    fill(busy_w_, [](const R& p, double cpu) { return p.cpu_busy_w * cpu * p.cpu_v2(cpu); });
    fill(gpu_leakage_w_,
         [&](const R& p, double hz) { return p.gpu_leakage_w * p.gpu_v2(relative(hz)); });
    fill(gpu_w_,
         [&](const R& p, double hz) { return p.gpu_w * relative(hz) * p.gpu_v2(relative(hz)); });
    fill(flop_j_, flop_j);
    fill(energy_balance_,
         [&](const R& p, double hz) { return p.energy_per_byte_j / flop_j(p, hz); });
    fill(peak_, [](const R& p, double hz) { return p.flop_per_cycle * hz; });
    fill(time_balance_, [](const R& p, const std::pair<double, double>& at) {
      return p.flop_per_cycle * at.first / p.bandwidth(at.first, at.second);
    });
  }

  std::vector<double> race_to_halt_ratios(const RelativeMode& m) const {
    const auto &base_w = base_w_.at(m.mem_hz), &leakage_w = leakage_w_.at({m.cores, m.cpu}),
               &busy_w = busy_w_.at(m.cpu), &gpu_leakage_w = gpu_leakage_w_.at(m.gpu_hz),
               &gpu_w = gpu_w_.at(m.gpu_hz), &flop_j = flop_j_.at(m.gpu_hz),
               &energy_balance = energy_balance_.at(m.gpu_hz), &peak = peak_.at(m.gpu_hz),
               &time_balance = time_balance_.at({m.gpu_hz, m.mem_hz});
    std::vector<double> ratios(draws_);
    for (std::size_t d = 0; d < draws_; ++d) {
      const double static_w = base_w[d] + leakage_w[d] + busy_w[d] + gpu_leakage_w[d] + gpu_w[d];
      const double dynamic_share = flop_j[d] / (flop_j[d] + static_w / peak[d]);
      ratios[d] = dynamic_share * energy_balance[d] / time_balance[d];
    }
    return ratios;
  }

 private:
  std::size_t draws_;
  DrawTable<double> base_w_, busy_w_, gpu_leakage_w_, gpu_w_, flop_j_, energy_balance_, peak_;
  DrawTable<std::pair<double, double>> leakage_w_, time_balance_;
};

}  // namespace

RoofClass roof_class_of(workload::OpClass op_class) {
  // Recurrent layers are products: they have the same roof, although they reach less of it.
  constexpr std::array<RoofClass, kWorkClasses.size()> kRoofs = {
      RoofClass::kConvolution, RoofClass::kDepthwise, RoofClass::kProduct, RoofClass::kProduct,
      RoofClass::kVector};
  return kRoofs[work_class(op_class)];
}

double RoofCeiling::attainable_flop_per_s(double intensity) const {
  return std::min(flop_per_s, intensity * bandwidth_bytes_per_s);
}

RoofCeiling roof_ceiling(const Board& board, const PowerMode& mode, RoofClass roof,
                         workload::Precision precision) {
  const bool contraction = roof == RoofClass::kConvolution || roof == RoofClass::kProduct;
  Arithmetic arithmetic = contraction ? workload::arithmetic_of(precision) : Arithmetic::kFp32;
  if (roof == RoofClass::kConvolution && arithmetic == Arithmetic::kFp32 &&
      supports(board, Arithmetic::kTf32)) {
    arithmetic = Arithmetic::kTf32;
  }
  double flop_per_s = compute_ceiling(board, mode, arithmetic);
  if (roof == RoofClass::kConvolution && !on_tensor_cores(board, arithmetic)) {
    flop_per_s *= kWinograd;
  }
  return {arithmetic, flop_per_s, bandwidth_ceiling(board, mode)};
}

Cause LayerPoint::bound() const {
  if (gpu_overhead_s > gpu_compute_s + gpu_memory_s) return Cause::kLaunch;
  return gpu_compute_s >= gpu_memory_s ? Cause::kCompute : Cause::kMemory;
}

namespace {

// The kernel from which on the GPU and not the launches sets the pace: launches before it and GPU
// times from it on are the longest chain.
std::size_t chain_corner(std::span<const LayerPoint> points, const std::vector<double>& gpu_s) {
  double launched_s = 0, left_s = 0, longest_s = -1;
  for (const double one_s : gpu_s) left_s += one_s;
  std::size_t corner = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    launched_s += points[k].launch_s;
    if (launched_s + left_s > longest_s) longest_s = launched_s + left_s, corner = k;
    left_s -= gpu_s[k];
  }
  return corner;
}

// Divides the time of a minibatch again after a power cap has lengthened kernels. `free_gpu_s`:
// times on the GPU without the cap, to which `time_s` belongs.
void divide_time(std::vector<LayerPoint>& points, const std::vector<double>& free_gpu_s) {
  const auto chain_s = [&](const std::vector<double>& gpu_s, std::size_t corner, std::size_t k) {
    return (k <= corner ? points[k].launch_s : 0) + (k >= corner ? gpu_s[k] : 0);
  };
  std::vector<double> capped_s;
  for (const auto& point : points) capped_s.push_back(point.gpu_s);
  if (capped_s == free_gpu_s) return;
  const std::size_t before = chain_corner(points, free_gpu_s);
  const std::size_t after = chain_corner(points, capped_s);
  double time_s = 0, free_chain_s = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    time_s += points[k].time_s;
    free_chain_s += chain_s(free_gpu_s, before, k);
  }
  // Times vary, which makes a chain longer than the sum of its parts; see Estimator.
  const double stretch = time_s / free_chain_s;
  for (std::size_t k = 0; k < points.size(); ++k) {
    points[k].time_s = stretch * chain_s(capped_s, after, k);
  }
}

}  // namespace

std::vector<LayerPoint> place_layers(const Board& board, const Estimator& estimator,
                                     const PowerMode& mode, double power_cap_w) {
  const workload::WorkloadCost& cost = estimator.cost();
  struct Roofs {
    roofline::EnergyRoofline reached;
    RoofCeiling ceiling;
  };
  std::map<std::pair<RoofClass, workload::Precision>, Roofs> known;
  const auto roofs_of = [&](RoofClass roof, workload::Precision precision) -> const Roofs& {
    const auto [at, made] = known.try_emplace({roof, precision});
    if (made) {
      at->second.reached = twin_roofline(estimator.twin(), mode, roof, precision);
      at->second.reached.power_cap_w = power_cap_w;
      at->second.reached.validate();
      at->second.ceiling = roof_ceiling(board, mode, roof, precision);
    }
    return at->second;
  };
  std::vector<LayerPoint> points;
  std::vector<double> free_gpu_s;
  for (const LayerEstimate& layer : estimator.layers(mode)) {
    const workload::KernelCost& kernel = cost.kernels[layer.kernel];
    LayerPoint point{.kernel = layer.kernel,
                     .roof = roof_class_of(kernel.op_class),
                     .work_flop = kernel.work_flop + kernel.work_int_op,
                     .traffic_bytes = layer.effective_traffic_bytes,
                     .counted_bytes = kernel.traffic_bytes(),
                     .gpu_s = layer.gpu_s,
                     .gpu_compute_s = layer.gpu_compute_s,
                     .gpu_memory_s = layer.gpu_memory_s,
                     .gpu_overhead_s = layer.gpu_s - layer.gpu_compute_s - layer.gpu_memory_s,
                     .launch_s = layer.launch_s,
                     .time_s = layer.time_s};
    const bool own = kernel.precision != workload::Precision::kStored;
    const Roofs& floating = roofs_of(point.roof, own ? kernel.precision : cost.arithmetic);
    const bool integer = kernel.work_int_op > kernel.work_flop;
    const Roofs& roofs = integer ? roofs_of(point.roof, workload::Precision::kInt8) : floating;
    const roofline::EnergyRoofline& roof = floating.reached;
    double dynamic_j =
        kernel.work_flop * roof.energy_per_flop_j + point.traffic_bytes * roof.energy_per_byte_j;
    if (kernel.work_int_op > 0) {
      dynamic_j += kernel.work_int_op *
                   twin_roofline(estimator.twin(), mode, point.roof, workload::Precision::kInt8)
                       .energy_per_flop_j;
    }
    free_gpu_s.push_back(point.gpu_s);
    point.gpu_s = std::max(point.gpu_s, dynamic_j / (power_cap_w - roof.static_power_w));
    if (point.gpu_s > 0) point.power_w = roof.static_power_w + dynamic_j / point.gpu_s;
    if (point.has_place()) {
      point.ceiling_flop_per_s = roofs.ceiling.attainable_flop_per_s(point.intensity());
      point.reached_flop_per_s = roofs.reached.attainable_flop_per_s(point.intensity());
    }
    points.push_back(point);
  }
  divide_time(points, free_gpu_s);
  return points;
}

std::array<double, kRoofClasses.size()> roof_shares(std::span<const LayerPoint> layers) {
  std::array<double, kRoofClasses.size()> shares{};
  double total_s = 0;
  for (const auto& layer : layers) {
    shares[static_cast<std::size_t>(layer.roof)] += layer.gpu_s;
    total_s += layer.gpu_s;
  }
  for (double& share : shares) share = total_s > 0 ? share / total_s : 0;
  return shares;
}

roofline::EnergyRoofline twin_roofline(const Twin& twin, const PowerMode& mode, RoofClass roof,
                                       workload::Precision precision) {
  if (const int sms = twin.sms_in(mode); sms != twin.sms) {
    return twin_roofline(with_sms(twin, sms), mode, roof, precision);
  }
  const RoofParameters parameters(twin, roof, precision);
  const RelativeMode relative(twin, mode);
  return assemble_roofline(parameters, relative, clock_terms(parameters, relative));
}

std::vector<roofline::FittedValue> twin_race_to_halt(const Twin& twin,
                                                     std::span<const PowerMode> modes,
                                                     RoofClass roof, std::uint64_t seed,
                                                     workload::Precision precision) {
  const DrawnRoofs drawn(draw_parameters(twin, roof, precision, seed), twin, modes);
  std::vector<roofline::FittedValue> result(modes.size());
  parallel_for(modes.size(), [&](std::size_t i) {
    if (const int sms = twin.sms_in(modes[i]); sms != twin.sms) {
      const Twin fewer = with_sms(twin, sms);
      result[i] = twin_race_to_halt(fewer, modes.subspan(i, 1), roof, seed, precision).front();
      return;
    }
    const std::vector<double> ratios = drawn.race_to_halt_ratios(RelativeMode(twin, modes[i]));
    const auto [lo, hi] = two_quantiles(ratios, 0.05, 0.95);
    result[i] = {twin_roofline(twin, modes[i], roof, precision).race_to_halt_ratio(), lo, hi};
  });
  return result;
}

roofline::FittedValue twin_race_to_halt(const Twin& twin, const PowerMode& mode, RoofClass roof,
                                        std::uint64_t seed) {
  return twin_race_to_halt(twin, std::span(&mode, 1), roof, seed).front();
}

}  // namespace ridgewatt::twin
