#include "ridgewatt/twin/cpu_twin.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::twin {
namespace {

using C = CpuParam;

constexpr char kBoard[] =
    "name = \"here\"\ntitle = \"A processor\"\nsoc = \"processor\"\ndefault_bsp = \"linux\"\n"
    "[cpu]\ntype = \"A processor\"\ncores = 2\n[memory]\nsize_gib = 8\n"
    "[[bsp]]\nname = \"linux\"\ntitle = \"Linux\"\ndefault_preset = 0\n"
    "presets = [{ id = 0, name = \"ALL\", cpu_cores = 2 }]\n"
    "[provenance]\n\"cpu\" = \"seen: here\"\n\"memory\" = \"seen: here\"\n\"bsp\" = \"seen: "
    "here\"\n";

CpuTwin example_twin() {
  return prior_cpu_twin({{100e9, 20e9, 80e9}, {200e9, 25e9, 160e9}});
}

Board board_with(const CpuTwin& twin) {
  return parse_board(board_toml_with_twin(parse_board(kBoard, "here.toml"), cpu_twin_table(twin)),
                     "here.toml");
}

std::shared_ptr<const workload::DeployedWorkload> deployed(const std::string& model,
                                                           Runtime runtime) {
  workload::DeployOptions options;
  options.runtime = runtime;
  return std::make_shared<const workload::DeployedWorkload>(model, options);
}

workload::WorkloadCost one_kernel(const workload::KernelCost& kernel) {
  workload::WorkloadCost cost;
  cost.name = "one kernel";
  cost.runtime = Runtime::kOnnxRuntimeCpu;
  cost.kernels = {kernel};
  return cost;
}

// A convolution of 64 to 64 channels, 3x3, 56x56: its sums are long, and its channels fill groups
// of four blocks.
workload::KernelCost whole_convolution() {
  workload::KernelCost kernel;
  kernel.name = kernel.op = "Conv";
  kernel.op_class = workload::OpClass::kConv;
  kernel.blocks = true;
  kernel.macs = 64.0 * 56 * 56 * 576;
  kernel.work_flop = 2 * kernel.macs;
  kernel.output_elements = 64.0 * 56 * 56;
  kernel.output_channels = 64;
  kernel.reduction_length = 576;
  kernel.window = 9;
  kernel.row_length = 56;
  kernel.weight_bytes = 64 * 576 * 4;
  kernel.read_bytes = kernel.weight_bytes + kernel.output_elements * 4;
  kernel.write_bytes = kernel.output_elements * 4;
  return kernel;
}

TEST(CpuTwin, AConvolutionIsItsFlopsItsWeightsAndItsActivations) {
  const CpuTwin twin = example_twin();
  const auto kernel = whole_convolution();
  const CpuKernelTime time = cpu_kernel_times(twin, one_kernel(kernel), 1).front();
  EXPECT_NEAR(time.compute_s, 2 * kernel.macs / (twin[C::kConvolution] * 100e9), 1e-12);
  // The last-level cache holds the weights: the mean rate of cache and memory, 40 GB/s. The
  // bandwidth of the activations is between that of the cache (1 MB) and that of the memory
  // (16 MB).
  const double share = std::log(2 * kernel.write_bytes / 1e6) / std::log(16);
  const double bandwidth = std::pow(80e9, 1 - share) * std::pow(20e9, share);
  EXPECT_NEAR(time.memory_s,
              kernel.weight_bytes / (twin[C::kWeights] * 40e9) +
                  2 * kernel.write_bytes / (twin[C::kBlocks] * bandwidth),
              1e-12);
  EXPECT_EQ(time.node_s, twin[C::kNode]);
}

// 24 channels fill three blocks of 8, but not two blocks of 16, which are less efficient, too.
TEST(CpuTwin, BlocksOfEightChannelsAreFuller) {
  const std::vector<CpuRates> rates = {{100e9, 20e9, 80e9}};
  auto kernel = whole_convolution();
  kernel.output_channels = 24;
  const auto compute_s = [&](double block) {
    const CpuTwin twin = prior_cpu_twin(rates, {.block_channels = block});
    return cpu_kernel_times(twin, one_kernel(kernel), 1).front().compute_s;
  };
  EXPECT_NEAR(compute_s(16) / compute_s(8), 2.1 * 16 / (3.0 * 8), 1e-9);
}

TEST(CpuTwin, ProductsOfEightBitNumbersNeedInstructionsForTheirSums) {
  const CpuTwin with = prior_cpu_twin({{100e9, 20e9, 80e9}}, {.int8_products = true});
  const CpuTwin without =
      prior_cpu_twin({{100e9, 20e9, 80e9}, {200e9, 25e9, 160e9}}, {.int8_products = false});
  EXPECT_GT(with[C::kInteger], 1.5 * without[C::kInteger]);
  EXPECT_EQ(with[C::kProduct], without[C::kProduct]);
  EXPECT_FALSE(read_cpu_twin(board_with(without)).int8_products);
}

// Profiles of single convolutions on a processor with AVX2 (101 GFLOP/s): 64 channels, 80x80, 3x3
// take 2.76 ms; 3 channels, 416x416, 64 filters 7x7 with stride 2 take 9.3 ms, because the window
// is copied.
TEST(CpuTwin, EightBitConvolutionsOfFewChannelsCopyTheirWindow) {
  const CpuTwin twin =
      prior_cpu_twin({{101e9, 14e9, 60e9}}, {.block_channels = 8, .int8_products = false});
  const auto time_s = [&](double channels, double places, double taps) {
    workload::KernelCost kernel = whole_convolution();
    kernel.blocks = false;
    kernel.output_elements = 64 * places;
    kernel.window = taps;
    kernel.reduction_length = channels * taps;
    kernel.macs = kernel.output_elements * kernel.reduction_length;
    kernel.work_flop = 0;
    kernel.work_int_op = 2 * kernel.macs;
    kernel.weight_bytes = kernel.read_bytes = 64 * kernel.reduction_length;
    kernel.write_bytes = kernel.output_elements;
    return cpu_kernel_times(twin, one_kernel(kernel), 1).front().total_s();
  };
  EXPECT_NEAR(time_s(64, 80 * 80, 9) / 2.76e-3, 1, 0.15);
  EXPECT_NEAR(time_s(3, 208 * 208, 49) / 9.3e-3, 1, 0.5);
  EXPECT_GT(time_s(3, 208 * 208, 49) / time_s(4, 208 * 208, 49), 1.2);
}

TEST(CpuTwin, EachRuntimeHasItsOwnError) {
  CpuTwin twin = example_twin();
  workload::WorkloadCost cost = one_kernel(whole_convolution());
  const auto change = [&](Runtime runtime) {
    cost.runtime = runtime;
    CpuTwin wider = twin;
    wider.error_tflite_time = 1;
    return cpu_variance(wider, cost, 1) - cpu_variance(twin, cost, 1);
  };
  twin.error_tflite_time = 0.5;
  EXPECT_NEAR(change(Runtime::kTfliteCpu), 0.75, 1e-9);
  EXPECT_EQ(change(Runtime::kOnnxRuntimeCpu), 0);
  EXPECT_EQ(read_cpu_twin(board_with(twin)).error_tflite_time, 0.5);
}

// Profiles of single depthwise convolutions that do not work on blocks, with AVX2 (101 GFLOP/s):
// 58 channels, 28x28, 3x3 take 160 us, and 1024 channels, 7x7, 3x3 take 471 us.
TEST(CpuTwin, ShortRowsOfDepthwiseConvolutionsAreExpensive) {
  const CpuTwin twin = prior_cpu_twin({{101e9, 14e9, 60e9}}, {.block_channels = 8});
  const auto time_s = [&](double channels, double row) {
    workload::KernelCost kernel;
    kernel.name = kernel.op = "Conv";
    kernel.op_class = workload::OpClass::kDepthwiseConv;
    kernel.groups = channels;
    kernel.output_channels = 1;
    kernel.row_length = row;
    kernel.window = kernel.reduction_length = 9;
    kernel.output_elements = channels * row * row;
    kernel.macs = 9 * kernel.output_elements;
    kernel.work_flop = 2 * kernel.macs;
    kernel.read_bytes = kernel.write_bytes = 4 * kernel.output_elements;
    return cpu_kernel_times(twin, one_kernel(kernel), 1).front().total_s();
  };
  EXPECT_NEAR(time_s(58, 28) / 160e-6, 1, 0.15);
  EXPECT_NEAR(time_s(1024, 7) / 471e-6, 1, 0.15);
}

// Profiles of ONNX Runtime 1.30: a GRU of width 650 takes 0.59 times as long on two threads with
// AVX2, and as long as on one thread with AVX-512.
TEST(CpuTwin, ARecurrentLayerRunsOnAllThreadsWithAvx2) {
  const std::vector<CpuRates> rates = {{100e9, 20e9, 80e9}, {200e9, 25e9, 160e9}};
  workload::KernelCost kernel;
  kernel.name = kernel.op = "GRU";
  kernel.op_class = workload::OpClass::kRecurrent;
  kernel.weight_bytes = kernel.read_bytes = 4.0 * 6 * 650 * 650;
  kernel.macs = 35.0 * 6 * 650 * 650;
  kernel.work_flop = 2 * kernel.macs;
  kernel.launches = 1 + 35;
  const auto speedup = [&](double block) {
    const CpuTwin twin = prior_cpu_twin(rates, {.block_channels = block});
    return cpu_kernel_times(twin, one_kernel(kernel), 1).front().total_s() /
           cpu_kernel_times(twin, one_kernel(kernel), 2).front().total_s();
  };
  EXPECT_GT(speedup(8), 1.3);
  EXPECT_LT(speedup(16), 1);
}

TEST(CpuTwin, WeightsThatTheCacheDoesNotHoldComeFromMemory) {
  CpuTwin twin = example_twin();
  const auto kernel = whole_convolution();
  const double held_s = cpu_kernel_times(twin, one_kernel(kernel), 1).front().memory_s;
  twin.cache_bytes = kernel.weight_bytes / 2;
  const double read_s = cpu_kernel_times(twin, one_kernel(kernel), 1).front().memory_s;
  EXPECT_NEAR(read_s - held_s, kernel.weight_bytes / twin[C::kWeights] * (1 / 20e9 - 1 / 40e9),
              1e-12);
}

TEST(CpuTwin, EachDirectionOfARecurrentLayerReadsItsOwnWeights) {
  const CpuTwin twin = example_twin();
  workload::KernelCost kernel;
  kernel.name = kernel.op = "LSTM";
  kernel.op_class = workload::OpClass::kRecurrent;
  kernel.weight_bytes = 1e6;
  kernel.launches = 1 + 10;
  const double one_s = cpu_kernel_times(twin, one_kernel(kernel), 1).front().memory_s;
  // Two directions: twice the weights and twice the steps.
  kernel.groups = 2;
  kernel.weight_bytes *= 2;
  kernel.launches = 1 + 20;
  EXPECT_NEAR(cpu_kernel_times(twin, one_kernel(kernel), 1).front().memory_s, 2 * one_s, 1e-12);
}

TEST(CpuTwin, EightBitGroupsWaitForTheirUnrolledWindows) {
  const CpuTwin twin = example_twin();
  auto kernel = whole_convolution();
  std::swap(kernel.work_flop, kernel.work_int_op);
  const double whole_s = cpu_kernel_times(twin, one_kernel(kernel), 1).front().compute_s;
  kernel.groups = 16;
  kernel.output_channels = 4;
  kernel.macs /= 16;
  EXPECT_GT(cpu_kernel_times(twin, one_kernel(kernel), 1).front().compute_s, 5 * whole_s);
}

TEST(CpuTwin, TwoThreadsShareALargeKernelAndLeaveASmallOne) {
  const CpuTwin twin = example_twin();
  auto kernel = whole_convolution();
  const double one = cpu_kernel_times(twin, one_kernel(kernel), 1).front().total_s();
  const double two = cpu_kernel_times(twin, one_kernel(kernel), 2).front().total_s();
  EXPECT_LT(two, 0.6 * one);
  EXPECT_EQ(cpu_kernel_times(twin, one_kernel(kernel), 9).front().total_s(), two);  // two cores
  kernel.macs /= 1e5;
  kernel.weight_bytes = kernel.read_bytes = kernel.write_bytes = 64;
  EXPECT_EQ(cpu_kernel_times(twin, one_kernel(kernel), 1).front().total_s(),
            cpu_kernel_times(twin, one_kernel(kernel), 2).front().total_s());
}

TEST(CpuTwin, IsTheSameWhenReadFromItsBoardFile) {
  CpuTwin twin = example_twin();
  twin.values[0] *= 1.2;
  twin.log_sd[0] /= 3;
  twin.block_channels = 8;
  twin.status = "fitted";
  twin.origin = "a test";
  const CpuTwin read = read_cpu_twin(board_with(twin));
  ASSERT_EQ(read.rates.size(), 2u);
  EXPECT_EQ(read.rates[1].cache_bytes_per_s, 160e9);
  EXPECT_EQ(read.block_channels, 8);
  for (std::size_t i = 0; i < kCpuParamCount; ++i) {
    EXPECT_NEAR(read.values[i], twin.values[i], 1e-4 * twin.values[i]);
    EXPECT_NEAR(read.log_sd[i], twin.log_sd[i], 1e-3);
  }
  EXPECT_EQ(read.status, "fitted");
  EXPECT_EQ(read.origin, "a test");
}

TEST(CpuTwin, AWrongTableNamesItsKey) {
  EXPECT_THROW(read_cpu_twin(parse_board(kBoard, "here.toml")), NotSupportedError);
  const auto fault = [](auto change) {
    TwinTable table = cpu_twin_table(example_twin());
    change(table);
    const Board board =
        parse_board(board_toml_with_twin(parse_board(kBoard, "here.toml"), table), "here.toml");
    try {
      read_cpu_twin(board);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(fault([](TwinTable& t) { t.numbers.erase("node.value"); }).find("twin.node.value"),
            std::string::npos);
  EXPECT_NE(fault([](TwinTable& t) { t.numbers["speed"] = 1; }).find("twin.speed"),
            std::string::npos);
  EXPECT_NE(fault([](TwinTable& t) {
              t.numbers["threads002.flop_per_s"] = 0;
            }).find("threads002.flop_per_s"),
            std::string::npos);
  EXPECT_NE(fault([](TwinTable& t) { t.texts["kind"] = "gpu"; }).find("kind"), std::string::npos);
}

TEST(CpuTwin, AFitFindsTheRatesThatMadeTheRuns) {
  const CpuTwin prior = example_twin();
  CpuTwin truth = prior;
  truth.values[static_cast<std::size_t>(C::kConvolution)] *= 0.8;
  const auto resnet = deployed("zoo:resnet18", Runtime::kOnnxRuntimeCpu);
  std::vector<CpuRun> runs;
  for (const int threads : {1, 2}) {
    for (const int batch : {1, 4}) {
      const auto cost = resnet->at(batch);
      runs.push_back(cpu_run(cost, threads, cpu_run_s(truth, *cost, threads)));
    }
  }
  const CpuTwin fitted = fit_cpu_twin(prior, runs);
  for (const CpuRun& run : runs) {
    EXPECT_NEAR(run.modelled_s(fitted) / run.time_s, 1, 0.06);
    EXPECT_LT(parameter_variance(fitted, run.modelled_s),
              parameter_variance(prior, run.modelled_s));
  }
  EXPECT_LT(fitted[C::kConvolution], prior[C::kConvolution]);
  EXPECT_EQ(fitted[C::kRecurrent], prior[C::kRecurrent]);  // ResNet has no recurrent layers
}

// Measured in TensorFlow Lite 2.9 on a processor with AVX2 (Zen 3, 101 GFLOP/s per core): a 3x3
// convolution of 128 channels, 40x40, took 14.6 ms on one thread and 7.1 ms on two. A sum of two
// tensors of 256x56x56 took the same time on two threads as on one.
TEST(CpuTwin, TensorFlowLiteDividesConvolutionsButNotSums) {
  const CpuTwin twin = prior_cpu_twin({{101e9, 11e9, 60e9}, {202e9, 20e9, 120e9}});
  auto convolution = whole_convolution();
  convolution.macs = 128.0 * 40 * 40 * 1152;
  convolution.output_elements = 128.0 * 40 * 40;
  convolution.output_channels = 128;
  convolution.reduction_length = 1152;
  workload::KernelCost sum;
  sum.name = sum.op = "Add";
  sum.op_class = workload::OpClass::kElementwise;
  sum.output_elements = 256.0 * 56 * 56;
  sum.write_bytes = 4 * sum.output_elements;
  sum.read_bytes = 2 * sum.write_bytes;
  auto cost = one_kernel(convolution);
  cost.runtime = Runtime::kTfliteCpu;
  cost.kernels.push_back(sum);
  const auto one = cpu_kernel_times(twin, cost, 1), two = cpu_kernel_times(twin, cost, 2);
  EXPECT_NEAR(one[0].total_s(), 14.6e-3, 0.1 * 14.6e-3);
  EXPECT_NEAR(two[0].total_s(), 7.1e-3, 0.1 * 7.1e-3);
  EXPECT_GE(two[1].total_s(), one[1].total_s());
}

// BERT-base reads its weights from memory, which takes a small part of its time.
TEST(CpuTwin, ABandwidthThatChangesWidensTheIntervalOfItsThreads) {
  CpuTwin twin = example_twin();
  const auto cost = deployed("zoo:bert_base", Runtime::kOnnxRuntimeCpu)->at(1);
  const double one = cpu_variance(twin, *cost, 1), two = cpu_variance(twin, *cost, 2);
  twin.rates[1].memory_log_sd = 0.4;
  EXPECT_EQ(cpu_variance(twin, *cost, 1), one);
  EXPECT_GT(cpu_variance(twin, *cost, 2), two + 0.0005);
  const CpuTwin read = read_cpu_twin(board_with(twin));
  EXPECT_EQ(read.rates[0].memory_log_sd, 0);
  EXPECT_NEAR(read.rates[1].memory_log_sd, 0.4, 1e-6);
}

TEST(CpuTwin, AFitTrustsRunsLessWhoseBandwidthChanges) {
  const auto cost = deployed("zoo:bert_base", Runtime::kOnnxRuntimeCpu)->at(1);
  CpuTwin prior = example_twin();
  const CpuRun slow = cpu_run(cost, 2, 1.5 * cpu_run_s(prior, *cost, 2));
  const double steady_s = slow.modelled_s(fit_cpu_twin(prior, std::vector{slow}));
  prior.rates[1].memory_log_sd = 0.4;
  const double changing_s = slow.modelled_s(fit_cpu_twin(prior, std::vector{slow}));
  EXPECT_LT(changing_s, steady_s);
}

TEST(CpuTwin, AnEstimateHasTimesAndNoPower) {
  const Board board = board_with(example_twin());
  EXPECT_FALSE(board.has_gpu());
  EXPECT_EQ(knob_space(board).size(), 2u);
  const Twin twin = load_twin(board);
  const TwinModel model(twin, deployed("zoo:resnet18", Runtime::kOnnxRuntimeCpu));
  PowerMode one, two;
  one.cpu_cores = 1;
  two.cpu_cores = 2;
  const MinibatchCost slow = model({one, 4}), fast = model({two, 4});
  EXPECT_GT(slow.period_s, 1.5 * fast.period_s);
  EXPECT_TRUE(std::isnan(slow.power_w));
  EXPECT_GT(model.error({one, 4})[kTime].factor(0.9), 1.1);
  const auto layers = model.estimator(4).layers(one);
  double sum_s = (*twin.cpu)[C::kRun];
  for (const auto& layer : layers) sum_s += layer.time_s;
  EXPECT_NEAR(sum_s, slow.period_s, 1e-9);
}

TEST(CpuTwin, OneRuntimeRunsOnAProcessorAndNotOnAGpu) {
  const Twin here = load_twin(board_with(example_twin()));
  const Twin orin = load_twin(load_board("agx-orin"));
  EXPECT_THROW(TwinModel(here, deployed("zoo:lenet5", Runtime::kPytorchEager)), NotSupportedError);
  EXPECT_THROW(TwinModel(orin, deployed("zoo:lenet5", Runtime::kOnnxRuntimeCpu)),
               NotSupportedError);
}

}  // namespace
}  // namespace ridgewatt::twin
