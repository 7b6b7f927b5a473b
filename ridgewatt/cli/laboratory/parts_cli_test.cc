// Evaluations in parts must give the same bytes as one process, for the whole program, each command
// and each format.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/tune/board_fixture.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using testing::run_program;

class EvaluateInParts : public ::testing::Test {
 protected:
  std::string sweep(const std::string& workload, const std::string& kind,
                    const std::vector<int>& batches) {
    Sweep named = testing::small_board_sweep(batches);
    named.workload = workload;
    named.kind = kind;
    return folder_.write(workload + ".csv", write_sweep_csv({named}));
  }
  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  // The result of merging `of` parts of a command.
  std::string merged(const std::string& command, int of, const std::string& format) {
    std::string paths;
    for (int number = 1; number <= of; ++number) {
      const std::string path = file("part-" + std::to_string(number) + ".json");
      const auto done = run_program(command + " --threads 2 --part " + std::to_string(number) +
                                    "/" + std::to_string(of) + " -o " + path);
      EXPECT_EQ(done.status, 0) << done.output;
      paths += " " + path;
    }
    return run_program("evaluate merge --format " + format + " --wide" + paths).output;
  }
  void expect_same_bytes(const std::string& command) {
    for (const char* format : {"table", "csv", "json"}) {
      const std::string shown = std::string(" --wide --format ") + format;
      const auto whole = run_program(command + " --threads 1" + shown);
      ASSERT_EQ(whole.status, 0) << whole.output;
      EXPECT_EQ(run_program(command + " --threads 2" + shown).output, whole.output);
      EXPECT_EQ(run_program(command + " --processes 3" + shown).output, whole.output);
      EXPECT_EQ(merged(command, format[0] == 'c' ? 8 : 2, format), whole.output);
    }
    EXPECT_EQ(merged(command, 1, "json"), run_program(command + " --format json --wide").output);
  }

  testing::TemporaryFolder folder_;
  std::string training_ = sweep("train", "training", {16});
  std::string inference_ = sweep("infer", "inference", {4, 16});
};

// label: slow
TEST_F(EvaluateInParts, Schedules) {
  expect_same_bytes("evaluate schedules -q --seed 4 --training-sweep " + training_ +
                    " --inference-sweep " + inference_ +
                    " --strategies auto:5,als:8,nn:5,random:5 --problems 6");
}

// label: slow
TEST_F(EvaluateInParts, Strategies) {
  expect_same_bytes("evaluate strategies -q --training-sweep " + training_ +
                    " --only 'common modes' --strategy auto,als,random --profiles 5 --seeds 2 "
                    "--inference-sweep " +
                    inference_);
}

// label: slow
TEST_F(EvaluateInParts, Predictors) {
  const std::string command =
      "evaluate predictors -q --sweep " + training_ + " --methods auto,linear --sizes 5,8 --runs 3";
  expect_same_bytes(command);
  expect_same_bytes(command + " --every-run");
}

TEST_F(EvaluateInParts, OtherSweepsOtherQuestion) {
  const std::string command =
      "evaluate predictors -q --methods linear --sizes 5 --runs 2 --sweep " + training_;
  const std::string a = file("a.json"), b = file("b.json");
  ASSERT_EQ(run_program(command + " --part 1/2 -o " + a).status, 0);
  std::string text = read_file(training_);
  text.replace(text.rfind("\n", text.size() - 2), 1, "\n\n");
  folder_.write("train.csv", text);
  ASSERT_EQ(run_program(command + " --part 2/2 -o " + b).status, 0);
  const auto refused = run_program("evaluate merge " + a + " " + b);
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("parts of different evaluations"));
  EXPECT_THAT(refused.output, HasSubstr("--sweep is"));
  EXPECT_EQ(std::count(refused.output.begin(), refused.output.end(), '\n'), 1) << refused.output;
}

TEST_F(EvaluateInParts, WhatCannotBeSplitIsRefused) {
  const std::string command = "evaluate predictors --sweep " + training_;
  EXPECT_EQ(run_program(command + " --part 1/2 --processes 2").status, 2);
  EXPECT_EQ(run_program(command + " --part 3/2").status, 2);
  EXPECT_THAT(run_program(command + " --part 1/2 --figures " + file("a.svg")).output,
              HasSubstr("--figures"));
  EXPECT_THAT(run_program("evaluate schedules --timing --processes 2 --training-sweep " +
                          training_ + " --inference-sweep " + inference_)
                  .output,
              HasSubstr("--timing"));
}

// A shell runs the printed job array, task by task, as Slurm would.
TEST_F(EvaluateInParts, SlurmScript) {
  const std::string folder = folder_.path().string();
  const std::string command =
      "evaluate predictors --methods linear --sizes 5,8 --runs 3 --every-run "
      "--seed 9 --sweep '" +
      training_ + "'";
  const auto script = run_program(command + " --slurm 3");
  ASSERT_EQ(script.status, 0) << script.output;
  EXPECT_THAT(script.output, HasSubstr("#SBATCH --array=1-3\n"));
  folder_.write("job.sh", script.output);
  for (const char* task : {"2", "1", "3", "3"}) {
    const std::string line = "cd '" + folder + "' && PATH='" + testing::build_folder().string() +
                             "':\"$PATH\" SLURM_ARRAY_TASK_ID=" + task + " bash job.sh";
    EXPECT_EQ(std::system(line.c_str()), 0);
  }
  EXPECT_EQ(run_program("evaluate merge '" + folder + "'/parts-predictors/part-*.json").output,
            run_program(command + " -q").output);
}

}  // namespace
}  // namespace ridgewatt::cli
