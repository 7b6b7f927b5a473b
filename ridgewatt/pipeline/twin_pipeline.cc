#include "ridgewatt/pipeline/twin_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/twin/feed.h"

namespace ridgewatt::pipeline {
namespace {

// True if the minibatch fits the memory. False for a batch that the model does not accept.
bool can_run(const twin::TwinModel& model, int batch) {
  try {
    return batch >= 1 && model.fits_memory(batch);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

PipelineConfig on_twin(PipelineConfig config, const twin::TwinModel& model, const PowerMode& mode) {
  const twin::Twin& twin = model.twin();
  twin::RunOptions run = model.options();
  run.loader_workers = config.workers;
  const twin::Breakdown at = model.estimator(config.batch).breakdown(mode, run);
  if (config.hand_over_s == 0) {
    config.hand_over_s = at.hand_over_s;
  } else {
    config.hand_over_s *= twin.hand_over_slowdown(at.clocks);
  }
  config.preprocess_s_per_sample = at.load_cpu_s / config.batch;
  config.preprocess_reads_cache = !run.loader_s_per_sample;
  config.cores = at.clocks.has(Knob::kCpuCores) ? at.clocks.cpu_cores : twin.cpu_cores;
  config.rounded = true;
  config.compute_s = at.total.pipe_s;
  config.compute_cpu_share = std::min(1.0, at.launch_cpu_s / at.total.pipe_s);
  config.base_w = at.always_w;
  config.core_w = at.busy_core_w;
  config.compute_w = (at.total.energy_j() - at.always_w * at.total.period_s -
                      at.busy_core_w * (at.load_cpu_s + twin::kHandOverThreads * at.hand_over_s)) /
                     at.total.pipe_s;
  return config;
}

std::vector<WhatIf> changes_on_twin(const PipelineConfig& config, const twin::TwinModel& model,
                                    const KnobSpace& space, const PowerMode& mode) {
  std::vector<WhatIf> changes;
  for (const auto& change : loader_changes(on_twin(config, model, mode))) {
    PipelineConfig changed = config;
    changed.workers = change.config.workers;
    changed.storage = change.config.storage;
    changed.cache_bytes = change.config.cache_bytes;
    changes.push_back(what_if(change.change, on_twin(changed, model, mode)));
  }
  for (const int batch : {config.batch / 2, config.batch * 2, config.batch * 4}) {
    if (!can_run(model, batch)) continue;
    PipelineConfig changed = config;
    changed.batch = batch;
    // Assumes a hand-over time proportional to the bytes, since its fixed part is unknown.
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
      static constexpr KnobArray<const char*> kClocks = {{"", "CPU", "GPU", "memory"}};
      const double value = knob_in_field_unit(changed, knob);
      const std::string name = knob == Knob::kCpuCores
                                   ? counted(std::llround(value), "CPU core")
                                   : fmt::format("{} clock {} MHz", kClocks[knob], value);
      changes.push_back(what_if(name, on_twin(config, model, changed)));
    }
  }
  sort_changes(changes);
  return changes;
}

}  // namespace ridgewatt::pipeline
