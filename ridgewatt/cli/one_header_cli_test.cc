// Tests that a command and its options have one CSV header, whatever the data are.
#include <gtest/gtest.h>

#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::cli {
namespace {

// A command line, and the texts that replace its %.
struct Line {
  const char* text;
  std::vector<std::string> data;
};

const std::vector<std::string> kBoards = {"agx-orin", "nano", "xavier-nx"};
const std::vector<std::string> kModes = {"maxn", "gpu=624.75", "presets", "modes.csv"};
const std::vector<std::string> kModels = {"zoo:lenet5", "zoo:lstm_lm"};
const std::vector<std::string> kSweeps = {"all.csv", "few.csv", "one.csv", "governed.csv"};

const Line kLines[] = {
    {"analyze %", kModels},
    {"analyze % --per-layer", kModels},
    {"calibrate --device agx-orin --microbench %", {"fp32.csv", "all_roofs.csv"}},
    {"device show % --list-modes", kBoards},
    {"device show %", kBoards},
    {"estimate zoo:lenet5 --device agx-orin --modes %", kModes},
    {"estimate zoo:lenet5 --device %", kBoards},
    {"estimate % --device agx-orin --modes maxn --per-layer", kModels},
    {"estimate % --device agx-orin --modes maxn --runtime all", kModels},
    {"fits zoo:llama-3.2-1b --device %", kBoards},
    {"govern --simulate --device % --day-energy 100Wh --hours 6 --model zoo:lenet5", kBoards},
    {"llm zoo:qwen3-0.6b --device agx-orin --modes %", kModes},
    {"llm zoo:qwen3-0.6b --device % --modes presets", kBoards},
    {"mode list --device fake:%", kBoards},
    {"mode list --grid --device fake:%", kBoards},
    {"pareto %", kSweeps},
    {"pareto % --device agx-orin --presets", {"board.csv", "board16.csv"}},
    {"pipeline % --device agx-orin", kModels},
    {"predict --samples % --query modes.csv --method linear", {"all.csv", "few.csv"}},
    {"predict --samples board.csv --device agx-orin --suggest %", {"1", "3"}},
    {"roofline --device agx-orin --modes %", kModes},
    {"roofline % --device agx-orin --modes maxn", kModels},
    {"schedule plan --training-sweep train.csv --max-power 60 --idle-power %", {"5", "7"}},
    {"schedule predict-sharing --idle-power 5 --training-sweep % --inference-sweep all.csv",
     {"trained.csv", "whole.csv"}},
    {"schedule simulate --duration 5 --max-power 60 --training-sweep %",
     {"train.csv", "whole.csv"}},
    {"store export %", {"all.db", "few.db"}},
    {"store list %", {"all.db", "few.db"}},
    {"study frequency --sweep %", {"board.csv", "board16.csv"}},
    {"sweep %", kSweeps},
    {"sweep check %", kSweeps},
    {"sweep example --workload lenet5 --mode-count 16 --device %", kBoards},
    {"tune zoo:lenet5 --device % --max-power 20", kBoards},
    {"tune zoo:lenet5 --device all --max-power %", {"40", "1"}},
    {"tune zoo:lenet5 --device agx-orin --runtime all --max-power %", {"40", "1"}},
    {"tune --sweep % --max-power 40", kSweeps},
    {"tune --sweep % --max-power 40 --trace", {"all.csv", "few.csv"}},
    {"tune --samples % --max-power 40", {"all.csv", "few.csv"}},
    {"tune % --device agx-orin --dataset-size 1e7 --deadline 30h", kModels},
    {"tune llm zoo:qwen3-0.6b --device agx-orin --modes presets --max-power %", {"40", "1"}},
};

class OneHeader : public ::testing::Test {
 protected:
  OneHeader() {
    const std::string few = "gpu_mhz,batch,time_ms,power_w\n";
    folder_.write("all.csv",
                  "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,workload,kind,batch,time_ms,power_w,energy_j,"
                  "board\n"
                  "4,1190.4,800,2133,w,inference,1,10,6,0.06,agx-orin\n"
                  "4,1190.4,800,2133,w,inference,4,20,8,0.16,agx-orin\n"
                  "4,1190.4,1000,2133,w,inference,1,8,7,0.056,agx-orin\n"
                  "4,1190.4,1000,2133,w,inference,4,16,9,0.144,agx-orin\n");
    folder_.write("few.csv", few + "800,1,10,6\n1000,1,8,7\n1200,1,7,9\n1300,1,6,10\n");
    folder_.write("one.csv", "gpu_mhz,time_ms,power_w\n800,10,6\n1000,8,7\n1200,7,9\n1300,6,10\n");
    folder_.write("governed.csv",
                  "gpu_mhz,governor,batch,time_ms,power_w\n800,,1,10,6\n1000,,1,8,7\n"
                  ",schedutil,1,8,9\n");
    folder_.write("train.csv",
                  "cpu_cores,gpu_mhz,kind,batch,time_ms,power_w\n4,800,training,16,30,9\n"
                  "4,1000,training,16,20,11\n");
    folder_.write("trained.csv",
                  "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,workload,kind,batch,time_ms,power_w,energy_j,"
                  "board\n"
                  "4,1190.4,800,2133,t,training,16,30,9,0.27,agx-orin\n"
                  "4,1190.4,1000,2133,t,training,16,20,11,0.22,agx-orin\n");
    folder_.write("whole.csv",
                  "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,governor,kind,batch,time_ms,power_w\n"
                  "4,1190.4,800,2133,,training,16,30,9\n4,1190.4,1000,2133,,training,16,20,11\n");
    folder_.write("modes.csv", "gpu_mhz,batch\n828.75,1\n");
    const std::string roofs =
        "kernel,work_flop,traffic_bytes,time_ms,power_w\nfma_fp32,4e12,0,1000,30\n"
        "triad,1e9,1e10,100,20\n";
    folder_.write("fp32.csv", roofs);
    folder_.write("all_roofs.csv", roofs +
                                       "fma_fp16,8e12,0,1000,30\nlaunch,0,0,0.01,\n"
                                       "idle,0,0,1000,8\n");
    run("store import all.db all.csv");
    run("store import few.db few.csv");
    run("sweep example --workload lenet5 --batch 1 --mode-count 96 -o board.csv");
    run("sweep example --workload lenet5 --batch 1,16 --mode-count 96 -o board16.csv");
  }
  testing::ProgramResult run(const std::string& line) const {
    const auto here = std::filesystem::current_path();
    std::filesystem::current_path(folder_.path());
    auto result = testing::run_program(line + " 2> errors");
    std::filesystem::current_path(here);
    return result;
  }
  const testing::TemporaryFolder folder_;
};

// label: slow
TEST_F(OneHeader, DoesNotDependOnTheData) {
  for (const auto& [line, data] : kLines) {
    std::set<std::string> headers;
    for (const auto& one : data) {
      std::string text = line;
      text.replace(text.find('%'), 1, one);
      const auto result = run(text + " --format csv -q");
      EXPECT_TRUE(result.status == 0 || result.status == 3)
          << text << '\n'
          << result.output << read_file((folder_.path() / "errors").string());
      headers.insert(result.output.substr(0, result.output.find('\n')));
    }
    EXPECT_EQ(headers.size(), 1u) << line << '\n' << *headers.begin() << '\n' << *headers.rbegin();
    EXPECT_NE(*headers.begin(), "") << line;
  }
}

}  // namespace
}  // namespace ridgewatt::cli
