// A minibatch, many minibatches and a job must have the same cost by the estimator, by the
// observations of a search on a twin, and by the training pipeline.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "ridgewatt/base/random.h"
#include "ridgewatt/pipeline/twin_pipeline.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::pipeline {
namespace {

// A network, its kind and its data loading, on a board.
struct Question {
  std::shared_ptr<twin::TwinModel> model;
  OperatingPoint point;
  twin::RunOptions run;
};

class TwinJob : public ::testing::Test {
 protected:
  // A few networks and batches, so that their costs are computed only once.
  static constexpr const char* kNetworks[] = {"lenet5", "resnet18", "mobilenet_v2"};
  static constexpr int kBatches[] = {1, 3, 16, 64};
  const std::vector<std::string> boards_ = {"agx-orin", "orin-nano-8gb", "agx-xavier", "nano"};

  std::shared_ptr<const workload::DeployedWorkload> workload(const std::string& network,
                                                             WorkloadKind kind) {
    auto& known = workloads_[{network, kind}];
    if (!known)
      known = std::make_shared<const workload::DeployedWorkload>("zoo:" + network,
                                                                 workload::DeployOptions{kind});
    return known;
  }

  Question ask(Random& random) {
    const Board board = load_board(boards_[random.below(boards_.size())]);
    const KnobSpace space = knob_space(board);
    Question asked;
    asked.point = {space[random.below(space.size())], kBatches[random.below(std::size(kBatches))]};
    asked.run.loader_workers = static_cast<int>(random.below(10));
    if (random.below(2) == 0) {
      asked.run.loader_s_per_sample = 1e-5 * std::exp(random.uniform(0, 8));
    }
    if (random.below(4) == 0) asked.point.mode.governor = "schedutil";
    const std::string network = kNetworks[random.below(std::size(kNetworks))];
    const auto kind = random.below(4) > 0 ? WorkloadKind::kTraining : WorkloadKind::kInference;
    asked.model = std::make_shared<twin::TwinModel>(twin::load_twin(board), workload(network, kind),
                                                    asked.run);
    return asked;
  }

 private:
  std::map<std::pair<std::string, WorkloadKind>, std::shared_ptr<const workload::DeployedWorkload>>
      workloads_;
};

void expect_equal(double actual, double expected, const char* what) {
  EXPECT_NEAR(actual, expected, 1e-9 * expected) << what;
}

// label: slow
TEST_F(TwinJob, MinibatchesAddUpToTheSameJobEverywhere) {
  Random random(16);
  for (int trial = 0; trial < 1000; ++trial) {
    const Question asked = ask(random);
    const auto& [model, point, run] = asked;
    const double samples = 1 + static_cast<double>(random.below(1000000));
    const double count = std::ceil(samples / point.batch);
    SCOPED_TRACE(describe(point.mode) + ", " + std::to_string(run.loader_workers) + " workers");

    // `estimate`
    const twin::Breakdown why = model->estimator(point.batch).breakdown(point.mode);
    const twin::JobCost job = twin::job_cost(why.total, point.batch, samples);
    expect_equal(count * why.total.period_s, job.time_s, "time");
    expect_equal(count * why.total.energy_j(), job.energy_j, "energy");
    double causes_j = why.static_j;
    double causes_s = 0;
    for (const double part : why.energy_j) causes_j += part;
    for (const double part : why.time_s) causes_s += part;
    expect_equal(count * causes_s, job.time_s, "causes of time");
    expect_equal(count * causes_j, job.energy_j, "causes of energy");
    expect_equal(why.total.pipe_s + why.total.stall_s(), why.total.period_s, "stall");

    // `tune`
    const twin::MinibatchCost tuned = (*model)(point);
    const Observation seen = model->observe(point);
    expect_equal(count * tuned.period_s, job.time_s, "time of tune");
    expect_equal(count * seen.time_s, job.time_s, "time of a search");
    expect_equal(count * seen.energy_j(), job.energy_j, "energy of a search");

    // `pipeline` with its data in the page cache. Inference without a loader is not a pipeline.
    const bool training = model->estimator(point.batch).cost().kind == WorkloadKind::kTraining;
    if (!training && !run.loader_s_per_sample) continue;
    PipelineConfig config;
    config.samples = samples;
    config.batch = point.batch;
    config.workers = run.loader_workers;
    const EpochCost epoch = epoch_cost(on_twin(config, *model, point.mode), 1);
    expect_equal(epoch.interval_s, why.total.period_s, "interval");
    expect_equal(epoch.time_s, job.time_s, "time of pipeline");
    expect_equal(epoch.energy_j, job.energy_j, "energy of pipeline");
    expect_equal(count * epoch.interval_s, epoch.time_s, "time of an epoch");
    if (HasFailure()) break;
  }
}

// More cores or workers change the energy of a job only if they change its time. The energy changes
// by more than 10 % only together with the time, which itself changes by 10 % in all but 1 of 1,000
// steps. Inference without a data set is skipped: its power is that of runs with a loader.
// label: slow
TEST_F(TwinJob, EnergyJumpsOnlyWhereTimeDoes) {
  Random random(17);
  const double jump = std::log(1.1);
  int jumps = 0;
  int steps = 0;
  int less = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    Question asked = ask(random);
    asked.point.mode.governor.clear();
    const twin::Estimator& estimator = asked.model->estimator(asked.point.batch);
    if (!asked.run.loader_s_per_sample && estimator.cost().kind == WorkloadKind::kInference) {
      continue;
    }
    const auto expect_no_jump = [&](const twin::MinibatchCost& a, const twin::MinibatchCost& b,
                                    const std::string& step) {
      const double energy = std::abs(std::log(b.energy_j() / a.energy_j()));
      const double time = std::abs(std::log(b.period_s / a.period_s));
      ++steps;
      jumps += time > jump ? 1 : 0;
      if (energy <= jump) return;
      less += time <= jump ? 1 : 0;
      EXPECT_GT(time, 0.3 * energy) << step << ", " << describe(asked.point.mode);
    };
    PowerMode mode = asked.point.mode;
    const int most = asked.model->twin().cpu_cores;
    for (int cores = 1; cores < most; ++cores) {
      mode.cpu_cores = cores;
      const twin::MinibatchCost few = estimator(mode);
      mode.cpu_cores = cores + 1;
      expect_no_jump(few, estimator(mode), std::to_string(cores) + " cores and one more");
    }
    // The first worker adds hand-overs, whose threads need energy, on boards that have them.
    const int first = asked.model->twin().hand_over.cycles > 0 ? 1 : 0;
    for (int workers = first; workers < 9; ++workers) {
      twin::RunOptions run = asked.run;
      run.loader_workers = workers;
      const twin::MinibatchCost few = estimator.breakdown(asked.point.mode, run).total;
      run.loader_workers = workers + 1;
      expect_no_jump(few, estimator.breakdown(asked.point.mode, run).total,
                     fmt::format("{} workers and one more", workers));
    }
    if (HasFailure()) break;
  }
  EXPECT_LE(less, steps / 1000);
  EXPECT_GT(jumps, 100);  // of time; otherwise the test was empty
}

}  // namespace
}  // namespace ridgewatt::pipeline
