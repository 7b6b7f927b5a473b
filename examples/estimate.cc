// What would a training step of ResNet-18 cost in the presets of a board, without the board?
#include <cstdio>

#include "ridgewatt/answer/estimate.h"

int main() {
  const auto model = std::make_shared<const ridgewatt::workload::DeployedWorkload>(
      "zoo:resnet18",
      ridgewatt::workload::DeployOptions{.kind = ridgewatt::WorkloadKind::kTraining});
  const auto found = ridgewatt::answer::estimate_on_board({.modes = "presets"}, model, "agx-orin");
  for (const auto& row : found.rows) {
    const auto& step = row.estimate.total;
    std::printf("%s: %.0f ms, %.1f W, %.2f J per step of %d\n", row.preset.c_str(),
                1e3 * step.period_s, step.power_w, step.energy_j(), row.setting->batch);
  }
}
