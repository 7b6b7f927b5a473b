// Tests results in the programs' own formats: llama-bench's tables (its README), aiperf's
// documented files, and the keys of vLLM's results. Times are computed by hand.
#include "ridgewatt/measure/token_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt::measure {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kBenchJson[] = R"([
  {"build_commit": "abc", "build_number": 5283, "model_filename": "/m/Llama-3.2-1B-Instruct-Q4_K_M.gguf",
   "model_type": "llama 1B Q4_K - Medium", "model_size": 799862912, "n_prompt": 512, "n_gen": 0, "n_depth": 0,
   "test_time": "2026-11-20T10:00:00Z", "avg_ns": 500000000, "stddev_ns": 10000000, "avg_ts": 1024.0,
   "samples_ns": [ 490000000, 510000000 ], "samples_ts": [ 1044.9, 1003.9 ]},
  {"model_filename": "/m/Llama-3.2-1B-Instruct-Q4_K_M.gguf", "model_type": "llama 1B Q4_K - Medium",
   "n_prompt": 0, "n_gen": 128, "n_depth": 512, "avg_ns": 2560000000, "stddev_ns": 0,
   "samples_ns": [ 2560000000 ]}
])";
constexpr char kBenchTable[] =
    "ggml_cuda_init: found 1 CUDA devices:\n"
    "| model                          |       size |     params | backend    | ngl |          test "
    "|                  t/s |\n"
    "| ------------------------------ | ---------: | ---------: | ---------- | --: | ------------: "
    "| -------------------: |\n"
    "| llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 |         pp512 "
    "|      2048.00 ± 12.30 |\n"
    "| llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 |  tg128 @ d512 "
    "|        40.00 ± 0.10  |\n"
    "\nbuild: abc (5283)\n";
constexpr char kBenchCsv[] =
    "build_commit,model_filename,model_type,n_prompt,n_gen,test_time,avg_ns,stddev_ns,avg_ts\n"
    "\"abc\",\"q.gguf\",\"qwen2 0.5B "
    "Q8_0\",\"0\",\"64\",\"2026-11-20T10:00:00Z\",\"640000000\",\"0\","
    "\"100\"\n";
constexpr char kAiperfRecord[] =
    R"({"metadata": {"session_num": 45, "request_start_ns": 1759813207532900363, "request_ack_ns": 1759813207650730976,)"
    R"( "request_end_ns": 1759813207838764604, "benchmark_phase": "profiling", "was_cancelled": false},)"
    R"( "metrics": {"input_sequence_length": {"value": 550, "unit": "tokens"}, "time_to_first_token": {"value": 250.0, "unit": "ms"},)"
    R"( "request_latency": {"value": 300.0, "unit": "ms"}, "output_sequence_length": {"value": 6, "unit": "tokens"},)"
    R"( "inter_chunk_latency": {"value": [10, 10, 10, 10, 10], "unit": "ms"}}, "error": null})";
constexpr char kAiperfFailed[] =
    R"({"metadata": {"request_start_ns": 1759879161119147826, "request_ack_ns": null, "request_end_ns": 1759879161119772754},)"
    R"( "metrics": {"error_isl": {"value": 550, "unit": "tokens"}}, "error": {"code": 499, "type": "X", "message": "y"}})";
constexpr char kAiperfSummary[] =
    R"({"schema_version": "1.1", "request_count": {"unit": "requests", "avg": 10.0},
        "time_to_first_token": {"unit": "ms", "avg": 120.5, "p50": 119.0, "p90": 130.0, "p99": 140.0, "std": 5.0, "count": 10},
        "inter_token_latency": {"unit": "ms", "avg": 21.25, "p50": 21.0, "p90": 22.0, "p99": 23.0, "std": 0.5},
        "input_sequence_length": {"unit": "tokens", "avg": 512.0}, "output_sequence_length": {"unit": "tokens", "avg": 128.0},
        "output_token_throughput": {"unit": "tokens/sec", "avg": 45.5},
        "input_config": {"endpoint": {"model_names": ["Qwen/Qwen3-4B-AWQ"]}, "loadgen": {"concurrency": 2}}})";
constexpr char kAiperfCsv[] =
    "Metric,avg,min,max,p99,p90,p75,std\n"
    "Time to First Token (ms),120.50,100,140,139,130,125,5\n"
    "Inter Token Latency (ms),21.25,20,23,22.9,22,21.5,0.5\n"
    "Input Sequence Length (tokens),512,512,512,512,512,512,0\n"
    "Output Sequence Length (tokens),128,128,128,128,128,128,0\n"
    "\n"
    "Metric,Value\n"
    "Output Token Throughput (tokens/sec),45.5\n"
    "Request Count (requests),10\n";
constexpr char kVllm[] =
    R"({"date": "20261120-100000", "endpoint_type": "vllm", "model_id": "meta-llama/Llama-3.2-1B", "num_prompts": 2,
        "request_rate": "inf", "max_concurrency": 1, "duration": 3.0, "completed": 2, "total_input_tokens": 1000,
        "total_output_tokens": 6, "output_throughput": 2.0, "mean_ttft_ms": 200.0, "median_ttft_ms": 200.0, "std_ttft_ms": 0.0,
        "p99_ttft_ms": 200.0, "mean_tpot_ms": 50.0, "median_tpot_ms": 50.0, "std_tpot_ms": 0.0, "p99_tpot_ms": 50.0,
        "input_lens": [500, 500], "output_lens": [3, 3], "ttfts": [0.2, 0.2], "itls": [[0.05, 0.05], [0.05, 0.05]],
        "start_times": [100.0, 101.0], "errors": ["", ""]})";

TokenRun only_run(std::string_view text) {
  const auto runs = parse_token_runs(text, "file");
  EXPECT_EQ(runs.size(), 1u);
  return runs.at(0);
}

std::string token_refusal(std::string_view text) {
  try {
    parse_token_runs(text, "file");
    return "was read";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(TokenRuns, LlamaBenchTellsPromptsAndAnswersApart) {
  const auto runs = parse_token_runs(kBenchJson, "file");
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].engine, "llama.cpp");
  EXPECT_EQ(runs[0].model, "Llama-3.2-1B-Instruct-Q4_K_M.gguf");
  EXPECT_EQ(runs[0].quantization, "q4_k_m");
  EXPECT_NEAR(runs[0].ttft->mean_s, 0.5, 1e-12);
  EXPECT_NEAR(*runs[0].ttft->deviation_s, 0.0141421, 1e-6);
  EXPECT_FALSE(runs[0].tpot);
  EXPECT_NEAR(*runs[0].prompt_tokens_per_s, 1024, 1e-9);
  EXPECT_NEAR(runs[1].tpot->mean_s, 0.02, 1e-12);
  EXPECT_EQ(runs[1].clock, TokenClock::kNone);
  // A generation test at the depth of the prompt belongs to that prompt. The first token takes one
  // more step.
  const auto joined = with_joined_phases(runs);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(joined[0].prompt_tokens, 512);
  EXPECT_EQ(joined[0].output_tokens, 128);
  EXPECT_NEAR(joined[0].ttft->mean_s, 0.52, 1e-12);
  EXPECT_NEAR(joined[0].tpot->mean_s, 0.02, 1e-12);
  EXPECT_THAT(joined[0].notes, ElementsAre(HasSubstr("one step")));
}

TEST(TokenRuns, LlamaBenchInItsOtherLayouts) {
  const auto table = parse_token_runs(kBenchTable, "file");
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[0].quantization, "q4_k_m");
  EXPECT_NEAR(table[0].ttft->mean_s, 0.25, 1e-12);
  EXPECT_EQ(table[1].depth_tokens, 512);
  EXPECT_NEAR(table[1].tpot->mean_s, 0.025, 1e-12);
  const TokenRun csv = only_run(kBenchCsv);
  EXPECT_EQ(csv.quantization, "q8_0");
  EXPECT_NEAR(csv.tpot->mean_s, 0.01, 1e-12);
  std::string lines;
  for (const char* test : {R"({"n_prompt": 64, "n_gen": 0, "avg_ns": 1000000})",
                           R"({"n_prompt": 0, "n_gen": 8, "avg_ns": 8000000})"}) {
    lines += std::string(test) + "\n";
  }
  EXPECT_EQ(parse_token_runs(lines, "file").size(), 2u);
  // One test of both phases does not time them separately.
  const TokenRun both = only_run(R"([{"n_prompt": 64, "n_gen": 8, "avg_ns": 1000000}])");
  EXPECT_FALSE(both.ttft || both.tpot);
  EXPECT_EQ(both.notes.size(), 1u);
}

TEST(TokenRuns, AnswersWithoutTheirContextAreSaid) {
  auto runs = parse_token_runs(kBenchJson, "file");
  runs[1].depth_tokens = 0;
  const auto joined = with_joined_phases(runs);
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_THAT(joined[0].notes[1], HasSubstr("-d 512"));
}

TEST(TokenRuns, AiperfRecordsHaveTimeStamps) {
  const TokenRun run = only_run(std::string(kAiperfRecord) + "\n" + kAiperfFailed + "\n");
  EXPECT_EQ(run.requests, 1u);
  EXPECT_EQ(run.failed, 1u);
  EXPECT_EQ(run.clock, TokenClock::kUnix);
  ASSERT_EQ(run.timeline.size(), 1u);
  const TokenRequest& request = run.timeline[0];
  EXPECT_NEAR(request.first_s - request.begin_s, 0.25, 1e-6);
  EXPECT_NEAR(request.end_s - request.first_s, 0.05, 1e-6);
  EXPECT_EQ(request.token_times_s.size(), 6u);
  EXPECT_EQ(request.prompt_tokens, 550);
  EXPECT_NEAR(run.tpot->mean_s, 0.01, 1e-6);
  EXPECT_EQ(only_run(kAiperfRecord).requests, 1u);  // a file of one line
}

TEST(TokenRuns, AiperfStatistics) {
  const TokenRun json = only_run(kAiperfSummary);
  EXPECT_EQ(json.model, "Qwen/Qwen3-4B-AWQ");
  EXPECT_EQ(json.quantization, "awq");
  EXPECT_EQ(json.concurrency, 2);
  EXPECT_EQ(json.requests, 10u);
  const TokenRun csv = only_run(kAiperfCsv);
  for (const TokenRun& run : {json, csv}) {
    EXPECT_NEAR(run.ttft->mean_s, 0.1205, 1e-12);
    EXPECT_NEAR(*run.ttft->deviation_s, 0.005, 1e-12);
    EXPECT_NEAR(*run.ttft->p90_s, 0.130, 1e-12);
    EXPECT_NEAR(run.tpot->mean_s, 0.02125, 1e-12);
    EXPECT_NEAR(*run.output_tokens_per_s, 45.5, 1e-12);
    EXPECT_EQ(run.prompt_tokens, 512);
    EXPECT_EQ(run.clock, TokenClock::kNone);
  }
}

TEST(TokenRuns, VllmServe) {
  const TokenRun run = only_run(kVllm);
  EXPECT_EQ(run.engine, "vllm");
  EXPECT_EQ(run.model, "meta-llama/Llama-3.2-1B");
  EXPECT_EQ(run.prompt_tokens, 500);
  EXPECT_EQ(run.output_tokens, 3);
  EXPECT_NEAR(run.ttft->mean_s, 0.2, 1e-12);
  EXPECT_NEAR(run.tpot->mean_s, 0.05, 1e-12);
  EXPECT_EQ(run.clock, TokenClock::kMonotonic);
  ASSERT_EQ(run.timeline.size(), 2u);
  EXPECT_NEAR(run.timeline[1].end_s, 101.3, 1e-9);
  const TokenRun latency =
      only_run(R"({"avg_latency": 2.0, "latencies": [2.0, 2.0], "percentiles": {"50": 2.0}})");
  EXPECT_THAT(latency.notes, ElementsAre(HasSubstr("not timed separately")));
}

TEST(TokenRuns, NamesOfQuantizations) {
  EXPECT_EQ(quantization_named("Llama-3.1-8B-Instruct-Q4_K_M.gguf"), "q4_k_m");
  EXPECT_EQ(quantization_named("llama 7B Q3_K - Large"), "q3_k_l");
  EXPECT_EQ(quantization_named("qwen2 0.5B F16"), "f16");
  EXPECT_EQ(quantization_named("Qwen3-4B-AWQ"), "awq");
  EXPECT_EQ(quantization_named("Llama-3.2-1B"), "");
}

TEST(TokenRuns, DamagedResultsAreRefusedInALine) {
  EXPECT_THAT(token_refusal(""), HasSubstr("is empty"));
  EXPECT_THAT(token_refusal("hello"), HasSubstr("llama-bench"));
  EXPECT_THAT(token_refusal("[]"), HasSubstr("no test"));
  EXPECT_THAT(token_refusal("{}"), HasSubstr("not a result of a known program"));
  EXPECT_THAT(token_refusal(std::string(100000, '[')), HasSubstr("nested"));
  EXPECT_THAT(token_refusal(R"([{"n_prompt": 512, "n_gen": 0}])"), HasSubstr("avg_ns"));
  EXPECT_THAT(token_refusal(R"([{"n_prompt": -1, "n_gen": 0, "avg_ns": 5}])"),
              HasSubstr("n_prompt must be a number from 0 to 1e18"));
  EXPECT_THAT(token_refusal(R"([{"n_prompt": 5, "n_gen": 0, "avg_ns": "5"}])"),
              HasSubstr("avg_ns"));
  EXPECT_THAT(token_refusal(R"([{"n_prompt": 5, "n_gen": 0, "avg_ns": 0}])"), HasSubstr("no time"));
  EXPECT_THAT(token_refusal("| model | test | t/s |\n| llama | pp512 |\n"), HasSubstr("cut off"));
  EXPECT_THAT(token_refusal("| model | test | t/s |\n| llama | xx512 | 5 |\n"),
              HasSubstr("not a test"));
  EXPECT_THAT(token_refusal("| model | test | t/s |\n| llama | pp512 | nan |\n"),
              HasSubstr("no tokens per second"));
  EXPECT_THAT(token_refusal(kAiperfFailed), HasSubstr("the file has no successful request"));
  EXPECT_THAT(token_refusal(R"({"time_to_first_token": {"unit": "parsec", "avg": 1}})"),
              HasSubstr("parsec"));
  std::string uneven = kVllm;
  uneven.replace(uneven.find("[0.2, 0.2]"), 10, "[0.2]");
  EXPECT_THAT(token_refusal(uneven), HasSubstr("differ in length"));
}

// Text that is cut anywhere or has a changed byte is either read or rejected with an error.
TEST(TokenRuns, AnyDamageIsReadOrRefused) {
  Random random(7);
  for (const std::string text :
       {kBenchJson, kBenchTable, kBenchCsv, kAiperfRecord, kAiperfSummary, kAiperfCsv, kVllm}) {
    for (std::size_t cut = 0; cut < text.size(); cut += 7) token_refusal(text.substr(0, cut));
    for (int i = 0; i < 300; ++i) {
      std::string changed = text;
      changed[random.below(changed.size())] = static_cast<char>(random.below(256));
      token_refusal(changed);
    }
  }
}

TEST(TokenRuns, RequestsOfMarks) {
  using Kind = TimedMark::Kind;
  const std::vector<TimedMark> marks = {
      {Kind::kBegin, "load", 0},    {Kind::kEnd, "load", 1},       {Kind::kBegin, "prefill", 2},
      {Kind::kEnd, "prefill", 2.5}, {Kind::kBegin, "decode", 2.5}, {Kind::kMinibatch, "", 2.6},
      {Kind::kMinibatch, "", 2.7},  {Kind::kEnd, "decode", 2.7},   {Kind::kBegin, "decode", 3},
      {Kind::kMinibatch, "", 3.5},  {Kind::kEnd, "decode", 3.5}};
  const auto requests = requests_of(marks, 4);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].begin_s, 2);
  EXPECT_EQ(requests[0].first_s, 2.5);
  EXPECT_EQ(requests[0].end_s, 2.7);
  EXPECT_EQ(requests[0].output_tokens, 3);  // the first token ended the prefill
  EXPECT_EQ(requests[0].decoded_tokens(), 2);
  EXPECT_EQ(requests[1].decoded_tokens(), 1);  // a decode phase without its own prefill
  EXPECT_TRUE(requests_of({}, 1).empty());
}

}  // namespace
}  // namespace ridgewatt::measure
