// What a machine showed while a program ran, as plain numbers: evidence for `explain`.
//
//   measure::SeenRun seen{.time_s = 20, .cpus_online = 6, .cpus_allowed = 2};
//   explain({.workload = model, .measured_s = 0.045, .seen = seen});
//
// Nothing: the machine does not show it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/device/power_mode.h"

#pragma GCC visibility push(default)

namespace ridgewatt::measure {

// Libraries by which a program shows what it runs on, and a part of their files' names.
struct KnownLibrary {
  std::string_view name, file;
};
inline constexpr KnownLibrary kKnownLibraries[] = {
    {"TensorRT", "libnvinfer.so"}, {"ONNX Runtime", "libonnxruntime"},
    {"PyTorch", "libtorch_"},      {"llama.cpp", "libggml"},
    {"Python", "libpython"},       {"Python", "/python3"},
    {"CUDA", "libcuda.so"}};

struct SeenRun {
  double time_s = 0;  // watched

  // Clocks.
  std::string preset = {};  // that is active; empty: none, or not known
  PowerMode limits = {};    // cores online, and the highest clocks that the machine may set
  PowerMode clocks = {};    // means; 0: not known
  // Signals that rose, by name.
  std::optional<std::vector<std::string>> hot = {};           // of temperature
  std::optional<std::vector<std::string>> over_current = {};  // of current and power

  // Processors. Loads are shares; CPU time is in cores: 1 is all of one core.
  std::optional<double> gpu_load = {};
  std::optional<double> program_cores = {};   // CPU time of the program over the time watched
  std::optional<double> busiest_thread = {};  // of its threads, the same
  std::optional<double> other_cores = {};     // of all other programs
  std::optional<double> cpus_online = {};
  std::optional<double> cpus_allowed = {};  // by the affinity of the program
  std::optional<double> quota_cores = {};   // limit of its control group
  std::optional<double> quota_wait_share =
      {};  // share of its periods in which that limit stopped it
  std::optional<double> run_delay_share = {};   // waiting for a core, of the time it wanted one
  std::vector<std::string> gpu_processes = {};  // of others: "1234 python3"
  std::optional<double> threads_set = {};       // by OMP_NUM_THREADS and the like
  // Of kKnownLibraries, those that the program has mapped.
  std::optional<std::vector<std::string>> libraries = {};

  // Memory and storage.
  std::optional<double> major_faults_per_s = {};   // pages read from storage when touched
  std::optional<double> swap_bytes_per_s = {};     // of the machine, both ways
  std::optional<double> io_wait_share = {};        // the program blocked on storage, of one thread
  std::optional<double> storage_bytes_per_s = {};  // read by the program

  // By its marks.
  std::optional<double> marked_s = {};          // one minibatch, the median
  std::optional<double> fetch_share = {};       // waiting for data, of a minibatch
  std::optional<double> mean_over_median = {};  // of all its minibatches, the first ones included
};

}  // namespace ridgewatt::measure

#pragma GCC visibility pop
