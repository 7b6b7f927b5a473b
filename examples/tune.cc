// Which power mode and batch runs ResNet-50 fastest within 30 W?
#include <cstdio>
#include <memory>

#include "ridgewatt/answer/tune.h"

int main() {
  const auto model = std::make_shared<const ridgewatt::workload::DeployedWorkload>("zoo:resnet50");
  ridgewatt::answer::TuneQuestion question;
  question.goal.limits.power_w = 30;  // minimizes time, the default
  const auto found = ridgewatt::answer::tune_on_twin(question, model, "agx-orin");
  if (!found.outcome.best) return 3;
  std::printf("%s: %.1f ms, %.1f W\n", describe(found.outcome.best->point.mode).c_str(),
              1e3 * found.outcome.best->cost.time_s.mean, found.outcome.best->cost.power_w.mean);
}
