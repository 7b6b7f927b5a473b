#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/carry.h"
#include "ridgewatt/twin/hardware.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/twin/carry.h"
#include "ridgewatt/twin/estimate/kernel_terms.h"
#include "ridgewatt/twin/estimate_error.h"
#include "ridgewatt/twin/feed.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::twin {
namespace {

// A network of random kernels from tiny to large.
workload::WorkloadCost random_cost(Random& random, std::size_t count, int batch = 4) {
  workload::WorkloadCost cost;
  cost.name = "random";
  cost.batch = batch;
  cost.input_bytes = 600e3 * batch;
  cost.input_elements = 3.0 * 224 * 224 * batch;
  for (std::size_t i = 0; i < count; ++i) {
    workload::KernelCost kernel;
    kernel.name = "k" + std::to_string(i);
    kernel.op_class =
        std::array{workload::OpClass::kConv, workload::OpClass::kDepthwiseConv,
                   workload::OpClass::kGemm, workload::OpClass::kElementwise}[random.below(4)];
    kernel.output_elements = std::exp(random.uniform(3, 16));
    kernel.work_flop = kernel.output_elements * std::exp(random.uniform(0, 8));
    kernel.read_bytes = kernel.output_elements * 8;
    kernel.write_bytes = kernel.output_elements * 4;
    kernel.window = random.below(2) == 0 ? 1 : 9;
    cost.kernels.push_back(kernel);
  }
  return cost;
}

PowerMode mode_of(int cores, double cpu_mhz, double gpu_mhz, double mem_mhz) {
  PowerMode mode;
  mode.cpu_cores = cores;
  mode.cpu_clock_hz = cpu_mhz * 1e6;
  mode.gpu_clock_hz = gpu_mhz * 1e6;
  mode.mem_clock_hz = mem_mhz * 1e6;
  return mode;
}

double sum(const auto& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

class EstimateTest : public ::testing::Test {
 protected:
  Board board_ = load_board("agx-orin");
  Twin twin_ = load_twin(board_);
  std::vector<PowerMode> modes_ = {mode_of(12, 2201.6, 1300.5, 3199),
                                   mode_of(2, 268.8, 1300.5, 3199),
                                   mode_of(4, 1036.8, 114.75, 665.6),
                                   mode_of(1, 115.2, 114.75, 204), mode_of(8, 1651.2, 726.75, 204)};
};

TEST_F(EstimateTest, CausesAndLayersSumToTheWhole) {
  Random random(7);
  for (int trial = 0; trial < 20; ++trial) {
    const Estimator estimator(twin_, random_cost(random, 60), {trial % 3 == 0 ? 0 : 4, {}});
    for (const auto& mode : modes_) {
      const Breakdown why = estimator.breakdown(mode);
      EXPECT_NEAR(sum(why.time_s), why.total.period_s, 1e-12 * why.total.period_s);
      EXPECT_NEAR(sum(why.energy_j) + why.static_j, why.total.energy_j(),
                  1e-12 * why.total.energy_j());
      for (const double part : why.time_s) EXPECT_GE(part, -1e-15);
      double layers_s = 0;
      double layers_j = 0;
      for (const auto& layer : estimator.layers(mode)) {
        layers_s += layer.time_s;
        layers_j += layer.energy_j;
      }
      const double rest_s = why.time_s[static_cast<std::size_t>(Cause::kHost)] +
                            why.time_s[static_cast<std::size_t>(Cause::kLoader)];
      EXPECT_NEAR(layers_s + rest_s, why.total.period_s, 1e-9 * why.total.period_s);
      EXPECT_LE(layers_j, why.total.energy_j() * (1 + 1e-9));
    }
  }
}

// The envelope must find the longest chain that a simulation of the queue finds, kernel by kernel:
// a kernel starts when it has been launched and its predecessor has finished. The result is then
// multiplied by the factor for a queue that runs empty because launching takes about as long as the
// GPU.
TEST_F(EstimateTest, TheLongestChainIsTheSimulatedQueue) {
  Random random(8);
  for (int trial = 0; trial < 20; ++trial) {
    const workload::WorkloadCost cost = random_cost(random, 100);
    const Estimator estimator(twin_, cost, {4, 0.0});
    for (const auto& mode : modes_) {
      const double penalty =
          1 + twin_[TwinParam::kLaunchCorePenalty] * 16 / (mode.cpu_cores * mode.cpu_cores);
      const double launch_s = penalty * twin_[TwinParam::kLaunchCycles] / mode.cpu_clock_hz +
                              twin_[TwinParam::kLaunchMemoryCycles] / mode.mem_clock_hz +
                              twin_[TwinParam::kLaunchFixed];
      double launched = 0;
      double finished = 0;
      double gpu = 0;
      for (const auto& layer : estimator.layers(mode)) {
        launched += launch_s;
        finished = std::max(finished, launched) + layer.gpu_s;
        gpu += layer.gpu_s;
      }
      finished *= std::pow(1 + std::pow(std::min(launched, gpu) / finished, 4), 0.25);
      const Breakdown why = estimator.breakdown(mode);
      EXPECT_NEAR(why.total.pipe_s - why.time_s[static_cast<std::size_t>(Cause::kHost)], finished,
                  1e-9 * finished);
    }
  }
}

TEST_F(EstimateTest, NeverSlowerWithMoreOfAnything) {
  Random random(9);
  const KnobSpace space = knob_space(board_);
  for (int trial = 0; trial < 8; ++trial) {
    workload::WorkloadCost cost = random_cost(random, 50);
    if (trial % 2 == 1) cost.kind = WorkloadKind::kTraining;
    const Estimator estimator(twin_, cost, {trial / 2, {}});
    for (int pair = 0; pair < 200; ++pair) {
      PowerMode low = space[random.below(space.size())];
      PowerMode high = low;
      const Knob knob = kKnobs[random.below(kKnobs.size())];
      const auto& levels = space.levels(knob);
      high.set(knob, levels[random.below(levels.size())]);
      if (high.get(knob) < low.get(knob)) std::swap(low, high);
      EXPECT_LE(estimator(high).period_s, estimator(low).period_s * (1 + 1e-12));
      EXPECT_LE(estimator(high).median_s, estimator(low).median_s * (1 + 1e-12));
      EXPECT_GT(estimator(high).power_w, twin_[TwinParam::kBasePower]);
    }
  }
}

TEST_F(EstimateTest, TinyKernelsAreLaunchBoundAndLargeOnesAreNot) {
  workload::WorkloadCost cost;
  cost.batch = 1;
  workload::KernelCost kernel;
  kernel.op_class = workload::OpClass::kElementwise;
  kernel.output_elements = 1000;
  kernel.work_flop = 1000;
  kernel.read_bytes = kernel.write_bytes = 4000;
  cost.kernels.assign(200, kernel);
  const RunOptions no_loading{4, 0.0};
  EXPECT_EQ(Estimator(twin_, cost, no_loading).breakdown(modes_[0]).dominant(), Cause::kLaunch);
  for (auto& one : cost.kernels) {
    one.op_class = workload::OpClass::kConv;
    one.output_elements = 1e8;
    one.work_flop = 1e12;
  }
  EXPECT_EQ(Estimator(twin_, cost, no_loading).breakdown(modes_[0]).dominant(), Cause::kCompute);
  for (auto& one : cost.kernels) {
    one.op_class = workload::OpClass::kDataMovement;
    one.work_flop = 0;
    one.read_bytes = 1e9;
  }
  EXPECT_EQ(Estimator(twin_, cost, no_loading).breakdown(modes_[0]).dominant(), Cause::kMemory);
  EXPECT_EQ(Estimator(twin_, cost, {0, 10.0}).breakdown(modes_[0]).dominant(), Cause::kLoader);
}

// The effect of waiting for data on time and power (docs/methods/twin.md), in cases whose results
// are known.
TEST_F(EstimateTest, WaitsForDataShowInThePeriodAndOnlySomeInTheMedian) {
  Random random(11);
  workload::WorkloadCost cost = random_cost(random, 60, 8);
  const PowerMode top = modes_[0];
  const auto run = [&](WorkloadKind kind, int workers, double sample_s, const PowerMode& mode) {
    cost.kind = kind;
    return Estimator(twin_, cost, {workers, sample_s}).breakdown(mode);
  };
  const auto inference = WorkloadKind::kInference;
  const auto training = WorkloadKind::kTraining;
  const Breakdown alone = run(inference, 4, 0, top);
  const double pipe_s = alone.total.pipe_s;
  EXPECT_DOUBLE_EQ(alone.total.period_s, pipe_s);
  EXPECT_DOUBLE_EQ(alone.total.median_s, pipe_s);
  // Loading a minibatch takes four times as long as computing it, on four cores at once.
  const double sample_s = 4 * 4 * pipe_s / cost.batch;
  const Breakdown starved = run(inference, 4, sample_s, top);
  EXPECT_DOUBLE_EQ(starved.total.median_s, pipe_s);
  EXPECT_NEAR(starved.total.period_s, 4 * pipe_s, 0.01 * pipe_s);
  EXPECT_NEAR(starved.total.stall_s(), 3 * pipe_s, 0.01 * pipe_s);
  // A period is now four times as long: the GPU takes the same energy, and loading and static power
  // take four times the energy.
  EXPECT_LT(starved.total.power_w, alone.total.power_w + 4 * twin_[TwinParam::kCpuBusyPower]);
  EXPECT_DOUBLE_EQ(starved.energy_j[static_cast<std::size_t>(Cause::kCompute)],
                   alone.energy_j[static_cast<std::size_t>(Cause::kCompute)]);
  EXPECT_GT(starved.total.energy_j(), alone.total.energy_j());
  // If no data set is given, inference uses data that is already in memory, but at the power of
  // runs with a loader. Training always loads its data.
  cost.kind = inference;
  const MinibatchCost served = Estimator(twin_, cost)(top);
  EXPECT_DOUBLE_EQ(served.period_s, pipe_s);
  EXPECT_DOUBLE_EQ(served.stall_s(), 0);
  const double sample_of_fit_s = twin_[TwinParam::kInferenceLoaderCycles] / twin_.cpu_clock_hz;
  EXPECT_NEAR(served.power_w, run(inference, 4, sample_of_fit_s, top).total.power_w,
              1e-9 * served.power_w);
  // Four workers deliver in bursts, two do not. With fewer cores than threads, the median contains
  // all waits.
  EXPECT_DOUBLE_EQ(run(training, 4, sample_s, top).total.median_s, pipe_s);
  const Breakdown two = run(training, 2, sample_s, top);
  EXPECT_DOUBLE_EQ(two.total.median_s, two.total.period_s);
  EXPECT_NEAR(two.total.period_s, 8 * pipe_s, 0.01 * pipe_s);
  const Breakdown crowded = run(training, 4, sample_s, mode_of(4, 2201.6, 1300.5, 3199));
  EXPECT_DOUBLE_EQ(crowded.total.median_s, crowded.total.period_s);
  EXPECT_GT(crowded.total.period_s, 4 * pipe_s);
  // Without workers, loading and computation alternate.
  const Breakdown serial = run(training, 0, 0.01, top);
  EXPECT_NEAR(serial.total.period_s, pipe_s + 0.01 * cost.batch, 1e-12);
  EXPECT_NEAR(serial.total.stall_s(), 0.01 * cost.batch, 1e-12);
}

// The main program takes a minibatch over from a worker before it computes. Workers cannot hide
// that time.
// Only the sweeps of eager inference on Jetson boards had waits for data in their power. Other
// inference draws the power of its work, with any number of loader workers.
TEST(Estimate, PowerOfAvailableDataIncludesNoWaits) {
  const auto check = [](const char* board, Runtime runtime) {
    Twin twin = load_twin(load_board(board));
    twin.runtime = runtime;
    Random random(5);
    workload::WorkloadCost cost = random_cost(random, 60, 64);
    cost.kind = WorkloadKind::kInference;
    const auto at = [&](int workers, std::optional<double> loader_s) {
      return Estimator(twin, cost, {workers, loader_s}).breakdown({}).total;
    };
    for (const int workers : {0, 1, 16}) {
      const MinibatchCost seen = at(workers, {}), fed = at(0, 0.0);
      EXPECT_NEAR(seen.power_w, fed.power_w, 1e-9 * fed.power_w) << board << workers;
      EXPECT_NEAR(seen.period_s, fed.period_s, 1e-9 * fed.period_s) << board << workers;
    }
  };
  check("agx-orin", Runtime::kTensorRt);
  check("agx-orin", Runtime::kTorchscript);
  check("v100", Runtime::kTensorRt);
}

TEST_F(EstimateTest, HandOverLengthensTheMinibatchesThatWorkersBring) {
  Random random(12);
  workload::WorkloadCost cost = random_cost(random, 60, 8);
  const PowerMode top = modes_[0];
  Twin handing = twin_;
  handing.hand_over = {.cycles = 7e6, .cycles_per_byte = 1.5};
  const double hand_over_s = (7e6 + 1.5 * cost.input_bytes) / twin_.cpu_clock_hz;
  const auto more_s = [&](WorkloadKind kind, const RunOptions& run) {
    cost.kind = kind;
    const Breakdown with = Estimator(handing, cost, run).breakdown(top);
    const Breakdown without = Estimator(twin_, cost, run).breakdown(top);
    EXPECT_DOUBLE_EQ(with.total.pipe_s, without.total.pipe_s);
    return with.total.period_s - without.total.period_s;
  };
  const double quick_s = 1e-9;
  EXPECT_NEAR(more_s(WorkloadKind::kTraining, {4, quick_s}), hand_over_s, 1e-6 * hand_over_s);
  EXPECT_DOUBLE_EQ(more_s(WorkloadKind::kTraining, {0, quick_s}), 0);
  EXPECT_DOUBLE_EQ(more_s(WorkloadKind::kTraining, {4, 0.0}), 0);
  EXPECT_DOUBLE_EQ(more_s(WorkloadKind::kInference, {4, quick_s}), 0);
  // On two cores, the three threads take turns.
  cost.kind = WorkloadKind::kTraining;
  PowerMode crowded = top;
  crowded.cpu_cores = 2;
  EXPECT_NEAR(Estimator(handing, cost, {4, quick_s}).breakdown(crowded).total.period_s -
                  Estimator(twin_, cost, {4, quick_s}).breakdown(crowded).total.period_s,
              1.5 * hand_over_s, 0.02 * hand_over_s);
  // Published for the AGX Xavier: four cores instead of eight lengthen the stall by 21 to 24 %.
  EXPECT_NEAR(crowded_hand_over(4, 4), 1.225, 0.015);
  EXPECT_EQ(crowded_hand_over(4, 8), 1);
  EXPECT_EQ(crowded_hand_over(1, 4), 1);
  EXPECT_EQ(crowded_hand_over(4, 1), 3);
  // A fifth of it waits for memory: twice as long at half the memory clock, whatever the CPU clock.
  handing.hand_over.memory_share = 0.2;
  PowerMode slow = top;
  slow.mem_clock_hz = twin_.mem_clock_hz / 2;
  slow.cpu_clock_hz = twin_.cpu_clock_hz / 3;
  EXPECT_NEAR(Estimator(handing, cost, {4, quick_s}).breakdown(slow).hand_over_s,
              (0.2 * 2 + 0.8 * 3) * hand_over_s, 1e-9 * hand_over_s);
}

// The published stalls of LeNet-5 without workers (SIGMETRICS 2023, figure 2a): 22.0, 33.8 and 42.6
// s for 60,000 samples.
TEST_F(EstimateTest, ASmallSampleCostsLittleToLoad) {
  struct Stall {
    const char* board;
    double cpu_hz, published_s;
  };
  const workload::DeployedWorkload lenet("zoo:lenet5", {.kind = WorkloadKind::kTraining});
  for (const auto& [board, cpu_hz, published_s] : {Stall{"agx-xavier", 2265.6e6, 22.0},
                                                   {"xavier-nx", 1420.8e6, 33.8},
                                                   {"nano", 1479e6, 42.6}}) {
    PowerMode mode;
    mode.cpu_clock_hz = cpu_hz;
    const MinibatchCost cost =
        Estimator(load_twin(load_board(board)), lenet.at(16), {.loader_workers = 0})(mode);
    EXPECT_NEAR(3750 * cost.stall_s() / published_s, 1, 0.25) << board;
  }
}

TEST_F(EstimateTest, LayerTimesAddUpOverModes) {
  Random random(10);
  const Estimator estimator(twin_, random_cost(random, 40));
  std::vector<double> total(40, 0.0);
  std::vector<double> expected(40, 0.0);
  for (const auto& mode : modes_) {
    estimator.add_layer_times(mode, total);
    for (const auto& layer : estimator.layers(mode)) expected[layer.kernel] += layer.time_s;
  }
  for (std::size_t k = 0; k < total.size(); ++k) EXPECT_DOUBLE_EQ(total[k], expected[k]);
}

TEST_F(EstimateTest, UnknownCostsAndGovernorsAreRefused) {
  workload::WorkloadCost cost;
  EXPECT_THROW(Estimator(twin_, cost), UsageError);
  cost.kernels.resize(1);
  cost.kernels[0].work_flop = std::nan("");
  EXPECT_THROW(Estimator(twin_, cost), UsageError);
  cost.kernels[0].work_flop = 1;
  PowerMode mode;
  mode.governor = "conservative";
  EXPECT_THROW(Estimator(twin_, cost)(mode), NotSupportedError);
}

TEST_F(EstimateTest, ATwinModelKeepsBatchesApart) {
  std::map<int, std::shared_ptr<const workload::WorkloadCost>> costs;
  for (const int batch : {1, 16, 128}) {
    Random random(static_cast<std::uint64_t>(batch));
    workload::WorkloadCost cost = random_cost(random, 10, batch);
    cost.peak_memory_bytes = batch * 1e9;
    costs[batch] = std::make_shared<const workload::WorkloadCost>(cost);
  }
  const TwinModel model(twin_, std::make_shared<const workload::DeployedWorkload>(costs));
  EXPECT_GT(model({modes_[0], 16}).period_s, 0);
  EXPECT_EQ(model({modes_[0], 0}).period_s, model({modes_[0], 1}).period_s);
  EXPECT_TRUE(model.fits_memory(16));
  EXPECT_FALSE(model.fits_memory(128));
}

TEST(Twin, VoltageIsFlatBelowTheKneeAndOneAtTheTop) {
  EXPECT_NEAR(relative_voltage(1, 0.4, 0.6), 1, 1e-12);
  EXPECT_NEAR(relative_voltage(0.1, 0.4, 0.6), 1 / 1.4, 1e-3);
  EXPECT_NEAR(relative_voltage(0.8, 0.4, 0.6), 1.2 / 1.4, 5e-3);
}

TEST(Twin, EveryParameterHasAPlaceAndSurvivesTheBoardFile) {
  const Board board = load_board("agx-orin");
  Twin twin = prior_twin(board);
  std::size_t index = 0;
  for (const auto& spec : twin_parameters()) {
    EXPECT_EQ(static_cast<std::size_t>(spec.param), index++);
    EXPECT_GT(spec.prior, 0);
    EXPECT_GT(spec.prior_log_sd, 0);
  }
  twin.status = "fitted";
  twin.origin = "by a test";
  twin.fit.time_mape = 0.1;
  const Board copy = parse_board(board_toml_with_twin(board, twin_table(twin)), "copy.toml");
  const Twin read = load_twin(copy);
  for (const auto& spec : twin_parameters()) {
    EXPECT_NEAR(read[spec.param], twin[spec.param], 1e-4 * twin[spec.param]) << spec.key;
    EXPECT_NEAR(read.lo(spec.param), twin.lo(spec.param), 1e-3 * twin.lo(spec.param)) << spec.key;
  }
  EXPECT_EQ(read.origin, "by a test");
  EXPECT_DOUBLE_EQ(read.fit.time_mape.value(), 0.1);
  EXPECT_FALSE(read.fit.unseen_time_mape);
}

// No cache keeps gigabytes until the next minibatch. The number of weights is that of the network's
// matrix products; its embedding table is read in part.
TEST(Twin, ReadsTheWeightsOfALargeNetworkInEveryMinibatch) {
  constexpr double kWeights = 1'034'512'384, kCached = 0.02;
  const workload::DeployedWorkload model("zoo:llama_small_decode");
  for (const Runtime runtime :
       {Runtime::kTorchCompile, Runtime::kOnnxRuntime, Runtime::kTensorRt}) {
    const auto cost =
        model.with({.precision = workload::Precision::kFp32, .runtime = runtime}).at(1);
    for (const auto& name : list_boards()) {
      const Twin twin = load_twin(load_board(name));
      const double peak = twin.bus_bytes_per_cycle * twin.mem_clock_hz;
      const double least_s = (1 - kCached) * 4 * kWeights / peak;
      const Breakdown at = Estimator(twin, cost).breakdown({});
      EXPECT_GT(at.total.period_s, least_s) << name << " " << name_of(runtime);
      const ErrorModel errors(twin, cost, {});
      EXPECT_GT(bounded(at.total, errors(at), 0.9)[kTime].lo, least_s) << name;
    }
  }
}

// Additional time of a convolution of 64 sums, if the pipeline needs 64 more to fill, as a share.
double filling_share(const char* board, workload::Precision precision) {
  workload::KernelCost kernel;
  kernel.op_class = workload::OpClass::kConv;
  kernel.work_flop = 1e9;
  kernel.macs = 5e8;
  kernel.output_elements = 1e6;
  kernel.reduction_length = 64;
  workload::WorkloadCost cost;
  cost.batch = 1;
  cost.arithmetic = precision;
  cost.kernels = {kernel};
  Twin twin = load_twin(load_board(board));
  twin.short_macs = 0;
  const double without = KernelTerms(twin, cost).compute_cycles[0];
  twin.short_macs = 64;
  return KernelTerms(twin, cost).compute_cycles[0] / without - 1;
}

// NVIDIA's data sheets: Orin's tensor cores do twice as many operations in FP16 as in TF32, and 8
// times as many as the pipes in FP32. Xavier has no TF32.
TEST(Twin, TimeOutsideTheTensorCoresIsTheSameInAllPrecisions) {
  EXPECT_NEAR(filling_share("agx-orin", workload::Precision::kFp16), 1, 0.01);
  EXPECT_NEAR(filling_share("agx-orin", workload::Precision::kFp32), 1.0 / 2, 0.01);
  EXPECT_NEAR(filling_share("agx-xavier", workload::Precision::kFp16), 1, 0.01);
  EXPECT_NEAR(filling_share("agx-xavier", workload::Precision::kFp32), 1.0 / 8, 0.01);
}

// Every peak rate of Thor is above the AGX Orin's, so its twin must be faster.
TEST(Twin, ThorIsFasterThanAgxOrinAtMaxn) {
  for (const auto& [model, training] :
       {std::pair("zoo:resnet50", false), std::pair("zoo:resnet18", true)}) {
    const auto kind = training ? WorkloadKind::kTraining : WorkloadKind::kInference;
    const workload::WorkloadCost cost = *workload::DeployedWorkload(model, {.kind = kind}).at(16);
    const auto time_s = [&](const char* name) {
      const Board board = load_board(name);
      return Estimator(load_twin(board), cost)(knob_space(board).top()).period_s;
    };
    EXPECT_LT(time_s("thor"), time_s("agx-orin")) << model;
  }
}

// The rate of a convolution scales with the unit that computes FP32: TF32 is 4 times as fast as
// FP32 on GA10B and 16 times on Thor, and Volta has no TF32.
TEST(Twin, ScalingFollowsThePipeOfConvolutions) {
  const Board orin = load_board("agx-orin");
  const Twin twin = load_twin(orin);
  const auto rate = [&](const char* name) {
    return carry_twin(twin, orin, load_board(name))[TwinParam::kConvRate];
  };
  EXPECT_NEAR(rate("orin-nano") / rate("agx-orin"), 1, 1e-9);
  EXPECT_NEAR(rate("thor") / rate("agx-orin"), 4, 1e-9);
  EXPECT_NEAR(rate("xavier-nx") / rate("agx-orin"), 0.25, 1e-9);
  // The FP32 units of a card have half the rate of TF32, but Winograd saves a factor of 2.25 of the
  // products.
  const Board a40 = load_board("a40");
  const Twin card = load_twin(a40);
  const double v100 = carry_twin(card, a40, load_board("v100-pcie"))[TwinParam::kConvRate];
  EXPECT_NEAR(v100 / card[TwinParam::kConvRate], 0.5 * 2.25, 1e-9);
}

TEST(Twin, ABoardWithoutTheRateIsNotScaled) {
  std::string text = load_board("thor").toml;
  for (const std::string key : {"bf16_flop_per_sm_cycle", "tf32_flop_per_sm_cycle"}) {
    const auto at = text.find(key);
    text.erase(at, text.find('\n', at) - at);
  }
  try {
    load_twin(parse_board(text, "own.toml"));
    ADD_FAILURE() << "TF32 is not stated";
  } catch (const NotSupportedError& error) {
    EXPECT_NE(std::string(error.what()).find("tf32"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("own.toml"), std::string::npos) << error.what();
  }
}

// The fit errors of the AGX Orin do not apply to another board.
TEST(Twin, AScaledTwinHasNoFitError) {
  const Twin scaled = load_twin(load_board("agx-orin-32gb"));
  EXPECT_EQ(scaled.status, "scaled, not validated");
  EXPECT_FALSE(scaled.fit.time_mape || scaled.fit.unseen_time_mape || scaled.fit.power_mape);
  EXPECT_GT(load_twin(load_board("agx-orin")).fit.unseen_time_mape.value(), 0.01);
}

TEST(JobCost, IsWholeMinibatches) {
  const JobCost job = job_cost(0.5, 5, 16, 100);  // 7 minibatches
  EXPECT_DOUBLE_EQ(job.time_s, 3.5);
  EXPECT_DOUBLE_EQ(job.energy_j, 35);
}

TEST(Twin, MissingOrImpossibleNumbersAreNamed) {
  const Board board = load_board("agx-orin");
  TwinTable table = twin_table(prior_twin(board));
  table.numbers.erase("launch_cycles.value");
  EXPECT_THROW(load_twin(parse_board(board_toml_with_twin(board, table), "x")), InputError);
  table.numbers["launch_cycles.value"] = -1;
  EXPECT_THROW(load_twin(parse_board(board_toml_with_twin(board, table), "x")), InputError);
}

// Each lower limit lowers the clock and lengthens the step, and the power while kernels run equals
// the limit, down to the lowest clock. A limit above the power changes nothing.
TEST(PowerLimit, LowersTheClockUntilItHolds) {
  for (const char* name : {"a40", "v100-pcie", "p100-pcie", "h100-sxm"}) {
    const Board board = load_board(name);
    const Twin twin = load_twin(board);
    const Estimator estimator(
        twin, *workload::DeployedWorkload("zoo:resnet50", {.kind = WorkloadKind::kTraining}).at(32),
        {.loader_s_per_sample = 0});
    double last_s = std::numeric_limits<double>::infinity(), last_hz = 0;
    for (const auto& preset : presets(board)) {
      const Breakdown at = estimator.breakdown(preset.mode);
      const double limit_w = *power_limit_w(preset.mode);
      const double working_w =
          at.always_w + (at.total.power_w - at.always_w) / std::min(1.0, at.gpu_load);
      EXPECT_LE(at.total.period_s, last_s * (1 + 1e-9)) << name << preset.name;
      EXPECT_GE(at.clocks.gpu_clock_hz, last_hz * (1 - 1e-9)) << name << preset.name;
      const double least_hz = least_limited_hz(twin.levels[Knob::kGpuClock]);
      EXPECT_GE(at.clocks.gpu_clock_hz, least_hz) << name << preset.name;
      const bool lowest = at.clocks.gpu_clock_hz <= least_hz;
      const bool highest = at.clocks.gpu_clock_hz >= twin.gpu_clock_hz;
      if (!lowest) {
        EXPECT_LE(working_w, limit_w * (1 + 1e-6)) << name << preset.name;
      }
      if (!lowest && !highest) {
        EXPECT_NEAR(working_w, limit_w, 1e-6 * limit_w) << name << preset.name;
      }
      last_s = at.total.period_s, last_hz = at.clocks.gpu_clock_hz;
    }
    // At fixed clocks, the GPU's own limit applies as well.
    EXPECT_LE(estimator(PowerMode{}).power_w, twin.power_limit_w) << name;
    PowerMode governed;
    governed.governor = "schedutil";
    EXPECT_THROW(estimator(governed), NotSupportedError);
  }
  const Estimator orin(load_twin(load_board("agx-orin")),
                       *workload::DeployedWorkload("zoo:resnet50").at(1));
  PowerMode limited;
  set_power_limit(limited, 15);
  EXPECT_THROW(orin(limited), NotSupportedError);
}

TEST(Twin, OtherBoardsAreScaledAndSaySo) {
  for (const auto& name : list_boards()) {
    const Twin twin = load_twin(load_board(name));
    if (name == "agx-orin") continue;
    const char* fitted = twin.discrete ? "fitted" : "fitted to published figures";
    EXPECT_EQ(twin.status, twin.scaled ? "scaled, not validated" : fitted) << name;
    EXPECT_EQ(twin.relative, relative_of(load_board(name)).name) << name;
    Random random(1);
    const Estimator estimator(twin, random_cost(random, 30));
    const MinibatchCost at = estimator(PowerMode{});
    EXPECT_TRUE(std::isfinite(at.period_s) && at.period_s > 0) << name;
    EXPECT_TRUE(std::isfinite(at.power_w) && at.power_w > 0) << name;
  }
}

}  // namespace
}  // namespace ridgewatt::twin
