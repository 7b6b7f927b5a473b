// A data loader like that of a training, on real files: w worker processes fetch and preprocess
// minibatches in turn; the main process takes them in order, copies them (the hand-over) and
// computes. Every stage of every minibatch is timed.
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
  std::uint64_t seed = 1;       // of the order
  int hidden = 32;      // width of the matrix work: a linear layer's forward and backward pass
  std::string command;  // compute step for the shell instead of matrix work
  // Called in the main process, for marks.
  std::function<void()> on_fetched;
  std::function<void()> on_minibatch;
};

struct LoadedMinibatch {
  StageTimes stages;       // timed in the process that runs the stage
  double fetch_cpu_s = 0;  // of the fetch: work of the kernel, without waiting
  double stall_s = 0;      // wait of the main process, including the hand-over
};

struct LoaderRun {
  int workers = 0;
  bool cold = false;
  double time_s = 0;  // end to end, including the start of the workers
  std::vector<LoadedMinibatch> minibatches;
  StageTimes mean;  // of a minibatch
  double fetch_cpu_s = 0;
  double stall_s = 0;
  double compute_s = 0;
  ProcessIo io;  // of main process and workers
  Residency before;
  Residency after;
  double checksum = 0;  // of all samples; the same for any number of workers
};

// Throws UsageError for options out of range, IoError if a file cannot be read or a worker dies,
// Error if the command fails.
LoaderRun run_loader(const LoaderOptions& options);

// Fits the pipeline model to two runs on the same files: fetch, preprocessing and compute from the
// run without workers, the hand-over from the run with one worker. The CPU time of a fetch counts
// as preprocessing, because it also needs a core. Every process stays on its core, as under the
// kernel's scheduler for the milliseconds of a minibatch. `cores`: the cores that they may use.
class LoaderFit {
 public:
  LoaderFit(const LoaderRun& without, const LoaderRun& with_one, int cores);
  // End-to-end time of the same number of minibatches with `workers`.
  EpochCost predict(int workers) const;

 private:
  PipelineConfig config(int workers) const;

  double minibatches_ = 0;
  StageTimes without_;  // CPU time of the fetch counted as preprocessing
  StageTimes with_;
  int cores_;
};

}  // namespace ridgewatt::pipeline
