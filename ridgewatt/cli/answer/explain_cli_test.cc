// Tests ridgewatt explain on the command line: a program that it runs or attaches to, and rejected
// input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_program;

std::string fake_run(const std::string& options) {
  return (testing::build_folder() / "ridgewatt").string() +
         " fake-run zoo:resnet50 --device fake:orin-nano --quiet " + options;
}

double sum_of(const Json& rows, const char* key) {
  double sum = 0;
  for (const Json& row : rows) sum += row[key].get<double>();
  return sum;
}

// The board is in its 15 W preset, but the question states MAXN: clocks and limits show the
// difference.
// label: board
TEST(ExplainCommand, AWatchedProgramShowsItsPreset) {
  ASSERT_EQ(run_program("mode apply 15W --device fake:orin-nano").status, 0);
  const auto result =
      run_program("explain zoo:resnet50 --device fake:orin-nano --mode maxn --format json -- " +
                  fake_run("--minibatches 20"));
  ASSERT_EQ(result.status, 0) << result.output;
  const Json found = Json::parse(result.output);
  const Json& rows = found["rows"];  // a busy machine is also a cause
  const Json& row = rows[rows[0]["cause"] == "power_mode" ? 0 : 1];
  EXPECT_EQ(row["cause"], "power_mode") << result.output;
  EXPECT_THAT(row["evidence"].get<std::string>(), HasSubstr("15W is active"));
  EXPECT_GT(found["watched"]["gpu_mhz"], 0);
  EXPECT_NEAR(sum_of(found["rows"], "time_ms"), found["gap_ms"].get<double>(), 1e-6);
}

// An estimate of a model that does not fit is no reason to change nothing.
// label: board
TEST(ExplainCommand, AModelThatDoesNotFitIsSaid) {
  const auto result = run_program(
      "explain zoo:llama-3.1-8b --device orin-nano-8gb@super --runtime vllm --quantization f16 "
      "--tokens-per-second 5.5");
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("GiB: it does not fit"));
  EXPECT_THAT(result.output, Not(HasSubstr("nothing to fix")));
}

// label: board
TEST(ExplainCommand, AttachesToAProcess) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::execl("/bin/sleep", "sleep", "20", nullptr);
    ::_exit(127);
  }
  const std::string command = "explain zoo:resnet50 --device fake:orin-nano --for 0.5s --pid " +
                              std::to_string(child) + " --format json";
  EXPECT_THAT(run_program(command).output, HasSubstr("give --measured"));
  const auto result = run_program(command + " --measured 80ms");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ASSERT_EQ(result.status, 0) << result.output;
  const Json watched = Json::parse(result.output)["watched"];
  EXPECT_GT(watched["cpus_online"], 0);
  EXPECT_LT(watched["program_cores"], 0.1);
}

// The user finds the wrong preset and sets the right one, and the program runs again.
// label: board
TEST(ExplainCommand, ThenMeasuresAgainAfterAChange) {
  ASSERT_EQ(run_program("mode apply 15W --device fake:orin-nano").status, 0);
  const std::string program = (testing::build_folder() / "ridgewatt").string();
  const auto result = run_program(
      "explain zoo:resnet50 --device fake:orin-nano --mode maxn --removed power_mode --format json "
      "--then '" +
      program + " mode restore --device fake:orin-nano' -- " + fake_run("--minibatches 20"));
  ASSERT_EQ(result.status, 0) << result.output;
  const Json change = Json::parse(result.output.substr(result.output.find('{')))["change"];
  EXPECT_EQ(change["removed"], "power_mode");
  EXPECT_GT(change["before_ms"], 0);
  EXPECT_NEAR(change["gain"].get<double>(),
              change["before_ms"].get<double>() / change["after_ms"].get<double>(), 1e-9);
  EXPECT_GT(change["promised"].get<double>(), 1);
  EXPECT_NEAR(sum_of(change["rows"], "time_ms"), change["gap_ms"].get<double>(), 1e-6);
}

// The intended mode is set only for the second run.
// label: board
TEST(ExplainCommand, ApplySetsTheModeAndBringsTheFirstOneBack) {
  ASSERT_EQ(run_program("mode apply 15W --device fake:orin-nano").status, 0);
  const std::string before = run_program("mode show --device fake:orin-nano --format json").output;
  const auto result = run_program(
      "explain zoo:resnet50 --device fake:orin-nano --removed power_mode --apply --format json "
      "-- " +
      fake_run("--minibatches 20"));
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("power mode during the second run"));
  const Json found = Json::parse(result.output.substr(result.output.find('{')));
  EXPECT_EQ(found["change"]["removed"], "power_mode");
  EXPECT_GT(found["change"]["after_ms"], 0);
  EXPECT_EQ(run_program("mode show --device fake:orin-nano --format json").output, before);
  EXPECT_EQ(run_program("mode restore --device fake:orin-nano").status, 0);
}

TEST(ExplainCommand, ApplyChangesNothingForOtherCauses) {
  const auto result = run_program(
      "explain zoo:lenet5 --device fake:orin-nano --removed runtime --apply --format json -- " +
      fake_run("--minibatches 5"));
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("no mode is set, because no mode removes the cause runtime"));
  EXPECT_FALSE(Json::parse(result.output.substr(result.output.find('{'))).contains("change"));
}

TEST(ExplainCommand, RemediesCanBePasted) {
  const auto result = run_program(
      "explain zoo:llama-3.1-8b --device xavier-nx --tokens-per-second 1 --format json");
  ASSERT_EQ(result.status, 0) << result.output;
  bool sets_mode = false;
  const Json found = Json::parse(result.output.substr(result.output.find('{')));
  for (const auto& row : found["rows"]) {
    const std::string remedy = row["remedy"];
    EXPECT_THAT(remedy, Not(HasSubstr("ridgewatt estimate")));  // has no language models
    EXPECT_THAT(remedy, Not(HasSubstr("MHz")));
    sets_mode = sets_mode || remedy.find("mode apply --cpu-cores 6 --cpu-mhz") != std::string::npos;
  }
  EXPECT_TRUE(sets_mode) << result.output;
}

TEST(ExplainCommand, AChangeThatFailsEndsIt) {
  const auto result = run_program("explain zoo:lenet5 --device fake:orin-nano --then 'exit 3' -- " +
                                  fake_run("--minibatches 5"));
  EXPECT_NE(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("exit 3"));
}

TEST(ExplainCommand, WhatIsNoProfileGivesOneLine) {
  const testing::TemporaryFolder folder;
  for (const char* text :
       {"", "[", "[]", "{}", "hello", "[{\"count\": 1}, {\"name\": \"a\", \"timeMs\": NaN}]",
        "[{\"count\": 1}, {\"name\": \"a\", \"timeMs\": 0}]",
        "[{\"cat\": \"Session\", \"ph\": \"X\", \"name\": \"model_run\", \"dur\": -1}]"}) {
    const auto result = run_program("explain zoo:lenet5 --device agx-orin --profile " +
                                    folder.write("profile.json", text));
    EXPECT_NE(result.status, 0) << text;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  }
}

TEST(ExplainCommand, OneTooFastShowsNoCauseThatSlowsDown) {
  const std::string line =
      "explain zoo:resnet50 --device agx-orin --runtime tensorrt --measured 0.2ms";
  const auto table = run_program(line);
  ASSERT_EQ(table.status, 0) << table.output;
  EXPECT_NE(table.output.find("asynchronous_timing"), std::string::npos);
  EXPECT_EQ(table.output.find("power_mode"), std::string::npos) << table.output;
  EXPECT_NE(run_program(line + " --format json").output.find("power_mode"), std::string::npos);
}

TEST(ExplainCommand, AShareThatWasSeenIsAtMostOne) {
  const std::string line = "explain zoo:lenet5 --device agx-orin --measured 6ms --seen ";
  for (const char* wrong : {"gpu_load=5", "io_wait_share=50", "other_cores=1e9"}) {
    const auto result = run_program(line + wrong);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_NE(result.output.find("must be at most"), std::string::npos) << result.output;
  }
  EXPECT_EQ(run_program(line + "gpu_load=0.5").status, 0);
}

// "Most probably" is only written about a cause that is more probable than all others together.
TEST(ExplainCommand, NamesSeveralCausesIfNoneIsMoreProbableThanTheOthers) {
  const auto explained = [](const std::string& options) {
    const auto json = Json::parse(run_program("explain zoo:resnet50 --device agx-orin --quiet "
                                              "--format json " +
                                              options)
                                      .output);
    return std::pair(json["sentences"][0].get<std::string>(),
                     json["rows"][0]["probability"].get<double>());
  };
  const auto [unsure, low] = explained("--measured 60 --power 12");
  EXPECT_LT(low, 0.5);
  EXPECT_THAT(unsure, ::testing::ContainsRegex("possibly because of .*%\\) or .*%\\)"));
  EXPECT_THAT(run_program("explain zoo:resnet50 --device agx-orin --measured 60 --power 12").output,
              HasSubstr(unsure));
  const auto [sure, high] = explained("--measured 60 --seen gpu_mhz=114.75");
  EXPECT_GT(high, 0.5);
  EXPECT_THAT(sure, HasSubstr("most probably because of "));
}

// No prediction is close to an hour, or to a token every ten minutes.
TEST(ExplainCommand, SaysThatNoCauseExplainsTheTime) {
  const std::string resnet = "explain zoo:resnet50 --device agx-orin --measured ";
  const std::string llama = "explain zoo:llama-3.1-8b --device agx-orin ";
  for (const std::string& line :
       {resnet + "1h", llama + "--tokens-per-second 0.001", llama + "--first-token 5h"}) {
    const auto json = Json::parse(run_program(line + " --quiet --format json").output);
    const auto sentence = json["sentences"][0].get<std::string>();
    EXPECT_THAT(sentence, HasSubstr("no single cause explains it: the closest, "));
    EXPECT_THAT(sentence, Not(HasSubstr("most probably")));
    EXPECT_THAT(run_program(line).output, HasSubstr("no single cause explains it"));
  }
  for (const std::string& line :
       {resnet + "17ms", resnet + "30ms", llama + "--tokens-per-second 5"}) {
    const auto json = Json::parse(run_program(line + " --quiet --format json").output);
    EXPECT_THAT(json["sentences"][0].get<std::string>(), Not(HasSubstr("no single cause")));
    EXPECT_THAT(run_program(line).output, Not(HasSubstr("no single cause")));
  }
}

TEST(ExplainCommand, RefusesWhatHasNoEffect) {
  for (const char* options : {"--layers l.json", "--runs 3", "--removed gpu_clock"}) {
    EXPECT_THAT(
        run_program("explain zoo:lenet5 --device nano --measured 1ms " + std::string(options))
            .output,
        HasSubstr("has no effect"));
  }
  EXPECT_THAT(run_program("explain zoo:lenet5 --device nano --measured 1ms --then true").output,
              HasSubstr("without COMMAND"));
  EXPECT_THAT(
      run_program("explain zoo:lenet5 --device nano --measured 1ms --then true -- true").output,
      HasSubstr("with --then"));
  EXPECT_THAT(run_program("explain zoo:lenet5 --device nano --measured 1ms --for 2s").output,
              HasSubstr("without --pid or COMMAND"));
  EXPECT_THAT(run_program("explain zoo:lenet5 --device nano").output,
              HasSubstr("explain needs a measured time or rate"));
  EXPECT_THAT(run_program("explain zoo:lenet5 --device nano --measured 1ms --prompt 9").output,
              HasSubstr("--tokens-per-second"));
}

}  // namespace
}  // namespace ridgewatt::cli
