// Uses the library: what a model of the zoo costs at several batches.
//
//   analyze_model [MODEL]        MODEL: an ONNX file or zoo:NAME [zoo:resnet50]
#include <cstdio>
#include <exception>
#include <string>

#include "ridgewatt/workload/cost_model.h"

int main(int argc, char** argv) {
  try {
    ridgewatt::Model model = ridgewatt::load_workload(argc > 1 ? argv[1] : "zoo:resnet50");
    std::printf("%s\n%8s %12s %12s %12s\n", model.name.c_str(), "batch", "GFLOP", "GB",
                "FLOP/byte");
    for (const int batch : {1, 4, 16, 64}) {
      ridgewatt::CostOptions options;
      options.batch = batch;
      const ridgewatt::WorkloadCost cost = ridgewatt::workload_cost(model, options);
      std::printf("%8d %12.3f %12.3f %12.1f\n", batch, cost.work_flop() / 1e9,
                  cost.traffic_bytes() / 1e9, cost.arithmetic_intensity());
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "analyze_model: %s\n", error.what());
    return 1;
  }
  return 0;
}
