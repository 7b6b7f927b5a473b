// What does a minibatch of a model cost in work and traffic, at several batches?
#include <cstdio>

#include "ridgewatt/workload/deployed_workload.h"

int main(int argc, char** argv) {
  const ridgewatt::workload::DeployedWorkload model(argc > 1 ? argv[1] : "zoo:resnet50");
  std::printf("%s\n%8s %12s %12s %12s\n", model.name().c_str(), "batch", "GFLOP", "GB",
              "FLOP/byte");
  for (const int batch : {1, 4, 16, 64}) {
    const auto cost = model.at(batch);
    std::printf("%8d %12.3f %12.3f %12.1f\n", batch, cost->work_flop() / 1e9,
                cost->traffic_bytes() / 1e9, cost->arithmetic_intensity());
  }
}
