// Tests what a user does with a real or fake board on the command line: live tuning that is
// resumed, comparisons, and the workloads in examples/.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using testing::run_program;

class BoardCommand : public ::testing::Test {
 protected:
  testing::ProgramResult tune(const std::string& arguments) {
    return run_program(
        "tune --device local --quiet --format json --settle 0.05 --settle-window 0.01 --idle 0 "
        "--window 3 --sysroot " +
        board_.root + " --store " + (folder_.path() / "t.db").string() + " " + arguments +
        " -- /bin/sh -c 'exec 2> /dev/null; for i in $(seq 60); do sleep 0.01; echo minibatch "
        ">&$RIDGEWATT_MARK_FD; done'");  // a shell may report the signal that ends it
  }
  testing::FakeBoard board_{"orin-nano"};
  testing::TemporaryFolder folder_;
};

// A repeated search takes its points from the store, and the board is restored.
// label: board
TEST_F(BoardCommand, TuneIsResumed) {
  const auto first = board_.content();
  const auto once = tune("--strategy random --profiles 4 --seed 3");
  ASSERT_EQ(once.status, 0) << once.output;
  EXPECT_EQ(board_.changes(first), "");
  const auto again = tune("--strategy random --profiles 4 --seed 3");
  ASSERT_EQ(again.status, 0) << again.output;
  const Json a = Json::parse(once.output);
  const Json b = Json::parse(again.output);
  ASSERT_EQ(a["profiled"].size(), 4u);
  // The answer is measured again, and the next best point if it turns out to be worse.
  const std::size_t points = b["profiled"].size();
  ASSERT_GE(points, 5u);
  ASSERT_LE(points, 8u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a["profiled"][i]["time_ms"], b["profiled"][i]["time_ms"]);
    EXPECT_THAT(b["profiled"][i]["reason"], HasSubstr("from the store"));
  }
  bool confirmed = false;
  for (std::size_t i = 4; i < points; ++i) {
    EXPECT_THAT(b["profiled"][i]["reason"], HasSubstr("measured again"));
    confirmed = confirmed || b["profiled"][i]["time_ms"] == b["time_ms"];
  }
  EXPECT_TRUE(confirmed) << again.output;
  EXPECT_EQ(a["provenance"], "fake");
  const auto list = run_program("store list --format csv " + (folder_.path() / "t.db").string());
  EXPECT_THAT(list.output, HasSubstr(fmt::format(",fake,{},", points)));
}

// A search by a model knows all points of the store, states them, and confirms its answer.
// label: board
TEST_F(BoardCommand, TuneStatesWhatComesFromTheStore) {
  ASSERT_EQ(tune("--profiles 4").status, 0);
  const auto again = tune("--profiles 1");
  ASSERT_EQ(again.status, 0) << again.output;
  const Json found = Json::parse(again.output);
  EXPECT_EQ(found["stored"].size(), 4u);
  EXPECT_THAT(found["stored"][0]["reason"], HasSubstr("from the store"));
  bool measured = false;
  for (const auto& point : found["profiled"]) measured = measured || point["mode"] == found["mode"];
  EXPECT_TRUE(measured) << again.output;
  // Three minibatches of 10 ms give few samples of power.
  EXPECT_THAT(found["remark"].get<std::string>(), HasSubstr("flagged when measured (")) << found;
  EXPECT_THAT(found["remark"].get<std::string>(), HasSubstr("the answer among them")) << found;
}

// The program of another command has other figures, whatever its workload is called.
// label: board
TEST_F(BoardCommand, TuneRefusesPointsOfAnotherCommand) {
  const std::string each = " --settle 0.05 --settle-window 0.01 --idle 0 --window 3";
  const auto with = [&](const std::string& sleep, const std::string& way) {
    return run_program(
        "tune --device local --quiet --format json --profiles 2 --workload w --sysroot " +
        board_.root + " --store " + (folder_.path() / "t.db").string() + way +
        " -- /bin/sh -c 'exec 2> /dev/null; for i in $(seq 60); do sleep " + sleep +
        "; echo minibatch >&$RIDGEWATT_MARK_FD; done'");
  };
  ASSERT_EQ(with("0.01", each).status, 0);
  for (const std::string& way : {each, std::string(" --in-place --end-program")}) {
    const auto other = with("0.02", way);
    EXPECT_EQ(other.status, 2) << way;
    EXPECT_THAT(other.output, HasSubstr("2 points of workload w that another command measured"));
    EXPECT_THAT(other.output, HasSubstr("--workload"));
  }
  EXPECT_EQ(with("0.01", each).status, 0);
}

// label: board
TEST_F(BoardCommand, AnInterruptedFakeRunLeavesTheBoardIdle) {
  for (const char* signal : {"INT", "TERM"}) {
    const auto ended =
        run_program(std::string("measure --idle 0 --sysroot ") + board_.root + " -- timeout -s " +
                    signal + " 0.5 '" + (testing::build_folder() / "ridgewatt").string() +
                    "' fake-run zoo:lenet5 --minibatches 1000000 --sysroot " + board_.root);
    EXPECT_THAT(ended.output, HasSubstr("minibatches of zoo:lenet5")) << signal;
    EXPECT_FALSE(std::filesystem::exists(board_.root + "/.ridgewatt-fake-load")) << signal;
  }
}

// label: board
TEST_F(BoardCommand, TuneSaysWhatIsMissing) {
  const auto device = " --sysroot " + board_.root;
  EXPECT_THAT(run_program("tune --device local" + device).output, HasSubstr("after --"));
  const auto batches = run_program("tune --device local --batch 1,2" + device + " -- /bin/true");
  EXPECT_EQ(batches.status, 2);
  EXPECT_THAT(batches.output, HasSubstr("{batch}"));
  const auto failing = run_program(
      "tune --device local --quiet --profiles 2 --settle 0.05 "
      "--settle-window 0.01 --idle 0 --store " +
      (folder_.path() / "f.db").string() + device + " -- /bin/false");
  EXPECT_EQ(failing.status, 1);
  EXPECT_THAT(failing.output, HasSubstr("no operating point could be profiled"));
  EXPECT_EQ(run_program("tune zoo:lenet zoo:lenet --device nano").status, 2);
}

// If nothing can be measured, the reasons are reported, and no empty store is left.
// label: board
TEST_F(BoardCommand, TuneWithoutAResultLeavesNoStore) {
  const auto run = [&](const std::string& root, const std::string& program) {
    return run_program(
        "tune --device local --quiet --profiles 2 --max-power 30 --settle 0.05 "
        "--settle-window 0.01 --idle 0 --sysroot " +
        root + " --store " + (folder_.path() / "t.db").string() + " -- " + program);
  };
  EXPECT_THAT(run(board_.root, "/bin/false").output, HasSubstr("the command ended with status 1"));
  EXPECT_THAT(run(board_.root, "/no/such/program").output, HasSubstr("/no/such/program"));
  // The same board without power sensors.
  std::filesystem::remove_all(board_.root + "/sys/class/hwmon");
  std::filesystem::remove_all(board_.root + "/sys/bus/i2c");
  const auto blind = run(board_.root, "/bin/false");
  EXPECT_EQ(blind.status, 1);
  EXPECT_THAT(blind.output, HasSubstr("no power"));
  EXPECT_THAT(blind.output, HasSubstr("the command ended with status 1"));
  EXPECT_THAT(blind.output, ::testing::Not(HasSubstr("No answer")));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  EXPECT_THAT(run_program("profile " + (folder_.path() / "p.db").string() +
                          " --sample 1 --sysroot " + board_.root + " -- /bin/false")
                  .output,
              HasSubstr("no power"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

// label: board
TEST_F(BoardCommand, TuneExplainsAModelOnARealBoard) {
  const auto result = run_program("tune --device fake:orin-nano zoo:lenet --max-power 10");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("needs a program, not a model: zoo:lenet"));
  EXPECT_THAT(result.output, HasSubstr("--device orin-nano"));
  EXPECT_THAT(result.output, HasSubstr("-- ridgewatt fake-run zoo:lenet --device fake:orin-nano"));
}

// The clocks of the AGX Orin differ between JetPack 5.0, whose modes `--device agx-orin` means, and
// 5.1.
// label: board
TEST(Profile, ModesOfAnotherReleaseNameTheRelease) {
  const testing::TemporaryFolder folder;
  const std::string modes = folder.write("m.csv", "cpu_cores,gpu_mhz\n12,828.75\n");
  const auto result = run_program(
      "profile " + (folder.path() / "p.db").string() + " --device fake:agx-orin --state-dir " +
      (folder.path() / "state").string() + " --modes " + modes + " -- /bin/false");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("--device agx-orin@jp5.1")) << result.output;
}

// Two profiles of the same modes write into one store at the same time.
// label: board
TEST(Profile, TwoAtOnceShareAStore) {
  const testing::FakeBoard a("orin-nano");
  const testing::FakeBoard b("orin-nano");
  const testing::TemporaryFolder folder;
  const std::string modes = folder.write("modes.csv", "cpu_cores,gpu_mhz\n2,306\n4,306\n6,612\n");
  for (int round = 0; round < 6; ++round) {
    const std::string database = (folder.path() / ("s" + std::to_string(round))).string();
    std::string both;
    for (const auto& root : {a.root, b.root}) {
      both += "'" + (testing::build_folder() / "ridgewatt").string() + "' profile " + database +
              " --quiet --format csv --settle 0 --settle-window 0.01 --idle 0 --window 2 "
              "--workload w --modes " +
              modes + " --sysroot " + root +
              " -- /bin/sh -c 'for i in 1 2 3; do sleep 0.01; echo minibatch "
              ">&$RIDGEWATT_MARK_FD; done' > " +
              root + ".out 2>&1 & ";
    }
    ASSERT_EQ(std::system((both + "wait").c_str()), 0);
    const auto counts = [](const std::string& root) {
      int measured = -1;
      int skipped = -1;
      const std::string text = read_file(root + ".out");
      std::sscanf(text.c_str(), "measured,skipped,failed\n%d,%d,0", &measured, &skipped);
      EXPECT_EQ(measured + skipped, 3) << text;
      return measured;
    };
    EXPECT_EQ(counts(a.root) + counts(b.root), 3);
    EXPECT_THAT(run_program("store list --format csv " + database).output,
                HasSubstr(",w,inference,fake,3,"));
  }
}

TEST(CalibrateCommand, MicrobenchmarksRefuseWhatHasNoEffect) {
  const testing::TemporaryFolder folder;
  const std::string points =
      folder.write("mb.csv", "gpu_mhz,work_flop,traffic_bytes,time_ms,power_w\n");
  const std::string out = (folder.path() / "out.toml").string();
  for (const char* option : {"--no-validation", "--parameters"}) {
    const auto result = run_program("calibrate --microbench " + points + " " + option);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr("no effect with --microbench"));
  }
  const auto boardless = run_program("calibrate --microbench " + points + " -o " + out);
  EXPECT_EQ(boardless.status, 2);
  EXPECT_THAT(boardless.output, HasSubstr("--output needs a board"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

// Rows of a machine with `peak` FLOP/s and `bandwidth` bytes/s at a GPU clock, without power: FP32
// chains, a triad and a sweep of intensities.
std::string points_of(double gpu_mhz, double peak, double bandwidth) {
  std::string rows;
  const auto add = [&](const char* kernel, double flop, double bytes) {
    const double time_s = std::max(flop / peak, bytes / bandwidth);
    rows += std::string(kernel) + ",12,2201.6," + std::to_string(gpu_mhz) + ",3199," +
            std::to_string(flop) + "," + std::to_string(bytes) + "," +
            std::to_string(time_s * 1e3) + ",\n";
  };
  add("fma_fp32", 1e12, 0);
  add("triad", 2e9, 24e9);
  for (double intensity = 0.25; intensity <= 256; intensity *= 2) {
    add("intensity", intensity * 1e10, 1e10);
  }
  return rows;
}
constexpr const char* kPointHeader =
    "kernel,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,work_flop,traffic_bytes,time_ms,power_w\n";

constexpr const char* kFigureHeader =
    "board,name,quantity,form,model,kind,batch,mode,against_batch,against_mode,loading,factor,"
    "value,log_sd,source\n";

// The shipped twin must equal the output of the command, and a second run on the same figures must
// give the same twin.
// label: board
TEST(CalibrateCommand, PublishedFiguresMakeTheTwinThatShips) {
  const testing::TemporaryFolder folder;
  const std::string out = (folder.path() / "nano.toml").string();
  const auto made = run_program("calibrate --device nano --evidence published -o " + out);
  ASSERT_EQ(made.status, 0) << made.output;
  EXPECT_THAT(made.output, HasSubstr("known from"));
  const std::string question =
      "estimate zoo:resnet18 --modes presets --format csv --quiet --device ";
  const auto shipped = run_program(question + "nano"), own = run_program(question + out);
  EXPECT_EQ(own.status, 0) << own.output;
  EXPECT_EQ(own.output, shipped.output);
}

// Figures, roofs and sweeps in one fit: the file has both tables.
TEST(CalibrateCommand, TakesAnyMixOfEvidence) {
  const testing::TemporaryFolder folder;
  const std::string points =
      folder.write("mb.csv", kPointHeader + points_of(1300.5, 4.8e12, 150e9));
  const std::string figures = folder.write(
      "f.csv", std::string(kFigureHeader) +
                   "agx-orin,own,power_w,value,zoo:resnet18,inference,16,,,,,1,45,0.02,bench\n"
                   "nano,other,power_w,value,zoo:resnet18,inference,16,,,,,1,4,0.02,bench\n");
  const std::string out = (folder.path() / "out.toml").string();
  const auto made = run_program("calibrate --device agx-orin --evidence " + figures +
                                " --microbench " + points + " --format json -o " + out);
  ASSERT_EQ(made.status, 0) << made.output;
  const Json json = Json::parse(made.output);
  ASSERT_EQ(json["figures"].size(), 1u);
  const auto& figure = json["figures"][0];
  const double before = figure["prior_error_pct"], now = figure["fitted_error_pct"];
  EXPECT_LT(std::abs(now), 0.5 * std::abs(before));
  const std::string board = read_file(out);
  EXPECT_NE(board.find("[microbench]"), std::string::npos);
  EXPECT_NE(board.find("microbench = \"taken into the fit\""), std::string::npos);
  EXPECT_EQ(run_program("estimate zoo:resnet18 --device " + out).status, 0);
}

TEST(CalibrateCommand, FiguresThatAreNoneAreRefused) {
  const testing::TemporaryFolder folder;
  const std::string other = folder.write(
      "f.csv", std::string(kFigureHeader) +
                   "nano,other,power_w,value,zoo:resnet18,inference,16,,,,,1,4,0.02,bench\n");
  const auto none = run_program("calibrate --device tx2 --evidence " + other);
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.output, HasSubstr("the evidence has no row of board"));
  EXPECT_EQ(run_program("calibrate --device nano --evidence missing.csv").status, 1);
  EXPECT_EQ(run_program("calibrate --device nano --evidence published --runtimes " + other).status,
            2);
}

// The roofs of two modes are stored in a board file. `roofline` draws them as measured, and
// estimates with this file follow the bandwidth.
// label: board
TEST(CalibrateCommand, MicrobenchmarksOfTimeAloneMakeABoardOfMeasuredRoofs) {
  const testing::TemporaryFolder folder;
  const std::string points =
      folder.write("mb.csv", kPointHeader + points_of(1300.5, 4.8e12, 100e9));
  const std::string slower = folder.write("slow.csv", kPointHeader + points_of(612, 2.2e12, 90e9));
  const std::string out = (folder.path() / "out.toml").string();
  const auto wrote = run_program("calibrate --microbench " + points + " --microbench " + slower +
                                 " --device agx-orin -o " + out);
  ASSERT_EQ(wrote.status, 0) << wrote.output;
  EXPECT_THAT(wrote.output, HasSubstr("no power was measured"));
  EXPECT_THAT(wrote.output, HasSubstr("measured FP32 peak: 88 to 90 % of the data sheet's"));
  const std::string board = read_file(out);
  EXPECT_THAT(board, HasSubstr("[microbench]"));
  EXPECT_THAT(board, HasSubstr("[twin]"));

  const auto drawn = run_program("roofline zoo:resnet18 --device " + out +
                                 " --modes maxn --precision fp32 --format json --quiet");
  ASSERT_EQ(drawn.status, 0) << drawn.output;
  const Json json = Json::parse(drawn.output);
  bool measured_row = false;
  for (const auto& row : json["modes"]) {
    EXPECT_NEAR(row["ceiling_gb_per_s"].get<double>(), 100, 0.01);
    EXPECT_EQ(row["bandwidth_ceiling_from"], "measured");
    if (row["arithmetic"] == "fp32") {
      EXPECT_NEAR(row["ceiling_gflop_per_s"].get<double>(), 4800, 0.1);
      EXPECT_LE(row["ceiling_gflop_per_s_lo"].get<double>(), 4800);
    }
    measured_row = measured_row || row["roof"] == "measured";
  }
  EXPECT_TRUE(measured_row);
  for (const auto& layer : json["layers"]) {
    if (!layer["counted_intensity"].is_number() || !layer["intensity"].is_number()) continue;
    EXPECT_NEAR(layer["counted_intensity"].get<double>() / layer["traffic_factor"].get<double>() /
                    layer["intensity"].get<double>(),
                1, 1e-9);
  }
  const auto time_ms = [](const std::string& device) {
    const auto result = run_program("estimate zoo:resnet18 --batch 16 --modes maxn --device " +
                                    device + " --format json --quiet");
    EXPECT_EQ(result.status, 0) << result.output;
    return Json::parse(result.output)["estimates"][0]["time_ms"].get<double>();
  };
  EXPECT_GT(time_ms(out), 1.1 * time_ms("agx-orin"));  // 100 instead of 205 GB/s
}

TEST(CalibrateCommand, MicrobenchmarksOfAnotherMachineAreRefused) {
  const testing::TemporaryFolder folder;
  const std::string out = (folder.path() / "out.toml").string();
  const auto refused = [&](const std::string& rows, const std::string& header = kPointHeader) {
    const auto result = run_program("calibrate --device agx-orin -o " + out + " --microbench " +
                                    folder.write("mb.csv", header + rows));
    EXPECT_NE(result.status, 0);
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
    EXPECT_FALSE(std::filesystem::exists(out));
    return result.output;
  };
  EXPECT_THAT(refused(points_of(1300.5, 50e12, 100e9)), HasSubstr("data sheet"));
  EXPECT_THAT(refused(points_of(1300.5, 5e12, 900e9)), HasSubstr("bandwidth_bytes_per_s"));
  EXPECT_THAT(refused(points_of(2400, 5e12, 100e9)),
              HasSubstr("gpu_mhz of 2400 is above the maximum"));
  EXPECT_THAT(refused(""), HasSubstr("no microbenchmark points"));
  EXPECT_THAT(refused("triad,1,2,3\n"), HasSubstr("line 2"));
  EXPECT_THAT(refused("triad,12,2201.6,1300.5,3199,2e9,24e9,-4,\n"), HasSubstr("positive"));
}

// B sleeps four times as long, so time differs, and so does energy on a board with constant power.
// label: board
TEST_F(BoardCommand, CompareTellsCommandsApart) {
  const auto result = run_program("compare --quiet --format json --repeats 4 --sysroot " +
                                  board_.root + " 'sleep 0.05' 'sleep 0.2'");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  for (const auto& row : json["rows"]) {
    if (row["quantity"] == "time" || row["quantity"] == "energy") {
      EXPECT_EQ(row["verdict"], "B is more");
      EXPECT_GT(row["ratio"].get<double>(), 2);
      EXPECT_LT(row["ratio"].get<double>(), 4.5);
    }
    if (row["quantity"] == "power") {
      EXPECT_NEAR(row["ratio"].get<double>(), 1, 1e-6);
    }
  }
  const auto text = run_program("compare --repeats 2 --sysroot " + board_.root + " true true");
  EXPECT_THAT(text.output, HasSubstr("fake on"));
}

// Each run has its own mode, as the series of the GPU clock shows, and the board is restored.
// label: board
TEST_F(BoardCommand, CompareTellsModesApart) {
  const auto first = board_.content();
  const auto result = run_program(
      "compare --quiet --format json --repeats 2 --mode-a gpu=306 --mode-b "
      "governor=schedutil,gpu=612 --sysroot " +
      board_.root + " 'sleep 0.05'");
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(board_.changes(first), "");
  EXPECT_THAT(result.output, HasSubstr("GPU clock"));
  const auto wrong =
      run_program("compare --mode-a gpu --mode-b gpu=fast --sysroot " + board_.root + " true");
  EXPECT_NE(wrong.status, 0);
  EXPECT_EQ(run_program("compare true --sysroot " + board_.root).status, 2);
}

// If PyTorch is installed, one network trains for a few minibatches.
// label: board
TEST(Workloads, MarkTheirMinibatches) {
  const std::string python = "/usr/bin/python3";
  if (std::system((python + " -c 'import torch' > /dev/null 2>&1").c_str()) != 0) {
    GTEST_SKIP() << "skipped: no PyTorch";
  }
  const auto run = testing::source_folder() / "examples" / "workloads" / "run.py";
  const auto result = run_program("measure --quiet --format json --idle 0 -- " + python + " " +
                                  run.string() + " lenet --batch 4 --minibatches 6");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output.substr(result.output.find('{')));
  const auto& minibatches = json["minibatches"];
  EXPECT_EQ(minibatches["count"].get<int>() + minibatches["excluded"].get<int>(), 5);
  EXPECT_GT(minibatches["fetch_stall_ms"].get<double>(), 0);
  EXPECT_EQ(json["phases"][0]["name"], "load");
  EXPECT_EQ(json["phases"][1]["name"], "train");
}

}  // namespace
}  // namespace ridgewatt::cli
