// What do all modes of a board cost, when 20 of them were profiled?
#include <algorithm>
#include <cstdio>

#include "ridgewatt/answer/predict.h"
#include "ridgewatt/platform/example_sweep.h"

int main() {
  ridgewatt::platform::ExampleSweepOptions profiled;  // in place of a board
  profiled.workloads = {ridgewatt::platform::parse_example_workload("resnet18:training")};
  profiled.modes = 20;
  ridgewatt::answer::PredictQuestion question;
  question.samples =
      ridgewatt::platform::example_sweeps(ridgewatt::load_board("orin-nano"), profiled).front();
  question.points = ridgewatt::answer::points_of_board("orin-nano", question.samples);
  const auto found = ridgewatt::answer::predict_modes(question);
  const auto frugal = std::count_if(found.predictions.begin(), found.predictions.end(),
                                    [](const auto& one) { return one.power_w.hi < 10; });
  std::printf("%zu modes from %zu samples, %td of them below 10 W\n", found.points.size(),
              question.samples.observations.size(), frugal);
}
