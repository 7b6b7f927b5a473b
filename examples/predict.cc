// What do all modes of a board cost, if 20 of them were profiled?
#include <algorithm>
#include <cstdio>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/predict.h"

int main() {
  const auto model = std::make_shared<const ridgewatt::workload::DeployedWorkload>(
      "zoo:resnet18",
      ridgewatt::workload::DeployOptions{.kind = ridgewatt::WorkloadKind::kTraining});
  // The twin replaces the board here: 20 of its estimates serve as the profiled modes.
  ridgewatt::answer::PredictQuestion question;
  question.samples = ridgewatt::answer::estimate_sweep({.batches = {16}}, model, "orin-nano");
  auto& rows = question.samples.observations;
  for (std::size_t i = 0; i < 20; ++i) rows[i] = rows[i * (rows.size() - 1) / 19];
  rows.resize(20);
  question.points = ridgewatt::answer::points_of_board("orin-nano", question.samples);
  const auto found = ridgewatt::answer::predict_modes(question);
  const auto frugal = std::count_if(found.predictions.begin(), found.predictions.end(),
                                    [](const auto& one) { return one.power_w.hi < 10; });
  std::printf("%zu modes from %zu samples, %td of them below 10 W\n", found.points.size(),
              question.samples.observations.size(), frugal);
}
