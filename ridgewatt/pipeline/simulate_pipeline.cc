#include "ridgewatt/pipeline/simulate_pipeline.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ridgewatt/base/random.h"

namespace ridgewatt::pipeline {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Relative rounding error of sums over the minibatches of an epoch.
constexpr double kSumRounding = 1e-9;

// Gamma distribution with mean 1 (Marsaglia and Tsang, ACM TOMS 26(3), 2000).
double gamma_factor(double cv, Random& random) {
  if (cv <= 0) return 1;
  const double shape = 1 / (cv * cv);
  const double boosted = shape < 1 ? shape + 1 : shape;
  const double d = boosted - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  double value = 0;
  for (;;) {
    const double x = random.normal();
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0) continue;
    if (std::log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      value = d * v;
      break;
    }
  }
  if (shape < 1) value *= std::pow(1 - random.uniform(), 1 / shape);
  return value / shape;
}

// A queue with several servers: the first jobs are served at full speed, one per server.
class Station {
 public:
  void add(int worker, double work_s) { jobs_.push_back({worker, work_s}); }
  // Time until the first of the jobs at `servers` servers ends.
  double next(int servers) const {
    double first = kNever;
    for (std::size_t i = 0; i < served(servers); ++i) first = std::min(first, jobs_[i].left_s);
    return first;
  }
  void advance(double time_s, int servers) {
    for (std::size_t i = 0; i < served(servers); ++i) jobs_[i].left_s -= time_s;
  }
  // Removes a job that has ended and returns its worker; -1 if there is none.
  int take_ended() {
    for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
      if (job->left_s > kRounding) continue;
      const int worker = job->worker;
      jobs_.erase(job);
      return worker;
    }
    return -1;
  }

 private:
  struct Job {
    int worker = 0;
    double left_s = 0;
  };
  static constexpr double kRounding = 1e-12;
  std::size_t served(int servers) const {
    return std::min(jobs_.size(), static_cast<std::size_t>(std::max(servers, 0)));
  }
  std::vector<Job> jobs_;
};

class Simulation {
 public:
  Simulation(const PipelineConfig& config, const StageTimes& stages, double cv, std::uint64_t seed,
             std::int64_t minibatches)
      : config_(config), stages_(stages), cv_(cv), random_(seed), minibatches_(minibatches) {}

  double run() {
    const auto workers = static_cast<std::size_t>(config_.workers);
    queued_.assign(workers, 0);
    factor_.assign(workers, 1);
    busy_.assign(workers, false);
    ready_.assign(workers, 0);
    place();
    for (int i = 0; i < config_.workers * config_.prefetch; ++i) dispatch();
    while (done_ < minibatches_) step();
    return now_s_;
  }

 private:
  enum class Main { kWaits, kOnCpu, kOffCpu };

  // Assigns workers to queues: one queue for all cores, or one per core.
  void place() {
    core_of_.assign(queued_.size(), 0);
    cpus_.resize(config_.keeps_core ? static_cast<std::size_t>(config_.cores) : 1);
    if (!config_.keeps_core) return;
    const auto shared = static_cast<std::size_t>(workers_on_main_core(config_, stages_));
    for (std::size_t i = shared; i < core_of_.size(); ++i) {
      core_of_[i] = 1 + (i - shared) % (cpus_.size() - 1);
    }
  }
  // Number of cores of a queue that are available to workers.
  int free_cores(std::size_t cpu) const {
    const int cores = config_.keeps_core ? 1 : config_.cores;
    return cores - (main_ == Main::kOnCpu && cpu == 0 ? 1 : 0);
  }
  // Sends the next index to the next worker in turn.
  void dispatch() {
    if (sent_ == minibatches_) return;
    const auto worker = static_cast<std::size_t>(sent_++ % config_.workers);
    ++queued_[worker];
    start(worker);
  }
  void start(std::size_t worker) {
    if (busy_[worker] || queued_[worker] == 0) return;
    busy_[worker] = true;
    --queued_[worker];
    factor_[worker] = gamma_factor(cv_, random_);
    begins_.push_back(worker);
  }
  // Starts fetches, except on a core that the main process is using.
  void begin_fetches() {
    const auto held = [this](std::size_t worker) {
      return config_.keeps_core && core_of_[worker] == 0 && main_ == Main::kOnCpu;
    };
    for (const std::size_t worker : begins_) {
      if (!held(worker)) disk_.add(static_cast<int>(worker), stages_.fetch_s * factor_[worker]);
    }
    std::erase_if(begins_, [&](std::size_t worker) { return !held(worker); });
  }
  void settle() {
    for (int worker = 0; (worker = disk_.take_ended()) >= 0;) {
      const auto index = static_cast<std::size_t>(worker);
      cpus_[core_of_[index]].add(worker, stages_.preprocess_s * factor_[index]);
    }
    for (auto& cpu : cpus_) {
      for (int worker = 0; (worker = cpu.take_ended()) >= 0;) {
        const auto index = static_cast<std::size_t>(worker);
        busy_[index] = false;
        ++ready_[index];
        start(index);
      }
    }
    if (main_ == Main::kOnCpu && main_left_s_ <= 0) {
      main_ = Main::kOffCpu;
      main_left_s_ = (1 - config_.compute_cpu_share) * stages_.compute_s;
    }
    if (main_ == Main::kOffCpu && main_left_s_ <= 0) {
      main_ = Main::kWaits;
      ++done_;
    }
    const auto turn = static_cast<std::size_t>(taken_ % config_.workers);
    if (main_ == Main::kWaits && taken_ < minibatches_ && ready_[turn] > 0) {
      --ready_[turn];
      ++taken_;
      main_ = Main::kOnCpu;
      main_left_s_ = stages_.hand_over_s + config_.compute_cpu_share * stages_.compute_s;
      dispatch();
    }
    begin_fetches();
  }
  void step() {
    settle();
    double next_s = std::min(disk_.next(config_.storage.streams),
                             main_ == Main::kWaits ? kNever : std::max(main_left_s_, 0.0));
    for (std::size_t i = 0; i < cpus_.size(); ++i) {
      next_s = std::min(next_s, cpus_[i].next(free_cores(i)));
    }
    if (next_s == kNever) return;
    now_s_ += next_s;
    disk_.advance(next_s, config_.storage.streams);
    for (std::size_t i = 0; i < cpus_.size(); ++i) cpus_[i].advance(next_s, free_cores(i));
    main_left_s_ -= next_s;
  }

  const PipelineConfig& config_;
  const StageTimes& stages_;
  double cv_;
  Random random_;
  std::int64_t minibatches_;
  double now_s_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t taken_ = 0;
  std::int64_t done_ = 0;
  Main main_ = Main::kWaits;
  double main_left_s_ = 0;
  Station disk_;
  std::vector<Station> cpus_;
  std::vector<std::size_t> core_of_;  // index of the CPU queue of each worker
  std::vector<std::size_t> begins_;   // workers whose fetch has yet to begin
  std::vector<int> queued_;           // indices that wait at each worker
  std::vector<int> ready_;            // minibatches that each worker has finished
  std::vector<bool> busy_;            // the worker is working on a minibatch
  std::vector<double> factor_;        // time factor of the worker's current minibatch
};

}  // namespace

EpochCost simulate_epoch(const PipelineConfig& config, int epoch, std::uint64_t seed) {
  EpochCost cost = epoch_cost(config, epoch);
  // The variation that remains if a part of the data comes from the page cache.
  const double cv = config.storage_cv * miss_share(config, epoch);
  const auto minibatches = static_cast<std::int64_t>(cost.minibatches);
  if (config.workers == 0) {
    Random random(seed);
    cost.time_s = 0;
    for (std::int64_t i = 0; i < minibatches; ++i) {
      cost.time_s += (cost.stages.fetch_s + cost.stages.preprocess_s) * gamma_factor(cv, random) +
                     cost.stages.compute_s;
    }
  } else {
    cost.time_s = Simulation(config, cost.stages, cv, seed, minibatches).run() - cost.start_s;
  }
  cost.interval_s = cost.time_s / cost.minibatches;
  // Both times are sums over minibatches with different rounding errors.
  const double stall_s = cost.time_s - cost.compute_s;
  cost.stall_s = stall_s > kSumRounding * cost.time_s ? stall_s : 0;
  cost.energy_j = epoch_energy_j(config, cost.stages, cost.minibatches, cost.time_s);
  return cost;
}

EpochCost simulate_epochs(const PipelineConfig& config, int epoch, std::uint64_t seed, int count) {
  EpochCost mean = epoch_cost(config, epoch);
  mean.time_s = mean.stall_s = mean.energy_j = 0;
  for (int i = 0; i < count; ++i) {
    const EpochCost one = simulate_epoch(config, epoch, seed + static_cast<std::uint64_t>(i));
    mean.time_s += one.time_s / count;
    mean.stall_s += one.stall_s / count;
    mean.energy_j += one.energy_j / count;
  }
  mean.interval_s = mean.time_s / mean.minibatches;
  return mean;
}

}  // namespace ridgewatt::pipeline
