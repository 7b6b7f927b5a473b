#include "ridgewatt/pipeline/twin_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ridgewatt {

PipelineConfig on_twin(PipelineConfig config, const TwinModel& model, const PowerMode& mode) {
  const Twin& twin = model.twin();
  if (mode.has(Knob::kCpuClock)) {
    const double speed = mode.cpu_clock_hz / twin.cpu_clock_hz;
    config.preprocess_s_per_sample /= speed;
    config.hand_over_s /= speed;
  }
  config.cores = mode.has(Knob::kCpuCores) ? mode.cpu_cores : twin.cpu_cores;
  const Breakdown minibatch = model.estimator(config.batch).breakdown(mode);
  config.compute_s = minibatch.total.pipe_s;
  config.base_w = minibatch.static_j / config.compute_s;
  config.compute_w = minibatch.total.power_w - config.base_w;
  config.core_w = twin[TwinParam::kCpuBusyPower];
  return config;
}

std::vector<WhatIf> changes_on_twin(const PipelineConfig& config, const TwinModel& model,
                                    const KnobSpace& space, const PowerMode& mode) {
  std::vector<WhatIf> changes = loader_changes(on_twin(config, model, mode));
  for (const int batch : {config.batch / 2, config.batch * 2, config.batch * 4}) {
    if (batch < 1 || !model.fits_memory(batch)) continue;
    PipelineConfig changed = config;
    changed.batch = batch;
    // Its bytes: what a hand-over costs by itself is not known apart from them.
    changed.hand_over_s *= static_cast<double>(batch) / config.batch;
    changes.push_back(what_if(fmt::format("batch {}", batch), on_twin(changed, model, mode)));
  }
  for (const Knob knob : kKnobs) {
    const auto& levels = space.levels(knob);
    if (levels.empty()) continue;
    const double now = mode.has(knob) ? mode.get(knob) : levels.back();
    const double half = *std::min_element(levels.begin(), levels.end(), [&](double a, double b) {
      return std::abs(a - now / 2) < std::abs(b - now / 2);
    });
    for (const double level : {half, levels.back()}) {
      if (level == now) continue;
      PowerMode changed = mode;
      changed.set(knob, level);
      static constexpr const char* kNames[] = {"{} CPU cores", "CPU clock {} MHz",
                                               "GPU clock {} MHz", "memory clock {} MHz"};
      changes.push_back(what_if(fmt::format(fmt::runtime(kNames[static_cast<std::size_t>(knob)]),
                                            knob_in_field_unit(changed, knob)),
                                on_twin(config, model, changed)));
    }
  }
  sort_changes(changes);
  return changes;
}

}  // namespace ridgewatt
