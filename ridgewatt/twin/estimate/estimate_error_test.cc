#include "ridgewatt/twin/estimate_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/calibrate.h"
#include "ridgewatt/twin/estimate/moved_twins.h"
#include "ridgewatt/twin/hardware.h"
#include "ridgewatt/twin/published_runs.h"
#include "ridgewatt/twin/twin_roofline.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::twin {
namespace {

// One large kernel of a class. All of its time is computation at the rate of the class.
workload::WorkloadCost one_kernel(workload::OpClass op_class, double work_flop = 1e12,
                                  int batch = 1) {
  workload::WorkloadCost cost;
  cost.name = "one";
  cost.batch = batch;
  workload::KernelCost kernel;
  kernel.name = "k";
  kernel.op_class = op_class;
  kernel.work_flop = work_flop;
  kernel.read_bytes = 1e3;
  kernel.output_elements = 1e9;
  cost.kernels.push_back(kernel);
  return cost;
}

EstimateError error_of(const Twin& twin, const workload::WorkloadCost& cost,
                       const PowerMode& mode = {}) {
  return ErrorModel(twin, std::make_shared<const workload::WorkloadCost>(cost),
                    RunOptions{4, 0.0})(mode);
}

// A twin with exact parameters. Its remaining error has the scales of `errors`.
Twin exact_twin() {
  Twin twin = load_twin(load_board("agx-orin"));
  twin.log_sd.fill(0);
  twin.power_limit_w = std::numeric_limits<double>::infinity();
  twin.correlations.clear();
  twin.home = {};
  twin.home.add("conv", features_of(one_kernel(workload::OpClass::kConv)));
  return twin;
}

// The variance that ErrorModel must find, computed from its definition: one estimator per moved
// parameter.
double time_variance(const Twin& twin, const std::shared_ptr<const workload::WorkloadCost>& cost,
                     const RunOptions& options, const PowerMode& mode) {
  constexpr double kStep = 0.02;
  std::array<double, kTwinParamCount> slopes{};
  const double middle = std::log(Estimator(twin, cost, options)(mode).period_s);
  for (std::size_t i = 0; i < kTwinParamCount; ++i) {
    Twin moved = twin;
    moved.values[i] *= std::exp(kStep);
    slopes[i] = (std::log(Estimator(moved, cost, options)(mode).period_s) - middle) / kStep;
  }
  return twin.parameter_variance(slopes);
}

// A moved twin reuses the states of GPU and CPU that do not depend on the moved parameter.
TEST(MovedTwins, AreTheTwinsThatWereMoved) {
  const Twin twin = load_twin(load_board("agx-orin"));
  // Knobs are rounded to octaves. These knobs are octaves, so rounding does not change them.
  PowerMode top, few_cores, slow, slow_memory;
  few_cores.cpu_cores = twin.cpu_cores / 4;
  slow.gpu_clock_hz = twin.gpu_clock_hz / 4;
  slow_memory.mem_clock_hz = twin.mem_clock_hz / 2;
  for (const char* model : {"zoo:mobilenet_v3_large", "zoo:bert_base"}) {
    for (const WorkloadKind kind : {WorkloadKind::kInference, WorkloadKind::kTraining}) {
      for (const Runtime runtime : {Runtime::kPytorchEager, Runtime::kTensorRt}) {
        if (kind == WorkloadKind::kTraining && runtime != Runtime::kPytorchEager) continue;
        const auto cost =
            workload::DeployedWorkload(model, {.kind = kind, .runtime = runtime}).at(4);
        for (const int workers : {0, 4}) {
          const RunOptions options{.loader_workers = workers, .loader_s_per_sample = 0.001};
          const ErrorModel errors(twin, cost, options);
          for (const PowerMode& mode : {top, few_cores, slow, slow_memory}) {
            EXPECT_EQ(errors.parameter_variance(mode)[kTime],
                      time_variance(twin, cost, options, mode))
                << model << ' ' << name_of(kind) << ' ' << name_of(runtime) << ' '
                << describe(mode);
          }
        }
      }
    }
  }
}

// Also in modes that switch SMs off, with a governor and at the power limit of a module or card.
TEST(MovedTwins, CostWhatTheirOwnEstimatorsSay) {
  const auto cost = workload::DeployedWorkload("zoo:mobilenet_v3_large").at(64);
  for (const char* name : {"agx-orin", "orin-nano-4gb", "rtx-3090"}) {
    const Board board = load_board(name);
    Twin twin = load_twin(board);
    const double mean_w = Estimator(twin, cost)({}).power_w;
    if (!twin.discrete) twin.power_limit_w = mean_w;  // some parameters exceed it
    std::vector<Twin> twins;
    for (std::size_t i = 0; i < kTwinParamCount; ++i) {
      twins.push_back(twin);
      twins.back().values[i] *= 1.01;
    }
    std::vector<PowerMode> modes{{}};
    for (const auto& preset : presets(board)) modes.push_back(preset.mode);
    if (!twin.discrete) modes.emplace_back().governor = "schedutil";
    const Estimator middle(twin, cost);
    MovedTwins costs_of(middle, twins);
    for (const PowerMode& mode : modes) {
      const std::vector<MinibatchCost> costs = costs_of(mode);
      ASSERT_EQ(costs.size(), twins.size());
      for (std::size_t i = 0; i < twins.size(); ++i) {
        const MinibatchCost own = Estimator(twins[i], cost)(mode);
        EXPECT_EQ(costs[i].period_s, own.period_s) << name << ' ' << i << ' ' << describe(mode);
        EXPECT_EQ(costs[i].median_s, own.median_s) << name << ' ' << i << ' ' << describe(mode);
        EXPECT_EQ(costs[i].power_w, own.power_w) << name << ' ' << i << ' ' << describe(mode);
      }
    }
  }
}

TEST(TwinHome, DistanceIsZeroAtHomeAndCountsWhatIsForeign) {
  TwinHome home;
  home.add("a", features_of(one_kernel(workload::OpClass::kConv, 1e9)));
  home.add("b", features_of(one_kernel(workload::OpClass::kConv, 1e11)));
  const auto between = home.distance(features_of(one_kernel(workload::OpClass::kConv, 1e10)));
  EXPECT_DOUBLE_EQ(between.mix, 0);
  EXPECT_DOUBLE_EQ(between.kind, 0);
  EXPECT_DOUBLE_EQ(between.range, 0);
  // Ten times the work of a sample on the same bytes: one decade more work and one decade more
  // intensity.
  EXPECT_NEAR(home.distance(features_of(one_kernel(workload::OpClass::kConv, 1e12))).range,
              std::sqrt(2.0), 1e-9);
  // The workloads have no class in common.
  workload::WorkloadCost product = one_kernel(workload::OpClass::kGemm, 1e10);
  EXPECT_DOUBLE_EQ(home.distance(features_of(product)).mix, 1);
  // Half of the work is of a known class: sqrt(1 - sqrt(1/2)).
  product.kernels.push_back(one_kernel(workload::OpClass::kConv, 1e10).kernels[0]);
  EXPECT_NEAR(home.distance(features_of(product)).mix, std::sqrt(1 - std::sqrt(0.5)), 1e-12);
  product.kind = WorkloadKind::kTraining;
  EXPECT_DOUBLE_EQ(home.distance(features_of(product)).kind, 1);
}

TEST(TwinHome, SaysWhatIsForeign) {
  TwinHome home;
  home.add("conv inference", features_of(one_kernel(workload::OpClass::kConv)));
  EXPECT_THAT(home.reasons(features_of(one_kernel(workload::OpClass::kConv))),
              ::testing::IsEmpty());
  workload::WorkloadCost product = one_kernel(workload::OpClass::kGemm, 1e14);
  product.kind = WorkloadKind::kTraining;
  EXPECT_THAT(home.reasons(features_of(product)),
              ::testing::ElementsAre(
                  "kind: no training was fitted",
                  "class mix: product 100 % of the work, but at most 0 % in fitted workloads",
                  "FLOP per byte: 1e+11, but at most 1e+09 in fitted workloads",
                  "FLOP per sample: 1e+14, but at most 1e+12 in fitted workloads"));
}

// Values from tables of quantiles: t with 4 degrees of freedom at 95 % is 2.1318, the normal
// quantile is 1.6449.
TEST(LogError, IntervalsHaveStudentsTails) {
  EXPECT_NEAR((LogError{0.1, 4}.factor(0.9)), std::exp(0.21318), 1e-4);
  EXPECT_NEAR((LogError{0.1, 0}.factor(0.9)), std::exp(0.16449), 1e-4);
  EXPECT_DOUBLE_EQ((LogError{0.1, 4}.factor(0)), 1);
}

// Independent errors of 0.3 and 0.4 add up to 0.5 above the estimate, of 0.3 and 0 to 0.3 below.
TEST(LogError, MayDifferAboveAndBelow) {
  LogError error{0.3};
  error.add(0.4, 0);
  EXPECT_NEAR(error.hi(2, 0.9), 2 * std::exp(0.5 * 1.64485), 1e-4);
  EXPECT_NEAR(error.lo(2, 0.9), 2 / std::exp(0.3 * 1.64485), 1e-4);
}

TEST(LogError, NothingLiesOutsideOfWhatIsPossible) {
  const LogError error{0.5, 0, 8, 25};
  EXPECT_DOUBLE_EQ(error.lo(10, 0.9), 8);
  EXPECT_NEAR(error.hi(10, 0.9), 10 * std::exp(0.5 * 1.64485), 1e-4);
  EXPECT_DOUBLE_EQ(error.hi(20, 0.9), 25);
  EXPECT_DOUBLE_EQ(error.middle(31), 25);
  EXPECT_DOUBLE_EQ(error.middle(5), 8);
}

// 2 s at 10 W; the time is at least 1 s, and the power is between 8 and 15 W.
TEST(LogError, EnergyLiesBetweenTheProductsOfTheEnds) {
  MinibatchCost cost;
  cost.period_s = 2;
  cost.power_w = 10;
  EstimateError error;
  error[kTime] = {0.6, 0, 1};
  error[kPower] = {0.6, 0, 8, 15};
  error[kEnergy] = {2, 0};
  const auto [time, power, energy] = bounded(cost, error, 0.9);
  EXPECT_DOUBLE_EQ(time.lo, 1);
  EXPECT_DOUBLE_EQ(power.lo, 8);
  EXPECT_DOUBLE_EQ(power.hi, 15);
  EXPECT_DOUBLE_EQ(energy.value, 20);
  EXPECT_DOUBLE_EQ(energy.lo, 8);
  EXPECT_DOUBLE_EQ(energy.hi, 15 * time.hi);
}

// On every board, in its presets and at the lowest clocks: power is between idle power and the
// module's limit, and no minibatch is faster than all its work at the peak rates.
TEST(ErrorModel, IntervalsEndWherePhysicsEnds) {
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    const Twin twin = load_twin(board);
    const KnobSpace space = knob_space(board);
    std::vector<PowerMode> modes = {space.top(), space[0]};
    for (const auto& preset : presets(board)) modes.push_back(preset.mode);
    for (const char* workload : {"zoo:lenet5", "zoo:bert_tiny", "zoo:vgg16"}) {
      const auto cost = workload::DeployedWorkload(workload).at(8);
      const ErrorModel errors(twin, cost, RunOptions{});
      const Estimator estimator(twin, cost);
      double work_flop = 0;
      for (const auto& kernel : cost->kernels) work_flop += kernel.work_flop;
      for (const auto& mode : modes) {
        const Breakdown at = estimator.breakdown(mode);
        const auto [time, power, energy] = bounded(at.total, errors(at), 0.9);
        const bool carried_card = twin.discrete && twin.scaled;
        const double idle_w = idle_power_w(twin, at.clocks) * (carried_card ? 0.5 : 1);
        EXPECT_GE(power.lo, std::min(idle_w, twin.power_limit_w) * (1 - 1e-9)) << name << workload;
        EXPECT_LE(power.hi, twin.power_limit_w) << name << workload;
        const double limit_w = power_limit_w(mode).value_or(twin.power_limit_w);
        EXPECT_LE(power.hi, std::max(limit_w, 1.27 * twin.least_limit_w)) << name << workload;
        EXPECT_LE(power.lo, power.value);
        EXPECT_LE(power.value, power.hi);
        const double peak = std::max(
            peak_flops(board, mode, Arithmetic::kFp32) * kWinograd,
            supports(board, Arithmetic::kTf32) ? peak_flops(board, mode, Arithmetic::kTf32) : 0);
        EXPECT_GE(time.lo, work_flop / peak) << name << workload;
        PowerMode unlimited = mode;
        unlimited.governor.clear();
        EXPECT_GE(time.lo, estimator.breakdown(unlimited).least_s) << name << workload;
        EXPECT_GE(energy.lo, time.lo * power.lo);
        EXPECT_LE(energy.hi, time.hi * power.hi);
      }
    }
  }
}

struct LimitCase {
  const char* model;
  workload::DeployOptions options;
  int batch;
};

class UnderPowerLimits : public ::testing::TestWithParam<LimitCase> {};

// On every card: a lower power limit never makes a minibatch faster, at either end of the interval,
// and never lets the card draw more.
TEST_P(UnderPowerLimits, AStricterLimitIsNeverFasterNorAllowsMorePower) {
  const auto& [model, options, batch] = GetParam();
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    if (!board.discrete_gpu) continue;
    const Twin twin = load_twin(board);
    const auto cost = workload::DeployedWorkload(model, options).at(batch);
    const ErrorModel errors(twin, cost, RunOptions{});
    const Estimator estimator(twin, cost);
    const auto at = [&](const PowerMode& mode) {
      const Breakdown found = estimator.breakdown(mode);
      return bounded(found.total, errors(found), 0.9);
    };
    auto wider = at({});
    std::vector<double> limits_w = board.find_bsp().power_limits_w;
    for (double w = limits_w.back(); w > limits_w.front(); w -= 7) limits_w.push_back(w);
    std::sort(limits_w.rbegin(), limits_w.rend());
    for (const double limit_w : limits_w) {
      PowerMode mode;
      set_power_limit(mode, limit_w);
      const auto found = at(mode);
      const auto text = name + " " + mode.governor;
      constexpr double kRounding = 1e-6;
      EXPECT_GE(found[kTime].value, wider[kTime].value * (1 - kRounding)) << text;
      EXPECT_GE(found[kTime].lo, wider[kTime].lo * (1 - kRounding)) << text;
      EXPECT_GE(found[kTime].hi, wider[kTime].hi * (1 - kRounding)) << text;
      EXPECT_LE(found[kPower].value, wider[kPower].value * (1 + kRounding)) << text;
      EXPECT_LE(found[kPower].lo, wider[kPower].lo * (1 + kRounding)) << text;
      EXPECT_LE(found[kPower].hi, wider[kPower].hi * (1 + kRounding)) << text;
      EXPECT_LE(found[kPower].hi, std::max(limit_w, 1.27 * twin.least_limit_w)) << text;
      wider = found;
    }
    // No limit makes a minibatch slower than the lowest clock does, apart from the error there.
    PowerMode lowest;
    lowest.gpu_clock_hz = least_limited_hz(twin.levels[Knob::kGpuClock]);
    const Bounded low = at(lowest)[kTime], top = at({})[kTime];
    const double error = std::max(low.hi / low.value, top.hi / top.value);
    EXPECT_LE(wider[kTime].hi, low.value * error * (1 + 1e-6)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Workloads, UnderPowerLimits,
    ::testing::Values(LimitCase{"zoo:resnet50", {}, 32}, LimitCase{"zoo:lenet5", {}, 1},
                      LimitCase{"zoo:resnet50", {.kind = WorkloadKind::kTraining}, 128},
                      LimitCase{"zoo:bert_base", {.runtime = Runtime::kTensorRt}, 8}));

// A minibatch of 13,000 empty launches: however wide the interval is, it does not reach below the
// launches at the lower end of the known time of a launch.
TEST(ErrorModel, NoMinibatchIsFasterThanItsLaunches) {
  workload::WorkloadCost cost = one_kernel(workload::OpClass::kElementwise, 1);
  cost.kernels.front().launches = 13000;
  Twin twin = load_twin(load_board("agx-orin"));
  for (auto& scale : twin.errors.scales) scale.mix = 3;  // an interval of more than a factor of 100
  const ErrorModel errors(twin, std::make_shared<const workload::WorkloadCost>(cost), {4, 0.0});
  const Breakdown at = Estimator(twin, cost, {4, 0.0}).breakdown({});
  const Bounded time = bounded(at.total, errors(at), 0.9)[kTime];
  EXPECT_GT(time.lo, 0.3 * at.total.period_s);
  EXPECT_LT(time.lo, at.total.period_s);
  EXPECT_GT(time.hi, 10 * at.total.period_s);
}

// A module that would exceed its power limit lowers its GPU clock.
TEST(ErrorModel, WhatTheLimitForbidsIsSaid) {
  Twin twin = load_twin(load_board("agx-orin"));
  twin.power_limit_w = std::numeric_limits<double>::infinity();
  const auto cost = workload::DeployedWorkload("zoo:vgg16").at(16);
  const Estimator unlimited(twin, cost);
  const Breakdown free = unlimited.breakdown({});
  EXPECT_TRUE(ErrorModel(twin, cost, {}).widened_at(free).empty());
  const double before = ErrorModel(twin, cost, {})(free)[kTime].sd;
  for (const double limit_w : {0.7 * free.total.power_w, 0.9 * free.always_w + 1}) {
    twin.power_limit_w = limit_w;
    const Estimator estimator(twin, cost);
    const ErrorModel errors(twin, cost, {});
    const Breakdown held = estimator.breakdown({});
    const auto [time, power, energy] = bounded(held.total, errors(held), 0.9);
    EXPECT_DOUBLE_EQ(held.free_w, free.total.power_w);
    EXPECT_NEAR(power.value, limit_w, 1e-6 * limit_w);
    EXPECT_LE(power.hi, limit_w);
    EXPECT_GT(held.total.period_s, free.total.period_s);
    EXPECT_GT(errors(held)[kTime].sd, before);
    EXPECT_LE(time.lo, free.total.period_s);
    // No clock within the limit is faster.
    PowerMode lower;
    for (lower.gpu_clock_hz = twin.gpu_clock_hz; lower.gpu_clock_hz > 300e6;
         lower.gpu_clock_hz *= 0.99) {
      const MinibatchCost at = unlimited(lower);
      if (at.power_w <= limit_w) EXPECT_GE(at.period_s, held.total.period_s * (1 - 1e-9));
    }
    double parts_j = held.static_j, parts_s = 0;
    for (const double part_j : held.energy_j) parts_j += part_j;
    for (const double part_s : held.time_s) parts_s += part_s;
    EXPECT_NEAR(parts_j, held.total.energy_j(), 1e-6 * parts_j);
    EXPECT_NEAR(parts_s, held.total.period_s, 1e-9 * parts_s);
    double layers_s = held.time_s[static_cast<std::size_t>(Cause::kHost)];
    for (const LayerEstimate& layer : estimator.layers({})) layers_s += layer.time_s;
    EXPECT_NEAR(layers_s, held.total.period_s, 1e-3 * layers_s);
    EXPECT_THAT(errors.widened_at(held),
                ::testing::Contains(::testing::HasSubstr("more than the module's limit")));
  }
}

// Sweeps of inference start at 422.4 MHz (../shared/data/README.md). Below that clock, a busy GPU
// still draws the same power, and the interval is wider because no row was measured there.
// The board file of Thor does not state how many SMs its preset 70W leaves on.
TEST(ErrorModel, AnUnknownNumberOfSmsWidensTheInterval) {
  const Board board = load_board("thor");
  const Twin twin = load_twin(board);
  const auto cost = workload::DeployedWorkload("zoo:resnet50").at(1);
  const Estimator estimator(twin, cost);
  const ErrorModel errors(twin, cost, {});
  PowerMode mode = find_preset(board, "70W").mode;
  const auto unknown = errors(mode);
  const std::string reasons =
      fmt::format("{}", fmt::join(errors.widened_at(estimator.breakdown(mode)), "; "));
  EXPECT_THAT(reasons, ::testing::HasSubstr("SMs: the number that this preset leaves on"));
  EXPECT_FALSE(twin.sms_known(mode));
  mode.cpu_cores = 11;  // no preset
  EXPECT_TRUE(twin.sms_known(mode));
  const auto all_on = errors(mode);
  EXPECT_GT(unknown[kTime].factor(0.9), 1.3 * all_on[kTime].factor(0.9));
  EXPECT_NEAR(unknown[kTime].factor_below(0.9), all_on[kTime].factor_below(0.9), 0.05);
}

TEST(ErrorModel, BelowTheClocksThatWereSeenABusyGpuStillDrawsPower) {
  const Twin twin = load_twin(load_board("agx-orin"));
  ASSERT_DOUBLE_EQ(twin.home.least_cpu_hz(WorkloadKind::kInference), 422.4e6);
  workload::DeployOptions engine;
  engine.runtime = Runtime::kTensorRt;
  engine.precision = workload::Precision::kFp16;
  const auto cost = workload::DeployedWorkload("zoo:resnet50", engine).at(32);
  const Estimator estimator(twin, cost);
  const ErrorModel errors(twin, cost, {});
  PowerMode seen = knob_space(load_board("agx-orin")).top(), unseen = seen;
  seen.cpu_clock_hz = 422.4e6;
  unseen.cpu_clock_hz = 115.2e6;
  const Breakdown at = estimator.breakdown(unseen), home = estimator.breakdown(seen);
  ASSERT_GT(at.gpu_load, 0.9);
  EXPECT_GT((at.total.power_w - at.always_w) / (home.total.power_w - home.always_w),
            0.9 * at.gpu_load / home.gpu_load);
  EXPECT_TRUE(errors.widened_at(home).empty());
  EXPECT_THAT(
      errors.widened_at(at),
      ::testing::ElementsAre("CPU clock: 115.2 MHz, but at least 422.4 in the fitted sweeps"));
  EXPECT_GT(errors(at)[kPower].sd, errors(home)[kPower].sd);
  EXPECT_EQ(at.counted_share, 1);
}

// The power of eager inference includes waits for data, which are longer with few cores. Below the
// fitted number of cores, the interval includes the power of a GPU that never waits.
TEST(ErrorModel, WithFewerCoresThanWereSeenWaitsAreUnknown) {
  const Twin twin = load_twin(load_board("agx-orin"));
  const auto cost = workload::DeployedWorkload("zoo:resnet50").at(32);
  const ErrorModel errors(twin, cost, {});
  PowerMode one_core = knob_space(load_board("agx-orin")).top();
  one_core.cpu_clock_hz = 422.4e6;
  one_core.cpu_cores = 1;
  const Breakdown at = Estimator(twin, cost).breakdown(one_core);
  ASSERT_LT(at.counted_share, 1);
  EXPECT_THAT(errors.widened_at(at),
              ::testing::ElementsAre("CPU cores: 1, but at least 4 in the fitted sweeps"));
  const double unwaited_w = at.always_w + (at.total.power_w - at.always_w) / at.counted_share;
  EXPECT_GE(bounded(at.total, errors(at), 0.9)[kPower].hi, unwaited_w);
}

TEST(ErrorModel, WithExactParametersTheModelsOwnErrorIsLeft) {
  Twin twin = exact_twin();
  const ErrorScale& scale = twin.errors.scales[kTime];
  const auto home = error_of(twin, one_kernel(workload::OpClass::kConv));
  EXPECT_NEAR(home[kTime].sd, scale.home, 1e-12);
  EXPECT_DOUBLE_EQ(home[kTime].degrees, twin.errors.degrees);
  const auto foreign = error_of(twin, one_kernel(workload::OpClass::kGemm));
  EXPECT_NEAR(foreign[kTime].sd, std::hypot(scale.home, scale.mix), 1e-12);
}

// Time is inversely proportional to the rate of the kernel's class, so both have the same
// deviation.
TEST(ErrorModel, AParameterThatIsHardlyKnownWidensWhatNeedsIt) {
  Twin twin = exact_twin();
  twin.log_sd[static_cast<std::size_t>(TwinParam::kGemmRate)] = 0.5;
  for (auto& scale : twin.errors.scales) scale.home = scale.mix = 1e-9;
  EXPECT_NEAR(error_of(twin, one_kernel(workload::OpClass::kGemm))[kTime].sd, 0.5, 0.01);
  EXPECT_LT(error_of(twin, one_kernel(workload::OpClass::kConv))[kTime].sd, 1e-6);
  const ErrorModel model(
      twin, std::make_shared<const workload::WorkloadCost>(one_kernel(workload::OpClass::kGemm)),
      RunOptions{4, 0.0});
  EXPECT_THAT(model.widened_by(),
              ::testing::Contains("parameter gemm_rate: known within a factor of 2.3"));
}

// Deviations that cancel in a product must not add up.
TEST(Twin, CorrelatedDeviationsCancel) {
  Twin twin = exact_twin();
  const auto rate = static_cast<std::size_t>(TwinParam::kConvRate);
  const auto fill = static_cast<std::size_t>(TwinParam::kFillElements);
  twin.log_sd[rate] = twin.log_sd[fill] = 0.3;
  std::array<double, kTwinParamCount> slopes{};
  slopes[rate] = slopes[fill] = 1;
  EXPECT_NEAR(twin.parameter_variance(slopes), 2 * 0.09, 1e-12);
  twin.correlations.assign(kTwinParamCount * kTwinParamCount, 0);
  for (std::size_t i = 0; i < kTwinParamCount; ++i) {
    twin.correlations[i * kTwinParamCount + i] = 1;
  }
  for (const auto at : {rate * kTwinParamCount + fill, fill * kTwinParamCount + rate}) {
    twin.correlations[at] = -1;
  }
  EXPECT_NEAR(twin.parameter_variance(slopes), 0, 1e-12);
}

TEST(ErrorModel, OtherBoardsAndPrecisionsAreLessSure) {
  const workload::DeployedWorkload eager("zoo:resnet50");
  const workload::WorkloadCost fp32 = *eager.at(16);
  const workload::WorkloadCost fp16 = *eager.with({.precision = workload::Precision::kFp16}).at(16);
  const Twin home = load_twin(load_board("agx-orin"));
  const auto known = error_of(home, fp32);
  EXPECT_GT(error_of(home, fp16)[kTime].sd, known[kTime].sd);
  for (const auto& name : list_boards()) {
    const Twin twin = load_twin(load_board(name));
    if (name == "agx-orin" || (twin.discrete && !twin.scaled)) continue;
    const auto scaled = error_of(twin, fp32);
    for (std::size_t q = 0; q < kQuantities.size(); ++q) {
      EXPECT_GT(scaled[q].factor(0.9), known[q].factor(0.9)) << name << " " << kQuantities[q];
    }
  }
}

TEST(Twin, HomeErrorsAndCorrelationsSurviveTheBoardFile) {
  const Board board = load_board("agx-orin");
  const Twin twin = load_twin(board);
  ASSERT_FALSE(twin.home.workloads.empty());
  ASSERT_FALSE(twin.correlations.empty());
  const Twin read = load_twin(parse_board(board_toml_with_twin(board, twin_table(twin)), "copy"));
  ASSERT_EQ(read.home.workloads.size(), twin.home.workloads.size());
  EXPECT_EQ(read.home.cpu_hz, twin.home.cpu_hz);
  EXPECT_EQ(read.home.workloads[0].name, twin.home.workloads[0].name);
  EXPECT_EQ(read.errors.degrees, twin.errors.degrees);
  const auto cost = one_kernel(workload::OpClass::kGemm);
  for (std::size_t q = 0; q < kQuantities.size(); ++q) {
    EXPECT_NEAR(error_of(read, cost)[q].sd, error_of(twin, cost)[q].sd, 1e-3);
  }
  TwinTable table = twin_table(twin);
  table.texts["conv_backward_ratio.correlation"] = "1.5";
  EXPECT_THROW(load_twin(parse_board(board_toml_with_twin(board, table), "x")), InputError);
  table.texts["conv_backward_ratio.correlation"] = "0.1 0.2";
  EXPECT_THROW(load_twin(parse_board(board_toml_with_twin(board, table), "x")), InputError);
}

// A file of an older version, or one written by hand, does not say what its twin was fitted to.
TEST(Twin, WithoutItsHomeATwinIsFarFromEverything) {
  const Board board = load_board("agx-orin");
  TwinTable table = twin_table(load_twin(board));
  std::erase_if(table.texts, [](const auto& entry) { return entry.first.starts_with("home."); });
  std::erase_if(table.numbers, [](const auto& entry) { return entry.first.starts_with("home."); });
  const Twin lost = load_twin(parse_board(board_toml_with_twin(board, table), "x"));
  const workload::WorkloadCost cost = *workload::DeployedWorkload("zoo:resnet50").at(1);
  EXPECT_GT(error_of(lost, cost)[kTime].sd, error_of(load_twin(board), cost)[kTime].sd);
}

// Papers publish values of workloads and boards that no sweep covers. The shipped intervals contain
// them, except for ResNet-18 in the older study of the AGX Xavier: see docs/results/twin.md.
TEST(Published, ShippedIntervalsHoldThem) {
  int held = 0, judged = 0;
  for (const auto& row :
       coverage_as_it_is(load_twin(load_board("agx-orin")), published_calibration_runs())) {
    for (const auto& quantity : row.held) {
      if (std::isnan(quantity.share)) continue;
      ++judged;
      held += quantity.share > 0.5 ? 1 : 0;
    }
    if (row.name == "agx-xavier: ResNet-18 training") {
      EXPECT_EQ(row.held[kTime].share, 1);
      EXPECT_EQ(row.held[kPower].share, 1);
    }
    if (row.name == "agx-orin: BERT training") {
      EXPECT_EQ(row.held[kTime].share, 1);
      EXPECT_EQ(row.held[kPower].share, 1);
    }
  }
  EXPECT_GE(held, 0.8 * judged) << held << " of " << judged;
}

}  // namespace
}  // namespace ridgewatt::twin
