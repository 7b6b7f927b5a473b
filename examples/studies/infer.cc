// The same inference as infer.py, with the C++ runtime:
//   infer MODEL BATCH BATCHES CHANNELS SIDE [auto|cuda|cpu]
// MODEL is a file from infer.py --mode trace --save; auto uses the GPU if there is one.
#include <torch/cuda.h>
#include <torch/script.h>
#include <torch/version.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "../../include/ridgewatt_mark.h"

namespace {

// Reports the text to the program that measures this one, or else on standard error.
void say(const std::string& text) {
  ridgewatt_note(text.c_str());
  if (std::getenv("RIDGEWATT_MARK_FD") == nullptr) std::cerr << "infer: " << text << '\n';
}

torch::Device choose_device(const std::string& asked) {
  if (asked != "cpu" && torch::cuda::is_available()) {
    ridgewatt_note("runs on the GPU, LibTorch " TORCH_VERSION);
    return torch::kCUDA;
  }
  say("runs on the CPU (" + std::string(asked == "cpu" ? "as asked" : "no CUDA device") +
      "), LibTorch " TORCH_VERSION);
  return torch::kCPU;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string asked = argc == 7 ? argv[6] : "auto";
  if ((argc != 6 && argc != 7) || (asked != "auto" && asked != "cuda" && asked != "cpu")) {
    std::cerr << "usage: infer MODEL BATCH BATCHES CHANNELS SIDE [auto|cuda|cpu]\n";
    return 2;
  }
  if (asked == "cuda" && !torch::cuda::is_available()) {
    std::cerr << "infer: cuda: LibTorch " TORCH_VERSION
                 " finds no CUDA device; 'auto' and 'cpu' run on the CPU\n";
    return 1;
  }
  const torch::NoGradGuard no_gradients;
  torch::manual_seed(1);
  try {
    const torch::Device device = choose_device(asked);
    const auto synchronize = [&] {
      if (device.is_cuda()) torch::cuda::synchronize();
    };
    ridgewatt_phase_begin("load");
    auto network = torch::jit::load(argv[1], device);
    network.eval();
    const auto inputs = torch::rand({std::atol(argv[2]), std::atol(argv[4]), std::atol(argv[5]),
                                     std::atol(argv[5])})
                            .to(device);
    synchronize();
    ridgewatt_phase_end("load");
    ridgewatt_phase_begin("infer");
    for (int i = 0; i < std::atoi(argv[3]); ++i) {
      network.forward({inputs});
      synchronize();
      ridgewatt_minibatch();
    }
    ridgewatt_phase_end("infer");
  } catch (const c10::Error& error) {
    std::cerr << "infer: " << error.what_without_backtrace() << '\n';
    return 1;
  }
}
