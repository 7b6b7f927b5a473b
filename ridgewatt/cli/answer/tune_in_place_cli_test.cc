// Tests ridgewatt tune --in-place on a fake board, with real programs that keep running: fake-run,
// and a Python program whose speed follows the clocks.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "ridgewatt/base/text.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_disturbance.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::run_program;

constexpr int kMinibatches = 200000;  // more than any test waits for

class InPlaceCommand : public ::testing::Test {
 protected:
  std::string fake_run(int minibatches = kMinibatches, const std::string& more = "") const {
    return program() + " fake-run zoo:mobilenet_v2 --batch 4 --speed 4 --sysroot " + board_.root +
           " --minibatches " + std::to_string(minibatches) + " " + more;
  }
  std::string tune(const std::string& options) const {
    return "tune --quiet --device local --sysroot " + board_.root + " --in-place --store " +
           store() + " " + options;
  }
  std::string store() const { return (board_.folder.path() / "tune.db").string(); }
  std::string mode() const {
    return run_program("mode show --format json --sysroot " + board_.root).output;
  }
  // Whether a command `name` of the program runs on the board of this test.
  bool runs(const std::string& name) const {
    const std::string start = program() + '\0' + name + '\0';
    for (const auto& process : std::filesystem::directory_iterator("/proc")) {
      std::ifstream file(process.path() / "cmdline", std::ios::binary);
      const std::string line((std::istreambuf_iterator<char>(file)), {});
      if (line.starts_with(start) && line.find(board_.root) != std::string::npos) return true;
    }
    return false;
  }
  static std::string program() { return (testing::build_folder() / "ridgewatt").string(); }

  // Starts the tuner without a shell, so that signals reach it. Its output goes to the file.
  pid_t start(const std::string& arguments, const std::string& output) const {
    std::vector<std::string> words = {program()};
    for (const auto& word : split(arguments, ' ')) {
      if (!word.empty()) words.push_back(word);
    }
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(file, STDOUT_FILENO);
      ::dup2(file, STDERR_FILENO);
      ::signal(SIGINT, SIG_DFL);  // may be ignored if the tests run in the background
      ::execv(words[0].c_str(), pointers.data());
      ::_exit(127);
    }
    ::close(file);
    return child;
  }

  template <typename Condition>
  static bool within(double seconds, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  }

  const testing::FakeBoard board_{"orin-nano"};
};

// label: waits
TEST_F(InPlaceCommand, TunesOneProgramThatGoesOn) {
  const std::string before = mode();
  const auto result =
      run_program(tune("--format json --max-power 11 --profiles 5 --window-precision 5% "
                       "--longest-window 1 --end-program -- ") +
                  fake_run());
  ASSERT_EQ(result.status, 0) << result.output;
  const auto begin = result.output.find("{\n");
  ASSERT_NE(begin, std::string::npos) << result.output;
  // The program's own report, printed once, goes to standard error.
  const auto end = result.output.rfind("\n}") + 2;
  const Json answer = Json::parse(result.output.substr(begin, end - begin));
  EXPECT_EQ(answer["provenance"], "fake");
  EXPECT_LE(answer["power_w"].get<double>(), 11);
  const Json& place = answer["in_place"];
  EXPECT_GE(place["windows"].size(), 5U);
  EXPECT_GE(place["minibatches_trained"].get<int>(), 5 * 8);
  EXPECT_EQ(place["program_ended_first"], false);
  EXPECT_EQ(place["power_limit"]["limit_w"], 11);
  for (const auto& window : place["windows"]) {
    if (window["over_limit"] == true) continue;
    EXPECT_GE(window["minibatches"].get<int>(), 2);
    EXPECT_GT(window["power_w"].get<double>(), 0);
  }
  EXPECT_EQ(mode(), before);
  EXPECT_THAT(run_program("store list " + store()).output, HasSubstr("orin-nano"));
}

// label: waits
TEST_F(InPlaceCommand, HoldsTheBestModeUntilTheProgramEnds) {
  const std::string before = mode();
  const auto result = run_program(
      tune("--minimize energy --profiles 3 --window-precision 5% --longest-window 1 --trace -- ") +
      fake_run(1200));
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("completed during the search: "));
  EXPECT_THAT(result.output, HasSubstr("in the mode of the answer"));
  EXPECT_THAT(result.output, HasSubstr("a mode change took effect after"));
  EXPECT_EQ(mode(), before);
}

// If the tuner is killed while it holds a mode, the original mode is restored, and the program runs
// to its end although nobody reads its marks.
// label: waits
TEST_F(InPlaceCommand, KilledTheModeComesBackAndTheProgramGoesOn) {
  const std::string before = mode(), output = (board_.folder.path() / "output").string();
  const pid_t tuner =
      start(tune("--max-power 11 --profiles 100 -- ") + "/usr/bin/env " + fake_run(600), output);
  ASSERT_TRUE(within(20, [&] { return mode() != before; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ::kill(tuner, SIGKILL);
  ::waitpid(tuner, nullptr, 0);
  EXPECT_TRUE(within(10, [&] { return mode() == before; }));
  EXPECT_THAT(read_file(output), Not(HasSubstr("fake-run:")));  // it is still running
  EXPECT_TRUE(within(60, [&] {
    return read_file(output).find("fake-run: 600 minibatches") != std::string::npos;
  })) << read_file(output);
}

// label: waits
TEST_F(InPlaceCommand, CtrlCEndsBothAndRestores) {
  const std::string before = mode(), output = (board_.folder.path() / "output").string();
  std::string line = tune("--max-power 11 --profiles 100 -- ") + fake_run();
  line.erase(line.find("--quiet "), 8);
  const pid_t tuner = start(line, output);
  ASSERT_TRUE(within(20, [&] { return mode() != before; }));
  ASSERT_TRUE(within(20, [&] { return runs("fake-run"); }));
  ::kill(tuner, SIGTERM);
  int status = 0;
  ASSERT_EQ(::waitpid(tuner, &status, 0), tuner);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(mode(), before);
  EXPECT_THAT(read_file(output), ::testing::HasSubstr("the original mode is restored; windows"));
  // The program may end after the tuner.
  EXPECT_TRUE(within(20, [&] { return !runs("fake-run"); }));
}

// A Python program that is already running: its minibatch takes 10 ms at a GPU clock of 1 GHz.
// label: waits
TEST_F(InPlaceCommand, TunesAProcessThatMarksIntoAFile) {
  const std::string python = "/usr/bin/python3";
  if (::access(python.c_str(), X_OK) != 0) GTEST_SKIP() << "skipped: no python3";
  const std::string clock = board_.sysfs->host_path("/sys/class/devfreq/17000000.gpu/cur_freq");
  if (::access(clock.c_str(), R_OK) != 0) GTEST_SKIP() << "skipped: " << clock;
  const std::string script = board_.folder.write("train.py",
                                                 "import sys, time\n"
                                                 "for _ in range(100000):\n"
                                                 "    hz = float(open(sys.argv[1]).read())\n"
                                                 "    time.sleep(1e7 / max(hz, 1e8))\n"
                                                 "    print('minibatch', flush=True)\n");
  const std::string marks = (board_.folder.path() / "marks.txt").string();
  const pid_t program = ::fork();
  if (program == 0) {
    const int file = ::open(marks.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::setenv("RIDGEWATT_MARK_FD", "1", 1);
    ::execl(python.c_str(), "python3", script.c_str(), clock.c_str(), nullptr);
    ::_exit(127);
  }
  ASSERT_TRUE(within(10, [&] { return std::filesystem::exists(marks); }));
  const std::string before = mode();
  std::string options = tune("--minimize time --profiles 4 --window-precision 10% --pid ");
  options.erase(options.find("--quiet "), 8);  // prints when the search has ended
  const std::string output = (board_.folder.path() / "output").string();
  const pid_t tuner = start(options + std::to_string(program), output);
  EXPECT_TRUE(within(60, [&] {
    return read_file(output).find("the program continues in the best mode") != std::string::npos ||
           ::kill(tuner, 0) != 0;
  })) << read_file(output);
  EXPECT_EQ(::kill(program, 0), 0);  // it is still running
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  int status = 0;
  ::waitpid(tuner, &status, 0);
  EXPECT_EQ(status, 0) << read_file(output);
  EXPECT_THAT(read_file(output), HasSubstr("completed during the search: "));
  EXPECT_EQ(mode(), before);
}

// Another process starts to use the GPU during the search: after several modes, however long a busy
// machine takes for each of them.
// label: waits
TEST_F(InPlaceCommand, DriftIsSaidWithItsCause) {
  const std::string output = (board_.folder.path() / "output").string();
  const pid_t tuner = start(tune("--minimize energy --profiles 24 --window-precision 5% "
                                 "--longest-window 1 --end-program -- ") +
                                fake_run(),
                            output);
  const auto clock = [&](const char* path) { return read_file(board_.sysfs->host_path(path)); };
  std::set<std::string> clocks;  // also those while the knobs of a mode are set one by one
  EXPECT_TRUE(within(100, [&] {
    clocks.insert(clock("/sys/class/devfreq/17000000.gpu/max_freq") +
                  clock("/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq"));
    return clocks.size() >= 5;
  }));
  std::ofstream(board_.root + platform::FakeDisturbances::kFile)
      << "begin_s,end_s,time,power,celsius,process\n0,,1.5,1.1,0,999999 other.py\n";
  int status = 0;
  ASSERT_EQ(::waitpid(tuner, &status, 0), tuner);
  EXPECT_EQ(status, 0) << read_file(output);
  EXPECT_THAT(read_file(output), HasSubstr("drift after"));
  EXPECT_THAT(read_file(output), HasSubstr("another process: 999999"));
}

// label: waits
TEST_F(InPlaceCommand, WhatCannotBeIsOneLine) {
  const std::string before = mode();
  const auto refused = [&](const std::string& arguments, int status, const std::string& why) {
    const auto result = run_program(arguments);
    EXPECT_EQ(result.status, status) << result.output;
    EXPECT_THAT(result.output, HasSubstr(why)) << arguments;
  };
  refused(tune("--max-power 9"), 2, "--in-place needs a program");
  refused(tune("--max-power 9 --pid 1 -- true"), 2, "both give a program");
  refused(tune("--max-power 9 --pid 999999999"), 1, "there is no process with this id");
  refused(tune("--max-power 9 --pid ") + std::to_string(::getpid()), 2, "does not mark");
  refused(tune("--max-power 9 --batch 1,4 -- true"), 2, "a running program has one");
  refused(tune("--max-power 9 -- run {batch}"), 2, "--batch");
  refused(tune("--max-power 9 --settle 3 -- true"), 2, "--settle");
  refused(tune("--minimize energy --max-slowdown 5% --max-power 9 -- true"), 2, "--max-time");
  refused(tune("--max-power 9 -- true"), 1, "the program marked no minibatches before it ended");
  refused(tune("--max-power 9 -- no-such-program"), 1, "no such program");
  refused("tune --sweep x.csv --max-power 9 --in-place", 2, "--in-place");
  EXPECT_EQ(mode(), before);
}

}  // namespace
}  // namespace ridgewatt::cli
