// Runs a data loader like that of a training program on real files. `workers` processes fetch and
// preprocess minibatches in turn. The main process takes them in order, copies them (the hand-over)
// and computes. Every stage of every minibatch is timed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ridgewatt/pipeline/page_cache.h"
#include "ridgewatt/pipeline/pipeline.h"
#include "ridgewatt/pipeline/process_io.h"

namespace ridgewatt::pipeline {

struct LoaderOptions {
  std::vector<std::string> paths;  // of the samples
  int workers = 0;
  int prefetch = 2;
  int batch = 16;
  std::size_t minibatches = 0;  // 0: all full minibatches
  bool cold = false;            // drop the samples from the page cache first
  std::uint64_t seed = 1;       // for the order of the samples
  // Width of the linear layer whose forward and backward pass is the compute step.
  int hidden = 32;
  std::string command;  // if set, replaces the linear layer: a shell command
  // Called in the main process, for example to write marks. May be empty.
  std::function<void()> on_fetched;
  std::function<void()> on_minibatch;
};

struct LoadedMinibatch {
  StageTimes stages;       // timed in the process that executes the stage
  double fetch_cpu_s = 0;  // CPU time of the fetch (kernel time without waits)
  double stall_s = 0;      // wait of the main process, including the hand-over
};

struct LoaderRun {
  int workers = 0;
  bool cold = false;
  double time_s = 0;  // end to end, including the start of the workers
  std::vector<LoadedMinibatch> minibatches;
  StageTimes mean;  // means over the minibatches
  double fetch_cpu_s = 0;
  double stall_s = 0;
  double compute_s = 0;
  ProcessIo io;  // of the main process and the workers
  Residency before;
  Residency after;
  double checksum = 0;  // over all samples; it does not depend on the number of workers
};

// Throws UsageError for options out of range, IoError if a file cannot be read or a worker dies,
// and Error if `command` fails.
LoaderRun run_loader(const LoaderOptions& options);

// Fits the pipeline model to two runs on the same files: fetch, preprocessing and compute from the
// run without workers, the hand-over from the run with one worker. CPU time of a fetch counts as
// preprocessing, because it also needs a core. Every process is assumed to stay on its core during
// a minibatch (milliseconds). `cores` is the number of cores that the processes may use.
class LoaderFit {
 public:
  LoaderFit(const LoaderRun& without, const LoaderRun& with_one, int cores);
  // End-to-end time of the same number of minibatches with `workers`.
  EpochCost predict(int workers) const;

 private:
  PipelineConfig config(int workers) const;

  double minibatches_ = 0;
  StageTimes without_;  // CPU time of the fetch counts as preprocessing
  StageTimes with_;
  int cores_;
};

}  // namespace ridgewatt::pipeline
