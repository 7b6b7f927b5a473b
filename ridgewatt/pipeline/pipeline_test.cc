#include "ridgewatt/pipeline/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/pipeline/simulate_pipeline.h"
#include "ridgewatt/pipeline/twin_pipeline.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::pipeline {
namespace {

// 100 minibatches of 10 samples: fetch 10 ms, preprocessing 40 ms, compute 20 ms each.
PipelineConfig hand_made() {
  PipelineConfig config;
  config.samples = 1000;
  config.batch = 10;
  config.sample_bytes = 1000;
  config.cache_bytes = 0;
  config.storage = {"disk", 0, 0, 1e6, 1};
  config.preprocess_s_per_sample = 4e-3;
  config.compute_s = 0.02;
  config.base_w = 5;
  config.compute_w = 10;
  config.core_w = 1;
  return config;
}

TEST(Pipeline, HandComputedEpochs) {
  PipelineConfig config = hand_made();
  config.workers = 0;
  const EpochCost serial = epoch_cost(config, 0);
  EXPECT_NEAR(serial.time_s, 100 * (0.01 + 0.04 + 0.02), 1e-12);
  EXPECT_NEAR(serial.stall_s, 5, 1e-12);
  EXPECT_EQ(serial.bound, PipelineBound::kSerial);
  EXPECT_NEAR(serial.energy_j, 5 * 7 + 10 * 2 + 1 * 4, 1e-12);
  config.workers = 1;
  const EpochCost one = epoch_cost(config, 0);
  EXPECT_NEAR(one.interval_s, 0.05, 1e-12);
  EXPECT_NEAR(one.time_s, 100 * 0.05, 1e-12);
  EXPECT_NEAR(one.start_s, 0.02, 1e-12);  // 0.05 s to load and 0.02 s to compute the first one
  EXPECT_EQ(one.bound, PipelineBound::kWorkers);
  config.workers = 4;
  const EpochCost four = epoch_cost(config, 0);
  EXPECT_EQ(four.bound, PipelineBound::kCompute);
  EXPECT_NEAR(four.interval_s, 0.02, 1e-12);
  EXPECT_NEAR(four.stall_s, 0, 1e-12);
  EXPECT_NEAR(four.start_s, 0.05, 1e-12);  // waits only for the first minibatch
  config.cores = 1;
  config.hand_over_s = 0;
  EXPECT_EQ(epoch_cost(config, 0).bound, PipelineBound::kCores);
  EXPECT_NEAR(epoch_cost(config, 0).interval_s, 0.04, 1e-12);
}

// Three threads work during a hand-over. On fewer cores, a hand-over takes longer, but the work is
// the same.
TEST(Pipeline, AHandOverIsTheWorkOfThreeThreads) {
  PipelineConfig config = hand_made();
  config.workers = 4;
  const double without_j = epoch_cost(config, 0).energy_j;
  const double without_s = epoch_cost(config, 0).time_s;
  config.hand_over_s = 1e-3;
  for (const int cores : {8, 1}) {
    config.cores = cores;
    const EpochCost with = epoch_cost(config, 0);
    EXPECT_NEAR(with.energy_j - 5 * with.time_s, without_j - 5 * without_s + 100 * 3e-3, 1e-9);
  }
  config.workers = 0;
  EXPECT_NEAR(epoch_cost(config, 0).energy_j, 5 * 7 + 10 * 2 + 1 * 4, 1e-12);
}

TEST(Pipeline, FilesAreReadAheadInGrowingRequests) {
  const auto kib = [](double size) { return read_ahead_requests(size * 1024); };
  EXPECT_EQ(kib(0), 0);
  EXPECT_EQ(kib(1), 1);
  EXPECT_EQ(kib(16), 1);
  EXPECT_EQ(kib(100), 3);        // reads of 16, 32 and 64 KiB
  EXPECT_EQ(kib(112 + 128), 4);  // plus 128 KiB
  EXPECT_EQ(kib(112 + 10 * 128), 13);
  const StorageModel sd = find_storage("sd");
  EXPECT_NEAR(sd.read_s(100e3), 3 / 1500.0 + 1e-3, 1e-12);
  EXPECT_NEAR(find_storage("hdd").read_s(100e3), 8.5e-3 + 4.17e-3 + 100e3 / 1.05e9, 1e-12);
}

TEST(Pipeline, LimitsOfWorkersCoresStreamsAndPrefetch) {
  Random random(3);
  for (int i = 0; i < 500; ++i) {
    PipelineConfig config = hand_made();
    config.compute_s = 0;
    config.cores = 1 + static_cast<int>(random.below(8));
    config.storage.streams = 1 + static_cast<int>(random.below(8));
    config.preprocess_s_per_sample = random.uniform(1e-4, 1e-2);
    config.storage.stream_bytes_per_s = random.uniform(2e5, 1e7);
    config.workers = 64;
    const StageTimes stages = stage_times(config, 0);
    // With enough workers, cores and streams limit the rate.
    const double pace_s =
        std::max({stages.preprocess_s / config.cores, stages.fetch_s / config.storage.streams,
                  (stages.fetch_s + stages.preprocess_s) / 64});
    EXPECT_NEAR(epoch_cost(config, 0).interval_s, pace_s, 1e-12 * pace_s);
    // With enough cores and streams, w workers are w times as fast as one.
    config.cores = 1000;
    config.storage.streams = 1000;
    config.workers = 1;
    const double one_s = epoch_cost(config, 0).interval_s;
    config.workers = 1 + static_cast<int>(random.below(16));
    EXPECT_NEAR(epoch_cost(config, 0).interval_s * config.workers, one_s, 1e-12);
    // Prefetching has no effect if times do not vary.
    const double two_s = simulate_epoch(config, 0, 1).time_s;
    config.prefetch = 7;
    EXPECT_NEAR(simulate_epoch(config, 0, 1).time_s, two_s, 1e-9 * two_s);
    EXPECT_EQ(epoch_cost(config, 0).time_s, epoch_cost(config, 0).time_s);
  }
}

TEST(Pipeline, PageCacheUnderRandomOrderIsWhatAnLruKeeps) {
  // An LRU cache of 40 % of 4,000 samples, read in a new random order each epoch.
  static constexpr std::size_t kSamples = 4000;
  static constexpr std::size_t kKept = 1600;
  Random random(5);
  std::vector<std::size_t> order(kSamples);
  for (std::size_t i = 0; i < kSamples; ++i) order[i] = i;
  std::vector<std::size_t> last(kSamples, 0);  // position of the last read, over all epochs
  std::vector<std::size_t> history;
  double hits = 0;
  static constexpr int kEpochs = 6;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    random.shuffle(order);
    for (const std::size_t sample : order) {
      if (epoch > 0) {
        std::vector<bool> seen(kSamples, false);
        std::size_t distinct = 0;
        for (std::size_t i = history.size(); i-- > last[sample] + 1 && distinct < kKept;) {
          if (!seen[history[i]]) ++distinct;
          seen[history[i]] = true;
        }
        if (distinct < kKept) ++hits;
      }
      last[sample] = history.size();
      history.push_back(sample);
    }
  }
  EXPECT_NEAR(hits / (kSamples * (kEpochs - 1.0)), lru_hit_share(0.4), 0.01);
  EXPECT_EQ(lru_hit_share(1), 1);
  EXPECT_EQ(lru_hit_share(0), 0);
  EXPECT_LT(lru_hit_share(0.06), 0.002);  // the study's NX: no gain
  PipelineConfig config = hand_made();
  EXPECT_EQ(miss_share(config, 0), 1);
  config.cache_bytes = config.samples * config.sample_bytes;
  EXPECT_EQ(miss_share(config, 0), 1);
  EXPECT_EQ(miss_share(config, 1), 0);
}

PipelineConfig random_pipeline(Random& random) {
  PipelineConfig config;
  config.batch = 1 + static_cast<int>(random.below(64));
  config.samples = config.batch * static_cast<double>(400 + random.below(800));
  config.sample_bytes = 1000 * std::exp(random.uniform(0, 6));
  config.cache_bytes = random.uniform() * config.samples * config.sample_bytes;
  config.workers = static_cast<int>(random.below(9));
  config.prefetch = 1 + static_cast<int>(random.below(4));
  config.cores = 1 + static_cast<int>(random.below(8));
  config.storage = {"random", random.uniform(0, 2e-3), 0, 1e6 * std::exp(random.uniform(0, 6)),
                    1 + static_cast<int>(random.below(6))};
  config.preprocess_s_per_sample = 1e-4 * std::exp(random.uniform(0, 4));
  config.hand_over_s = random.uniform(0, 10e-3);
  config.compute_s = 1e-3 * std::exp(random.uniform(0, 6));
  config.compute_cpu_share = random.uniform() < 0.3 ? random.uniform() : 0;
  return config;
}

double disagreement(const PipelineConfig& config, int epoch) {
  const EpochCost closed = epoch_cost(config, epoch);
  const EpochCost played = simulate_epoch(config, epoch, 1);
  return std::abs((closed.start_s + closed.time_s) / (played.start_s + played.time_s) - 1);
}

TEST(Pipeline, ClosedFormAgreesWithTheSimulation) {
  Random random(11);
  for (int i = 0; i < 1000; ++i) {
    const PipelineConfig config = random_pipeline(random);
    const int epoch = static_cast<int>(random.below(2));
    const StageTimes stages = stage_times(config, epoch);
    EXPECT_LT(disagreement(config, epoch), 0.02)
        << "pipeline " << i << ": w " << config.workers << " cores " << config.cores << " streams "
        << config.storage.streams << " prefetch " << config.prefetch << " u "
        << config.compute_cpu_share << " F " << stages.fetch_s << " P " << stages.preprocess_s
        << " h " << stages.hand_over_s << " g " << stages.compute_s;
  }
}

// Sums over minibatches are rounded. If loading is hidden completely, the stall must be exactly 0.
TEST(Pipeline, ASimulatedStallIsNeverNegative) {
  Random random(12);
  for (int i = 0; i < 300; ++i) {
    EXPECT_GE(simulate_epochs(random_pipeline(random), 1, 1, 2).stall_s, 0) << i;
  }
  PipelineConfig hidden;
  hidden.batch = 16;
  hidden.compute_s = 0.1;
  hidden.workers = 16;
  hidden.cores = 2;
  for (const int epoch : {0, 1}) EXPECT_EQ(simulate_epoch(hidden, epoch, 1).stall_s, 0);
}

// label: slow
TEST(Pipeline, ClosedFormAgreesWithTheSimulationWhereProcessesKeepTheirCores) {
  Random random(11);
  int near = 0;
  for (int i = 0; i < 1000; ++i) {
    PipelineConfig config = random_pipeline(random);
    config.keeps_core = true;
    const double off = disagreement(config, static_cast<int>(random.below(2)));
    near += off < 0.02 ? 1 : 0;
    // With one storage stream and a core that is sometimes occupied, the processes can get out of
    // step.
    EXPECT_LT(off, 0.15) << "pipeline " << i;
  }
  EXPECT_GE(near, 990);
}

TEST(Pipeline, ProcessesThatKeepTheirCoresWaitForTheSlowest) {
  PipelineConfig config = hand_made();
  config.storage.streams = 8;
  config.compute_cpu_share = 1;
  config.keeps_core = true;
  // A core for each process is the same as free placement.
  config.workers = 2;
  config.cores = 3;
  EXPECT_EQ(workers_on_main_core(config, stage_times(config, 0)), 0);
  EXPECT_NEAR(epoch_cost(config, 0).interval_s, 0.025, 1e-12);
  // The main process and one worker share a core: the worker's 10 + 40 ms and two computations of
  // 20 ms run in sequence. With both workers on the other core, 2 x 40 ms are better.
  config.cores = 2;
  EXPECT_EQ(workers_on_main_core(config, stage_times(config, 0)), 0);
  EXPECT_NEAR(epoch_cost(config, 0).interval_s, 0.04, 1e-12);
  config.compute_s = 0.01;
  EXPECT_EQ(workers_on_main_core(config, stage_times(config, 0)), 1);
  EXPECT_NEAR(epoch_cost(config, 0).interval_s, (0.01 + 0.04 + 2 * 0.01) / 2, 1e-12);
  // Three workers on one core take 3 x 40 ms for four minibatches; two on each, 2 x 40 + 4 x 10 ms.
  config.workers = 4;
  EXPECT_NEAR(epoch_cost(config, 0).interval_s, 0.03, 1e-12);
  EXPECT_EQ(epoch_cost(config, 0).bound, PipelineBound::kCores);
  // On one core, everything except waiting for storage runs in sequence.
  config.cores = 1;
  EXPECT_NEAR(epoch_cost(config, 0).interval_s, 0.05, 1e-12);
}

TEST(Pipeline, VariationKeepsStallsAboveZeroAndPrefetchLessensThem) {
  PipelineConfig config = hand_made();
  config.samples = 20000;
  config.storage.streams = 8;
  config.workers = 4;
  config.compute_s = 0.015;  // without variation, 12.5 ms of loading are hidden
  const double steady_s = simulate_epoch(config, 0, 1).stall_s;
  EXPECT_LT(steady_s, 0.1);
  config.storage_cv = 1;
  const double varied_s = simulate_epochs(config, 0, 1, 5).stall_s;
  EXPECT_GT(varied_s, 10 * steady_s);
  config.prefetch = 8;
  EXPECT_LT(simulate_epochs(config, 0, 1, 5).stall_s, 0.6 * varied_s);
  EXPECT_EQ(simulate_epoch(config, 0, 7).time_s, simulate_epoch(config, 0, 7).time_s);
  // Without workers, nothing is hidden: the mean is the sum for any variation.
  config.workers = 0;
  EXPECT_NEAR(simulate_epochs(config, 0, 1, 20).time_s, epoch_cost(config, 0).time_s,
              0.01 * epoch_cost(config, 0).time_s);
}

TEST(Pipeline, ReliefIsWhatBindsMadeFaster) {
  PipelineConfig config = hand_made();
  config.workers = 1;
  const auto changes = all_changes(config);
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes.front().change, "4 workers");  // 2 are too few, more than 4 no better
  for (std::size_t i = 1; i < changes.size(); ++i) {
    EXPECT_LE(changes[i - 1].later.time_s, changes[i].later.time_s * (1 + 1e-6));
  }
  config.workers = 4;
  config.hand_over_s = 0;
  for (const auto& change : all_changes(config)) {
    if (change.change == "compute 25 % faster") {
      EXPECT_LT(change.later.time_s, 0.85 * epoch_cost(config, 1).time_s);
    }
  }
}

TEST(Pipeline, TwinGivesComputeAndClocks) {
  const Board board = load_board("agx-orin");
  const twin::TwinModel model(
      twin::load_twin(board),
      std::make_shared<const workload::DeployedWorkload>(
          "zoo:resnet18", workload::DeployOptions{.kind = WorkloadKind::kTraining}),
      twin::RunOptions{4, 4e-3}, 16);
  PipelineConfig config = hand_made();
  config.batch = 16;
  config.samples = 16000;
  const PowerMode top = knob_space(board).top();
  const PipelineConfig on_board = on_twin(config, model, top);
  EXPECT_NEAR(on_board.compute_s, model({top, 16}).pipe_s, 1e-12);
  EXPECT_NEAR(on_board.preprocess_s_per_sample, 4e-3, 1e-15);
  EXPECT_EQ(on_board.cores, 12);
  // Half the CPU clock doubles the CPU's times; the GPU's clock is unchanged.
  PowerMode slow = top;
  slow.cpu_clock_hz /= 2;
  EXPECT_NEAR(on_twin(config, model, slow).preprocess_s_per_sample, 8e-3, 1e-12);
  config.hand_over_s = 1e-3;
  EXPECT_NEAR(on_twin(config, model, slow).hand_over_s, 2e-3, 1e-12);
  bool batch = false;
  bool gpu = false;
  for (const auto& change : changes_on_twin(config, model, knob_space(board), top)) {
    batch = batch || change.change == "batch 32";
    gpu = gpu || change.change.rfind("GPU clock", 0) == 0;
  }
  EXPECT_TRUE(batch && gpu);
}

TEST(Pipeline, AModelThatFixesItsBatchHasNoOtherBatchToTry) {
  const Board board = load_board("agx-orin");
  const workload::DeployedWorkload any("zoo:lenet5", {.kind = WorkloadKind::kTraining});
  const auto fixed = std::make_shared<const workload::DeployedWorkload>(
      std::map<int, std::shared_ptr<const workload::WorkloadCost>>{{4, any.at(4)}});
  const twin::TwinModel model(twin::load_twin(board), fixed, {}, 4);
  PipelineConfig config;
  config.batch = 4;
  config.samples = 4000;
  const auto changes = changes_on_twin(config, model, knob_space(board), knob_space(board).top());
  EXPECT_FALSE(changes.empty());
  for (const auto& change : changes) EXPECT_FALSE(change.change.starts_with("batch"));
}

TEST(Pipeline, BadConfigsAreNamed) {
  PipelineConfig config = hand_made();
  config.compute_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(epoch_cost(config, 0), UsageError);
  config = hand_made();
  config.cores = 0;
  EXPECT_THROW(epoch_cost(config, 0), UsageError);
  config = hand_made();
  config.storage.request_s = -1;
  EXPECT_THROW(epoch_cost(config, 0), UsageError);
  EXPECT_THROW(find_storage("tape"), UsageError);
}

}  // namespace
}  // namespace ridgewatt::pipeline
