#include "ridgewatt/pipeline/loader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <Eigen/Core>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>
#include <numeric>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/pipeline/load_samples.h"
#include "ridgewatt/twin/feed.h"

namespace ridgewatt::pipeline {
namespace {

// CPU time of this thread.
double cpu_now_s() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Reads a file into `bytes`. Returns 0 or an errno value.
int read_sample(const std::string& path, std::vector<unsigned char>& bytes) {
  const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno;
  bytes.clear();
  unsigned char buffer[65536];
  ssize_t count = 0;
  while ((count = ::read(file.get(), buffer, sizeof buffer)) > 0) {
    bytes.insert(bytes.end(), buffer, buffer + count);
  }
  return count < 0 ? errno : 0;
}

// Message of a worker that has written a minibatch to its slot.
struct Done {
  double fetch_s = 0;
  double fetch_cpu_s = 0;
  double preprocess_s = 0;
  ProcessIo io;
  int error = 0;
};

// Fetches and preprocesses minibatches, in a worker or, without workers, in the main process.
class Stages {
 public:
  explicit Stages(const LoaderOptions& options, const std::vector<std::size_t>& order)
      : options_(options), order_(order), files_(static_cast<std::size_t>(options.batch)) {}
  Done load(std::size_t minibatch, float* slot) {
    Done done;
    const std::size_t first = minibatch * files_.size();
    const double begin_s = monotonic_s();
    const double cpu_begin_s = cpu_now_s();
    for (std::size_t i = 0; i < files_.size() && done.error == 0; ++i) {
      done.error = read_sample(options_.paths[order_[first + i]], files_[i]);
    }
    const double fetched_s = monotonic_s();
    done.fetch_cpu_s = cpu_now_s() - cpu_begin_s;
    for (std::size_t i = 0; i < files_.size(); ++i) {
      preprocess_sample(files_[i], {slot + i * kSampleFloats, kSampleFloats});
    }
    done.fetch_s = fetched_s - begin_s;
    done.preprocess_s = monotonic_s() - fetched_s;
    return done;
  }

 private:
  const LoaderOptions& options_;
  const std::vector<std::size_t>& order_;
  std::vector<std::vector<unsigned char>> files_;
};

bool read_all(int fd, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t count = ::read(fd, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

// Slots in memory that the main process shares with the workers.
class SharedSlots {
 public:
  SharedSlots(std::size_t slots, std::size_t floats)
      : floats_(floats), memory_(slots * floats * sizeof(float)) {}
  float* slot(std::size_t index) const {
    return static_cast<float*>(memory_.data()) + index * floats_;
  }

 private:
  std::size_t floats_;
  SharedMapping memory_;
};

// Worker processes. Each takes indices from one pipe and answers on another.
class Workers {
 public:
  Workers(const LoaderOptions& options, const std::vector<std::size_t>& order,
          const SharedSlots& slots)
      : slots_(static_cast<std::size_t>(options.workers * options.prefetch)) {
    for (int i = 0; i < options.workers; ++i) start(options, order, slots);
  }
  ~Workers() {
    for (auto& worker : workers_) {
      worker.to.reset();
      worker.from.reset();
      ::kill(worker.pid, SIGKILL);
      wait_for_process(worker.pid);
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void send(std::size_t minibatch) const {
    const auto& worker = workers_[minibatch % workers_.size()];
    if (::write(worker.to.get(), &minibatch, sizeof minibatch) != sizeof minibatch) {
      throw_errno(errno, "a loader worker process ended unexpectedly", "");
    }
  }
  Done receive(std::size_t minibatch) const {
    Done done;
    if (!read_all(workers_[minibatch % workers_.size()].from.get(), &done, sizeof done)) {
      throw IoError("a loader worker process ended unexpectedly",
                    fmt::format("minibatch {}", minibatch),
                    "check that the machine has enough memory");
    }
    return done;
  }

 private:
  struct Worker {
    pid_t pid = 0;
    OwnedFd to, from;
  };
  void start(const LoaderOptions& options, const std::vector<std::size_t>& order,
             const SharedSlots& slots) {
    Pipe to, from;
    const pid_t parent = ::getpid();
    const pid_t pid = fork_process("a loader worker");
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(1);
      for (auto& worker : workers_) worker.to.reset();
      to.write_end.reset();
      from.read_end.reset();
      serve(options, order, slots, to.read_end.get(), from.write_end.get());
    }
    workers_.push_back({pid, std::move(to.write_end), std::move(from.read_end)});
  }
  [[noreturn]] void serve(const LoaderOptions& options, const std::vector<std::size_t>& order,
                          const SharedSlots& slots, int in, int out) const {
    Stages stages(options, order);
    const ProcessIo begin = own_io();
    std::size_t minibatch = 0;
    while (read_all(in, &minibatch, sizeof minibatch)) {
      Done done = stages.load(minibatch, slots.slot(minibatch % slots_));
      done.io = own_io() - begin;
      if (::write(out, &done, sizeof done) != sizeof done) break;
    }
    ::_exit(0);
  }

  std::size_t slots_;
  std::vector<Worker> workers_;
};

// The compute step: a training step of one linear layer, or a command.
class Compute {
 public:
  Compute(const LoaderOptions& options) : command_(options.command) {
    if (!command_.empty()) return;
    Random random(1);
    weights_.resize(static_cast<Eigen::Index>(kSampleFloats), options.hidden);
    for (auto& weight : weights_.reshaped()) weight = static_cast<float>(random.normal() * 1e-2);
  }
  void step(Eigen::Map<const Eigen::MatrixXf> samples) {
    if (!command_.empty()) {
      // Unlike std::system(), it lets Ctrl+C end this process too.
      ChildProcess child({.words = {"/bin/sh", "-c", command_}, .input = STDIN_FILENO});
      if (child.wait() != 0) throw Error("the command of --compute failed", command_);
      return;
    }
    // Samples are columns. The gradient of half the squared outputs keeps the weights bounded.
    const Eigen::MatrixXf outputs = weights_.transpose() * samples;
    weights_.noalias() -= 1e-7f * samples * outputs.transpose();
  }

 private:
  std::string command_;
  Eigen::MatrixXf weights_;
};

void check(const LoaderOptions& options) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw UsageError(what);
  };
  require(options.workers >= 0 && options.workers <= 64,
          "the number of loader workers must be 0 to 64");
  require(options.prefetch >= 1 && options.prefetch <= 64,
          "the number of minibatches that a worker loads ahead must be 1 to 64");
  require(options.batch >= 1 && options.batch <= 4096, "a minibatch must have 1 to 4096 samples");
  require(options.hidden >= 1 && options.hidden <= 65536,
          "the width of the matrices must be 1 to 65536");
  require(options.paths.size() >= static_cast<std::size_t>(options.batch),
          "the folder has fewer samples than one minibatch needs: generate more, or give a smaller "
          "batch");
}

void run_epoch(const LoaderOptions& options, const std::vector<std::size_t>& order,
               std::size_t count, LoaderRun& run) {
  const std::size_t floats = kSampleFloats * static_cast<std::size_t>(options.batch);
  const auto under_way = static_cast<std::size_t>(options.workers * options.prefetch);
  Compute compute(options);
  std::vector<float> own(floats);
  const ProcessIo io_begin = own_io();
  const double begin_s = monotonic_s();
  std::unique_ptr<SharedSlots> slots;
  std::unique_ptr<Workers> workers;
  std::vector<ProcessIo> worker_io(static_cast<std::size_t>(options.workers));
  Stages stages(options, order);
  if (options.workers > 0) {
    slots = std::make_unique<SharedSlots>(under_way, floats);
    workers = std::make_unique<Workers>(options, order, *slots);
    for (std::size_t i = 0; i < std::min(under_way, count); ++i) workers->send(i);
  }
  for (std::size_t i = 0; i < count; ++i) {
    LoadedMinibatch minibatch;
    const double wait_s = monotonic_s();
    const Done done = workers ? workers->receive(i) : stages.load(i, own.data());
    if (done.error != 0) throw_errno(done.error, "cannot read a sample", options.paths[order[i]]);
    if (workers) {
      const double ready_s = monotonic_s();
      std::copy_n(slots->slot(i % under_way), floats, own.begin());
      worker_io[i % worker_io.size()] = done.io;
      if (i + under_way < count) workers->send(i + under_way);
      minibatch.stages.hand_over_s = monotonic_s() - ready_s;
    }
    const double fetched_s = monotonic_s();
    if (options.on_fetched) options.on_fetched();
    compute.step({own.data(), static_cast<Eigen::Index>(kSampleFloats), options.batch});
    const double end_s = monotonic_s();
    if (options.on_minibatch) options.on_minibatch();
    minibatch.stages.fetch_s = done.fetch_s;
    minibatch.fetch_cpu_s = done.fetch_cpu_s;
    minibatch.stages.preprocess_s = done.preprocess_s;
    minibatch.stages.compute_s = end_s - fetched_s;
    minibatch.stall_s = fetched_s - wait_s;
    run.checksum += std::accumulate(own.begin(), own.begin() + 64, 0.0);
    run.minibatches.push_back(minibatch);
  }
  run.time_s = monotonic_s() - begin_s;
  run.io = own_io() - io_begin;
  for (const auto& io : worker_io) run.io += io;
}

}  // namespace

LoaderRun run_loader(const LoaderOptions& options) {
  check(options);
  LoaderRun run;
  run.workers = options.workers;
  run.cold = options.cold;
  if (options.cold) drop_page_cache(options.paths);
  run.before = page_cache_residency(options.paths);
  std::vector<std::size_t> order(options.paths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random(options.seed).shuffle(order);
  const std::size_t full = order.size() / static_cast<std::size_t>(options.batch);
  const std::size_t count = options.minibatches > 0 ? std::min(options.minibatches, full) : full;
  run_epoch(options, order, count, run);
  run.after = page_cache_residency(options.paths);
  const auto share = 1 / static_cast<double>(count);
  for (const auto& minibatch : run.minibatches) {
    run.mean.fetch_s += minibatch.stages.fetch_s * share;
    run.fetch_cpu_s += minibatch.fetch_cpu_s * share;
    run.mean.preprocess_s += minibatch.stages.preprocess_s * share;
    run.mean.hand_over_s += minibatch.stages.hand_over_s * share;
    run.mean.compute_s += minibatch.stages.compute_s * share;
    run.stall_s += minibatch.stall_s;
    run.compute_s += minibatch.stages.compute_s;
  }
  return run;
}

LoaderFit::LoaderFit(const LoaderRun& without, const LoaderRun& with_one, int cores)
    : minibatches_(static_cast<double>(without.minibatches.size())),
      without_(without.mean),
      with_(with_one.mean),
      cores_(cores) {
  if (without.workers != 0 || with_one.workers != 1 ||
      without.minibatches.size() != with_one.minibatches.size()) {
    throw UsageError(
        "the fit of the pipeline model needs runs of the same minibatches with 0 workers and with "
        "1 worker");
  }
  for (const auto& [stages, run] : {std::pair{&without_, &without}, {&with_, &with_one}}) {
    const double on_cpu_s = std::min(run->fetch_cpu_s, stages->fetch_s);
    stages->fetch_s -= on_cpu_s;
    stages->preprocess_s += on_cpu_s;
  }
}

PipelineConfig LoaderFit::config(int workers) const {
  const StageTimes& stages = workers == 0 ? without_ : with_;
  PipelineConfig config;
  config.samples = minibatches_;
  config.batch = 1;  // times are per minibatch
  config.sample_bytes = 1;
  config.cache_bytes = 0;
  config.storage = {"measured", stages.fetch_s, 0, 1e30, std::max(1, workers)};
  config.workers = workers;
  config.cores = cores_;
  config.preprocess_s_per_sample = stages.preprocess_s;
  // The measured time includes contention for these cores, so divide it out.
  config.hand_over_s = stages.hand_over_s / twin::hand_over_turns(cores_);
  config.compute_s = stages.compute_s;
  config.compute_cpu_share = 1;
  config.keeps_core = true;
  return config;
}

EpochCost LoaderFit::predict(int workers) const {
  return epoch_cost(config(workers), 0);
}

}  // namespace ridgewatt::pipeline
