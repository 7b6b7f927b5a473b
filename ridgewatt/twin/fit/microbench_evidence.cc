#include "ridgewatt/twin/microbench_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt::twin {
namespace {

// A triad and the kernels of a network access memory in different orders. Chosen.
constexpr double kLeastShareSd = 0.01;
// Microbenchmarks compute in registers and stream through memory. Other kernels also index,
// synchronize and use caches. Chosen: a third.
constexpr double kOperationSd = 0.3;

// Beyond this number of standard deviations, a measurement contradicts the fit. Chosen.
constexpr double kContradiction = 3;

double log_sd_of(const MeasuredValue& measured) {
  // lo and hi are a 90 % interval.
  return std::log(measured.hi / measured.lo) / (2 * normal_quantile(0.95));
}

double top_gpu_hz(const Board& board) {  // of a board with a GPU
  return board.find_bsp().levels[Knob::kGpuClock].back();
}

bool at_top_gpu_clock(const Board& board, const PowerMode& mode) {
  return !mode.has(Knob::kGpuClock) || mode.gpu_clock_hz > 0.999 * top_gpu_hz(board);
}

void add_share(const Board& board, std::vector<ParameterObservation>& seen) {
  const MeasuredRoof* best = nullptr;
  double best_share = 0;
  for (const auto& roof : board.microbench->modes) {
    const auto* bandwidth = roof.find(RoofQuantity::kBandwidth);
    if (bandwidth == nullptr) continue;
    const double share = bandwidth->value / peak_bandwidth(board, roof.mode);
    if (share <= best_share) continue;
    best = &roof;
    best_share = share;
  }
  if (best == nullptr) return;
  const double sd = log_sd_of(*best->find(RoofQuantity::kBandwidth));
  seen.push_back({TwinParam::kMemoryBandwidthShare, best_share, std::max(sd, kLeastShareSd),
                  fmt::format("{}; {}", describe(best->mode), board.microbench->origin)});
}

void add_energies(const Board& board, std::vector<ParameterObservation>& seen) {
  for (const auto& roof : board.microbench->modes) {
    if (!at_top_gpu_clock(board, roof.mode)) continue;
    for (const auto& [quantity, param] :
         {std::pair{RoofQuantity::kEnergyPerFlop, TwinParam::kEnergyPerFlop},
          std::pair{RoofQuantity::kEnergyPerByte, TwinParam::kEnergyPerByte}}) {
      const auto* energy = roof.find(quantity);
      if (energy == nullptr || !(energy->lo > 0)) continue;
      seen.push_back({param, energy->value, std::hypot(log_sd_of(*energy), kOperationSd),
                      fmt::format("{}; {}", describe(roof.mode), board.microbench->origin)});
    }
  }
}

// Conditions a normal distribution over the logarithms on an observation of one of them.
void condition(Twin& twin, const ParameterObservation& seen) {
  const auto s = static_cast<std::size_t>(seen.param);
  const std::array<double, kTwinParamCount> sd = twin.log_sd;
  const double total = sd[s] * sd[s] + seen.log_sd * seen.log_sd;
  const double off = std::log(seen.value / twin.values[s]);
  const auto correlation = [&](std::size_t i, std::size_t j) {
    if (twin.correlations.empty()) return i == j ? 1.0 : 0.0;
    return twin.correlations[i * kTwinParamCount + j];
  };
  std::array<double, kTwinParamCount> with_seen{};  // covariances
  for (std::size_t i = 0; i < kTwinParamCount; ++i)
    with_seen[i] = correlation(i, s) * sd[i] * sd[s];
  std::vector<double> covariance(kTwinParamCount * kTwinParamCount);
  for (std::size_t i = 0; i < kTwinParamCount; ++i) {
    for (std::size_t j = 0; j < kTwinParamCount; ++j) {
      covariance[i * kTwinParamCount + j] =
          correlation(i, j) * sd[i] * sd[j] - with_seen[i] * with_seen[j] / total;
    }
  }
  for (std::size_t i = 0; i < kTwinParamCount; ++i) {
    twin.values[i] *= std::exp(with_seen[i] / total * off);
    twin.log_sd[i] = std::sqrt(std::max(0.0, covariance[i * kTwinParamCount + i]));
  }
  if (twin.correlations.empty()) return;
  for (std::size_t i = 0; i < kTwinParamCount; ++i) {
    for (std::size_t j = 0; j < kTwinParamCount; ++j) {
      const double scale = twin.log_sd[i] * twin.log_sd[j];
      twin.correlations[i * kTwinParamCount + j] = i == j ? 1
                                                   : scale > 0
                                                       ? covariance[i * kTwinParamCount + j] / scale
                                                       : 0;
    }
  }
}

// Replaces the twin's value by the measured one, which is independent of the other parameters.
void take_over(Twin& twin, const ParameterObservation& seen) {
  const auto s = static_cast<std::size_t>(seen.param);
  twin.values[s] = seen.value;
  twin.log_sd[s] = seen.log_sd;
  if (twin.correlations.empty()) return;
  for (std::size_t i = 0; i < kTwinParamCount; ++i) {
    if (i == s) continue;
    twin.correlations[i * kTwinParamCount + s] = twin.correlations[s * kTwinParamCount + i] = 0;
  }
}

}  // namespace

std::vector<ParameterObservation> microbench_observations(const Board& board) {
  std::vector<ParameterObservation> seen;
  if (!board.microbench || board.microbench->target != RoofTarget::kGpu) return seen;
  add_share(board, seen);
  add_energies(board, seen);
  return seen;
}

void observe_microbench(const Board& board, Twin& twin) {
  if (board.twin.texts.contains("microbench")) return;
  const bool own_sweeps = !twin.scaled && !board.twin.numbers.empty();
  for (const auto& seen : microbench_observations(board)) {
    if (seen.param != TwinParam::kMemoryBandwidthShare) continue;
    // Conditioning is linear. If the measurement contradicts the sweeps, only its parameter
    // changes.
    const double z = std::log(seen.value / twin[seen.param]) /
                     std::hypot(twin.log_sd[static_cast<std::size_t>(seen.param)], seen.log_sd);
    own_sweeps&& std::abs(z) < kContradiction ? condition(twin, seen) : take_over(twin, seen);
    twin.status += ", bandwidth measured";
  }
}

}  // namespace ridgewatt::twin
