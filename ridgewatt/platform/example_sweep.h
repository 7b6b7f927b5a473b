// Creates a small sweep for trying the program without a board or a recording. Its rows are those
// that a fake board (fake_load.h) would measure without noise. They, and all results from them,
// have the provenance `fake`.
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
  std::vector<int> batches = {};  // empty: 16 for training; 1, 4, 16 for inference
};
// Parses "resnet18:training", "zoo:yolov8n" (inference), "model.onnx:inference". Throws UsageError.
ExampleWorkload parse_example_workload(const std::string& text);

struct ExampleSweepOptions {
  std::vector<ExampleWorkload> workloads = {{"zoo:resnet18", WorkloadKind::kTraining},
                                            {"zoo:mobilenet_v3_large"}};
  std::size_t modes = 96;  // at most; a grid of some levels of each knob
  std::uint64_t seed = 1;  // seed of the fake board
};

// Returns one sweep per workload, all over the same modes. Leaves out batches that exceed the
// memory. The grid is the finest one with at most `options.modes` modes that passes the quality
// check (sweep/quality.h) for every workload. Throws UsageError if no batch fits or `modes` is 0.
std::vector<Sweep> example_sweeps(const Board& board, const ExampleSweepOptions& options);

// A grid of at most `count` modes of the board: the lowest and highest level of every knob, and as
// many levels between them as `count` allows, with priority for the clocks of GPU and CPU.
std::vector<PowerMode> example_modes(const KnobSpace& space, std::size_t count);

}  // namespace ridgewatt::platform
