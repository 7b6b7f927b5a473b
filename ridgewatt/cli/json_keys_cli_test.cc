// Every key of every JSON result must be in docs/reference/json_keys.md, and no other. `./dev
// pages` writes this file. Read a change before it is committed: a key that is removed or changes
// its meaning requires a higher number of its schema.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/every_command_support.h"
#include "ridgewatt/cli/help/reference.h"
#include "ridgewatt/cli/program.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/fake_heat.h"
#include "ridgewatt/report/keys.h"
#include "ridgewatt/store/fleet_store_support.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/thermal/heat_trace_support.h"

namespace ridgewatt::cli {
namespace {

namespace fs = std::filesystem;

#define EXAMPLES "--training-sweep training.csv --inference-sweep inference.csv "
#define PLAN EXAMPLES "--arrival-rate 5 --max-latency 20s --max-power 60 "
#define FAKE "--device fake:orin-nano "
#define FAKE_RUN " -- ridgewatt fake-run zoo:lenet5 --device fake:orin-nano --minibatches 5"

// Lines that write JSON and together show every key. For questions without a line here, the first
// example of their help is used.
constexpr const char* kJsonLines[] = {
    "analyze zoo:lenet5",
    "analyze zoo:lenet5 --training --batch 4",
    "analyze zoo:lenet5 --explain Conv_0",
    "analyze zoo:lenet5 --runtime tensorrt --per-layer",
    "calibrate --device agx-orin --no-validation --parameters --sweep "
    "training.csv,model=zoo:resnet18",
    "calibrate --runtimes runtimes.csv",
    "calibrate --microbench microbench.csv",
    "campaign plan sweep7 --store c.db --boards fake:orin-nano --sample 1 --calibration 1 --settle "
    "0 "
    "--idle 0 --window 3 --model zoo:lenet5" FAKE_RUN,
    "campaign submit sweep7.json --executor local",
    "campaign watch sweep7.json --interval 0.5 --at-most 60",
    "campaign resume sweep7.json",
    "campaign status sweep7.json",
    "campaign boards sweep7.json",
    "campaign rerun sweep7.json --older-than 0s --dry-run",
    "campaign run --campaign sweep8 --store c.db --point 0:cores=6,batch=1 --settle 0 --idle 0 "
    "--window "
    "3 " FAKE FAKE_RUN,
    "campaign list c.db",
    "compare boards fleet.db",
    "compare --repeats 2 --pause 0 --device fake:orin-nano true true",
    "device list",
    "device show orin-nano-4gb --list-modes",
    "device show thor",
    "device show rtx-3090 --list-modes",
    "explain zoo:lenet5 --device agx-orin --measured 1ms --power 10W --claimed 2ms",
    "explain zoo:lenet5 " FAKE FAKE_RUN,
    "explain zoo:lenet5 --device agx-orin --runtime tensorrt --profile profile.json --layers "
    "layers.json --after 1ms",
    "explain zoo:llama-3.1-8b --device agx-orin --runtime llama.cpp --quantization q4_k_m "
    "--tokens-per-second 7 --first-token 900ms --power 20W",
    "evaluate explain --runs 20 --seed 2",
    "estimate zoo:lenet5 --device agx-orin --modes maxn --per-layer --dataset-size 1000",
    "estimate zoo:resnet18 --device rtx-3090 --per-layer",
    "estimate zoo:lenet5 --device all",
    "estimate zoo:lenet5 --device agx-orin --modes maxn --runtime tensorrt --precision int8",
    "estimate zoo:lenet5 --device nano --modes maxn --runtime all",
    "evaluate choices --sweep training.csv --modes four.csv --count 2",
    "evaluate clocks --sweep training.csv --count 3",
    "evaluate estimate --device agx-orin --sweep training.csv,model=zoo:resnet18",
    "evaluate boards",
    "evaluate pipeline",
    "evaluate thermal --boards 2",
    "federate zoo:lenet5 --device A=agx-orin,samples=2000 --device B=nano,samples=900,idle=1 "
    "--deadline 1h",
    "evaluate llm cells.csv runtimes.csv",
    "evaluate govern --days 1 --model zoo:lenet5",
    "evaluate runtimes runtimes.csv",
    "evaluate predictors --sweep training.csv --methods linear --sizes 10 --runs 1",
    "evaluate predictors --sweep training.csv --methods linear --sizes 10 --runs 1 --every-run",
    "evaluate references --sweep training.csv --sweep inference.csv --profiles 4 --runs 1 "
    "--reference-modes 10 --reference-rows 1",
    "evaluate schedules " EXAMPLES "--strategies random:5 --problems 2 --timing",
    "evaluate board-effects --simulations 2",
    "evaluate strategies " EXAMPLES "--only common --strategy auto --profiles 5 --seeds 1",
    "fake-board orin-nano board",
    "govern --phase-mode infer=gpu=306 " FAKE FAKE_RUN,
    "govern --simulate --device agx-orin --day-energy 100Wh --hours 6 --model zoo:lenet5",
    "help tune",
    "llm zoo:qwen3-0.6b --device xavier-nx --modes maxn",
    "llm zoo:qwen3-0.6b --device thor --runtime vllm,mlc --quantization awq,q4_k_m",
    "layers --profile profile.json",
    "layers --profile profile.json --layers layers.json --times times.json --model zoo:lenet5 "
    "--device agx-orin",
    "layers --profile trace.json --runs 2 --device agx-orin --power power.csv",
    "loadbench samples --generate 8 --sample-size 100 --workers 0,1 --cache warm --batch 4",
    "measure " FAKE
    "--idle 0 -- ridgewatt fake-run zoo:resnet50 --device fake:orin-nano --minibatches 5",
    "measure --results vllm.json --power-trace drawn.csv",
    "mode apply " FAKE "15W",
    "mode list " FAKE,
    "mode list --grid " FAKE,
    "mode show " FAKE,
    "mode restore " FAKE,
    "pareto --sweep inference.csv",
    "pareto --sweep modelled.csv",
    "pareto --samples inference.csv --device agx-orin --method linear",
    "pareto --sweep inference.csv --device agx-orin --presets",
    "pipeline zoo:lenet5 --device agx-orin --simulate 2",
    "predict --samples inference.csv --device agx-orin --method linear",
    "predict --samples inference.csv --device agx-orin --suggest 2",
    "predict --samples modelled.csv --device agx-orin --suggest 2",
    "predict --samples four.csv --device agx-orin --method linear",
    "predict --device agx-orin --advise --minibatch-time 250",
    "profile points.db --sample 1 --settle 0 --idle 0 --window 3 " FAKE FAKE_RUN,
    "roofline zoo:lenet5 --device agx-orin --modes maxn",
    "roofline --device agx-orin --modes maxn",
    "roofline zoo:lenet5 --device measured.toml --modes maxn",
    "schedule dynamic " PLAN "--profiles 3 --duration 5 --burst-rates 1,5",
    "schedule plan " PLAN,
    "schedule plan " PLAN "--strategy random --profiles 5",
    "schedule plan --training-sweep training.csv --max-power 1",
    "schedule plan --inference zoo:resnet18 --training zoo:lenet5 --modes maxn --device agx-orin "
    "--arrival-rate 5 "
    "--max-latency 500 --max-power 60",
    "schedule predict-sharing " EXAMPLES "--busy-share 0.9,0.6",
    "schedule run " PLAN "--socket s.sock --duration 50ms",
    "schedule run --replan " EXAMPLES
    "--max-latency 20s --max-power 60 --socket s.sock --duration 50ms",
    "schedule simulate " PLAN "--duration 5",
    "schedule simulate --inference zoo:resnet18 --training zoo:lenet5 --modes maxn --device "
    "agx-orin --arrival-rate 5 "
    "--max-latency 500 --max-power 60 --duration 5",
    "sensors " FAKE,
    "sensors --watch --count 1 " FAKE,
    "sensors --tegrastats tegrastats.txt",
    "soak --idle 0 --minutes 30 --to-the-end --trip 95 --sysroot heated -- ridgewatt fake-run "
    "zoo:resnet50 "
    "--batch 1 --minibatches 100000 --sysroot heated",
    "store import new.db training.csv",
    "fleet status --store points.db",
    "store list new.db",
    "store list points.db",
    "store check points.db",
    "store prune points.db --repeats 1 --dry-run",
    "store merge points.db new.db",
    "store upgrade new.db",
    "study",
    "study frequency --sweep training.csv",
    "study frequency --plan " FAKE,
    "sweep training.csv",
    "sweep check training.csv",
    "thermal fit heat.csv",
    "thermal hold heat.toml --power 30,90",
    "estimate zoo:lenet5 --device agx-orin --modes maxn --thermal heat.toml",
    "tune --samples inference.csv --device agx-orin --max-power 40",
    "tune zoo:lenet5 --device agx-orin --max-power 40 --thermal heat.toml",
    "tune --sweep training.csv --max-power 40 --profiles 5",
    "tune zoo:lenet5 --device agx-orin --max-power 1",
    "tune zoo:lenet5 --device agx-orin --minimize energy --max-slowdown 5% --verify 2",
    "tune zoo:lenet5 --device agx-orin --max-power 40 --arrival-rate 30 --confidence 0.9",
    "tune zoo:lenet5 --device agx-orin --dataset-size 1e7 --deadline 6h --sleep-power 0.5 "
    "--sleep-time 2s",
    "tune zoo:lenet5 --device agx-orin --period 1s",
    "tune zoo:lenet5 --device agx-orin --day-energy 400Wh",
    "tune zoo:lenet5 --device all --max-power 40 --dataset-size 1000",
    "tune zoo:lenet5 --device agx-orin --runtime all",
    "tune llm zoo:qwen3-0.6b --device xavier-nx --modes presets --phases --max-tpot 1s",
    "tune llm zoo:qwen3-0.6b --device xavier-nx --modes presets --max-tpot 1s",
    "tune llm zoo:qwen3-0.6b --device agx-orin --modes presets --max-power 1",
    "zoo list",
    "zoo list --language",
};

// Objects whose keys are names that the user or a file chooses.
const std::set<std::string> kMaps = {"rows[].clocks", "rows[].loads", "rows[].memory",
                                     "rows[].rails", "rows[].temperatures"};

using Keys = std::map<std::string, std::set<std::string>>;  // types by path

// A provenance is one of the defined terms in every command. Values of a board have their own rows.
void expect_terms(const Json& json, const std::string& line) {
  for (const auto& [key, value] : json.items()) {
    if (json.is_object() && key == "provenance" && value.is_string()) {
      EXPECT_TRUE(find_name<Provenance>(value.get<std::string>())) << line << ": " << value;
    }
    if (value.is_structured()) expect_terms(value, line);
  }
}

void collect(const Json& value, const std::string& path, Keys& keys) {
  const bool element = path.ends_with("[]");
  if (!path.empty() && !(element && value.is_object())) keys[path].insert(value.type_name());
  if (value.is_object()) {
    for (const auto& [name, inner] : value.items()) {
      const std::string key = kMaps.contains(path) ? "NAME" : name;
      collect(inner, path.empty() ? key : path + "." + key, keys);
    }
  } else if (value.is_array()) {
    for (const auto& inner : value) collect(inner, path + "[]", keys);
  }
}

std::vector<std::string> lines_with_json() {
  std::vector<std::string> lines(std::begin(kJsonLines), std::end(kJsonLines));
  CLI::App app;
  Context context{.commands = every_command()};
  build_program(app, context);
  for (answer::ParameterTableOf* const table : answer::kParameterTables) {
    const std::string command(table().command);
    const bool listed = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return (line + " ").starts_with(command + " ");
    });
    if (listed) continue;
    const std::vector<std::string> path = words_of(command);
    const std::string example = reference_of(find_command(app, path)).example;
    const std::string first = example.substr(0, example.find('\n'));
    lines.push_back(first.substr(first.find(command)));
  }
  return lines;
}

// The keys of each schema that these commands write.
std::map<std::string, Keys> written_keys(const fs::path& folder) {
  const auto run = [&](const std::string& line) {
    const std::string command = "cd '" + folder.string() +
                                "' && export RIDGEWATT_FAKE=\"$PWD/fake\" PATH='" +
                                testing::build_folder().string() + "':\"$PATH\"; ridgewatt " +
                                line + " 2> errors < /dev/null";
    EXPECT_NE(std::system(command.c_str()), -1);
  };
  run("sweep example --workload resnet18:training --mode-count 30 -o training.csv");
  run("sweep example --workload resnet18:inference --mode-count 30 -o inference.csv");
  run("estimate zoo:lenet5 --device agx-orin --format csv -o modelled.csv");
  std::ofstream(folder / "tegrastats.txt")
      << "RAM 2448/7620MB (lfb 9x4MB) SWAP 0/3810MB (cached 0MB) CPU [1%@729,0%@729,0%@729,0%@729,"
         "off,off] EMC_FREQ 0%@2133 GR3D_FREQ 0%@[305] cpu@45.5C gpu@44.6C tj@46.1C "
         "VDD_IN 4512mW/4512mW VDD_CPU_GPU_CV 536mW/536mW VDD_SOC 1379mW/1379mW\n";
  std::ofstream(folder / "profile.json") << R"([{"count": 1}, {"name": "a", "timeMs": 1},
    {"name": "Reformatting CopyNode for Input Tensor 0 to a", "timeMs": 1}])";
  std::ofstream(folder / "layers.json") << R"({"Layers": [{"Name": "a", "LayerType": "gemm",
    "ParameterType": "MatrixMultiply",
    "Inputs": [{"Name": "x", "Dimensions": [1, 8], "Format/Datatype": "FP16"}],
    "Outputs": [{"Name": "y", "Dimensions": [1, 8], "Format/Datatype": "FP16"}]}]})";
  std::ofstream(folder / "times.json")
      << R"([{"startEnqMs": 0, "endEnqMs": 1, "computeMs": 1, "latencyMs": 2}])";
  std::ofstream(folder / "trace.json") << R"([
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 1, "args": {"External id": 1,
     "Input Dims": [[8, 8], [8, 8]], "Input type": ["float", "float"]}},
    {"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1, "args": {"External id": 1}}])";
  std::ofstream(folder / "runtimes.csv")
      << "source,board,power_mode,runtime,workload,precision,batch,sequence,metric,value,note\n"
         "a,agx-orin,MAXN,tensorrt,zoo:lenet5,fp16,1,,ms,0.1,\n"
         "a,orin-nano-8gb,15W,tensorrt,zoo:resnet18,fp16,1,,ms,5,\n"
         "a,orin-nano-8gb,15W,tensorrt,zoo:resnet50,fp32,1,,ms,20,called from Python\n"
         "a,orin-nano-8gb,15W,tensorrt,no model,fp32,1,,ms,20,\n";
  std::ofstream(folder / "vllm.json")
      << R"({"backend": "vllm", "model_id": "m", "completed": 1, "num_prompts": 1, "total_input_tokens": 9,
             "total_output_tokens": 3, "mean_ttft_ms": 1000, "mean_tpot_ms": 500, "input_lens": [9],
             "output_lens": [3], "ttfts": [1.0], "start_times": [1], "itls": [[0.5, 0.5]]})";
  std::ofstream(folder / "drawn.csv")
      << "time_s,power_w\n0,10\n1,10\n1.5,10\n2,10\n2.5,5\n3,5\n4,5\n";
  std::ofstream(folder / "cells.csv")
      << "runtime,model,quantization,prompt_tokens,generated_tokens,ttft_ms,tpot_ms,"
         "decode_power_w\n"
         "llamacpp,Llama-3.2-1B,Q8_0,512,512,120,15.6,38\n"
         "llamacpp,Llama-3.2-1B,f16,512,512,106,21,41\n"
         "trtllm,Llama-3.2-1B,fp16,512,512,38,16.2,40\n"
         "trtllm,Llama-3.2-1B,fp16,2048,512,101,16.5,41\n";
  std::ofstream few(folder / "four.csv");
  std::ifstream rows(folder / "training.csv");
  std::string row;
  for (int i = 0; i < 5 && std::getline(rows, row); ++i) few << row << '\n';  // heading and four
  few.close();
  testing::make_fleet_store((folder / "fleet.db").string());
  std::ofstream(folder / "heat.csv") << testing::heat_trace_text();
  run("thermal fit heat.csv --trip 90 -o heat.toml > constants");
  run("fake-board agx-orin heated > heated.txt");
  platform::heat_fake_board((folder / "heated").string(), platform::FakeHeatSpec{.scale = 600});
  std::ofstream(folder / "power.csv") << "time_s,power_w\n0,10\n1,10\n";
  // 4 TFLOP/s and 100 GB/s, chosen by the test.
  std::ofstream(folder / "microbench.csv")
      << "kernel,work_flop,traffic_bytes,time_ms,power_w\nfma_fp32,4e12,0,1000,30\n"
         "fma_fp16,8e12,0,1000,30\nfma_fp64,1e11,0,1000,30\ntensor_fp16,2e13,0,1000,30\n"
         "triad,1e9,1e10,100,20\nintensity,1e10,1e10,100,20\nintensity,1e11,1e10,100,22\n"
         "intensity,2e11,1e10,100,24\nintensity,1e12,1e10,250,30\nintensity,2e12,1e10,500,29\n"
         "intensity,4e12,1e10,1000,28\nlaunch,0,0,0.01,\nidle,0,0,1000,8\n";
  run("calibrate --microbench microbench.csv --device agx-orin -o measured.toml > roofs");
  std::map<std::string, Keys> schemas;
  for (const std::string& line : lines_with_json()) {
    const auto program = line.find(" -- ");
    const std::string json = line.substr(0, program) + " --quiet --format json > result.json" +
                             (program == std::string::npos ? "" : line.substr(program));
    run(json);
    const std::string text = read_file((folder / "result.json").string());
    const Json result = Json::parse(text, nullptr, false);
    EXPECT_TRUE(result.is_object() && result.contains("schema"))
        << line << ": " << text.substr(0, 200) << read_file((folder / "errors").string());
    if (result.is_object() && result.contains("schema")) {
      EXPECT_EQ(result.begin().key(), "schema") << line;
      expect_terms(result, line);
      collect(result, "", schemas[result["schema"].get<std::string>()]);
    }
  }
  // Keys whose values some machines or a short run do not show.
  for (const answer::SeenValue& one : answer::seen_values()) {
    schemas["ridgewatt.explain/1"]["watched." + std::string(one.name)].insert("number");
  }
  // Keys whose values may be unknown on a busy machine: a speed without a minibatch in its window,
  // a rate whose points started within one second, a temperature that a short point did not sample.
  for (auto& [schema, keys] : schemas) {
    for (const char* key : {"kept_speed", "first.minibatches_per_s", "last.minibatches_per_s",
                            "boards[].points_per_h", "boards[].temperature_c"}) {
      if (keys.contains(key)) keys.at(key).insert({"null", "number"});
    }
  }
  return schemas;
}

std::string as_page(const std::map<std::string, Keys>& schemas) {
  std::ostringstream page;
  page << "# All keys of the JSON results\n\n`./dev pages` writes this page, and a test checks it. "
          "`[]` means each element of an array,\n`NAME` a name that the board or the user "
          "defines.\n";
  for (const auto& [schema, keys] : schemas) {
    // The "tune" in "ridgewatt.tune/1".
    const std::size_t dot = schema.find('.') + 1;
    const std::string command = schema.substr(dot, schema.find('/') - dot);
    page << "\n## " << schema << "\n| key | value | meaning |\n|---|---|---|\n";
    for (const auto& [path, types] : keys) {
      std::string values;
      for (const auto& type : types) values += (values.empty() ? "" : " or ") + type;
      page << "| `" << path << "` | " << values << " | " << report::meaning_of(command, path)
           << " |\n";
    }
  }
  return page.str();
}

// label: slow
TEST(JsonKeys, AreThoseOfTheReference) {
  const testing::TemporaryFolder folder;
  const std::string page = as_page(written_keys(folder.path()));
  const std::string reference =
      (testing::source_folder() / "docs" / "reference" / "json_keys.md").string();
  if (std::getenv("RIDGEWATT_WRITE_KEYS") != nullptr) return write_file_atomically(reference, page);
  EXPECT_EQ(page.find(" |  |\n"), std::string::npos) << "a key has no meaning: report/keys";
  const auto lines = split(page, '\n'), known = split(read_file(reference), '\n');
  const std::set<std::string> now(lines.begin(), lines.end()), before(known.begin(), known.end());
  for (const auto& line : now) EXPECT_TRUE(before.contains(line)) << "new: " << line;
  for (const auto& line : before) EXPECT_TRUE(now.contains(line)) << "gone: " << line;
  EXPECT_EQ(page, read_file(reference)) << "./dev pages writes the page again";
}

}  // namespace
}  // namespace ridgewatt::cli
