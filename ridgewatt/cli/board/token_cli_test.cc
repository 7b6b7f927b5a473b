// Language models are measured and profiled by the whole program, with the stand-in server of
// examples/language_models on fake boards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/free_port_support.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/io/shared_library.h"
#include "ridgewatt/llm/engine_rows.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_program;

Json json_without_remarks(const std::string& arguments) {
  const auto result = run_program("--quiet --format json " + arguments);
  EXPECT_EQ(result.status, 0) << result.output;
  return Json::parse(result.output, nullptr, false);
}

class TokenCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    if (::access("/usr/bin/python3", X_OK) != 0) GTEST_SKIP() << "skipped: no python3";
    if (open_library("libcurl.so.4") == nullptr) GTEST_SKIP() << "skipped: no libcurl4";
  }
  // The words "--server URL .. -- COMMAND". The power in the tree `root` follows the load.
  static std::string server(const std::string& root, const std::string& options = {}) {
    const std::string port = std::to_string(testing::free_port());
    return " --server http://127.0.0.1:" + port + " --prompt 50 --generate 11 --requests 2 " +
           options + " -- /usr/bin/python3 " +
           (testing::source_folder() / "examples/language_models/stand_in_server.py").string() +
           " --port " + port + " --prompt-ms 4 --token-ms 20 --prefill-power 3 --sysroot " + root;
  }
  std::string path(const char* name) const { return (folder_.path() / name).string(); }
  testing::FakeBoard board_{"agx-orin"};
  testing::TemporaryFolder folder_;
};

// label: board
TEST_F(TokenCommands, MeasuresAServer) {
  const Json json = json_without_remarks("measure --idle 0.3 --llm-rows " + path("rows.csv") +
                                         " --model llama-3.2-1b --quantization q4_k_m --sysroot " +
                                         board_.root + server(board_.root));
  EXPECT_EQ(json["provenance"], "fake");
  const Json& run = json["runs"][0];
  EXPECT_EQ(run["runtime"], "llama.cpp");
  EXPECT_EQ(run["requests"], 2);
  EXPECT_EQ(run["prompt_tokens"], 50);
  EXPECT_EQ(run["generated_tokens"], 11);
  EXPECT_GE(run["ttft_ms"].get<double>(), 199);
  EXPECT_GT(run["tpot_ms"].get<double>(), 0);
  // The board draws three times its idle power during a prompt and twice during a token. The load
  // of the machine determines how much of each is in which window
  // (TokenServer.TimesAndEnergiesOfBothPhases).
  const double idle_w = run["idle_w"], most_w = 3 * 1.02 * idle_w;  // 2 %: the sensor's rounding
  for (const char* power : {"prefill_power_w", "decode_power_w"}) {
    EXPECT_GT(run[power].get<double>(), idle_w) << power;
    EXPECT_LE(run[power].get<double>(), most_w) << power;
  }
  EXPECT_NEAR(run["joules_per_token"].get<double>(),
              run["decode_power_w"].get<double>() * run["tpot_ms"].get<double>() * 1e-3, 1e-3);
  EXPECT_GT(run["joules_per_token_error"].get<double>(), 0);
  EXPECT_LT(run["joules_per_token_less_idle"].get<double>(), run["joules_per_token"].get<double>());
  EXPECT_TRUE(json["cpu"].is_null());
  // The same run in the format of the engines' rows.
  const auto rows = llm::load_engine_rows(path("rows.csv"));
  EXPECT_EQ(rows.rows.size() + rows.left_out.size(), 1u);
}

// label: board
TEST_F(TokenCommands, TheTableNamesPhasesAndBounds) {
  const auto result =
      run_program("measure --quiet --idle 0.2 --sysroot " + board_.root + server(board_.root));
  EXPECT_EQ(result.status, 0) << result.output;
  for (const char* words : {"time to first token", "time per token", "prefill power",
                            "decode power", "energy per token", "error at most"}) {
    EXPECT_THAT(result.output, HasSubstr(words));
  }
  EXPECT_THAT(result.output, Not(HasSubstr("CPU time")));
}

// Both phases of every mode are stored, and `predict` and `tune` report tokens.
// label: board
TEST_F(TokenCommands, ProfilesIntoTheStoreByPhase) {
  const std::string modes =
      folder_.write("modes.csv",
                    "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz\n12,2201.6,1300.5,3199\n4,1113.6,612,2133\n"
                    "8,1728,918,3199\n");
  const std::string profile = "profile " + path("p.db") + " --idle 0.1 --workload tiny --modes " +
                              modes + " --sysroot " + board_.root + " --state-dir " +
                              path("state") + server(board_.root);
  const Json first = json_without_remarks(profile);
  EXPECT_EQ(first["measured"], 3) << first.dump();
  EXPECT_EQ(json_without_remarks(profile)["skipped"], 3);
  const auto list = run_program("store list --format csv " + path("p.db"));
  EXPECT_THAT(list.output, HasSubstr(",tiny,prefill,fake,3,"));
  EXPECT_THAT(list.output, HasSubstr(",tiny,decode,fake,3,"));
  ASSERT_EQ(
      run_program("store export " + path("p.db") + " --kind decode -o " + path("d.csv")).status, 0);
  const auto tuned = run_program("tune --sweep " + path("d.csv") + " --max-power 60");
  EXPECT_EQ(tuned.status, 0) << tuned.output;
  EXPECT_THAT(tuned.output, HasSubstr("per token"));
  EXPECT_THAT(tuned.output, Not(HasSubstr("per minibatch")));
}

// label: board
TEST_F(TokenCommands, MarkedPhasesAreSplit) {
  // The marks state their own time, because a busy machine delays their arrival.
  const std::string command =
      "/usr/bin/python3 " +
      folder_.write("marks.py",
                    "import os, time\n"
                    "def m(text): os.write(int(os.environ['RIDGEWATT_MARK_FD']), "
                    "f'{text} {time.monotonic():.6f}\\n'.encode())\n"
                    "m('begin prefill'); time.sleep(0.2); m('end prefill'); m('begin decode')\n"
                    "for i in range(2): time.sleep(0.1); m('minibatch')\n"
                    "m('end decode')\n");
  const Json run = json_without_remarks("measure --idle 0 --sysroot " + board_.root + " -- " +
                                        command)["runs"][0];
  EXPECT_EQ(run["source"], "marks of the program");
  EXPECT_GE(run["prefill_s"].get<double>(), 0.199);
  EXPECT_GT(run["joules_per_token"].get<double>(), 0);
  const auto profiled =
      run_program("profile " + path("m.db") +
                  " --phases --format csv --quiet --idle 0 --workload w --sample 1 "
                  "--sysroot " +
                  board_.root + " --state-dir " + path("state") + " -- " + command);
  EXPECT_THAT(profiled.output, HasSubstr("\n1,0,0"));
}

TEST_F(TokenCommands, ResultsWithARecordedPowerTrace) {
  const std::string result = folder_.write(
      "vllm.json",
      R"({"backend": "vllm", "model_id": "m", "completed": 1, "num_prompts": 1, "total_input_tokens": 500,
          "total_output_tokens": 11, "mean_ttft_ms": 1000, "mean_tpot_ms": 100, "input_lens": [500],
          "output_lens": [11], "ttfts": [1.0], "start_times": [101],
          "itls": [[0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]]})");
  std::string power = "time_s,power_w\n";
  for (int i = 0; i < 500; ++i) {
    power += std::to_string(100 + i / 100.0) + "," + (i < 200 ? "30\n" : "12\n");
  }
  const Json run =
      json_without_remarks("measure --results " + result + " --idle-power 5 --power-trace " +
                           folder_.write("power.csv", power))["runs"][0];
  EXPECT_EQ(run["provenance"], "replayed");
  EXPECT_NEAR(run["prefill_energy_j"].get<double>(), 30, run["prefill_energy_error_j"]);
  EXPECT_NEAR(run["joules_per_token"].get<double>(), 1.2, 0.001);
  EXPECT_NEAR(run["joules_per_token_less_idle"].get<double>(), 0.7, 0.001);
  // Statistics alone cannot be split into phases, which is reported.
  const std::string bench =
      folder_.write("bench.json", R"([{"n_prompt": 512, "n_gen": 0, "avg_ns": 500000000}])");
  const auto refused =
      run_program("measure --results " + bench + " --power-trace " + path("power.csv"));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("the result has no time stamps, so the energy cannot be "
                                        "divided between prefill and decode"));
  EXPECT_EQ(json_without_remarks("measure --results " + bench)["runs"][0]["ttft_ms"], 500);
}

TEST_F(TokenCommands, WhatTheSourceStatesIsKept) {
  const std::string bench = folder_.write(
      "bench.json",
      R"([{"model_type": "llama 1B Q4_K - Medium", "n_prompt": 512, "n_gen": 0, "avg_ns": 5e8}])");
  const std::string line = "measure --results " + bench + " --format csv";
  const std::string stated = run_program(line).output;
  ASSERT_THAT(stated, HasSubstr("q4_k_m"));
  const auto other = run_program(line + " --quantization f16");
  EXPECT_THAT(other.output, HasSubstr("--quantization has no effect: the run states q4_k_m"));
  EXPECT_THAT(other.output, Not(HasSubstr("f16,")));
}

// label: board
TEST_F(TokenCommands, WhatHasNoEffectIsRefused) {
  for (const char* line :
       {"measure", "measure --prompt 5 -- true", "measure --results x --idle 1",
        "measure --server http://127.0.0.1:1 --llama-bench", "measure --power-trace x -- true",
        "measure --server http://127.0.0.1:1 --requests 0", "measure --server file:///etc/passwd",
        "profile p.db --sample 1", "profile p.db --sample 1 --model m -- true",
        "profile p.db --sample 1 --server http://127.0.0.1:1 --batch 4",
        "profile p.db --sample 1 --phases --window 3 -- true"}) {
    EXPECT_EQ(run_program(line).status, 2) << line << run_program(line).output;
  }
  const auto gone = run_program("measure --device fake:agx-orin --server http://127.0.0.1:1");
  EXPECT_EQ(gone.status, 1);
  EXPECT_THAT(gone.output, HasSubstr("no reply: http://127.0.0.1:1"));
  const auto bench = run_program("measure --device fake:agx-orin --idle 0 --llama-bench -- true");
  EXPECT_EQ(bench.status, 1);
  EXPECT_THAT(bench.output, HasSubstr("the output of llama-bench"));
  EXPECT_FALSE(std::filesystem::exists("p.db"));
}

}  // namespace
}  // namespace ridgewatt::cli
