#include "ridgewatt/schedule/program_keeper.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::schedule {
namespace {

class ProgramKeeperTest : public ::testing::Test {
 protected:
  KeeperOptions options() {
    KeeperOptions result;
    result.socket_path = "/nowhere/s";
    result.first_wait_s = 0.01;
    result.patience_s = 0.3;
    result.on_event = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      events_ += text + "\n";
    };
    return result;
  }
  std::string events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  static bool soon(const std::function<bool()>& holds) {
    for (int i = 0; i < 1000; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  testing::TemporaryFolder folder_;
  std::mutex mutex_;
  std::string events_;
};

// label: waits
TEST_F(ProgramKeeperTest, StartsAKilledProgramAgain) {
  const std::string said = (folder_.path() / "said").string();
  const std::string script =
      "echo $RIDGEWATT_NAME $RIDGEWATT_KIND $RIDGEWATT_SOCKET >> '" + said + "'; exec sleep 60";
  ProgramKeeper keeper({{"net", WorkloadKind::kInference, {"sh", "-c", script}}}, options());
  const pid_t first = keeper.process("net");
  ASSERT_GT(first, 0);
  EXPECT_EQ(keeper.process("other"), -1);
  const std::string line = "net inference /nowhere/s\n";
  const auto written = [&](const std::string& text) {
    return std::filesystem::exists(said) && read_file(said) == text;
  };
  ASSERT_TRUE(soon([&] { return written(line); }));
  ::kill(first, SIGKILL);
  ASSERT_TRUE(soon([&] { return keeper.restarts() == 1; }));
  EXPECT_NE(keeper.process("net"), first);
  EXPECT_TRUE(soon([&] { return written(line + line); }));
  const pid_t second = keeper.process("net");
  keeper.stop();
  EXPECT_EQ(::kill(second, 0), -1);
  EXPECT_NE(events().find("signal 9"), std::string::npos) << events();
}

TEST_F(ProgramKeeperTest, GivesUpWhatCannotRun) {
  KeeperOptions few = options();
  few.most_failures = 3;
  ProgramKeeper keeper({{"bad", WorkloadKind::kTraining, {"false"}}}, few);
  ASSERT_TRUE(soon([&] { return events().find("not started again") != std::string::npos; }));
  EXPECT_EQ(keeper.restarts(), 2u);
  EXPECT_EQ(keeper.process("bad"), -1);
}

TEST_F(ProgramKeeperTest, StartsOnceWhereItShall) {
  KeeperOptions once = options();
  once.restart = false;
  ProgramKeeper keeper({{"short", WorkloadKind::kTraining, {"true"}}}, once);
  ASSERT_TRUE(soon([&] { return events().find("status 0") != std::string::npos; }));
  keeper.stop();
  EXPECT_EQ(keeper.restarts(), 0u);
}

// label: waits
TEST_F(ProgramKeeperTest, WhoDoesNotListenIsKilled) {
  const std::string script = "trap '' TERM; while :; do sleep 0.05; done";
  ProgramKeeper keeper({{"deaf", WorkloadKind::kTraining, {"sh", "-c", script}}}, options());
  const pid_t process = keeper.process("deaf");
  keeper.stop();
  EXPECT_EQ(::kill(process, 0), -1);
}

// If a shell dies, its child processes would still run next to the restarted program.
// label: waits
TEST_F(ProgramKeeperTest, WhatAProgramStartedEndsWithIt) {
  const std::string said = (folder_.path() / "child").string();
  const std::string script = "sleep 60 & echo $! > '" + said + "'; wait";
  ProgramKeeper keeper({{"shell", WorkloadKind::kTraining, {"sh", "-c", script}}}, options());
  const auto child = [&] { return std::atoi(read_file(said).c_str()); };
  const auto written = [&] { return std::filesystem::exists(said) && child() > 0; };
  const auto gone = [](pid_t process) {
    return [process] {  // possibly, no process reaps it
      std::string status;
      std::getline(std::ifstream(fmt::format("/proc/{}/stat", process)), status);
      return status.empty() || status.find(") Z ") != std::string::npos;
    };
  };
  ASSERT_TRUE(soon(written));
  const pid_t first = child();
  ::kill(keeper.process("shell"), SIGKILL);
  EXPECT_TRUE(soon(gone(first)));
  ASSERT_TRUE(soon([&] { return keeper.restarts() == 1 && written() && child() != first; }));
  const pid_t second = child();
  keeper.stop();
  EXPECT_TRUE(soon(gone(second)));
}

// label: waits
TEST_F(ProgramKeeperTest, WhatIsNotThereIsSaid) {
  const KeptProgram good{"good", WorkloadKind::kTraining, {"sleep", "60"}};
  const KeptProgram bad{"bad", WorkloadKind::kTraining, {"/no/such/program"}};
  EXPECT_THROW(ProgramKeeper({good, bad}, options()), NotFoundError);
  EXPECT_THROW(ProgramKeeper({good, {"none", WorkloadKind::kTraining, {}}}, options()), UsageError);
}

}  // namespace
}  // namespace ridgewatt::schedule
