#include "ridgewatt/report/twin_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

RooflineLayer layer_of(const workload::KernelCost& kernel, const twin::LayerPoint& point) {
  RooflineLayer layer;
  layer.name = kernel.name;
  layer.op = kernel.op;
  layer.roof = name_of(point.roof);
  layer.bound = name_of(point.bound());
  layer.work_flop = point.work_flop;
  layer.traffic_bytes = point.traffic_bytes;
  layer.counted_bytes = point.counted_bytes;
  layer.gpu_s = point.gpu_s;
  layer.launch_s = point.launch_s;
  layer.time_s = point.time_s;
  layer.power_w = point.power_w;
  layer.ceiling_flop_per_s = point.ceiling_flop_per_s;
  layer.reached_flop_per_s = point.reached_flop_per_s;
  return layer;
}

// Splits the time of a minibatch into GPU work, waiting for launches, host time and loader time.
std::vector<TimePart> parts_of(const std::vector<twin::LayerPoint>& points,
                               const twin::Breakdown& whole) {
  double compute_s = 0, memory_s = 0, overhead_s = 0, gpu_s = 0, chain_s = 0;
  for (const auto& point : points) {
    gpu_s += point.gpu_s;
    compute_s += point.gpu_compute_s;
    memory_s += point.gpu_memory_s;
    overhead_s += point.gpu_overhead_s;
    chain_s += point.time_s;
  }
  const auto at = [&](twin::Cause cause) { return whole.time_s[static_cast<std::size_t>(cause)]; };
  std::vector<TimePart> parts = {
      {"GPU compute", compute_s}, {"GPU memory", memory_s}, {"GPU starting kernels", overhead_s}};
  const double free_s = compute_s + memory_s + overhead_s;
  if (gpu_s > free_s * (1 + 1e-9)) parts.push_back({"GPU slowed by the power cap", gpu_s - free_s});
  parts.push_back({"waiting for launches", std::max(0.0, chain_s - gpu_s)});
  parts.push_back({"host", at(twin::Cause::kHost)});
  // Time that the cap adds is time in which the loader works.
  const double free_chain_s =
      at(twin::Cause::kCompute) + at(twin::Cause::kMemory) + at(twin::Cause::kLaunch);
  const double added_s = std::max(0.0, chain_s - free_chain_s);
  parts.push_back({"loader", std::max(0.0, at(twin::Cause::kLoader) - added_s)});
  return parts;
}

std::string arithmetic_key(Arithmetic arithmetic) {
  return fmt::format("gpu.{}", kArithmeticRows[arithmetic].board_key);
}

std::string fact_words(const Board& board, std::string_view key) {
  const Fact* fact = find_fact(board, key);
  return fact == nullptr ? std::string(key) : fmt::format("{}; {}", fact->status, fact->source);
}

std::string from_words(const std::optional<CarriedRoof>& measured, std::string_view otherwise) {
  if (!measured) return std::string(otherwise);
  return measured->measured_here ? kMeasuredRoof : "measured, by clock";
}

// For example, "Ceiling of fp32: measured, 5000 GFLOP/s (90 %: 4900 to 5100); 94 % of the data
// sheet's."
std::string measured_line(const std::string& of, const CarriedRoof& measured, double sheet,
                          const char* unit) {
  return sentence(
      "Ceiling of {}: measured, {:.4g} {} (90 %: {:.4g} to {:.4g}){}; {:.0f} % of the data "
      "sheet's.",
      of, measured.value / kGiga, unit, measured.lo / kGiga, measured.hi / kGiga,
      measured.measured_here
          ? ""
          : fmt::format(", scaled by the clock from {}", describe(measured.from)),
      100 * measured.value / sheet);
}

// Describes the microbenchmarks that the roofs of the first mode use.
std::vector<std::string> measured_lines(const answer::RooflineAnswer& found) {
  const Board& board = found.board;
  const PowerMode& mode = found.modes.front();
  std::vector<std::string> lines;
  if (!board.microbench) return lines;
  if (board.microbench->target == RoofTarget::kCpu) {
    return {
        "The microbenchmarks of the board file are not used, because they measured a processor and "
        "not the GPU."};
  }
  for (const Arithmetic arithmetic : {Arithmetic::kFp32, Arithmetic::kFp16}) {
    const auto measured = measured_peak(board, mode, arithmetic);
    if (!measured || !supports(board, arithmetic)) continue;
    lines.push_back(measured_line(std::string(name_of(arithmetic)), *measured,
                                  peak_flops(board, mode, arithmetic), "GFLOP/s"));
  }
  if (const auto measured = measured_bandwidth(board, mode)) {
    lines.push_back(measured_line("bandwidth", *measured, peak_bandwidth(board, mode), "GB/s"));
  }
  lines.push_back(
      fmt::format("Measured: {}{}.", board.microbench->origin,
                  board.microbench->machine.empty() ? "" : "; on " + board.microbench->machine));
  return lines;
}

std::vector<std::string> ceiling_lines(const answer::RooflineAnswer& found) {
  const Board& board = found.board;
  std::vector<std::string> lines = measured_lines(found);
  const bool measured = measured_peak(board, found.modes.front(), Arithmetic::kFp32).has_value();
  lines.push_back(fmt::format(
      "Ceilings of {}: the data sheet's dense rates (gpu: {}). Reached rates: the "
      "twin's.",
      measured ? "what was not measured" : "compute", fact_words(board, "gpu.cores_per_sm")));
  const auto sms_off = sms_off_texts(board, found.modes);
  if (!sms_off.empty()) {
    lines.push_back(
        fmt::format("{}; ceilings and rates count only these.", fmt::join(sms_off, ", ")));
  }
  if (measured_bandwidth(board, found.modes.front())) {
    // measured_lines() has already described the bandwidth
  } else if (board.triad) {
    lines.push_back(sentence(
        "Ceiling of bandwidth: the highest measured triad, {:.4g} to {:.4g} GB/s at the highest "
        "memory clock ({}).",
        board.triad->lo_bytes_per_s / kGiga, board.triad->hi_bytes_per_s / kGiga,
        fact_words(board, "memory.triad_gb_per_s")));
  } else {
    lines.push_back(
        fmt::format("Ceiling of bandwidth: the data sheet's peak, no triad is known ({}).",
                    fact_words(board, "memory.bus_bits")));
  }
  const double cap_w = found.cap_w();
  if (found.power_cap_w && cap_w == *found.power_cap_w) {
    lines.push_back(sentence("Power is capped at {:.4g} W, as given.", cap_w));
  } else if (std::isfinite(cap_w)) {
    lines.push_back(sentence("Power is capped at the board's limit, {:.4g} W ({}).", cap_w,
                             fact_words(board, "power.limit_w")));
  } else {
    lines.push_back("Power is not capped: no limit of the board is known.");
  }
  return lines;
}

// Finds rates above measured ceilings. The twin's rates are ratios to peaks of the data sheet,
// which a board may not reach.
void add_contradictions(const RooflineMode& mode, std::vector<std::string>& lines) {
  for (const auto& roof : mode.roofs) {
    if (roof.reached.peak_flop_per_s <= roof.ceiling_flop_per_s) continue;
    lines.push_back(
        fmt::format("The twin's rate of the class {} exceeds the measured ceiling, because it is "
                    "relative to the data sheet's peak. Fit the twin to sweeps of this board.",
                    roof.name));
  }
}

}  // namespace

std::string twin_words(const twin::Twin& twin) {
  const std::string_view runtime = name_of(twin.runtime);
  constexpr std::string_view kModelled = "modelled with ";
  std::string text = twin.provenance();
  if (text.starts_with(kModelled)) text.erase(0, kModelled.size());
  if (text.find(runtime) == std::string::npos) text = std::string(runtime) + ", " + text;
  return text;
}

Json runtime_fit_json(const twin::Twin& twin) {
  if (!twin.changed_by || !twin.changed_by->fitted()) return {};
  const twin::RuntimeTwin& runtime = *twin.changed_by;
  return json_object({{"median_time_error", runtime.fit_error},
                      {"unseen_median_time_error", runtime.unseen_error},
                      {"boards", runtime.boards},
                      {"precisions", runtime.precisions},
                      {"origin", runtime.origin}});
}

std::array<double, twin::kRoofClasses.size()> shares_in(const answer::RooflineAnswer& found,
                                                        const PowerMode& mode) {
  const twin::Estimator* const estimator = found.estimator();
  if (estimator == nullptr) return {};
  return twin::roof_shares(twin::place_layers(found.board, *estimator, mode));
}

std::vector<SharedRoof> roofs_of(const answer::RooflineAnswer& found) {
  if (found.estimator() == nullptr)
    return {{twin::RoofClass::kConvolution}, {twin::RoofClass::kProduct}};
  const auto shares = shares_in(found, found.modes.front());
  std::vector<SharedRoof> roofs;
  for (const twin::RoofClass roof : twin::kRoofClasses) {
    const double share = shares[static_cast<std::size_t>(roof)];
    if (share >= kLeastRoofShare) roofs.push_back({roof, share});
  }
  sort_stably(roofs, [](const auto& a, const auto& b) { return a.share > b.share; });
  return roofs;
}

ClassRoof class_roof(const answer::RooflineAnswer& found, const PowerMode& mode,
                     const SharedRoof& shared) {
  const twin::RoofCeiling ceiling =
      twin::roof_ceiling(found.board, mode, shared.roof, found.precision());
  ClassRoof roof{.name = std::string(name_of(shared.roof)),
                 .arithmetic = std::string(name_of(ceiling.arithmetic)),
                 .ceiling_flop_per_s = ceiling.flop_per_s,
                 .ceiling_bandwidth_bytes_per_s = ceiling.bandwidth_bytes_per_s,
                 .reached = twin::twin_roofline(found.twin, mode, shared.roof, found.precision()),
                 .share = shared.share};
  if (found.cap_w() > roof.reached.static_power_w) roof.reached.power_cap_w = found.cap_w();
  const auto peak = measured_peak(found.board, mode, ceiling.arithmetic);
  const auto bandwidth = measured_bandwidth(found.board, mode);
  roof.compute_from = from_words(peak, "data sheet");
  roof.bandwidth_from = from_words(bandwidth, found.board.triad ? "published triad" : "data sheet");
  roof.measured_flop_per_s = peak;
  roof.measured_bytes_per_s = bandwidth;
  return roof;
}

std::optional<ClassRoof> measured_class_roof(const answer::RooflineAnswer& found,
                                             const PowerMode& mode) {
  const MeasuredRoof* measured = measured_roof(found.board, mode);
  if (measured == nullptr) return std::nullopt;
  const auto* peak = measured->find(RoofQuantity::kFp32);
  const auto* bandwidth = measured->find(RoofQuantity::kBandwidth);
  if (peak == nullptr || bandwidth == nullptr) return std::nullopt;
  ClassRoof roof{.name = kMeasuredRoof,
                 .arithmetic = std::string(name_of(Arithmetic::kFp32)),
                 .ceiling_flop_per_s = peak->value,
                 .ceiling_bandwidth_bytes_per_s = bandwidth->value,
                 .compute_from = kMeasuredRoof,
                 .bandwidth_from = kMeasuredRoof,
                 .measured_flop_per_s = *peak,
                 .measured_bytes_per_s = *bandwidth};
  roof.reached.peak_flop_per_s = peak->value;
  roof.reached.bandwidth_bytes_per_s = bandwidth->value;
  const auto energy = [&](RoofQuantity quantity) {
    const auto* value = measured->find(quantity);
    return value == nullptr ? 0 : value->value;
  };
  roof.reached.energy_per_flop_j = energy(RoofQuantity::kEnergyPerFlop);
  roof.reached.energy_per_byte_j = energy(RoofQuantity::kEnergyPerByte);
  roof.reached.static_power_w = energy(RoofQuantity::kStaticPower);
  return roof;
}

RooflineReport twin_report(const answer::RooflineAnswer& found) {
  const Board& board = found.board;
  const auto& modes = found.modes;
  const twin::Estimator* const estimator = found.estimator();
  RooflineReport report{.title = board.title,
                        .source = {"", board.title, Provenance::kModelled, twin_words(found.twin)}};
  const auto roofs = roofs_of(found);
  const std::size_t shown = std::min(modes.size(), kMostRoofs);
  for (std::size_t i = 0; i < shown; ++i) {
    const PowerMode& mode = modes[shown == 1 ? 0 : i * (modes.size() - 1) / (shown - 1)];
    auto& drawn = report.modes.emplace_back(RooflineMode{mode_name(board, mode), {}});
    const auto shares = shares_in(found, mode);
    for (const auto& shared : roofs) {
      drawn.roofs.push_back(
          class_roof(found, mode, {shared.roof, shares[static_cast<std::size_t>(shared.roof)]}));
    }
    // Only if its energies are known, because the energy figures draw every roof.
    const auto measured = measured_class_roof(found, mode);
    if (measured && !measured->time_only()) drawn.roofs.push_back(*measured);
  }
  for (const auto& level : cache_levels(board, modes.front())) {
    report.levels.push_back(
        {level.name, level.bandwidth_bytes_per_s, fact_words(board, level.key)});
  }
  report.levels.insert(report.levels.end(), found.levels.begin(), found.levels.end());
  report.ceilings = ceiling_lines(found);
  add_contradictions(report.modes.front(), report.ceilings);
  const std::string thinned =
      shown < modes.size() ? fmt::format(", {} of {} modes drawn", shown, modes.size()) : "";
  report.title += thinned;
  if (estimator == nullptr) return report;
  const workload::WorkloadCost& cost = estimator->cost();
  report.title = fmt::format("{} on {}, batch {}", cost.name, board.title, cost.batch) + thinned;
  report.source.workload = fmt::format("{}, batch {}", cost.name, cost.batch);
  // The limit of the board is on a long mean, as in `estimate`: it slows no single layer.
  const auto points = twin::place_layers(board, *estimator, modes.front(),
                                         found.power_cap_w.value_or(twin::kNoCap));
  for (const auto& point : points) {
    report.layers.push_back(layer_of(cost.kernels[point.kernel], point));
  }
  report.parts = parts_of(points, estimator->breakdown(modes.front()));
  return report;
}

void add_observations(const answer::RooflineAnswer& found, RooflineReport& report) {
  if (found.estimator() == nullptr) return;
  const int batch = found.estimator()->cost().batch;
  const KnobSpace space = knob_space(found.board);
  report.observations.reserve(space.size());
  for (const auto& mode : space.modes()) {
    const twin::MinibatchCost at = (*found.estimator())(mode);
    report.observations.push_back({{mode, batch}, at.period_s, at.power_w});
  }
}

Json ceilings_json(const answer::RooflineAnswer& found) {
  Json list = Json::array();
  const auto add = [&](Json entry, std::string_view key) {
    entry["key"] = std::string(key);
    const Fact* fact = find_fact(found.board, key);
    if (fact != nullptr) set_members(entry, {{"status", fact->status}, {"source", fact->source}});
    list.push_back(std::move(entry));
  };
  const auto add_measured = [&](Json entry, const CarriedRoof& measured) {
    set_members(entry, {{"key", "microbench"},
                        {"status", "measured"},
                        {"source", found.board.microbench->origin},
                        {"value", measured.value},
                        {"lo", measured.lo},
                        {"hi", measured.hi},
                        {"measured_in", mode_to_json(measured.from)}});
    list.push_back(std::move(entry));
  };
  const PowerMode& mode = found.modes.front();
  for (const auto& shared : roofs_of(found)) {
    const Arithmetic arithmetic =
        twin::roof_ceiling(found.board, mode, shared.roof, found.precision()).arithmetic;
    Json entry = json_object({{"of", std::string(name_of(shared.roof))},
                              {"arithmetic", std::string(name_of(arithmetic))}});
    const auto measured = measured_peak(found.board, mode, arithmetic);
    measured ? add_measured(std::move(entry), *measured)
             : add(std::move(entry), arithmetic_key(arithmetic));
  }
  if (const auto measured = measured_bandwidth(found.board, mode)) {
    add_measured({{"of", "bandwidth"}, {"measured", true}}, *measured);
  } else {
    add({{"of", "bandwidth"}, {"measured", found.board.triad.has_value()}},
        bandwidth_ceiling_key(found.board));
  }
  if (found.board.power_limit_w) add({{"of", "power"}}, "power.limit_w");
  return list;
}

}  // namespace ridgewatt::report
