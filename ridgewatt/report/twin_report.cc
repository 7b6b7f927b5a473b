#include "ridgewatt/report/twin_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/roofline/twin_roofline.h"

namespace ridgewatt {
namespace {

// Lines of more modes cover each other; an even choice of them is drawn and the title says so.
constexpr std::size_t kMostRoofs = 40;

// A preset's name where the mode is one, else its knobs.
std::string mode_name(const Board& board, const PowerMode& mode) {
  const auto& known = presets(board);
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Preset& preset) { return preset.mode == mode; });
  return found == known.end() ? describe(mode) : found->name;
}

std::vector<RooflineLayer> layers_of(const Estimator& estimator, const PowerMode& mode) {
  std::vector<RooflineLayer> layers;
  for (const auto& estimate : estimator.layers(mode)) {
    const KernelCost& kernel = estimator.cost().kernels[estimate.kernel];
    RooflineLayer layer;
    layer.name = kernel.name;
    layer.op = kernel.op;
    layer.bound = cause_name(estimate.cause);
    layer.work_flop = kernel.work_flop;
    layer.traffic_bytes = estimate.effective_traffic_bytes;
    layer.time_s = estimate.time_s;
    layer.energy_j = estimate.energy_j;
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace

std::string twin_words(const Twin& twin) {
  constexpr std::string_view kRuntime = "pytorch-eager";
  constexpr std::string_view kModelled = "modelled with ";
  std::string text = twin.provenance();
  if (text.starts_with(kModelled)) text.erase(0, kModelled.size());
  if (text.find(kRuntime) == std::string::npos) text = std::string(kRuntime) + ", " + text;
  return text;
}

RooflineReport twin_report(const Board& board, const Twin& twin, std::span<const PowerMode> modes,
                           const Estimator* estimator) {
  if (modes.empty()) throw UsageError("no power modes to show");
  RooflineReport report{.title = board.title,
                        .source = {"", board.title, "modelled", twin_words(twin)}};
  const std::size_t shown = std::min(modes.size(), kMostRoofs);
  for (std::size_t i = 0; i < shown; ++i) {
    const PowerMode& mode = modes[shown == 1 ? 0 : i * (modes.size() - 1) / (shown - 1)];
    report.modes.push_back({mode_name(board, mode), twin_roofline(twin, mode)});
  }
  const std::string thinned =
      shown < modes.size() ? fmt::format(", {} of {} modes drawn", shown, modes.size()) : "";
  report.title += thinned;
  if (estimator == nullptr) return report;
  const WorkloadCost& cost = estimator->cost();
  report.title = fmt::format("{} on {}, batch {}", cost.name, board.title, cost.batch) + thinned;
  report.source.workload = fmt::format("{}, batch {}", cost.name, cost.batch);
  report.layers = layers_of(*estimator, modes.front());
  const KnobSpace space = knob_space(board);
  report.observations.reserve(space.size());
  for (const auto& mode : space.modes()) {
    const MinibatchCost at = (*estimator)(mode);
    report.observations.push_back({{mode, cost.batch}, at.period_s, at.power_w});
  }
  return report;
}

}  // namespace ridgewatt
