// What the commands print of a board without a GPU, as `calibrate --device local` writes it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/thermal/heat_trace_support.h"
#include "ridgewatt/twin/cpu_twin.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProgramResult;
using testing::run_program;

const std::string& processor_file() {
  static const testing::TemporaryFolder folder;
  static const std::string path = [] {
    const Board board = parse_board(
        "name = \"here\"\ntitle = \"A processor\"\nsoc = \"processor\"\ndefault_bsp = \"linux\"\n"
        "[cpu]\ntype = \"A processor\"\ncores = 2\n[memory]\nsize_gib = 8\n"
        "[[bsp]]\nname = \"linux\"\ntitle = \"Linux\"\ndefault_preset = 0\n"
        "presets = [{ id = 0, name = \"MAXN\", cpu_cores = 2 }]\n"
        "[provenance]\n\"cpu\" = \"seen: here\"\n\"memory\" = \"seen: here\"\n\"bsp\" = \"seen: "
        "here\"\n"
        "[microbench]\nmachine = \"A processor\"\ntarget = \"cpu\"\nstatus = \"measured\"\n"
        "origin = \"here\"\nmode001.cpu_cores = 2.0\nmode001.fp32_flop_per_s.value = 2e11\n"
        "mode001.fp32_flop_per_s.lo = 1.9e11\nmode001.fp32_flop_per_s.hi = 2.1e11\n"
        "mode001.bandwidth_bytes_per_s.value = 25e9\nmode001.bandwidth_bytes_per_s.lo = 24e9\n"
        "mode001.bandwidth_bytes_per_s.hi = 26e9\n",
        "here.toml");
    return folder.write("here.toml", board_toml_with_twin(
                                         board, twin::cpu_twin_table(twin::prior_cpu_twin(
                                                    {{100e9, 20e9, 80e9}, {200e9, 25e9, 160e9}}))));
  }();
  return path;
}

std::string in_lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string said(const std::string& arguments, int status) {
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.status, status) << arguments << '\n' << result.output;
  return in_lower_case(result.output);
}

// Words of a GPU that no answer about a processor may have.
constexpr const char* kOfGpus[] = {"gpu",        "cuda",   "tensorrt",      "cudnn",
                                   "the engine", "pinned", "idle_w\": 0.0", "module's limit"};

const char* const kAnswersOfProcessors[] = {
    "device show",
    "estimate zoo:resnet18 --runtime onnxruntime-cpu --modes all --device",
    "estimate zoo:resnet18 --runtime all --device",
    "estimate zoo:mobilenet_v2 --runtime tflite-cpu --modes all --device",
    "tune zoo:resnet18 --runtime onnxruntime-cpu --minimize time --batch 1,4 --device",
    "tune zoo:resnet18 --runtime all --minimize time --device",
    "llm zoo:qwen3-0.6b --device",
    "explain zoo:resnet18 --runtime onnxruntime-cpu --measured 900ms --device",
    "explain zoo:resnet18 --runtime onnxruntime-cpu --measured 1ms --device",
    "explain zoo:qwen3-0.6b --tokens-per-second 3 --device",
    "explain zoo:qwen3-0.6b --tokens-per-second 300 --device",
    "explain zoo:qwen3-0.6b --first-token 9s --device",
    "tune llm zoo:qwen3-0.6b --minimize time --phases --device",
};

// label: slow
TEST(ProcessorCommands, AnswersSayNothingAboutAGpu) {
  for (const std::string command : kAnswersOfProcessors) {
    for (const char* form : {" --wide", " --format json", " --format json --with-figures"}) {
      const std::string all = command + " " + processor_file() + form;
      const std::string text = said(all, 0);
      for (const char* word : kOfGpus) {
        // The key of the load is that of every board; of a processor it is null.
        std::string rest = text;
        for (std::string::size_type at; (at = rest.find("\"gpu_load_pct\": null")) != rest.npos;) {
          rest.erase(at, 20);
        }
        EXPECT_EQ(rest.find(word), rest.npos) << all << '\n' << word << '\n' << rest;
      }
    }
  }
}

// label: board
TEST(ProcessorCommands, TablesHaveNoRowsOfWhatAProcessorLacks) {
  for (const auto& line : split(said("device show " + processor_file() + " --wide", 0), '\n')) {
    EXPECT_EQ(line.find("  -  "), std::string::npos) << line;
  }
  const testing::TemporaryFolder machine;
  for (const std::string cpu : {"cpu0", "cpu1"}) {
    const auto folder = machine.path() / "sys/devices/system/cpu" / cpu;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "online") << "1\n";
  }
  const std::string sysroot = " --sysroot " + machine.path().string();
  const std::string mode = said("mode show" + sysroot, 0);
  EXPECT_THAT(mode, HasSubstr("cpu cores"));
  EXPECT_THAT(mode, Not(HasSubstr("clock"))) << mode;
  EXPECT_THAT(said("top --once" + sysroot, 0), Not(HasSubstr("gpu")));
}

// The power of a processor is not modelled, so the energy of the job and of layers is missing.
TEST(ProcessorCommands, EnergiesAreMissingAndNotZero) {
  const std::string command =
      "estimate zoo:resnet18 --runtime onnxruntime-cpu --dataset-size 1000 --per-layer --device " +
      processor_file();
  EXPECT_THAT(said(command, 0), Not(HasSubstr("nan kwh")));
  const Json json = Json::parse(run_program(command + " --format json --quiet").output);
  EXPECT_TRUE(json["estimates"][0]["job_energy_j"].is_null());
  EXPECT_GT(json["estimates"][0]["job_time_s"], 0);
  EXPECT_TRUE(json["layers"][0]["energy_mj"].is_null());
  for (const char* sums : {"by_operator", "by_block"}) {
    ASSERT_FALSE(json[sums].empty()) << sums;
    EXPECT_TRUE(json[sums][0]["energy_mj"].is_null()) << sums;
    EXPECT_GT(json[sums][0]["time_ms"], 0) << sums;
  }
}

struct RefusedOnProcessors {
  const char* command;
  const char* reason;
  const char* advice;
};
// What is given as advice is not refused by the next command.
const RefusedOnProcessors kRefusedOnProcessors[] = {
    {"estimate zoo:resnet18", "only runtimes onnxruntime-cpu and tflite-cpu are modelled",
     "give --runtime onnxruntime-cpu"},
    {"estimate zoo:resnet18 --training", "training is modelled only on boards with a GPU",
     "name another board"},
    {"estimate zoo:resnet18 --runtime onnxruntime-cpu --training", "training is modelled only",
     "omit --runtime, and name a board with a GPU"},
    {"estimate zoo:resnet18 --runtime onnxruntime-cpu --precision int8",
     "onnxruntime-cpu cannot compute in int8:", "omit --precision"},
    {"estimate zoo:resnet18 --runtime onnxruntime-cpu --precision fp16",
     "onnxruntime-cpu converts fp16 to fp32", "omit --precision"},
    {"estimate zoo:resnet18 --runtime tflite-cpu --precision int8",
     "tflite-cpu cannot compute in int8:", "omit --precision"},
    {"estimate zoo:resnet18_qat --runtime tflite-cpu", "in tflite-cpu is not modelled",
     "--runtime onnxruntime-cpu"},
    {"estimate zoo:resnet18 --runtime onnxruntime-cpu --cuda-graph", "--cuda-graph has no effect",
     "only tensorrt and onnxruntime"},
    {"estimate zoo:resnet18 --runtime onnxruntime-cpu --caller framework", "--caller has no effect",
     "only tensorrt and onnxruntime"},
    {"pipeline zoo:resnet18", "training is modelled only on boards with a GPU",
     "name another board"},
    {"predict --model zoo:resnet18 --suggest 2", "power of this board is not modelled",
     "omit --model"},
    {"schedule plan --inference zoo:resnet18 --training zoo:resnet18 --arrival-rate 10 "
     "--max-latency 500 --max-power 30 --inference-runtime onnxruntime-cpu",
     "power of this board is not modelled", "or give measured sweeps"},
    {"sweep example --workload resnet18:training",
     "sample data are made only for boards with a GPU", "name another board"},
    {"tune zoo:resnet18 --runtime onnxruntime-cpu --max-power 30",
     "power of this board is not modelled", "tune for time, throughput or latency"},
};

// label: slow
TEST(ProcessorCommands, WhatIsNotModelledSaysWhatToDo) {
  for (const auto& [command, reason, advice] : kRefusedOnProcessors) {
    const ProgramResult result = run_program(command + (" --device " + processor_file()));
    EXPECT_NE(result.status, 0) << command << '\n' << result.output;
    EXPECT_THAT(result.output, HasSubstr(reason)) << command;
    EXPECT_THAT(result.output, HasSubstr(advice)) << command;
  }
  const testing::TemporaryFolder folder;
  const std::string heat = folder.write("heat.csv", testing::heat_trace_text());
  const std::string constants = (folder.path() / "heat.toml").string();
  ASSERT_EQ(run_program("thermal fit " + heat + " --trip 90 -o " + constants).status, 0);
  for (const std::string command : {"estimate", "tune"}) {
    const ProgramResult held =
        run_program(command + " zoo:resnet18 --runtime onnxruntime-cpu --thermal " + constants +
                    " --device " + processor_file());
    EXPECT_NE(held.status, 0) << held.output;
    EXPECT_THAT(held.output, HasSubstr("the power of this board is not known")) << command;
    EXPECT_THAT(held.output, HasSubstr("omit --thermal")) << command;
  }
  const ProgramResult federate =
      run_program("federate zoo:resnet18 --device A=" + processor_file() + ",samples=100");
  EXPECT_NE(federate.status, 0);
  EXPECT_THAT(federate.output, HasSubstr("training is modelled only on boards with a GPU"));
}

}  // namespace
}  // namespace ridgewatt::cli
