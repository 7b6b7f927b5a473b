// A small sweep to try the program with where there is neither a board nor a recording: what the
// fake board (fake_load.h) would measure, without its noise. Its rows say `fake`, and so does all
// that is made of them.
//
//   const auto sweeps = example_sweeps(load_board("orin-nano-8gb"), {});
//   write_file_atomically("sweep.csv", write_sweep_csv(sweeps));
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::platform {

struct ExampleWorkload {
  std::string model;  // zoo:NAME or a file
  WorkloadKind kind = WorkloadKind::kInference;
  std::vector<int> batches = {};  // empty: 16 of training; 1, 4, 16 of inference
};
// "resnet18:training", "zoo:yolov8n" (inference), "model.onnx:inference". UsageError.
ExampleWorkload parse_example_workload(const std::string& text);

struct ExampleSweepOptions {
  std::vector<ExampleWorkload> workloads = {{"zoo:resnet18", WorkloadKind::kTraining},
                                            {"zoo:mobilenet_v3_large"}};
  std::size_t modes = 96;  // at most: a grid of some levels of each knob
  std::uint64_t seed = 1;  // of the fake board's physics
};

// One sweep per workload over the same modes; batches that do not fit the memory are left out. The
// grid is the finest one of at most `options.modes` modes that quality.h passes for every workload.
// UsageError when no batch is left, or less than one mode is asked for.
std::vector<Sweep> example_sweeps(const Board& board, const ExampleSweepOptions& options);

// A grid of at most `count` of the board's modes: lowest and highest level of every knob and, as
// far as `count` goes, levels between, of the clocks of GPU and CPU first.
std::vector<PowerMode> example_modes(const KnobSpace& space, std::size_t count);

}  // namespace ridgewatt::platform
