// Measured facts about a machine while a program ran, as plain numbers: evidence for `explain`.
//
//   measure::SeenRun seen{.time_s = 20, .cpus_online = 6, .cpus_allowed = 2};
//   explain({.workload = model, .measured_s = 0.045, .seen = seen});
//
// An empty optional means that the machine does not report the value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/device/power_mode.h"

namespace ridgewatt::measure {

// Libraries that identify the runtime of a program, each with a part of its file name.
struct KnownLibrary {
  std::string_view name, file;
};
inline constexpr KnownLibrary kKnownLibraries[] = {{"TensorRT", "libnvinfer.so"},
                                                   {"ONNX Runtime", "libonnxruntime"},
                                                   {"PyTorch", "libtorch_"},
                                                   {"llama.cpp", "libggml"},
                                                   {"TensorFlow Lite", "libtensorflowlite"},
                                                   {"Python", "libpython"},
                                                   {"Python", "/python3"},
                                                   {"CUDA", "libcuda.so"}};

struct SeenRun {
  double time_s = 0;  // duration of the observation

  // Clocks of the machine.
  std::string preset = {};  // the active preset; empty: none, or unknown
  PowerMode limits = {};    // online cores, and the highest clocks that the machine may set
  PowerMode clocks = {};    // mean clocks; 0: unknown
  // Names of the throttling signals that rose.
  std::optional<std::vector<std::string>> hot = {};           // signals of temperature
  std::optional<std::vector<std::string>> over_current = {};  // signals of current and power

  // Processors. Loads are fractions; CPU time is in cores: 1 is all of one core.
  std::optional<double> gpu_load = {};
  std::optional<double> program_cores = {};   // CPU time of the program divided by time_s
  std::optional<double> busiest_thread = {};  // the same for the thread with the most CPU time
  std::optional<double> other_cores = {};     // CPU time of all other programs divided by time_s
  std::optional<double> cpus_online = {};
  std::optional<double> cpus_allowed = {};  // number of CPUs in the affinity of the program
  std::optional<double> quota_cores = {};   // CPU limit of the program's control group
  // Share of the periods of the control group in which the CPU limit stopped the program.
  std::optional<double> quota_wait_share = {};
  std::optional<double> run_delay_share = {};   // share of runnable time spent waiting for a core
  std::vector<std::string> gpu_processes = {};  // other processes on the GPU: "1234 python3"
  std::optional<double> threads_set = {};       // value of OMP_NUM_THREADS and similar variables
  // Libraries of kKnownLibraries that the program has mapped; empty optional: unknown.
  std::optional<std::vector<std::string>> libraries = {};
  // Facts about the main thread of the process that uses most CPU time.
  std::optional<double> main_idle = {};  // share of time in which it neither runs nor is runnable
  std::optional<double> runtime_share = {};  // share of its CPU time in libraries of a runtime
  // CPU time of the child processes divided by time_s. Includes the other threads if they spend
  // most of their CPU time outside of runtimes.
  std::optional<double> worker_cores = {};
  std::optional<double> profile_files = {};  // number of open files that a profiler writes

  // Memory and storage.
  std::optional<double> major_faults_per_s = {};  // page faults that read from storage
  std::optional<double> touched_bytes_per_s =
      {};                                       // memory that the program uses for the first time
  std::optional<double> swap_bytes_per_s = {};  // of the whole machine, in and out
  // Share of time in which a thread of the program was blocked on storage.
  std::optional<double> io_wait_share = {};
  std::optional<double> storage_bytes_per_s = {};  // read by the program

  // From the marks of the program.
  std::optional<double> marked_s = {};     // median minibatch time
  std::optional<double> fetch_share = {};  // share of minibatch time spent waiting for data
  // Mean / median of the minibatch times, including the first minibatches.
  std::optional<double> mean_over_median = {};
  std::optional<double> time_ratio = {};  // 90 % quantile / 10 % quantile of minibatch times
};

}  // namespace ridgewatt::measure
