// Tests estimate, roofline, calibrate and evaluate estimate on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using testing::ProgramResult;
using testing::run_program;

// Expects this exit status and one line on standard error that contains `names`.
void expect_refused(const std::string& arguments, int status, const std::string& names) {
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.status, status) << arguments << '\n' << result.output;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr(names)) << arguments;
}

Json json_of(const std::string& arguments) {
  const ProgramResult result = run_program(arguments + " --format json");
  EXPECT_EQ(result.status, 0) << arguments << '\n' << result.output;
  return Json::parse(result.output);
}

class EstimateCommand : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  Board board_ = load_board("agx-orin");

  // Every 301st mode of the board, with the twin's values as if measured.
  Sweep sweep_of(const std::string& workload, bool training) const {
    const auto kind = training ? WorkloadKind::kTraining : WorkloadKind::kInference;
    const twin::Estimator estimator(
        twin::load_twin(board_),
        workload::DeployedWorkload("zoo:" + workload, {.kind = kind}).at(16));
    Sweep sweep;
    sweep.workload = workload;
    sweep.kind = training ? "training" : "inference";
    const KnobSpace space = knob_space(board_);
    for (std::size_t i = 0; i < space.size(); i += 301) {
      const twin::TimePower at = estimator(space[i]).timed();
      sweep.observations.push_back({{space[i], 16}, at.time_s, at.power_w});
    }
    return sweep;
  }
  std::string write(const std::string& name, const Sweep& sweep) const {
    return folder_.write(name, write_sweep_csv({sweep}));
  }
};

TEST_F(EstimateCommand, CsvHasOneRowPerModeAndBatchWithBounds) {
  const std::string modes = folder_.write(
      "modes.csv",
      "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz\n11,2201.6,1300.5,3199\n4,422.4,318.75,665.6\n");
  const ProgramResult result = run_program("estimate zoo:mobilenet_v2 --device agx-orin --modes " +
                                           modes + " --batch 1,4,16 --format csv");
  ASSERT_EQ(result.status, 0) << result.output;
  std::vector<std::string> lines = split(result.output, '\n');
  ASSERT_EQ(lines.size(), 8U);  // heading, 2 x 3 rows, and the empty text after the last line's end
  EXPECT_EQ(
      lines[0],
      "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,governor,preset,batch,time_ms,time_lo_ms,time_hi_ms,"
      "power_w,power_lo_w,power_hi_w,energy_j,energy_lo_j,energy_hi_j,time_median_ms,stall_ms,"
      "gpu_load_pct,bound,fits_memory,memory_needed_gb,memory_free_gb,precision,idle_w,bounded_by,"
      "interval_widened_by,workload,kind,board,provenance,runtime,twin");
  const std::vector<std::string> names = split(lines[0], ',');
  const std::vector<std::string> batches = {"1", "4", "16", "1", "4", "16"};
  for (std::size_t row = 0; row < 6; ++row) {
    const auto cells = split(lines[row + 1], ',');
    ASSERT_EQ(cells.size(), names.size());
    std::map<std::string, std::string> cell;
    for (std::size_t i = 0; i < names.size(); ++i) cell[names[i]] = cells[i];
    EXPECT_EQ(cell.at("precision"), "fp32");
    EXPECT_EQ(cell.at("runtime"), "pytorch-eager");
    EXPECT_EQ(cell.at("twin"), "fitted");
    EXPECT_EQ(cell.at("cpu_mhz"), row < 3 ? "2201.6" : "422.4");
    EXPECT_EQ(cell.at("batch"), batches[row]);
    const auto number = [&](const std::string& name) {
      return parse_double(cell.at(name)).value();
    };
    for (const std::string name : {"time", "power", "energy"}) {
      const std::string unit = name == "time" ? "_ms" : name == "power" ? "_w" : "_j";
      EXPECT_LT(number(name + "_lo" + unit), number(name + unit));
      EXPECT_GT(number(name + "_hi" + unit), number(name + unit));
    }
    const double energy_j = number("energy_j");
    EXPECT_NEAR(energy_j, number("time_ms") / 1e3 * number("power_w"), 1e-3 * energy_j);
  }
}

TEST_F(EstimateCommand, JsonSaysModelledAndWhere) {
  const ProgramResult result =
      run_program("estimate zoo:resnet18 --device agx-orin --modes maxn --per-layer --format json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["provenance"], "modelled");
  EXPECT_THAT(json["ground"].get<std::string>(), HasSubstr("modelled with the agx-orin twin"));
  EXPECT_EQ(json["estimates"][0]["bound"], "launch");  // batch 1
  EXPECT_GT(json["layers"].size(), 40U);
  double share = 0;
  for (const auto& cause : json["causes"]) share += cause["energy_share"].get<double>();
  EXPECT_NEAR(share, 1, 1e-6);
}

// 3,125 minibatches: all commands must state the same job.
TEST_F(EstimateCommand, EstimateTuneAndPipelineGiveOneJob) {
  const Json row = json_of(
      "estimate zoo:lenet5 --device agx-orin --training --modes maxn "
      "--dataset-size 50000")["estimates"][0];
  const double count = 50000 / 16;
  const auto same = [&](const Json& time_s, const Json& energy_j) {
    EXPECT_NEAR(time_s.get<double>() / row["job_time_s"].get<double>(), 1, 1e-9);
    EXPECT_NEAR(energy_j.get<double>() / row["job_energy_j"].get<double>(), 1, 1e-9);
  };
  same(count * row["time_ms"].get<double>() / 1e3, count * row["energy_j"].get<double>());

  const Json tuned = json_of("tune zoo:lenet5 --device agx-orin --training --dataset-size 50000");
  for (const auto& one : tuned["compared"]) {
    if (one["name"] != "MAXN") continue;
    same(count * one["time_ms"].get<double>() / 1e3, count * one["energy_j"].get<double>());
  }
  EXPECT_NEAR(tuned["job_time_s"].get<double>(), count * tuned["time_ms"].get<double>() / 1e3,
              1e-9);

  const Json later =
      json_of("pipeline zoo:lenet5 --device agx-orin --dataset-size 50000")["epochs"][1];
  same(later["time_s"], later["energy_j"]);
  same(count * later["minibatch_ms"].get<double>() / 1e3,
       count * later["minibatch_j"].get<double>());
}

// Photos that are slow to decode make a small network wait. Loading an image of its own size, 28 x
// 28 pixels, takes less than a tenth of that.
TEST_F(EstimateCommand, TheLoaderBindsSmallNetworksOnLargeSamplesOnly) {
  const auto row = [](const std::string& options) {
    return json_of("estimate zoo:lenet5 --device agx-orin --training --modes maxn" +
                   options)["estimates"][0];
  };
  const Json starved = row(" --loader-time 8");
  EXPECT_LT(starved["time_median_ms"].get<double>(), 0.2 * starved["time_ms"].get<double>());
  EXPECT_EQ(starved["bound"], "loader");
  const Json own = row("");
  EXPECT_EQ(own["bound"], "launch");
  EXPECT_LT(own["time_ms"].get<double>(), 0.2 * starved["time_ms"].get<double>());
}

// label: slow
TEST_F(EstimateCommand, GovernorsAreObeyedOrRefused) {
  const std::string modes = folder_.write("governors.csv",
                                          "governor,cpu_mhz\nperformance,\nschedutil,\n"
                                          "schedutil,1113.6\npowersave,\n");
  const Json rows =
      json_of("estimate zoo:resnet18 --device agx-orin --training --modes " + modes)["estimates"];
  ASSERT_EQ(rows.size(), 4U);
  const auto clock = [&](std::size_t i) { return rows[i]["clocks"]["cpu_mhz"].get<double>(); };
  const auto time = [&](std::size_t i) { return rows[i]["time_ms"].get<double>(); };
  EXPECT_NEAR(clock(0), 2201.6, 1e-6);
  EXPECT_NEAR(clock(2), 1113.6, 1e-6);
  EXPECT_NEAR(clock(3), 729.6, 1e-6);  // nvpmodel allows no lower clock
  EXPECT_EQ(rows[1]["mode"]["governor"], "schedutil");
  EXPECT_NEAR(time(1) / time(0), 1, 0.03);
  EXPECT_GT(time(3), 5 * time(0));
  const auto epoch_s = [](const std::string& options) {
    return json_of("pipeline zoo:resnet18 --device agx-orin" + options)["epochs"][1]["time_s"]
        .get<double>();
  };
  EXPECT_NEAR(epoch_s(" --governor schedutil") / epoch_s(""), 1, 0.03);
  EXPECT_NEAR(epoch_s(" --governor performance"), epoch_s(""), 1e-9);
  // Knobs that are not given stay at their maximum.
  EXPECT_LT(epoch_s(" --gpu-mhz 612"), 4 * epoch_s(""));

  const std::string other = folder_.write("other.csv", "governor\nconservative\n");
  expect_refused("estimate zoo:resnet18 --device agx-orin --modes " + other, 1, "conservative");
  expect_refused("pipeline zoo:resnet18 --device agx-orin --governor interactive", 1,
                 "interactive");
  expect_refused("roofline --device agx-orin --modes " + modes, 2, "governor");
}

TEST_F(EstimateCommand, FaultsAreOneLine) {
  expect_refused("estimate zoo:resnet18 --device nowhere", 1, "nowhere");
  expect_refused("estimate zoo:nothing --device agx-orin", 1, "nothing");
  expect_refused("estimate", 2, "MODEL");
  expect_refused("estimate zoo:resnet18 --batch 0", 2, "--batch");
  expect_refused(
      "estimate zoo:resnet18 --device agx-orin --modes " + folder_.write("no.csv", "gpu_mhz\n"), 1,
      "no.csv");
}

// A scaled twin states no error of its own: the AGX Orin's error does not apply to the other
// boards.
// label: slow
TEST_F(EstimateCommand, EachRowSaysWhichTwinItIsOf) {
  const ProgramResult result =
      run_program("estimate zoo:mobilenet_v2 --device all --batch 4 --format json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["runtime"], "pytorch-eager");
  EXPECT_FALSE(json.contains("fit"));
  EXPECT_EQ(json["provenance"].get<std::string>().find("%"), std::string::npos);
  ASSERT_EQ(json["estimates"].size(), list_boards().size());
  for (const auto& row : json["estimates"]) {
    const bool fitted = row["board"] == "agx-orin";
    const std::set<std::string> cards = {"a40", "h100-sxm", "p100-pcie", "v100-pcie"};
    const std::set<std::string> published = {"agx-xavier", "nano", "orin-nano-8gb", "orin-nx-16gb",
                                             "xavier-nx"};
    EXPECT_EQ(row["twin"], fitted || cards.contains(row["board"]) ? "fitted"
                           : published.contains(row["board"])     ? "fitted to published figures"
                                                                  : "scaled, not validated")
        << row["board"];
    EXPECT_EQ(row["twin_error"]["unseen_time_mape"].is_null(), !fitted) << row["board"];
    EXPECT_EQ(row["unseen_time_error_pct"].is_null(), !fitted) << row["board"];
  }
  const ProgramResult one =
      run_program("estimate zoo:mobilenet_v2 --device orin-nano --modes maxn --format json");
  EXPECT_TRUE(Json::parse(one.output)["fit"]["time_mape"].is_null()) << one.output;
}

// label: slow
TEST_F(EstimateCommand, PresetsHaveTheirNames) {
  const auto names = [](const std::string& arguments) {
    const ProgramResult result =
        run_program("estimate zoo:lenet5 --format json --device " + arguments);
    EXPECT_EQ(result.status, 0) << result.output;
    std::vector<std::string> found;
    const Json json = Json::parse(result.output);
    for (const auto& row : json["estimates"]) {
      found.push_back(row.contains("preset") && row["preset"].is_string()
                          ? row["preset"].get<std::string>()
                          : "");
    }
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("orin-nano"), (Names{"15W", "7W"}));
  EXPECT_EQ(names("orin-nano --modes 7W,15W"), (Names{"7W", "15W"}));
  EXPECT_EQ(names("agx-orin --modes 30W,maxn,15w"), (Names{"MODE_30W", "MAXN", "MODE_15W"}));
  const ProgramResult table = run_program("estimate zoo:lenet5 --device orin-nano");
  EXPECT_THAT(table.output, HasSubstr("not a cap"));
  const ProgramResult roofs = run_program("roofline --device orin-nano --format csv");
  EXPECT_THAT(roofs.output, HasSubstr("preset"));
  EXPECT_THAT(roofs.output, HasSubstr(",7W,"));
  expect_refused("estimate zoo:lenet5 --device agx-xavier --modes 30W", 2, "MODE_30W_6CORE");
  expect_refused("estimate zoo:lenet5 --device orin-nano --modes 25W", 1, "orin-nano-8gb@super");
}

// This machine is not a Jetson, so the commands must say so instead of choosing a board silently.
TEST_F(EstimateCommand, WithoutABoardItSaysSo) {
  if (platform::local_board(platform::Sysfs())) GTEST_SKIP() << "skipped: this machine is a board";
  for (const char* arguments :
       {"estimate zoo:lenet5", "roofline", "pipeline zoo:lenet5", "tune zoo:lenet5"}) {
    expect_refused(arguments, 2, "the command needs a board: give --device NAME");
  }
}

TEST_F(EstimateCommand, WhatHasNoEffectIsRefused) {
  expect_refused("estimate zoo:lenet5 --device nano --optimizer adam", 2,
                 "--optimizer has no effect without --training");
  expect_refused("estimate zoo:lenet5 --device nano --epochs 3", 2, "--epochs has no effect");
  expect_refused("roofline --device nano --batch 4", 2, "--batch has no effect without a MODEL");
  expect_refused("pipeline --compute-time 5 --device nano", 2, "--device has no effect");
  expect_refused("predict --samples x.csv --query x.csv --reference-model m", 2,
                 "--reference-model has no effect with --method auto");
  expect_refused("pareto --sweep x.csv --device nano", 2, "--device has no effect with --sweep");
}

TEST_F(EstimateCommand, RooflinesOfModesAndLayers) {
  const ProgramResult modes = run_program("roofline --device agx-orin --format csv");
  ASSERT_EQ(modes.status, 0) << modes.output;
  EXPECT_THAT(modes.output, HasSubstr("time_balance"));
  const ProgramResult model =
      run_program("roofline zoo:resnet18 --device agx-orin --modes maxn --batch 16 --format json");
  ASSERT_EQ(model.status, 0) << model.output;
  const Json json = Json::parse(model.output);
  EXPECT_EQ(json["batch"], 16);
  const Json& roof = json["modes"][0];
  EXPECT_LE(roof["race_to_halt_ratio_lo"], roof["race_to_halt_ratio"]);
  EXPECT_LE(roof["race_to_halt_ratio"], roof["race_to_halt_ratio_hi"]);
  EXPECT_EQ(roof["race_to_halt"] == "holds", roof["race_to_halt_ratio_hi"].get<double>() <= 1);
  for (const auto& layer : json["layers"]) {
    if (layer["intensity"].is_null()) continue;
    const double rate = layer["modelled_gflop_per_s"];
    EXPECT_LE(rate, layer["reached_gflop_per_s"].get<double>() * (1 + 1e-9));
    EXPECT_LE(layer["reached_gflop_per_s"], layer["ceiling_gflop_per_s"]);
    // The rate excludes launches.
    EXPECT_NEAR(rate, layer["work_mflop"].get<double>() / layer["gpu_ms"].get<double>(),
                1e-9 * rate);
  }
  EXPECT_EQ(roof["roof"], "convolution");
  EXPECT_EQ(roof["max_power_w"], 60);  // the board's limit
  EXPECT_EQ(json["ceilings"][0]["key"], "gpu.tf32_flop_per_sm_cycle");
  expect_refused("roofline --device agx-orin --modes nothing", 1, "nothing");
}

// Integer operations are work: 1,814,073,344 products and sums of ResNet-18, whatever the format.
TEST_F(EstimateCommand, LayersInIntegersAreBelowTheRoofOfIntegers) {
  const std::string of =
      " zoo:resnet18 --device agx-orin --modes maxn --runtime tensorrt --precision int8 "
      "--format json";
  const ProgramResult placed = run_program("roofline" + of);
  const ProgramResult estimated = run_program("estimate --per-layer" + of);
  ASSERT_EQ(placed.status + estimated.status, 0) << placed.output << estimated.output;
  const Json roofline = Json::parse(placed.output), estimate = Json::parse(estimated.output);
  double work_mflop = 0;
  for (const auto& layer : roofline["layers"]) {
    work_mflop += layer["work_mflop"].get<double>();
    if (layer["op"] != "Conv") continue;
    EXPECT_GT(layer["intensity"], 10);
    EXPECT_LE(layer["modelled_gflop_per_s"], layer["reached_gflop_per_s"].get<double>());
    EXPECT_LE(layer["reached_gflop_per_s"], layer["ceiling_gflop_per_s"].get<double>());
  }
  EXPECT_NEAR(work_mflop, 2 * 1814.073344, 0.01 * 2 * 1814);
  double estimated_mflop = 0;
  for (const auto& layer : estimate["layers"]) {
    estimated_mflop += layer["work_mflop"].get<double>();
  }
  EXPECT_NEAR(estimated_mflop, work_mflop, 1e-6);
}

// Both commands must state the same intensity and the same time of a layer.
TEST_F(EstimateCommand, RooflineAndEstimateTellTheSameOfALayer) {
  const std::string of = " zoo:resnet50 --device agx-orin --modes maxn --batch 16 --format json";
  const ProgramResult placed = run_program("roofline" + of);
  const ProgramResult estimated = run_program("estimate --per-layer" + of);
  ASSERT_EQ(placed.status + estimated.status, 0) << placed.output << estimated.output;
  const Json roofline = Json::parse(placed.output);
  const Json estimate = Json::parse(estimated.output);
  ASSERT_EQ(roofline["layers"].size(), estimate["layers"].size());
  for (std::size_t i = 0; i < roofline["layers"].size(); ++i) {
    const Json& a = roofline["layers"][i];
    const Json& b = estimate["layers"][i];
    EXPECT_EQ(a["traffic_mb"], b["traffic_mb"]);
    EXPECT_EQ(a["time_ms"], b["time_ms"]);
    EXPECT_EQ(a["gpu_ms"], b["gpu_ms"]);
    if (a["intensity"].is_null()) continue;
    EXPECT_NEAR(a["intensity"], b["intensity"], 1e-9);
  }
  double total_ms = 0;
  for (const auto& part : roofline["time_parts"]) total_ms += part["time_ms"].get<double>();
  EXPECT_NEAR(total_ms, estimate["estimates"][0]["time_ms"].get<double>(), 1e-6);
}

TEST_F(EstimateCommand, TheRoofsAreThoseOfTheClassesInTheModel) {
  const ProgramResult result =
      run_program("roofline zoo:bert_base --device agx-orin --modes maxn --batch 4 --format json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json modes = Json::parse(result.output)["modes"];
  EXPECT_EQ(modes[0]["roof"], "product");  // the class that takes most of the time comes first
  EXPECT_GT(modes[0]["gpu_share_pct"], 50);
  EXPECT_NEAR(
      modes[0]["time_balance"].get<double>(),
      modes[0]["reached_gflop_per_s"].get<double>() / modes[0]["reached_gb_per_s"].get<double>(),
      1e-9);
  EXPECT_LT(modes[0]["ceiling_gflop_per_s"], 5400);  // 5.3 TFLOPS of FP32, not TF32
  for (const auto& row : modes) EXPECT_NE(row["roof"], "convolution");
}

TEST_F(EstimateCommand, PowerCapAndCachesAreReachable) {
  const ProgramResult result = run_program(
      "roofline zoo:resnet50 --device agx-orin --modes maxn --batch 16 --power-cap 30 --level "
      "L2=1000 --format json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  for (const auto& row : json["modes"]) {
    EXPECT_LE(row["max_power_w"], 30);
    EXPECT_GT(row["uncapped_power_w"], 30);
    EXPECT_LT(row["capped_from"], row["time_balance"]);
  }
  double gpu_ms = 0, layers_ms = 0, added_ms = 0, total_ms = 0;
  for (const auto& layer : json["layers"]) {
    EXPECT_LE(layer["power_w"].get<double>(), 30 + 1e-9);
    gpu_ms += layer["gpu_ms"].get<double>();
    layers_ms += layer["time_ms"].get<double>();
  }
  // The minibatch and its layers are longer by what the cap adds.
  for (const auto& part : json["time_parts"]) {
    total_ms += part["time_ms"].get<double>();
    if (part["part"] == "GPU slowed by the power cap") added_ms = part["time_ms"];
  }
  EXPECT_GT(added_ms, 0);
  EXPECT_GE(layers_ms, gpu_ms * (1 - 1e-9));
  EXPECT_GE(total_ms, layers_ms * (1 - 1e-9));
  EXPECT_EQ(json["levels"].back()["level"], "L2");
  EXPECT_EQ(json["levels"].back()["ceiling_gb_per_s"], 1000);
  expect_refused("roofline --device agx-orin --modes maxn --power-cap 5", 2,
                 "static power of the mode");
  expect_refused("roofline --device agx-orin --level L2", 2, "--level needs NAME=GB/s");
}

TEST_F(EstimateCommand, MemoryIsListedInPartsWithSources) {
  const ProgramResult result = run_program(
      "estimate zoo:mobilenet_v3 --training --device xavier-nx --modes MODE_20W_6CORE --format "
      "json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  const Json& memory = json["estimates"][0]["memory_gb"];
  double sum = 0;
  for (const char* part :
       {"tensors", "workspace", "framework", "cuda_context", "cudnn", "loader"}) {
    sum += memory[part].get<double>();
  }
  EXPECT_NEAR(sum, memory["needed"].get<double>(), 1e-9);
  for (const char* part : {"framework", "cuda_context", "cudnn", "worker", "system"}) {
    EXPECT_THAT(json["memory_sources"][part].get<std::string>(),
                ::testing::SizeIs(::testing::Gt(10)));
  }
  EXPECT_EQ(json["estimates"][0]["fits_memory"], true);
  const ProgramResult nano = run_program("estimate zoo:resnet18 --training --device nano");
  EXPECT_EQ(nano.status, 3);
  EXPECT_THAT(nano.output, HasSubstr("no minibatch fits the board's memory"));
}

// label: slow
TEST_F(EstimateCommand, CalibrateWritesABoardThatLoads) {
  const std::string sweeps = " --sweep " + write("a.csv", sweep_of("resnet18", false)) +
                             " --sweep " + write("b.csv", sweep_of("resnet18", true));
  const std::string toml = (folder_.path() / "board.toml").string();
  const ProgramResult result = run_program("calibrate --device agx-orin" + sweeps +
                                           " --no-validation --format json -o " + toml);
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  // The twin explains its own values almost completely; the priors cause the remaining error.
  EXPECT_LT(json["fit"].back()["time_error_pct"].get<double>(), 5);
  EXPECT_LT(json["fit"].back()["power_error_pct"].get<double>(), 5);
  ASSERT_EQ(json["models"].size(), 2U);
  EXPECT_EQ(json["models"][0]["workload"], "resnet18 inference");
  EXPECT_THAT(json["models"][0]["model"].get<std::string>(), HasSubstr("resnet18"));
  EXPECT_EQ(json["models"][1]["runtime"], "pytorch-eager");
  const twin::Twin twin = twin::load_twin(load_board(toml));
  EXPECT_EQ(twin.status, "fitted");
  EXPECT_THAT(twin.origin, HasSubstr("a.csv"));
  EXPECT_GT(twin.lo(twin::TwinParam::kLaunchCycles), 0);
  EXPECT_EQ(run_program("estimate zoo:resnet18 --device " + toml).status, 0);
}

// label: slow
TEST_F(EstimateCommand, FaultySweepsAreNamed) {
  const Sweep good = sweep_of("resnet18", false);
  const auto refused = [&](const Sweep& sweep, const std::string& names) {
    expect_refused("calibrate --sweep " + write("bad.csv", sweep), 1, names);
  };
  Sweep few = good;
  few.observations.resize(6);
  refused(few, "too few");
  Sweep kilohertz = good;
  for (auto& row : kilohertz.observations) row.point.mode.gpu_clock_hz *= 1000;
  refused(kilohertz, "kHz");
  Sweep nan = good;
  nan.observations.back().power_w = std::nan("");
  refused(nan, "line " + std::to_string(nan.observations.size() + 1));
  expect_refused("calibrate", 2, "--sweep");
  expect_refused("calibrate --sweep " + write("good.csv", good) + ",color=red", 2, "color");
  for (const char* bad : {"model=", "image=0", "image=nan", "workers=1e300", "loader-ms=-1"}) {
    expect_refused("calibrate --sweep " + write("good.csv", good) + "," + bad, 2, bad);
  }

  Sweep other = good;
  other.board = "orin-nano";
  refused(other, "the rows are of board orin-nano, not of agx-orin");
  Sweep clocks = good;
  for (auto& row : clocks.observations) row.point.mode.gpu_clock_hz *= 0.93;
  refused(clocks, "is not a value that board agx-orin has");
  Sweep seconds = good;
  for (auto& row : seconds.observations) row.time_s /= 1000;
  refused(seconds, "check the unit of time_ms");

  Sweep one_clock = good;
  std::erase_if(one_clock.observations,
                [](const Observation& row) { return row.point.mode.mem_clock_hz != 3199e6; });
  const ProgramResult noticed =
      run_program("calibrate --no-validation --sweep " + write("one.csv", one_clock));
  EXPECT_EQ(noticed.status, 0) << noticed.output;
  EXPECT_THAT(noticed.output, HasSubstr("mem_mhz is constant"));
}

// label: slow
TEST_F(EstimateCommand, EvaluationFitsLeavesOutAndCounts) {
  const std::string sweeps = " --sweep " + write("a.csv", sweep_of("resnet18", false)) +
                             " --sweep " + write("b.csv", sweep_of("resnet18", true));
  const ProgramResult result = run_program("evaluate estimate --findings --format json" + sweeps);
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  EXPECT_GT(json["fit"][0]["unseen_time_error_pct"].get<double>(), 0);
  EXPECT_EQ(json["findings"].size(), 2U);
  EXPECT_EQ(json["unseen_findings"].size(), 2U);
  // Fitted, unseen, and by the neighbors of the rows, each for trusted rows and for all rows.
  ASSERT_EQ(json["findings_count"].size(), 6U);
  EXPECT_EQ(json["findings_count"][5]["rows"], "all");
  EXPECT_FALSE(json["race_to_halt"].empty());
  const ProgramResult shipped = run_program("evaluate estimate --shipped" + sweeps);
  ASSERT_EQ(shipped.status, 0) << shipped.output;
  EXPECT_THAT(shipped.output, HasSubstr("modelled with the agx-orin twin"));
}

}  // namespace
}  // namespace ridgewatt::cli
