#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/campaign/engine/program.h"
#include "ridgewatt/campaign/executor.h"
#include "ridgewatt/campaign/parallel/parallel.h"
#include "ridgewatt/campaign/slurm/slurm.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/shell.h"

namespace ridgewatt::campaign {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kHostile = {
    "",         "a b",       "it's",     "\"",
    "$HOME",    "`id`",      "$(id)",    "\\",
    "a\nb",     "*",         "~",        "; id",
    "&& id",    "| id",      "> /tmp/x", "#",
    "{}",       "{batch}",   "{#}",      "{1}",
    "-n",       "--",        "%s",       "!!",
    "\xc3\xa9", "\xff\xfe",  "a'\\''b",  "'; touch /tmp/campaign_hostile; '",
    "a\tb",     "{= $_=1 =}"};

// A program that writes its arguments, each followed by a zero byte, into the file OUT/<its process
// id>.
class Printed : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("executor" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "out");
    program_ = (folder_ / "print arguments").string();
    write_file_atomically(program_, "#!/bin/sh\nset -e\nprintf '%s\\0' \"$@\" > '" +
                                        (folder_ / "out").string() + "'/$$\n");
    ::chmod(program_.c_str(), 0755);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Order order(std::vector<std::string> command, int tasks) const {
    Order result;
    result.campaign = "sweep7";
    result.board_kind = "fake:agx-orin";
    result.arguments = {program_, "campaign", "run", "--workload", "it's $(id)"};
    result.command = std::move(command);
    for (int i = 0; i < tasks; ++i) {
      PlannedPoint point;
      point.label = std::to_string(i);
      point.point = {{.governor = "schedutil $x"}, 16};
      result.tasks.push_back({i, {point}});
    }
    return result;
  }
  // The arguments of all calls, sorted.
  std::vector<std::vector<std::string>> calls() const {
    std::vector<std::vector<std::string>> result;
    for (const auto& entry : fs::directory_iterator(folder_ / "out")) {
      auto words = split(read_file(entry.path().string()), '\0');
      words.pop_back();
      words.insert(words.begin(), program_);
      result.push_back(words);
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  fs::path folder_;
  std::string program_;
};

bool wait_until(const auto& done) {
  for (int i = 0; i < 300; ++i) {
    if (done()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

std::vector<std::string> one_line_words() {
  std::vector<std::string> words;
  for (const auto& word : kHostile) {
    if (word.find('\n') == std::string::npos) words.push_back(word);
  }
  return words;
}

TEST(Shell, ReadsEveryWordBackAsItWas) {
  std::vector<std::string> words = {"printf", "%s\\0"};
  words.insert(words.end(), kHostile.begin(), kHostile.end());
  auto back = split(ask_program({"sh", "-c", shell_line(words)}), '\0');
  back.pop_back();
  EXPECT_EQ(back, kHostile);
  EXPECT_EQ(shell_line({"a", "/b/c_d-1.0,e=f:g@h"}), "a /b/c_d-1.0,e=f:g@h");
  EXPECT_EQ(shell_comment("a\nb"), "# a b");
}

// label: waits
TEST_F(Printed, TheScriptOfSlurmCallsWhatWasOrdered) {
  const Order wanted = order(kHostile, 3);
  const auto scripts = slurm_scripts(wanted, {});
  ASSERT_EQ(scripts.size(), 1u);
  const std::string path = (folder_ / "script").string();
  write_file_atomically(path, scripts[0].text);
  for (int i = 0; i < 3; ++i) {
    ask_program({"env", "SLURM_ARRAY_TASK_ID=" + std::to_string(i), "sh", path});
  }
  std::vector<std::vector<std::string>> expected;
  for (const auto& task : wanted.tasks) expected.push_back(command_of(wanted, task));
  EXPECT_EQ(calls(), expected);
  EXPECT_EQ(run_program({"env", "SLURM_ARRAY_TASK_ID=3", "sh", path}).status, 1);
}

// label: waits
TEST_F(Printed, ThisMachineAloneRunsEveryTask) {
  const Order wanted = order(one_line_words(), 3);
  const auto executor =
      open_executor(ExecutorKind::kLocal, "sweep7", {.folder = (folder_ / "runs").string()});
  const auto jobs = executor->submit(wanted);
  ASSERT_TRUE(wait_until([&] { return executor->states(jobs).back().phase == TaskPhase::kEnded; }));
  std::vector<std::vector<std::string>> expected;
  for (const auto& task : wanted.tasks) {
    auto words = command_of(wanted, task);
    const auto at = std::find(words.begin(), words.end(), "it's $(id)") + 1;
    words.insert(at, {"--wait", "60"});
    expected.push_back(words);
  }
  EXPECT_EQ(calls(), expected);
  EXPECT_EQ(read_file(fs::path(folder_ / "runs/fake-agx-orin.1/log").string()), "");
}

// label: waits
TEST_F(Printed, ParallelRunsEveryTask) {
  if (run_program({"sh", "-c", "command -v parallel"}).status != 0) {
    GTEST_SKIP() << "skipped: no GNU parallel";
  }
  const Order wanted = order(one_line_words(), 3);
  const auto executor =
      open_executor(ExecutorKind::kParallel, "sweep7",
                    {.folder = (folder_ / "runs").string(), .hosts = {"fake:agx-orin=:"}});
  const auto jobs = executor->submit(wanted);
  ASSERT_EQ(jobs.size(), 1u);
  ASSERT_TRUE(wait_until([&] {
    for (const auto& state : executor->states(jobs)) {
      if (state.phase != TaskPhase::kEnded) return false;
    }
    return true;
  })) << read_file((folder_ / "runs/fake-agx-orin.1/log").string());
  ASSERT_EQ(calls().size(), 3u);
  auto expected = command_of(wanted, wanted.tasks[1]);
  expected.insert(expected.begin() + 5, {"--wait", "60"});
  EXPECT_EQ(calls()[1], expected);
}

// label: waits
TEST_F(Printed, AFailureSaysWhyAndAnEndIsAnEnd) {
  write_file_atomically(program_,
                        "#!/bin/sh\necho nothing >&2; echo 'no power source' >&2; exit 1\n");
  const auto executor =
      open_executor(ExecutorKind::kLocal, "sweep7", {.folder = (folder_ / "runs").string()});
  const auto jobs = executor->submit(order({"x"}, 1));
  ASSERT_TRUE(wait_until([&] { return executor->states(jobs)[0].phase == TaskPhase::kFailed; }));
  EXPECT_EQ(executor->states(jobs)[0].why, "ended with 1: no power source");

  write_file_atomically(program_, "#!/bin/sh\nexec sleep 100\n");
  const auto long_jobs = executor->submit(order({"x"}, 2));
  EXPECT_EQ(executor->states(long_jobs)[0].phase, TaskPhase::kRunning);
  EXPECT_EQ(executor->states(long_jobs)[1].phase, TaskPhase::kQueued);
  executor->cancel(long_jobs[0]);
  ASSERT_TRUE(
      wait_until([&] { return executor->states(long_jobs)[1].phase == TaskPhase::kEnded; }));
}

// label: waits
TEST_F(Printed, StatusSeventyFiveIsTriedAgain) {
  const std::string tried = (folder_ / "tried").string();
  write_file_atomically(program_, "#!/bin/sh\necho x >> '" + tried + "'\n[ $(wc -l < '" + tried +
                                      "') -ge 3 ] || exit 75\n");
  const auto executor =
      open_executor(ExecutorKind::kLocal, "sweep7", {.folder = (folder_ / "runs").string()});
  const auto jobs = executor->submit(order({"x"}, 1));
  ASSERT_TRUE(wait_until([&] { return executor->states(jobs)[0].phase == TaskPhase::kEnded; }));
  EXPECT_EQ(read_file(tried), "x\nx\nx\n");
}

TEST(Slurm, TheScriptAsksForTheBoard) {
  Order order;
  order.campaign = "sweep7";
  order.board_kind = "orin-nano-8gb@super";
  order.arguments = {"ridgewatt"};
  order.predicted_s = 100;
  for (const int number : {0, 1, 2, 7}) order.tasks.push_back({number, {}});
  ExecutorOptions options;
  options.partition = "boards";
  options.sbatch_options = {"--qos=low"};
  const std::string text = slurm_scripts(order, options)[0].text;
  for (const char* line :
       {"#SBATCH --array=0-2,7\n", "#SBATCH --gres=board:orin_nano_8gb_super:1\n",
        "#SBATCH --requeue\n", "#SBATCH --time=14\n", "#SBATCH --partition=boards\n",
        "#SBATCH --qos=low\n", "#SBATCH --output=/dev/null\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  // The output of a task stays on its board, unless a folder for all boards is given.
  EXPECT_THAT(text, HasSubstr("/ridgewatt/campaign\n"));
  EXPECT_THAT(text, HasSubstr("/sweep7.log 2>&1"));
  options.logs = "/logs";
  EXPECT_THAT(slurm_scripts(order, options)[0].text, testing::Not(HasSubstr("sweep7.log")));
  options.logs.clear();
  options.time_limit_s = 61;
  EXPECT_EQ(limit_minutes(order, options), 2);  // whole minutes, rounded up
  EXPECT_EQ(limit_minutes({}, {}), 0);
  options.sbatch_options = {"--comment=a b"};
  EXPECT_THROW(slurm_scripts(order, options), UsageError);
  options.sbatch_options = {"--wrap=x\n#SBATCH"};
  EXPECT_THROW(slurm_scripts(order, options), UsageError);
}

// Runs the script itself as Slurm would on a board.
TEST_F(Printed, WhatATaskSaysStaysOnItsBoard) {
  write_file_atomically(program_, "#!/bin/sh\necho measured; echo 'no weights' >&2\n");
  const auto scripts = slurm_scripts(order({"true"}, 1), {});
  const std::string script = (folder_ / "script").string();
  write_file_atomically(script, scripts.at(0).text);
  ::setenv("XDG_STATE_HOME", (folder_ / "state").c_str(), 1);
  ::setenv("SLURM_ARRAY_TASK_ID", "0", 1);
  ::setenv("SLURM_ARRAY_JOB_ID", "4711", 1);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run_program({"sh", script}).status, 0);
  ::unsetenv("XDG_STATE_HOME");
  const std::string log = read_file((folder_ / "state/ridgewatt/campaign/sweep7.log").string());
  EXPECT_THAT(log, HasSubstr("job 4711_0 on "));
  EXPECT_THAT(log, HasSubstr("measured\nno weights\njob 4711_0 on "));
}

TEST(Slurm, ALongOrderIsSeveralScripts) {
  Order order;
  order.campaign = "long";
  order.board_kind = "nano";
  order.arguments = {"ridgewatt"};
  for (int i = 0; i < 100; ++i) order.tasks.push_back({i, {}});
  std::vector<int> tasks;
  const auto scripts = slurm_scripts(order, {}, 200);
  EXPECT_GT(scripts.size(), 5u);
  for (const auto& script : scripts)
    tasks.insert(tasks.end(), script.tasks.begin(), script.tasks.end());
  ASSERT_EQ(tasks.size(), 100u);
  EXPECT_EQ(ranges_text(tasks), "0-99");
}

// Lines in the format of Slurm 22.05.
TEST(Slurm, ReadsItsQueue) {
  const auto states = parse_squeue(
      "41|9|PENDING|BeginTime||sweep7/agx-orin|(null)\n"
      "41|10|RUNNING|None|orin1|sweep7/agx-orin|(null)\n"
      "41|11|PENDING|Resources||sweep7/agx-orin|(null)\n"
      "41|12|FAILED|NonZeroExitCode|orin2|sweep7/agx-orin|no weights; it's \"gone\" | x\n"
      "41|13|COMPLETED|None|orin2|sweep7/agx-orin|(null)\n"
      "41|14|PENDING|launch failed requeued held||sweep7/agx-orin|(null)\n"
      "41|15|TIMEOUT|TimeLimit|orin2|sweep7/agx-orin|(null)\n"
      "41|16|PENDING|Resources||another|(null)\n"
      "40|N/A|RUNNING|None|orin1|sweep7/agx-orin|(null)\n"
      "\n|||||\nslurm_load_jobs error\n",
      "sweep7/agx-orin");
  std::vector<TaskPhase> phases;
  for (const auto& state : states) phases.push_back(state.phase);
  EXPECT_THAT(phases, ElementsAre(TaskPhase::kHeld, TaskPhase::kRunning, TaskPhase::kQueued,
                                  TaskPhase::kFailed, TaskPhase::kEnded, TaskPhase::kHeld,
                                  TaskPhase::kFailed));
  EXPECT_EQ(states[0].why, "BeginTime");
  EXPECT_EQ(states[1].node, "orin1");
  EXPECT_EQ(states[3].why, "FAILED, NonZeroExitCode: no weights; it's \"gone\" | x");
}

TEST(Parallel, ReadsItsJoblog) {
  const auto ended = parse_joblog(
      "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"
      "2\t:\t1700000000.1\t1.2\t0\t0\t75\t0\tridgewatt campaign run\n"
      "1\torin1\t1700000000.1\t1.2\t0\t0\t0\t9\tx\n"
      "2\torin2\t1700000002.1\t1.2\t0\t0\t0\t0\tx\nbroken\n0\t:\t0\t0\t0\t0\t0\t0\tx\n");
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].status, 137);
  EXPECT_EQ(ended[1].place, 1u);
  EXPECT_EQ(ended[1].status, 0);
}

TEST(Parallel, HostsOfAKind) {
  EXPECT_THAT(hosts_of("nano", {"a", "nano=b", "agx-orin=c", "nano=user@d.lab"}),
              ElementsAre("a", "b", "user@d.lab"));
  for (const char* bad : {"", "nano=", "-oProxyCommand=id", "a b", "a,b", "a;id", "nano=$(id)"}) {
    EXPECT_THROW(hosts_of("nano", {bad}), UsageError) << bad;
  }
}

TEST(Executor, RefusesOptionsOfOthers) {
  EXPECT_THROW(open_executor(ExecutorKind::kLocal, "a", {.partition = "x"}), UsageError);
  EXPECT_THROW(open_executor(ExecutorKind::kParallel, "a", {}), UsageError);
  EXPECT_THROW(open_executor(ExecutorKind::kSlurm, "a", {.hosts = {"a"}}), UsageError);
}

}  // namespace
}  // namespace ridgewatt::campaign
