// Tests the parameters of runtimes of a twin: fitted from rows, stored in board files, used by
// estimates.
#include "ridgewatt/twin/runtime_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/twin/runtime_twin.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::twin {
namespace {

using ::testing::HasSubstr;
using workload::DeployedWorkload;
using workload::DeployOptions;

constexpr double kRoundedTo = 1e-3;  // four digits are written

RuntimeRow row_of(const std::string& model, const std::string& precision, Runtime runtime,
                  const std::string& board, int batch) {
  DeployOptions options;
  options.precision = parse<workload::Precision>(precision, "");
  options.runtime = runtime;
  RuntimeRow row;
  row.model = model;
  row.precision = precision;
  row.twin = std::make_shared<const Twin>(load_twin(load_board(board)));
  row.board = row.twin->board;
  row.cost = DeployedWorkload("zoo:" + model, options).at(batch);
  row.label = model + " " + precision + " on " + board;
  return row;
}

// Rows of small and large networks, of convolutions and of products, on a board with sweeps and on
// a scaled one.
std::vector<RuntimeRow> rows_without_times(Runtime runtime) {
  std::vector<RuntimeRow> rows;
  for (const char* model : {"lenet5", "mobilenet_v2", "resnet18", "resnet50", "vit_b_16"}) {
    for (const char* precision : {"fp32", "fp16"}) {
      rows.push_back(row_of(model, precision, runtime, "agx-orin", 1));
      rows.push_back(row_of(model, precision, runtime, "orin-nano-8gb", 8));
    }
  }
  return rows;
}

// Moves each parameter by half a prior deviation from its prior, alternately up and down.
RuntimeTwin true_runtime(Runtime runtime) {
  RuntimeTwin twin = prior_runtime_twin(runtime);
  for (std::size_t i = 0; i < kRuntimeParamCount; ++i) {
    twin.values[i] *= std::exp((i % 2 == 0 ? 0.5 : -0.5) * twin.log_sd[i]);
  }
  twin.origin = "made for the test";
  return twin;
}

void measure_with(const RuntimeTwin& truth, std::vector<RuntimeRow>& rows) {
  for (auto& row : rows) row.time_s = modelled_time_s(row, truth);
}

double log_distance(const RuntimeTwin& a, const RuntimeTwin& b, std::size_t param) {
  return std::abs(std::log(a.values[param] / b.values[param]));
}

double time_s_of(const Twin& twin, std::shared_ptr<const workload::WorkloadCost> cost,
                 const RunOptions& run = {}, const PowerMode& mode = {}) {
  return Estimator(twin, std::move(cost), run)(mode).period_s;
}

// The time of a product so large that nothing else takes time.
constexpr double kProductFlop = 1e15;
double product_s(const std::string& board, Runtime runtime, workload::Precision precision) {
  workload::WorkloadCost cost;
  cost.runtime = runtime;
  cost.precision = cost.arithmetic = precision;
  workload::KernelCost product;
  product.op_class = workload::OpClass::kGemm;
  product.work_flop = kProductFlop;
  product.output_elements = 1e9;
  cost.kernels.push_back(product);
  return time_s_of(load_twin(load_board(board)),
                   std::make_shared<const workload::WorkloadCost>(cost));
}

double time_factor(const Twin& twin, const std::string& precision) {
  DeployOptions options;
  options.precision = parse<workload::Precision>(precision, "");
  options.runtime = Runtime::kTensorRt;
  const TwinModel model(twin, std::make_shared<const DeployedWorkload>("zoo:resnet50", options));
  return model.error({{}, 1})[kTime].factor(0.9);
}

Board board_with(const TwinTable& table, const std::string& name = "tensorrt") {
  return parse_board(board_toml_with_runtimes(load_board("agx-orin"), {{name, table}}), "own.toml");
}

class RuntimeFitTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    rows_ = new std::vector<RuntimeRow>(rows_without_times(Runtime::kTensorRt));
    measure_with(true_runtime(Runtime::kTensorRt), *rows_);
    fitted_ = new RuntimeTwin(fit_runtime(Runtime::kTensorRt, *rows_));
  }
  static void TearDownTestSuite() {
    delete rows_;
    delete fitted_;
  }
  static inline std::vector<RuntimeRow>* rows_ = nullptr;
  static inline RuntimeTwin* fitted_ = nullptr;
};

TEST_F(RuntimeFitTest, TimesAndWellKnownParametersAreRecovered) {
  const RuntimeTwin truth = true_runtime(Runtime::kTensorRt);
  const RuntimeTwin prior = prior_runtime_twin(Runtime::kTensorRt);
  EXPECT_TRUE(fitted_->fitted());
  EXPECT_LT(fitted_->fit_error, 0.02);
  std::size_t known = 0;
  for (std::size_t i = 0; i < kRuntimeParamCount; ++i) {
    const std::string key(runtime_parameters()[i].key);
    EXPECT_GT(fitted_->values[i], 0) << key;
    EXPECT_GT(fitted_->log_sd[i], 0) << key;
    EXPECT_LE(fitted_->log_sd[i], prior.log_sd[i] * (1 + 1e-3)) << key;
    EXPECT_LT(log_distance(*fitted_, truth, i), 3 * fitted_->log_sd[i]) << key;
    if (fitted_->log_sd[i] > 0.4 * prior.log_sd[i]) continue;
    ++known;
    EXPECT_LT(log_distance(*fitted_, truth, i), log_distance(prior, truth, i)) << key;
  }
  EXPECT_GE(known, 3U);
  // No row calls the engine from Python or replays a graph.
  for (const RuntimeParam param :
       {RuntimeParam::kCaller, RuntimeParam::kThinCaller, RuntimeParam::kGraph}) {
    const auto i = static_cast<std::size_t>(param);
    EXPECT_NEAR(fitted_->values[i], prior.values[i], 1e-3 * prior.values[i]);
    EXPECT_NEAR(fitted_->log_sd[i], prior.log_sd[i], 1e-3);
  }
  // No row is in INT8, so the rates of INT8 differ from their priors by as much as those of FP16.
  const auto above = [&](RuntimeParam param) { return std::log((*fitted_)[param] / prior[param]); };
  EXPECT_NEAR(above(RuntimeParam::kConvInt8), above(RuntimeParam::kConvFp16), 1e-3);
  EXPECT_NEAR(above(RuntimeParam::kProductInt8), above(RuntimeParam::kProductFp16), 1e-3);
  EXPECT_GE(fitted_->log_sd[static_cast<std::size_t>(RuntimeParam::kConvInt8)], kLinkedLogSd);
}

TEST_F(RuntimeFitTest, AModelThatWasNotAmongTheRowsIsPredicted) {
  for (const char* model : {"vgg11", "efficientnet_b0"}) {
    for (const char* precision : {"fp32", "fp16"}) {
      const RuntimeRow other = row_of(model, precision, Runtime::kTensorRt, "agx-orin", 4);
      const double truth_s = modelled_time_s(other, true_runtime(Runtime::kTensorRt));
      EXPECT_NEAR(modelled_time_s(other, *fitted_) / truth_s, 1, 0.05) << model << ' ' << precision;
    }
  }
}

TEST_F(RuntimeFitTest, SaysWhatItWasFittedOn) {
  EXPECT_EQ(fitted_->boards, (std::vector<std::string>{"agx-orin", "orin-nano-8gb"}));
  EXPECT_TRUE(fitted_->fitted_on("orin-nano-8gb"));
  EXPECT_FALSE(fitted_->fitted_on("orin-nx-16gb"));
  EXPECT_TRUE(fitted_->fitted_in("fp16"));
  EXPECT_FALSE(fitted_->fitted_in("int8"));
}

// label: slow
TEST_F(RuntimeFitTest, RunsAgainToTheSameAndNotByTheOrderOfRows) {
  const RuntimeTwin again = fit_runtime(Runtime::kTensorRt, *rows_);
  EXPECT_EQ(again.values, fitted_->values);
  EXPECT_EQ(again.log_sd, fitted_->log_sd);
  EXPECT_EQ(again.correlations, fitted_->correlations);
  std::vector<RuntimeRow> reversed(rows_->rbegin(), rows_->rend());
  const RuntimeTwin other = fit_runtime(Runtime::kTensorRt, reversed);
  for (std::size_t i = 0; i < kRuntimeParamCount; ++i) {
    EXPECT_LT(log_distance(other, *fitted_, i), 1e-3) << runtime_parameters()[i].key;
  }
  EXPECT_EQ(other.boards, fitted_->boards);
}

// label: slow
TEST_F(RuntimeFitTest, RowsOfAnotherRuntimeSayNothing) {
  std::vector<RuntimeRow> mixed = rows_without_times(Runtime::kOnnxRuntime);
  measure_with(true_runtime(Runtime::kOnnxRuntime), mixed);
  mixed.insert(mixed.end(), rows_->begin(), rows_->end());
  EXPECT_EQ(fit_runtime(Runtime::kTensorRt, mixed).values, fitted_->values);
}

TEST_F(RuntimeFitTest, AnOutlierMovesLittle) {
  std::vector<RuntimeRow> rows = *rows_;
  rows[8].time_s *= 10;
  const RuntimeTwin disturbed = fit_runtime(Runtime::kTensorRt, rows);
  EXPECT_LT(disturbed.fit_error, 0.1);
}

TEST(RuntimeFit, WithoutRowsThePriorsStay) {
  for (const Runtime runtime : kRuntimes) {
    const RuntimeTwin twin = fit_runtime(runtime, {});
    EXPECT_EQ(twin.runtime, runtime);
    EXPECT_EQ(twin.values, prior_runtime_twin(runtime).values);
    EXPECT_EQ(twin.log_sd, prior_runtime_twin(runtime).log_sd);
    EXPECT_FALSE(twin.fitted());
  }
  const RuntimeFit fit = fit_runtimes({});
  EXPECT_EQ(fit.twins.size(), kRuntimes.size());
  EXPECT_TRUE(fit.scores.empty());
  for (const auto& twin : fit.twins) EXPECT_FALSE(twin.fitted());
}

TEST(RuntimeFit, ReportsEachStep) {
  std::vector<RuntimeRow> rows = {row_of("lenet5", "fp16", Runtime::kTensorRt, "agx-orin", 1)};
  measure_with(true_runtime(Runtime::kTensorRt), rows);
  std::vector<std::size_t> done;
  const WatchedWork watched([&](const WorkStep& step) {
    if (step.label.empty()) return;
    EXPECT_EQ(step.total, kRuntimes.size() + 1);
    done.push_back(step.done);
  });
  fit_runtimes(rows);
  std::vector<std::size_t> all(kRuntimes.size() + 1);
  std::iota(all.begin(), all.end(), std::size_t{0});
  EXPECT_EQ(done, all);
}

// There is one model, board and precision, so no other row could predict the row when it is held
// out.
TEST(RuntimeFit, ASingleRowHasNoScore) {
  std::vector<RuntimeRow> rows = {row_of("resnet18", "fp16", Runtime::kTensorRt, "agx-orin", 1)};
  measure_with(true_runtime(Runtime::kTensorRt), rows);
  const RuntimeFit fit = fit_runtimes(rows);
  ASSERT_EQ(fit.scores.size(), 1U);
  EXPECT_EQ(fit.scores[0].model.time_s, 0);
  EXPECT_EQ(fit.scores[0].board.time_s, 0);
  EXPECT_EQ(fit.scores[0].model_and_board.time_s, 0);
  EXPECT_GT(fit.scores[0].fitted_s, 0);
  for (const auto& twin : fit.twins) {
    EXPECT_EQ(twin.fitted(), twin.runtime == Runtime::kTensorRt);
    EXPECT_GT(twin.errors.time, 0);
  }
}

TEST_F(RuntimeFitTest, ABoardFileKeepsIt) {
  RuntimeTwin written = *fitted_;
  written.errors = {0.11, 0.12, 0.13, 0.14, 6};
  written.unseen_error = 0.0625;
  written.origin = "today, \"quoted\" rows; by this test";
  const RuntimeTwins twins = load_runtime_twins(board_with(runtime_table(written)));
  ASSERT_EQ(twins.size(), kRuntimes.size());
  const RuntimeTwin& read = twins.at(static_cast<std::size_t>(Runtime::kTensorRt));
  EXPECT_EQ(read.runtime, Runtime::kTensorRt);
  for (std::size_t i = 0; i < kRuntimeParamCount; ++i) {
    const auto key = runtime_parameters()[i].key;
    EXPECT_NEAR(read.values[i] / written.values[i], 1, kRoundedTo) << key;
    EXPECT_NEAR(read.log_sd[i], written.log_sd[i], kRoundedTo) << key;
  }
  ASSERT_EQ(read.correlations.size(), written.correlations.size());
  for (std::size_t i = 0; i < read.correlations.size(); ++i) {
    EXPECT_NEAR(read.correlations[i], written.correlations[i], kRoundedTo);
  }
  EXPECT_DOUBLE_EQ(read.errors.time, 0.11);
  EXPECT_DOUBLE_EQ(read.errors.board, 0.12);
  EXPECT_DOUBLE_EQ(read.errors.precision, 0.13);
  EXPECT_DOUBLE_EQ(read.errors.power, 0.14);
  EXPECT_DOUBLE_EQ(read.errors.degrees, 6);
  EXPECT_NEAR(read.fit_error, written.fit_error, kRoundedTo);
  EXPECT_DOUBLE_EQ(read.unseen_error, 0.0625);
  EXPECT_EQ(read.boards, written.boards);
  EXPECT_EQ(read.precisions, written.precisions);
  EXPECT_EQ(read.origin, written.origin);
}

// Changes a valid table; loading it must be rejected.
void expect_unsound(const std::function<void(TwinTable&)>& change, const std::string& what) {
  TwinTable table = runtime_table(prior_runtime_twin(Runtime::kTensorRt));
  ASSERT_NO_THROW(load_runtime_twins(board_with(table)));
  change(table);
  EXPECT_THROW(load_runtime_twins(board_with(table)), InputError) << what;
}

// label: slow
TEST(RuntimeBoardFile, ValuesAreWithinAnIntervalOfPositiveNumbers) {
  const auto refused = [](const std::string& key, double value) {
    expect_unsound([&](TwinTable& table) { table.numbers[key] = value; }, key);
  };
  refused("launch.value", -1);
  refused("launch.value", 0);
  refused("launch.lo", -0.1);
  expect_unsound(
      [](TwinTable& table) { std::swap(table.numbers["fill.lo"], table.numbers["fill.hi"]); },
      "lo above hi");
}

TEST(RuntimeBoardFile, AValueOutsideItsIntervalIsRefused) {
  expect_unsound(
      [](TwinTable& table) { table.numbers["fill.value"] = 2 * table.numbers["fill.hi"]; },
      "above hi");
  expect_unsound(
      [](TwinTable& table) { table.numbers["fill.value"] = table.numbers["fill.lo"] / 2; },
      "below lo");
}

TEST(RuntimeBoardFile, CorrelationsAreOnePerPair) {
  const auto refused = [](const std::string& text) {
    expect_unsound([&](TwinTable& table) { table.texts["correlations"] = text; }, text);
  };
  refused("0.1 0.2 0.3");
  refused("");
  constexpr std::size_t kPairs = kRuntimeParamCount * (kRuntimeParamCount - 1) / 2;
  std::string others;
  for (std::size_t i = 1; i < kPairs; ++i) others += " 0";
  for (const char* one : {"2", "nan", "x"}) refused(one + others);
  refused("0" + others + " 0");
}

// If texts were accepted, the prior would be used silently, although the table's origin says that
// it was fitted.
// label: slow
TEST(RuntimeBoardFile, TextsWhereNumbersBelongAreRefused) {
  for (const char* key : {"launch.value", "launch.lo", "error.time", "fit.time_median"}) {
    expect_unsound(
        [&](TwinTable& table) {
          table.numbers.erase(key);
          table.texts[key] = "fast";
        },
        key);
  }
  for (const char* key : {"boards", "origin"}) {
    expect_unsound(
        [&](TwinTable& table) {
          table.texts.erase(key);
          table.numbers[key] = 3;
        },
        key);
  }
}

TEST(RuntimeBoardFile, NamesThatAreNoRuntimesAreRefused) {
  try {
    board_with(runtime_table(prior_runtime_twin(Runtime::kTensorRt)), "tensorflow");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("tensorflow"));
    EXPECT_THAT(error.what(), HasSubstr("own.toml"));
  }
}

// Expects that a board file without runtimes is rejected if this text is added.
void expect_no_table(const std::string& before, const std::string& after) {
  const std::string text =
      before + board_toml_with_runtimes(load_board("agx-orin"), {}) + "\n" + after;
  EXPECT_THROW(load_runtime_twins(parse_board(text, "own.toml")), InputError) << before << after;
}

TEST(RuntimeBoardFile, NumbersOfATableAreFinite) {
  expect_no_table("runtime = 3\n", "");
  for (const char* value : {"nan", "inf", "-inf", "[1, 2]", "true"}) {
    expect_no_table("", std::string("[runtime.tensorrt]\nlaunch.value = ") + value + "\n");
  }
}

TEST(RuntimeBoardFile, ANumberIsNoRuntime) {
  expect_no_table("", "[runtime]\ntensorrt = 3\n");
  expect_no_table("", "[runtime]\ntensorrt = \"fast\"\n");
}

TEST(OnRuntime, OfTheSameIsTheSameAndOfAnotherIsRefused) {
  const Twin twin = load_twin(load_board("agx-orin"));
  const Twin engine = on_runtime(twin, Runtime::kTensorRt, WorkloadKind::kInference);
  ASSERT_NE(engine.changed_by, nullptr);
  EXPECT_EQ(engine.runtime, Runtime::kTensorRt);
  EXPECT_LT(engine[TwinParam::kLaunchCycles], twin[TwinParam::kLaunchCycles]);
  const Twin again = on_runtime(engine, Runtime::kTensorRt, WorkloadKind::kInference);
  EXPECT_EQ(again.values, engine.values);
  EXPECT_EQ(again.changed_by, engine.changed_by);
  EXPECT_EQ(again.call_cycles, engine.call_cycles);
  for (const Runtime other : {Runtime::kPytorchEager, Runtime::kOnnxRuntime}) {
    EXPECT_THROW(on_runtime(engine, other, WorkloadKind::kInference), UsageError);
  }
}

// The fit of an engine covers its times. Its power is that of eager mode, with its status.
TEST(OnRuntime, AFittedTimeDoesNotMakeThePowerFitted) {
  for (const auto& name : list_boards()) {
    const Twin twin = load_twin(load_board(name));
    const Twin engine = on_runtime(twin, Runtime::kTensorRt, WorkloadKind::kInference);
    if (engine.changed_by == nullptr) continue;
    const bool time_fitted = engine.changed_by->fitted_on(name);
    EXPECT_EQ(engine.status == "fitted", time_fitted && twin.status == "fitted") << name;
    EXPECT_EQ(engine.status.starts_with("time fitted, power "),
              time_fitted && twin.status != "fitted")
        << name;
  }
  const Twin card = load_twin(load_board("rtx-3090"));
  EXPECT_EQ(on_runtime(card, Runtime::kTensorRt, WorkloadKind::kInference).status,
            "time fitted, power scaled, not validated");
}

TEST(OnRuntime, EagerChangesNoTrainingAndNoBoardThatWasSwept) {
  const Twin swept = load_twin(load_board("agx-orin"));
  const Twin scaled = load_twin(load_board("orin-nano-8gb"));
  ASSERT_FALSE(scaled.relative.empty());
  const auto eager = [](const Twin& twin, WorkloadKind kind) {
    return on_runtime(twin, Runtime::kPytorchEager, kind);
  };
  for (const auto& [twin, kind] : {std::pair{&scaled, WorkloadKind::kTraining},
                                   {&swept, WorkloadKind::kTraining},
                                   {&swept, WorkloadKind::kInference}}) {
    const Twin same = eager(*twin, kind);
    EXPECT_EQ(same.changed_by, nullptr);
    EXPECT_EQ(same.values, twin->values);
    EXPECT_EQ(same.status, twin->status);
    EXPECT_EQ(same.call_cycles, twin->call_cycles);
  }
  EXPECT_NE(eager(scaled, WorkloadKind::kInference).changed_by, nullptr);
}

// NVIDIA's data sheets: per multiprocessor and cycle, Orin's tensor cores compute 1,024 FLOP of
// TF32, and its CUDA cores 256 FLOP. Xavier has no TF32.
TEST(OnRuntime, EnginesMultiplyFp32InTf32WhereTheBoardHasIt) {
  using workload::Precision;
  EXPECT_NEAR(product_s("agx-orin", Runtime::kPytorchEager, Precision::kFp32) /
                  product_s("agx-orin", Runtime::kPytorchEager, Precision::kTf32),
              4, 0.02);
  for (const Runtime engine : {Runtime::kTensorRt, Runtime::kOnnxRuntime}) {
    EXPECT_NEAR(product_s("agx-orin", engine, Precision::kFp32) /
                    product_s("agx-orin", engine, Precision::kTf32),
                1, 1e-3)
        << name_of(engine);
    const Board xavier = load_board("agx-xavier");
    EXPECT_GT(product_s("agx-xavier", engine, Precision::kFp32),
              kProductFlop / peak_flops(xavier, {}, Arithmetic::kFp32))
        << name_of(engine);
    EXPECT_THROW(product_s("agx-xavier", engine, Precision::kTf32), NotSupportedError);
  }
  for (const Runtime pytorch : {Runtime::kTorchscript, Runtime::kTorchCompile}) {
    EXPECT_GT(product_s("agx-orin", pytorch, Precision::kFp32),
              2 * product_s("agx-orin", pytorch, Precision::kTf32))
        << name_of(pytorch);
  }
}

// No runtime's kernels exceed the board's peak.
TEST(OnRuntime, ProductsDoNotPassThePeak) {
  using workload::Precision;
  for (const char* name : {"agx-orin", "orin-nano-8gb", "thor"}) {
    const Board board = load_board(name);
    for (const Runtime runtime : kRuntimes) {
      if (is_on_cpu(runtime)) continue;
      EXPECT_GT(product_s(name, runtime, Precision::kFp16),
                kProductFlop / peak_flops(board, {}, Arithmetic::kFp16))
          << name << ' ' << name_of(runtime);
    }
  }
}

TEST(OnRuntime, APythonCallerAddsItsCyclesToAnEngineAlone) {
  const Twin twin = load_twin(load_board("agx-orin"));
  PowerMode slow;
  slow.cpu_clock_hz = twin.cpu_clock_hz / 2;
  for (const Runtime runtime : kRuntimes) {
    if (is_on_cpu(runtime)) continue;
    DeployOptions options;
    options.runtime = runtime;
    const auto cost = DeployedWorkload("zoo:resnet18", options).at(1);
    const Twin priced = on_runtime(twin, runtime, WorkloadKind::kInference);
    EXPECT_EQ(priced.call_cycles[EngineCaller::kCpp], 0);
    for (const EngineCaller caller : {EngineCaller::kThinPython, EngineCaller::kFramework}) {
      const double cycles = priced.call_cycles[caller];
      EXPECT_EQ(cycles > 0, is_engine(runtime)) << name_of(runtime);
      for (const auto& [mode, clock_hz] :
           {std::pair{PowerMode{}, twin.cpu_clock_hz}, {slow, slow.cpu_clock_hz}}) {
        const double more_s =
            time_s_of(twin, cost, {.caller = caller}, mode) - time_s_of(twin, cost, {}, mode);
        EXPECT_NEAR(more_s, cycles / clock_hz, 1e-12) << name_of(runtime);
      }
    }
  }
}

// A graph needs a single launch, so a slow CPU hardly matters, and there is less time between
// kernels.
TEST(OnRuntime, ACudaGraphTakesTheLaunchesAway) {
  const Twin twin = load_twin(load_board("agx-orin"));
  DeployOptions options;
  options.runtime = Runtime::kTensorRt;
  options.precision = workload::Precision::kFp16;
  const auto cost = DeployedWorkload("zoo:mobilenet_v2", options).at(1);
  PowerMode slow;
  slow.cpu_clock_hz = twin.cpu_clock_hz / 8;
  RunOptions graph;
  graph.cuda_graph = true;
  EXPECT_LT(time_s_of(twin, cost, graph), time_s_of(twin, cost));
  const double lost_s = time_s_of(twin, cost, {}, slow) - time_s_of(twin, cost);
  const double lost_in_graph_s = time_s_of(twin, cost, graph, slow) - time_s_of(twin, cost, graph);
  EXPECT_GT(lost_in_graph_s, 0);
  EXPECT_LT(lost_in_graph_s, 0.5 * lost_s);
}

// If its data is in memory, an engine has no loader workers that occupy cores. In eager mode, it
// has them, as in the sweeps of eager mode.
TEST(OnRuntime, AnEngineNeedsOneCore) {
  const Twin twin = load_twin(load_board("agx-orin"));
  DeployOptions options;
  PowerMode few, many;
  few.cpu_clock_hz = many.cpu_clock_hz = twin.cpu_clock_hz / 4;
  few.cpu_cores = 4;
  many.cpu_cores = 8;
  const auto slower = [&](Runtime runtime) {
    options.runtime = runtime;
    const auto cost = DeployedWorkload("zoo:mobilenet_v2", options).at(1);
    const RunOptions run{.cuda_graph = is_engine(runtime)};
    return time_s_of(twin, cost, run, few) / time_s_of(twin, cost, run, many);
  };
  EXPECT_LT(slower(Runtime::kTensorRt), 1.01);
  EXPECT_GT(slower(Runtime::kPytorchEager), 1.1);
}

// In eager mode, a run without the copy saves this time and the fixed part of the host.
TEST(OnRuntime, AnInputOnTheDeviceIsNotCopied) {
  const Twin twin = load_twin(load_board("agx-orin"));
  const auto cost = DeployedWorkload("zoo:mobilenet_v2", {}).at(1);
  RunOptions device;
  device.input = InputPlace::kDevice;
  constexpr double kImageBytes = 3 * 224 * 224 * 4;
  const double host_cycles =
      twin[TwinParam::kHostCyclesPerByte] * kImageBytes + twin[TwinParam::kHostCyclesPerBatch];
  EXPECT_NEAR(time_s_of(twin, cost) - time_s_of(twin, cost, device),
              host_cycles / twin.cpu_clock_hz, 1e-9);
}

// Boards with the same chip and the same number of multiprocessors: engines differ only by the
// clocks, although the fit for eager mode gave the Orin NX other rates.
TEST(OnRuntime, EnginesReachTheSameRatesOnBoardsOfTheSameChip) {
  const Twin nano = load_twin(load_board("orin-nano-8gb"));
  const Twin nx = load_twin(load_board("orin-nx-16gb"));
  ASSERT_NE(nx[TwinParam::kConvRate], nano[TwinParam::kConvRate]);
  const auto engine = [](const Twin& twin) {
    return on_runtime(twin, Runtime::kTensorRt, WorkloadKind::kInference);
  };
  for (const auto param : {TwinParam::kConvRate, TwinParam::kGemmRate, TwinParam::kVectorTraffic,
                           TwinParam::kFillElements, TwinParam::kKernelCycles}) {
    EXPECT_NEAR(engine(nx)[param] / engine(nano)[param], 1, 1e-9);
  }
  const Twin xavier = load_twin(load_board("xavier-nx"));
  EXPECT_EQ(xavier.engine_ratios, Twin{}.engine_ratios);
}

// The rates of an engine on a card follow the reference board's engines if both have the same kind
// of tensor cores. They do not follow the rates that training in PyTorch reached on the card.
TEST(OnRuntime, EnginesOfCardsReachTheRatesOfTheReference) {
  const Board reference = load_board(std::string(kReferenceBoard));
  for (const char* name : {"rtx-3090", "a40"}) {
    const Board board = load_board(name);
    const Twin card = load_twin(board);
    const Twin carried = carry_twin(load_twin(reference), reference, board);
    const Twin engine = on_runtime(card, Runtime::kTensorRt, WorkloadKind::kInference);
    for (const auto param : {TwinParam::kConvRate, TwinParam::kGemmRate}) {
      EXPECT_NE(card[param], carried[param]) << name;
      EXPECT_NEAR(engine[param] / carried[param], 1, 1e-9) << name;
    }
  }
  const Twin turing = load_twin(load_board("quadro-rtx-6000"));
  EXPECT_EQ(turing.engine_ratios, Twin{}.engine_ratios);
}

// A GeForce card computes FP16 with FP32 accumulation, which PyTorch requests, at half the rate.
TEST(OnRuntime, TensorRtSumsFp16InFp16) {
  constexpr auto kFp16 = static_cast<std::size_t>(Arithmetic::kFp16);
  const auto over_eager = [](const char* name) {
    const Twin twin = load_twin(load_board(name));
    const Twin engine = on_runtime(twin, Runtime::kTensorRt, WorkloadKind::kInference);
    return engine.speedups[kFp16].conv / twin.speedups[kFp16].conv;
  };
  EXPECT_DOUBLE_EQ(over_eager("rtx-3090"), 2);
  EXPECT_DOUBLE_EQ(over_eager("rtx-4090"), 2);
  for (const char* name : {"a40", "agx-orin", "agx-xavier", "v100-pcie", "tx2"}) {
    EXPECT_DOUBLE_EQ(over_eager(name), 1) << name;
  }
}

// With the engines of the AGX Orin, a card whose tensor cores are half as fast loses half as many
// multiply-accumulates outside them. On faster tensor cores (Thor) and GPUs without TF32 (V100),
// the fitted values hold, as in all runtimes but TensorRT.
TEST(OnRuntime, WorkOutsideSlowerTensorCoresIsFewerMultiplyAccumulates) {
  const auto engine = [](const char* board, Runtime runtime) {
    return load_twin(load_board(board)).runtimes[static_cast<std::size_t>(runtime)];
  };
  const RuntimeTwin reference = engine("agx-orin", Runtime::kTensorRt);
  const RuntimeTwin card = engine("rtx-4090", Runtime::kTensorRt);
  for (const auto param : {RuntimeParam::kShort, RuntimeParam::kNarrow}) {
    EXPECT_DOUBLE_EQ(card[param], reference[param] / 2);
  }
  EXPECT_EQ(card[RuntimeParam::kConvFp16], reference[RuntimeParam::kConvFp16]);
  for (const char* board : {"a100-sxm", "h100-sxm", "thor", "v100-pcie", "orin-nx-16gb"}) {
    EXPECT_EQ(engine(board, Runtime::kTensorRt).values, reference.values) << board;
  }
  EXPECT_EQ(engine("rtx-4090", Runtime::kOnnxRuntime).values,
            engine("agx-orin", Runtime::kOnnxRuntime).values);
}

// Attention of 12 heads of 64 channels over 32,768 tokens. Without fusion, the scores pass through
// memory four times.
TEST(OnRuntime, FusedAttentionIsFasterThanSeparateKernels) {
  constexpr double kTokens = 32768, kHeads = 12, kSize = 64;
  constexpr double kScores = kHeads * kTokens * kTokens, kMacs = kScores * kSize;
  constexpr double kOperand = 2 * kHeads * kTokens * kSize;  // bytes
  const auto kernel = [](workload::OpClass op_class, double macs, double others) {
    workload::KernelCost cost;
    cost.op_class = op_class;
    cost.macs = macs;
    cost.work_flop = 2 * macs + others;
    cost.output_elements = kScores;
    cost.reduction_length = cost.output_channels = kSize;
    cost.read_bytes = 3 * kOperand;
    cost.write_bytes = kOperand;
    return cost;
  };
  workload::WorkloadCost fused, separate;
  fused.kernels = {kernel(workload::OpClass::kAttention, 2 * kMacs, 8 * kScores)};
  workload::KernelCost scores = kernel(workload::OpClass::kGemm, kMacs, 0), sums = scores;
  workload::KernelCost softmax = kernel(workload::OpClass::kSoftmax, 0, 8 * kScores);
  scores.read_bytes = 2 * kOperand, sums.read_bytes = kOperand + 2 * kScores;
  scores.write_bytes = softmax.read_bytes = softmax.write_bytes = 2 * kScores;
  scores.output_channels = sums.reduction_length = kTokens;
  softmax.reduction_length = softmax.output_channels = 0;
  sums.output_elements = kOperand / 2;
  separate.kernels = {scores, softmax, sums};
  const auto seconds = [](const Twin& twin, workload::WorkloadCost cost, Runtime runtime) {
    cost.precision = cost.arithmetic = workload::Precision::kFp16;
    cost.runtime = runtime;
    return Estimator(twin, cost, {})({}).period_s;
  };
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    const Twin twin = load_twin(board);
    const double eager_s = seconds(twin, separate, Runtime::kPytorchEager);
    for (const Runtime runtime :
         {Runtime::kTorchCompile, Runtime::kOnnxRuntime, Runtime::kTensorRt}) {
      const double fused_s = seconds(twin, fused, runtime);
      EXPECT_LT(fused_s, eager_s) << name << " " << name_of(runtime);
      EXPECT_LT(fused_s, seconds(twin, separate, runtime)) << name << " " << name_of(runtime);
      // FP16 products of fused attention sum in FP32, at the rate that boards state.
      const double peak = *stated_rate(board, Arithmetic::kFp16) * board.sms * twin.gpu_clock_hz;
      EXPECT_GT(fused_s, 4 * kMacs / peak) << name << " " << name_of(runtime);
    }
  }
}

// `short` and `narrow` are times outside tensor cores, which FP32 does not use on these boards.
// Cards with engines of their own have fitted rows in FP16 alone. TensorRT does not fuse attention
// in FP32, so networks of long sequences may take longer.
TEST(OnRuntime, TensorRtIsNotSlowerThanOnnxRuntimeWithoutTensorCores) {
  for (const char* model : {"zoo:resnet50", "zoo:yolov8n", "zoo:vit_b_32", "zoo:deeponet_base"}) {
    const workload::DeployedWorkload workload(model);
    for (const auto& name : list_boards()) {
      const Board board = load_board(name);
      const bool own = !board.engines.empty() || !board.runtimes.empty();
      if (own || supports(board, Arithmetic::kTf32)) continue;
      const Twin twin = load_twin(board);
      const auto seconds = [&](Runtime runtime) {
        const auto cost =
            workload.with({.precision = workload::Precision::kFp32, .runtime = runtime}).at(1);
        return Estimator(twin, cost)({}).period_s;
      };
      EXPECT_LE(seconds(Runtime::kTensorRt), seconds(Runtime::kOnnxRuntime))
          << model << " " << name;
    }
  }
}

TEST(RuntimeErrorsOfTwins, AreWiderStillOnACardWithTheEnginesOfModules) {
  EXPECT_GT(time_factor(load_twin(load_board("a100-sxm")), "fp16"),
            1.15 * time_factor(load_twin(load_board("orin-nx-16gb")), "fp16"));
}

// Cards with the same chip share the parameters of their engines. Only those with rows of their own
// have the narrow interval.
TEST(RuntimeErrorsOfTwins, CardsWithOneChipShareEngines) {
  const auto engine = [](const char* board) {
    return load_twin(load_board(board)).runtimes[static_cast<std::size_t>(Runtime::kTensorRt)];
  };
  const auto interval = [](const char* board) {
    return time_factor(load_twin(load_board(board)), "fp16");
  };
  for (const auto& [own, shared] :
       {std::pair{"rtx-3090", "rtx-3080-ti"}, std::pair{"rtx-3090", "a40"},
        std::pair{"titan-rtx", "quadro-rtx-6000"}}) {
    EXPECT_EQ(load_board(own).soc, load_board(shared).soc);
    EXPECT_EQ(engine(own).values, engine(shared).values) << shared;
  }
  EXPECT_NE(engine("rtx-3090").values, engine("titan-rtx").values);
  EXPECT_NEAR(interval("rtx-3080-ti") / interval("rtx-3090"), 1, 0.1);
  EXPECT_GT(interval("a40"), 1.05 * interval("rtx-3090"));
  EXPECT_LT(interval("a40"), interval("a100-sxm"));
}

TEST(RuntimeErrorsOfTwins, AreWiderOnABoardThatWasNotFitted) {
  EXPECT_GT(time_factor(load_twin(load_board("orin-nx-16gb")), "fp16"),
            time_factor(load_twin(load_board("orin-nano-8gb")), "fp16"));
}

// The deviation of a precision that the file states widens the error.
TEST(RuntimeErrorsOfTwins, AreWiderByTheDeviationOfAPrecision) {
  Twin doubtful = load_twin(load_board("orin-nano-8gb"));
  doubtful.runtimes.at(static_cast<std::size_t>(Runtime::kTensorRt)).errors.precision = 0.25;
  EXPECT_GT(time_factor(doubtful, "bf16"), 1.2 * time_factor(doubtful, "fp16"));
}

// BF16 uses the rates that were fitted to FP16 rows, because no row is in BF16.
TEST(RuntimeErrorsOfTwins, AreWiderInAPrecisionThatWasNotFitted) {
  const Twin shipped = load_twin(load_board("orin-nano-8gb"));
  const RuntimeTwin& engine = shipped.runtimes.at(static_cast<std::size_t>(Runtime::kTensorRt));
  ASSERT_TRUE(engine.fitted_in("fp16"));
  ASSERT_FALSE(engine.fitted_in("bf16"));
  EXPECT_GT(time_factor(shipped, "bf16"), time_factor(shipped, "fp16"));
}

TEST(RuntimeRefusals, WhatARuntimeCannotRun) {
  const auto cost = [](Runtime runtime, workload::Precision precision, WorkloadKind kind) {
    DeployOptions options;
    options.runtime = runtime;
    options.precision = precision;
    options.kind = kind;
    return DeployedWorkload("zoo:resnet18", options).at(1);
  };
  using workload::Precision;
  EXPECT_THROW(cost(Runtime::kOnnxRuntime, Precision::kInt8, WorkloadKind::kInference),
               NotSupportedError);
  EXPECT_THROW(cost(Runtime::kTensorRt, Precision::kFp16, WorkloadKind::kTraining),
               NotSupportedError);
  EXPECT_NO_THROW(cost(Runtime::kTensorRt, Precision::kInt8, WorkloadKind::kInference));
}

constexpr char kPublicHeader[] =
    "source,date,board,jetpack,power_mode,runtime,workload,precision,batch,sequence,metric,value,"
    "note\n";

// The columns of one public measurement; the defaults are valid.
struct PublicRow {
  std::string board = "AGX Orin 64GB", mode = "MAXN", runtime = "tensorrt", workload = "resnet50",
              precision = "fp16", batch = "1", metric = "ms", value = "1.5", note = "";
  std::string line() const {
    return "s,2026," + board + ",6," + mode + ',' + runtime + ',' + workload + ',' + precision +
           ',' + batch + ",," + metric + ',' + value + ',' + note + '\n';
  }
};

class PublicRows : public ::testing::Test {
 protected:
  RuntimeRows read(const std::string& text) const {
    return load_runtime_rows({folder_.write("rows.csv", text)});
  }
  RuntimeRows read(const PublicRow& row) const { return read(kPublicHeader + row.line()); }

  testing::TemporaryFolder folder_;
};

TEST_F(PublicRows, AreReadInSeconds) {
  const RuntimeRows ms = read(PublicRow{});
  ASSERT_EQ(ms.rows.size(), 1U);
  EXPECT_TRUE(ms.left_out.empty());
  EXPECT_DOUBLE_EQ(ms.rows[0].time_s, 1.5e-3);
  EXPECT_EQ(ms.rows[0].board, "agx-orin");
  EXPECT_EQ(ms.rows[0].runtime(), Runtime::kTensorRt);
  EXPECT_EQ(ms.rows[0].precision, "fp16");
  EXPECT_EQ(ms.rows[0].run.caller, EngineCaller::kCpp);
  const RuntimeRows rate = read(PublicRow{.batch = "8", .metric = "fps", .value = "1000"});
  ASSERT_EQ(rate.rows.size(), 1U);
  EXPECT_DOUBLE_EQ(rate.rows[0].time_s, 8e-3);
  EXPECT_EQ(rate.rows[0].cost->batch, 8);
  const RuntimeRows unstated = read(PublicRow{.runtime = "tensorrt/torch (not stated)"});
  ASSERT_EQ(unstated.rows.size(), 1U);
  EXPECT_LT(unstated.rows[0].weight, 1);
  EXPECT_FALSE(unstated.rows[0].remark.empty());
}

TEST_F(PublicRows, AreOfModulesOrOfCardsWithOneChip) {
  const std::string path =
      folder_.write("all.csv", kPublicHeader + PublicRow{}.line() +
                                   PublicRow{.board = "RTX 3090", .mode = ""}.line() +
                                   PublicRow{.board = "Titan RTX", .mode = ""}.line());
  for (const auto& [chip, board] : {std::pair{"", "agx-orin"}, std::pair{"ga102", "rtx-3090"},
                                    std::pair{"tu102", "titan-rtx"}}) {
    const RuntimeRows rows = load_runtime_rows({path}, chip);
    ASSERT_EQ(rows.rows.size(), 1U);
    EXPECT_EQ(rows.rows[0].board, board);
    EXPECT_EQ(rows.left_out.size(), 1U);  // one reason for both rows
  }
}

TEST_F(PublicRows, HostileFilesAreRefused) {
  EXPECT_THROW(read(std::string()), InputError);
  EXPECT_THROW(read("model,time\nresnet50,3\n"), InputError);
  const std::string header = kPublicHeader;
  for (const char* column : {"board", "runtime", "value", "note"}) {
    std::string other = header;
    other.replace(other.find(column), std::string(column).size(), "other");
    EXPECT_THROW(read(other + PublicRow{}.line()), InputError) << column;
  }
  for (const char* value : {"0", "-1", "nan", "inf", "1e999", "fast", "", "1.5 ms"}) {
    for (const char* metric : {"ms", "fps"}) {
      EXPECT_THROW(read(PublicRow{.metric = metric, .value = value}), InputError)
          << value << ' ' << metric;
    }
  }
  EXPECT_THROW(load_runtime_rows({(folder_.path() / "nothing.csv").string()}), Error);
  EXPECT_TRUE(read(header).rows.empty());
}

// Such a row is rejected or left out. It must not become a row that has no comparable time.
TEST_F(PublicRows, BatchesThatAreNoneAreNotUsed) {
  for (const char* batch : {"0", "-1", "99999999999", "4294967297", "256 (GPU)"}) {
    for (const char* metric : {"ms", "fps"}) {
      try {
        EXPECT_TRUE(read(PublicRow{.batch = batch, .metric = metric}).rows.empty())
            << batch << ' ' << metric;
      } catch (const InputError&) {
        SUCCEED();
      }
    }
  }
}

TEST_F(PublicRows, WhatSaysNothingOfOneEngineIsLeftOutWithAReason) {
  const PublicRow left_out[] = {{.note = "GPU + 2 DLA in Offline"},
                                {.board = "Raspberry Pi 5"},
                                {.mode = "MaxQ"},
                                {.runtime = "tflite"},
                                {.workload = "nothing_net"},
                                {.metric = "W"},
                                // ONNX Runtime does not support INT8 on the GPU.
                                {.runtime = "onnxruntime", .precision = "int8"}};
  std::string text = kPublicHeader;
  for (const auto& row : left_out) text += row.line();
  const RuntimeRows read_rows = read(text + PublicRow{}.line());
  EXPECT_EQ(read_rows.rows.size(), 1U);
  ASSERT_EQ(read_rows.left_out.size(), std::size(left_out));
  for (const auto& row : read_rows.left_out) {
    EXPECT_FALSE(row.reason.empty()) << row.label;
    EXPECT_FALSE(row.label.empty());
  }
  EXPECT_THAT(read_rows.left_out[0].reason, HasSubstr("DLA"));
  EXPECT_THAT(read_rows.left_out[1].reason, HasSubstr("board"));
  EXPECT_THAT(read_rows.left_out[1].label, HasSubstr("Raspberry Pi 5"));
  EXPECT_THAT(read_rows.left_out[2].reason, HasSubstr("clocks"));
}

// If such a row were accepted, the fit of all other rows would fail.
TEST_F(PublicRows, ARateThatTheBoardLacksIsLeftOut) {
  const RuntimeRows found = read(kPublicHeader + PublicRow{.precision = "fp8"}.line());
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(found.left_out.size(), 1U);
}

}  // namespace
}  // namespace ridgewatt::twin
