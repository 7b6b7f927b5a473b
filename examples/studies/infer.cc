// The same inference as infer.py, by the C++ runtime: infer MODEL BATCH BATCHES CHANNELS SIDE.
// MODEL is what infer.py --mode trace --save wrote.
#include <torch/script.h>

#include <cstdlib>
#include <iostream>

#include "../../include/ridgewatt_mark.h"

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: infer MODEL BATCH BATCHES CHANNELS SIDE\n";
    return 2;
  }
  const torch::NoGradGuard no_gradients;
  torch::manual_seed(1);
  try {
    ridgewatt_phase_begin("load");
    auto network = torch::jit::load(argv[1]);
    network.eval();
    const auto inputs = torch::rand(
        {std::atol(argv[2]), std::atol(argv[4]), std::atol(argv[5]), std::atol(argv[5])});
    ridgewatt_phase_end("load");
    ridgewatt_phase_begin("infer");
    for (int i = 0; i < std::atoi(argv[3]); ++i) {
      network.forward({inputs});
      ridgewatt_minibatch();
    }
    ridgewatt_phase_end("infer");
  } catch (const c10::Error& error) {
    std::cerr << "infer: " << error.what_without_backtrace() << '\n';
    return 1;
  }
}
