// Tests the process that holds a mode for a multithreaded program: whichever process ends, the
// original mode is restored.
#include "ridgewatt/platform/mode_holder.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::platform {
namespace {

using HeldBoard = testing::FakeBoard;
using ::testing::HasSubstr;

constexpr const char* kLastCpu = "/sys/devices/system/cpu/cpu11/online";

// Waits up to 10 s until `condition` holds, which depends on another process.
bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 500 && !condition(); ++i) ::usleep(20'000);
  return condition();
}

// A program that reports that it holds `mode`, and then continues to run. Its pipe closes when the
// program and all its child processes have ended.
struct Owner {
  Owner(const HeldBoard& board, const std::string& mode) {
    process = ::fork();
    if (process == 0) {
      ModeHolder holder(*board.sysfs);
      holder.set(mode);
      const bool sent = ::write(pipe.write_end.get(), "h", 1) == 1;
      ::pause();
      ::_exit(sent ? 0 : 1);
    }
    pipe.write_end.reset();
    char letter = 0;
    EXPECT_EQ(::read(pipe.read_end.get(), &letter, 1), 1);
  }
  // True if the program and its children end within 10 s.
  bool ended() const {
    pollfd waiting{pipe.read_end.get(), POLLIN, 0};
    char letter = 0;
    return ::poll(&waiting, 1, 10'000) == 1 && ::read(pipe.read_end.get(), &letter, 1) == 0;
  }
  Pipe pipe;
  pid_t process = -1;
};

TEST(ModeHolder, SetsPresetsAndTextsAndRestores) {
  const HeldBoard board("agx-orin");
  const auto first = board.content();
  ModeHolder holder(*board.sysfs);
  EXPECT_FALSE(holder.state().holding);
  holder.restore();  // no effect
  const HeldMode preset = holder.set("MODE_30W");
  EXPECT_EQ(preset.preset, "MODE_30W");
  EXPECT_EQ(preset.applied.cpu_cores, 8);  // from NVIDIA's table of the board
  EXPECT_GT(preset.writes, 0u);
  EXPECT_TRUE(preset.changed.empty());
  EXPECT_EQ(board.sysfs->text(kLastCpu), "0");
  EXPECT_TRUE(holder.state().holding);
  EXPECT_EQ(holder.state().first.cpu_cores, 12);

  const HeldMode text = holder.set("cores=4,gpu=612");
  EXPECT_EQ(text.applied.cpu_cores, 4);
  EXPECT_NEAR(text.applied.gpu_clock_hz, 612e6, 1e6);
  EXPECT_EQ(text.preset, "");
  EXPECT_EQ(holder.state().first.cpu_cores, 12);  // still the original state

  EXPECT_EQ(holder.set("MODE_15W").preset, "MODE_15W");
  holder.restore();
  EXPECT_FALSE(holder.state().holding);
  EXPECT_EQ(board.changes(first), "");
  EXPECT_EQ(holder.set("cores=2").applied.cpu_cores, 2);  // can be set again
}

TEST(ModeHolder, ItsEndRestores) {
  const HeldBoard board("orin-nano");
  const auto first = board.content();
  {
    ModeHolder holder(*board.sysfs);
    holder.set("cores=2");
    EXPECT_NE(board.changes(first), "");
  }
  EXPECT_EQ(board.changes(first), "");
}

// label: waits
TEST(ModeHolder, AKilledOwnerLeavesTheFirstMode) {
  for (const int signal : {SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGSEGV}) {
    const HeldBoard board("agx-orin");
    const auto first = board.content();
    const Owner owner(board, "cores=4,gpu=306");
    EXPECT_EQ(board.sysfs->text(kLastCpu), "0");
    ::kill(owner.process, signal);
    ASSERT_EQ(::waitpid(owner.process, nullptr, 0), owner.process);
    EXPECT_TRUE(owner.ended()) << "the holder lives on";
    EXPECT_EQ(board.changes(first), "") << signal;
  }
}

// The guardian of the process that holds the mode outlives that process.
TEST(ModeHolder, AKilledHolderLeavesTheFirstMode) {
  const HeldBoard board("agx-orin");
  const auto first = board.content();
  ModeHolder holder(*board.sysfs);
  holder.set("cores=4");
  ::kill(holder.process(), SIGKILL);
  EXPECT_TRUE(comes_true([&] { return board.changes(first).empty(); }));
  EXPECT_THROW(holder.set("cores=2"), IoError);
  EXPECT_THROW(holder.state(), IoError);
  EXPECT_EQ(board.changes(first), "");
}

// A process that the owner forked keeps the socket open, but must not keep the mode.
// label: waits
TEST(ModeHolder, AWorkerOfAKilledOwnerHoldsNothing) {
  const HeldBoard board("orin-nano");
  const auto first = board.content();
  Pipe number;
  const pid_t owner = ::fork();
  if (owner == 0) {
    ModeHolder holder(*board.sysfs);
    holder.set("cores=2");
    const pid_t worker = ::fork();
    if (worker == 0) {
      ::pause();
      ::_exit(0);
    }
    const bool sent = ::write(number.write_end.get(), &worker, sizeof worker) == sizeof worker;
    ::pause();
    ::_exit(sent ? 0 : 1);
  }
  pid_t worker = 0;
  ASSERT_EQ(::read(number.read_end.get(), &worker, sizeof worker), ssize_t{sizeof worker});
  EXPECT_NE(board.changes(first), "");
  ::kill(owner, SIGKILL);
  ASSERT_EQ(::waitpid(owner, nullptr, 0), owner);
  EXPECT_TRUE(comes_true([&] { return board.changes(first).empty(); }));
  ::kill(worker, SIGKILL);
}

// label: waits
TEST(ModeHolder, ASecondOneIsRefused) {
  const HeldBoard board("orin-nano");
  ModeHolder holder(*board.sysfs);
  holder.set("cores=2");
  const auto held = board.content();
  ModeHolder second(*board.sysfs);
  try {
    second.set("cores=4");
    FAIL() << "two programs set one board";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("another"));
  }
  EXPECT_FALSE(second.state().holding);
  EXPECT_EQ(board.changes(held), "");
  holder.restore();
  EXPECT_EQ(second.set("cores=4").applied.cpu_cores, 4);
}

TEST(ModeHolder, WhatTheBoardRefusesIsSaid) {
  const HeldBoard board("agx-orin");
  const auto first = board.content();
  ModeHolder holder(*board.sysfs);
  EXPECT_THROW(holder.set("cores=99"), UsageError);
  EXPECT_THROW(holder.set("gpu=fast"), UsageError);
  EXPECT_THROW(holder.set("TURBO"), NotFoundError);
  EXPECT_THROW(holder.set(""), NotFoundError);
  EXPECT_THROW(holder.set(std::string(1 << 17, 'x')), UsageError);
  EXPECT_EQ(board.changes(first), "");
  // A held mode stays if the next mode is invalid.
  holder.set("cores=4");
  const auto held = board.content();
  EXPECT_THROW(holder.set("cpu=99999"), UsageError);
  EXPECT_THROW(holder.set("TURBO"), NotFoundError);
  EXPECT_TRUE(holder.state().holding);
  EXPECT_EQ(board.changes(held), "");
}

// The kernel rejects a TPC mask while the GPU is in use: the original state is restored.
TEST(ModeHolder, AMaskThatIsRefusedBringsTheFirstModeBack) {
  const HeldBoard board("agx-orin");
  dynamic_cast<FakeSysfs&>(*board.sysfs).use_gpu();
  const auto first = board.content();
  ModeHolder holder(*board.sysfs);
  EXPECT_THROW(holder.set("MODE_15W"), Error);
  EXPECT_FALSE(holder.state().holding);
  EXPECT_EQ(board.changes(first), "");
}

TEST(ModeHolder, WithoutRightsNothingIsSet) {
  if (::geteuid() != 0) GTEST_SKIP() << "skipped: needs root to become another user";
  const HeldBoard board("orin-nano");
  std::filesystem::permissions(board.folder.path(), std::filesystem::perms{0755});
  const auto first = board.content();
  const pid_t user = ::fork();
  if (user == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(9);
    int fault = 1;
    try {
      ModeHolder holder(*board.sysfs);
      holder.set("cores=2");
    } catch (const PermissionError&) {
      fault = 0;
    } catch (const std::exception&) {
      fault = 2;
    }
    ::_exit(fault);
  }
  int status = 0;
  ::waitpid(user, &status, 0);
  EXPECT_EQ(status, 0) << WEXITSTATUS(status);
  EXPECT_EQ(board.changes(first), "");
}

// If the board is too hot, the original mode is restored automatically. The state reports the
// reason until the next mode is set.
// label: waits
TEST(ModeHolder, HeatBringsTheFirstModeBack) {
  const HeldBoard board("orin-nano");
  ModeHolder holder(*board.sysfs);
  const auto online = board.sysfs->text("/sys/devices/system/cpu/cpu5/online");
  holder.set("cores=2");
  const std::string zone = "/sys/class/thermal/thermal_zone0/temp";
  const std::string cool = board.sysfs->text(zone).value_or("40000");
  board.set(zone, "120000");
  EXPECT_TRUE(comes_true([&] { return !holder.state().fault.empty(); }));
  EXPECT_THAT(holder.state().fault, HasSubstr("over-temperature"));
  EXPECT_FALSE(holder.state().holding);
  EXPECT_EQ(board.sysfs->text("/sys/devices/system/cpu/cpu5/online"), online);
  board.set(zone, cool);
  holder.set("cores=2");
  EXPECT_EQ(holder.state().fault, "");
}

TEST(ModeHolder, ManyThreadsAsk) {
  const HeldBoard board("orin-nano");
  const auto first = board.content();
  {
    ModeHolder holder(*board.sysfs);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&holder, i] {
        for (int k = 0; k < 5; ++k) {
          const int cores = 2 + i;
          EXPECT_EQ(holder.set("cores=" + std::to_string(cores)).applied.cpu_cores, cores);
          EXPECT_TRUE(holder.state().holding);
        }
      });
    }
    EXPECT_THROW(ModeHolder second(*board.sysfs), UsageError);  // threads are running
    for (auto& thread : threads) thread.join();
  }
  EXPECT_EQ(board.changes(first), "");
}

}  // namespace
}  // namespace ridgewatt::platform
