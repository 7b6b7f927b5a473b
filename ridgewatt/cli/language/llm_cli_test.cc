// Tests `ridgewatt llm` and `ridgewatt tune llm` on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/test_support.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_program;

Json answer_of(const std::string& arguments, int status = 0) {
  const auto result = run_program(arguments + " --quiet --format json");
  EXPECT_EQ(result.status, status) << result.output;
  return Json::parse(result.output.substr(0, result.output.rfind('}') + 1));
}

double number(const Json& row, const char* key) {
  return row.at(key).get<double>();
}

TEST(LlmCommand, ContractOfTheIssue) {
  const Json answer = answer_of(
      "llm zoo:llama-3.2-1b --device agx-orin-32gb@super --runtime tensorrt-llm --quantization "
      "int8 --prompt 512 --generate 256 --modes maxn");
  EXPECT_EQ(answer["schema"], "ridgewatt.llm/1");
  ASSERT_EQ(answer["rows"].size(), 1U);
  const Json& row = answer["rows"][0];
  EXPECT_EQ(row["board"], "agx-orin-32gb@super");
  EXPECT_EQ(row["runtime"], "tensorrt-llm");
  EXPECT_EQ(row["quantization"], "int8");
  EXPECT_EQ(row["provenance"], "modelled");
  EXPECT_EQ(row["fits"], true);
  EXPECT_NEAR(number(row["mode"], "gpu_mhz"), 1300.5, 1);
  for (const char* name : {"ttft", "tpot"}) {
    const std::string key = name;
    EXPECT_LT(number(row, (key + "_lo_ms").c_str()), number(row, (key + "_ms").c_str()));
    EXPECT_GT(number(row, (key + "_hi_ms").c_str()), number(row, (key + "_ms").c_str()));
  }
  EXPECT_NEAR(number(row, "tokens_per_s"), 1e3 / number(row, "tpot_ms"), 1e-6);
  EXPECT_NEAR(number(row, "joules_per_token"),
              number(row, "decode_power_w") * number(row, "tpot_ms") / 1e3, 1e-9);
  const double by_phases = number(row, "prefill_power_w") * number(row, "ttft_ms") / 1e3 +
                           number(row, "decode_power_w") * 255 * number(row, "tpot_ms") / 1e3;
  EXPECT_NEAR(number(row, "request_j"), by_phases, 1e-6 * by_phases);
  const Json& memory = answer["memory"][0];
  EXPECT_EQ(number(row, "memory_bytes"),
            number(memory, "runtime_bytes") + number(memory, "weights_bytes") +
                number(memory, "kv_bytes") + number(memory, "buffer_bytes"));
  // 8 heads of 64 numbers of 2 bytes, keys and values, 16 layers; 768 tokens.
  EXPECT_EQ(number(memory, "kv_bytes"), 768.0 * 32768);
}

TEST(LlmCommand, MoreTokensThanInTheTrainingAreMarked) {
  const std::string question =
      "llm zoo:llama-3.1-8b --device agx-orin --prompt 200000 --generate 10";
  const Json answer = answer_of(question);
  EXPECT_EQ(answer["rows"][0]["beyond_training"], 200010 - 131072);
  const std::string text = run_program(question).output;
  EXPECT_THAT(text, HasSubstr("fits, but 68938 tokens more than the model's training context"));
  EXPECT_THAT(text, HasSubstr("yes, beyond training"));
  const std::string small =
      run_program("fits zoo:llama-3.1-8b --device orin-nano-8gb@super --context 200000").output;
  EXPECT_THAT(small, HasSubstr("does not fit, and 68928 tokens more than"));
}

TEST(LlmCommand, TextTellsMemoryTableContextsAndPhases) {
  const auto text = run_program("llm zoo:llama-3.1-8b --device orin-nano-8gb@super");
  EXPECT_EQ(text.status, 0) << text.output;
  for (const char* part :
       {"8.03 billion parameters", "q4_k_m in llama.cpp", "memory: board 7.44 GiB",
        "decoding     joules", "A step in MAXN", "By context length", "prefill", "(FLOP/byte)"}) {
    EXPECT_THAT(text.output, HasSubstr(part));
  }
}

TEST(LlmCommand, CsvHasARowEachAndAStepAtEachContext) {
  const auto csv = run_program(
      "llm zoo:qwen3-0.6b --device all --modes maxn --context 1024,4096 --quiet --format csv");
  EXPECT_EQ(csv.status, 0) << csv.output;
  EXPECT_THAT(csv.output, HasSubstr("ttft_ms,ttft_lo_ms,ttft_hi_ms"));
  EXPECT_THAT(csv.output, HasSubstr("step_at_1024_ms,step_at_4096_ms,idle_w,bounded_by"));
  const auto lines = std::count(csv.output.begin(), csv.output.end(), '\n');
  EXPECT_EQ(static_cast<std::size_t>(lines), 1 + list_boards().size());
}

TEST(LlmCommand, AContextThatTheModelWasNotTrainedForIsSaid) {
  for (const char* format : {"table", "csv", "json"}) {
    const auto result = run_program(
        std::string("llm zoo:llama-3.1-8b --device agx-orin --prompt 200000 --format ") + format);
    EXPECT_EQ(result.status, 0) << result.output;
    EXPECT_THAT(result.output, HasSubstr("the model was trained for a context of 131072"));
  }
}

// label: slow
TEST(LlmCommand, ModesWithFewerCoresThanAnyMeasurementAreSaid) {
  const std::string question = "llm zoo:qwen3-0.6b --device orin-nano-8gb@super --pareto --modes ";
  for (const char* format : {"table", "csv", "json"}) {
    const auto all = run_program(question + "all --format " + format);
    EXPECT_THAT(all.output, HasSubstr("no engine was fitted with fewer than 4 CPU cores"))
        << format;
    const auto highest = run_program(question + "maxn --format " + format);
    EXPECT_EQ(highest.output.find("CPU cores: "), std::string::npos) << highest.output;
  }
}

// label: slow
TEST(LlmCommand, FrontIsThatOfTheRows) {
  const std::string question = "llm zoo:qwen3-0.6b --device orin-nano-8gb@super --modes all";
  const Json all = answer_of(question), front = answer_of(question + " --pareto");
  std::size_t on = 0;
  for (const Json& row : all["rows"]) on += row["on_front"] == true ? 1 : 0;
  EXPECT_EQ(front["rows"].size(), on);
  EXPECT_GT(all["rows"].size(), on);
}

// label: slow
TEST(LlmCommand, AModelThatDoesNotFitIsSaidSo) {
  const std::string question = "llm zoo:llama-3.3-70b --device orin-nano-8gb";
  const Json answer = answer_of(question);
  EXPECT_EQ(answer["rows"][0]["fits"], false);
  EXPECT_GT(number(answer["rows"][0], "tpot_ms"), 0);
  EXPECT_THAT(run_program(question).output, HasSubstr("does not fit"));
}

TEST(LlmCommand, FoldersOfConfigurations) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write(
      "config.json",
      R"({"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"], "hidden_size": 896,
          "num_hidden_layers": 24, "num_attention_heads": 14, "num_key_value_heads": 2,
          "intermediate_size": 4864, "vocab_size": 151936, "tie_word_embeddings": true,
          "max_position_embeddings": 32768,
          "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 128}})");
  const Json answer = answer_of("llm " + path + " --device agx-orin");
  EXPECT_EQ(answer["rows"][0]["runtime"], "vllm");
  EXPECT_THAT(answer["rows"][0]["quantization"].get<std::string>(), HasSubstr("awq"));
  const auto refused = run_program("llm " + path + " --device agx-orin --runtime llama.cpp");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("llama.cpp does not run awq"));
}

TEST(LlmCommand, ACacheThatTheEngineDoesNotStoreIsRefused) {
  const std::string line = "llm zoo:llama-3.2-1b --device agx-orin --kv-type ";
  const auto refused = run_program(line + "q4_0 --runtime tensorrt-llm");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, HasSubstr("tensorrt-llm does not store the cache"));
  EXPECT_EQ(run_program(line + "fp8 --runtime tensorrt-llm").status, 0);
  const auto all = run_program(line + "q4_0 --runtime all --format json");
  ASSERT_EQ(all.status, 0) << all.output;
  const Json answer = Json::parse(all.output);
  for (const Json& row : answer["rows"]) {
    EXPECT_THAT(row["runtime"].get<std::string>(), HasSubstr("llama.cpp"));
  }
}

// label: slow
TEST(LlmCommand, WhatMeansNothingIsOneLine) {
  for (const char* wrong :
       {"--prompt 0", "--prompt nan", "--prompt 1e12", "--generate -1", "--generate 0.5",
        "--concurrency 0", "--concurrency inf", "--context 0", "--runtime none",
        "--quantization q9", "--kv-type q9", "--runtime tensorrt-llm --quantization q4_k_m",
        "--quantization ,", "--prompt 16777216 --concurrency 64", "--reserve-gb nan",
        "--quantization stored", "--runtime ''", "--figures page.txt"}) {
    const auto result = run_program(std::string("llm zoo:llama-3.2-1b --device agx-orin ") + wrong);
    EXPECT_EQ(result.status, 2) << wrong << ": " << result.output;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1)
        << wrong << ": " << result.output;
  }
  EXPECT_NE(run_program("llm zoo:no-such-model --device agx-orin").status, 0);
  EXPECT_EQ(run_program("llm --device agx-orin").status, 2);
  EXPECT_THAT(run_program("llm zoo:llama-3.2-1b --device agx-orin --modes none").output,
              HasSubstr("choose one of MAXN"));
}

// The page as users see it: all charts are drawn, the table has its rows, and the console is empty.
constexpr const char* kLanguageActions = R"(
window.addEventListener("load", () => setTimeout(() => {
  const faults = [];
  const check = (holds, what) => { if (!holds) faults.push(what); };
  const live = document.getElementById("options") !== null;
  const charts = Array.from(document.querySelectorAll("figure.chart")).map((c) => c.querySelector(live ? ".live" : ".still.wide"));
  check(charts.length === 4, "figures " + charts.length);
  check(charts.every((c) => c.querySelectorAll("svg *").length > 10), "drawn");
  check(document.querySelectorAll('table[data-table="0"] tbody tr').length === 3, "presets");
  document.title = faults.length ? "FAULTS " + faults.join("; ") : "ALL WELL";
}, 300));
)";

// label: slow
TEST(LlmCommand, PageWorksInChromium) {
  const testing::TemporaryFolder folder;
  const std::string html = (folder.path() / "page.html").string();
  const std::string svg = (folder.path() / "page.svg").string();
  const auto result = run_program(
      "llm zoo:llama-3.2-3b --device orin-nano-8gb@super --modes presets --quiet --html " + html +
      " --figures " + svg);
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(read_file(svg), HasSubstr("Time per token over context"));
  testing::expect_well_in_browser(read_file(html), kLanguageActions);
}

// label: slow
TEST(TuneLlmCommand, AnswerIsOneOfTheRowsAndModeApplyTakesIt) {
  const testing::TemporaryFolder folder;
  const std::string setting = "zoo:llama-3.2-1b --device agx-orin";
  const std::string path = (folder.path() / "answer.json").string();
  const auto result = run_program(
      "tune llm " + setting + " --max-power 30 --max-ttft 20s --quiet --format json -o " + path);
  ASSERT_EQ(result.status, 0) << result.output;
  const Json answer = Json::parse(read_file(path));
  EXPECT_EQ(answer["schema"], "ridgewatt.tune.llm/1");
  EXPECT_EQ(answer["feasible"], true);
  EXPECT_LE(number(answer, "prefill_power_w"), 30);
  EXPECT_LE(number(answer, "decode_power_w"), 30);
  EXPECT_EQ(answer["considered"], 18096 * 9 / 12);  // 4 to 12 cores
  const Json row = answer_of(
      "llm " + setting + " --modes cores=" + answer["mode"]["cpu_cores"].dump() +
      ",cpu=" + answer["mode"]["cpu_mhz"].dump() + ",gpu=" + answer["mode"]["gpu_mhz"].dump() +
      ",mem=" + answer["mode"]["mem_mhz"].dump())["rows"][0];
  EXPECT_EQ(row["mode"], answer["mode"]);
  for (const char* key : {"ttft_ms", "tpot_ms", "request_j", "joules_per_token"}) {
    EXPECT_NEAR(number(answer, key), number(row, key), 1e-9 * number(row, key)) << key;
  }
  const auto applied = run_program("mode apply --device fake:agx-orin --dry-run --answer " + path);
  EXPECT_EQ(applied.status, 0) << applied.output;
}

// label: slow
TEST(TuneLlmCommand, PhasesNameBothModesAndTheirSwitch) {
  const std::string setting = "zoo:llama-3.1-8b --device agx-orin --prompt 2048 --generate 512";
  const double fastest_ms = number(answer_of("llm " + setting)["rows"][0], "ttft_ms");
  const Json answer =
      answer_of("tune llm " + setting + " --phases --max-ttft " + std::to_string(1.4 * fastest_ms));
  EXPECT_LE(number(answer, "ttft_ms"), 1.4 * fastest_ms);
  ASSERT_TRUE(answer.contains("one_mode"));
  EXPECT_LE(number(answer, "request_j"), 1.01 * number(answer["one_mode"], "request_j"));
  if (answer.contains("mode")) return;
  double switch_ms = 0;
  const Json &prompt = answer["prefill_mode"], &decode = answer["decode_mode"];
  if (prompt["cpu_mhz"] != decode["cpu_mhz"]) switch_ms += 1;
  if (prompt["gpu_mhz"] != decode["gpu_mhz"]) switch_ms += 5;
  if (prompt["mem_mhz"] != decode["mem_mhz"]) switch_ms += 8;
  EXPECT_DOUBLE_EQ(number(answer, "switch_ms"), switch_ms);
  EXPECT_EQ(prompt["cpu_cores"], decode["cpu_cores"]);
}

// label: slow
TEST(TuneLlmCommand, RanksBoardsAndQuantizations) {
  const Json answer = answer_of(
      "tune llm zoo:qwen3-4b --device all --modes presets --quantization q4_k_m,q8_0 "
      "--min-tokens-per-s 3");
  double last = 0;
  for (const Json& setting : answer["settings"]) {
    if (setting["feasible"] == false) break;
    EXPECT_GE(number(setting, "tokens_per_s"), 3);
    EXPECT_GE(number(setting, "request_j"), last);
    last = number(setting, "request_j");
  }
  EXPECT_EQ(answer["request_j"], answer["settings"][0]["request_j"]);
}

// An A100 draws more than 30 W when idle.
TEST(TuneLlmCommand, BoardsOutsideTheLimitsAreNamed) {
  const auto result = run_program(
      "tune llm zoo:llama-3.2-1b --device agx-orin-32gb,a100-sxm --modes presets --max-power 30");
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("no mode within the limits: a100-sxm (--format json has the nearest"));
}

// label: slow
TEST(TuneLlmCommand, WithoutAnAnswerTheNearestAndStatusThree) {
  const Json answer =
      answer_of("tune llm zoo:llama-3.2-1b --device agx-orin --modes presets --max-power 1", 3);
  EXPECT_EQ(answer["feasible"], false);
  EXPECT_THAT(answer["misses"][0].get<std::string>(), HasSubstr("times the limit of 1 W"));
  const auto large = run_program("tune llm zoo:llama-3.3-70b --device orin-nano-8gb --modes maxn");
  EXPECT_EQ(large.status, 3);
  EXPECT_THAT(large.output, HasSubstr("does not fit"));
  EXPECT_THAT(large.output, HasSubstr("no quantization fits"));
  EXPECT_THAT(large.output, Not(HasSubstr("the interval is wide")));
  EXPECT_THAT(large.output, Not(HasSubstr("prompt in")));
  const auto narrow = run_program(
      "tune llm zoo:llama-3.1-8b --device orin-nano-8gb --quantization f16 "
      "--max-power 5 --modes maxn");
  EXPECT_EQ(narrow.status, 3);
  EXPECT_THAT(narrow.output, HasSubstr("Least energy of a request within 5 W"));
  EXPECT_THAT(narrow.output, ::testing::ContainsRegex("--quantization [a-z0-9_]+ fits"));
  for (const char* wrong : {"--max-ttft 0", "--max-tpot nan", "--max-power -1", "--confidence 1",
                            "--min-tokens-per-s 0", "--minimize speed", "--context 5"}) {
    const auto result =
        run_program(std::string("tune llm zoo:llama-3.2-1b --device agx-orin ") + wrong);
    EXPECT_EQ(result.status, 2) << wrong << result.output;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  }
  // `tune` itself still works.
  EXPECT_EQ(run_program("tune zoo:lenet5 --device agx-orin --max-power 40 --quiet").status, 0);
}

}  // namespace
}  // namespace ridgewatt::cli
