// The fake board under load: what a sensor reads must move, for any user, and come to rest again.
#include "ridgewatt/platform/fake_load.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/jetson_layout.h"

namespace ridgewatt {
namespace {

TEST(FakeActivity, ClocksFollowTheGovernorAndRestAgain) {
  for (const char* name : {"agx-orin-jp5", "agx-orin-jp6", "orin-nano", "xavier-nx-jp4", "nano"}) {
    const testing::FakeBoard board(name);
    const auto first = board.content();
    const JetsonLayout layout = find_jetson_layout(*board.sysfs);
    ASSERT_FALSE(layout.gpus.empty()) << name;
    const std::string gpu = layout.gpus.front().path;
    EXPECT_LT(*board.sysfs->number(gpu + "/cur_freq"), *board.sysfs->number(gpu + "/max_freq"));
    {
      const FakeActivity activity(*board.sysfs);
      EXPECT_EQ(board.sysfs->number(gpu + "/cur_freq"), board.sysfs->number(gpu + "/max_freq"));
      const bool counted = !layout.gpu_load.empty();  // Thor tells no load
      EXPECT_TRUE(!counted || *board.sysfs->number(layout.gpu_load) > 900);
    }
    EXPECT_EQ(board.changes(first), "") << name;
    // A governor that holds its clock holds it under load too.
    ASSERT_EQ(board.sysfs->write(gpu + "/governor", "powersave"), 0);
    const auto held = board.sysfs->number(gpu + "/cur_freq");
    const FakeActivity activity(*board.sysfs);
    EXPECT_EQ(board.sysfs->number(gpu + "/cur_freq"), held) << name;
  }
}

// 0 if a board of this process's user moves: its rails and its clocks, which the kernel lets nobody
// write; else which step failed.
int board_moves() {
  const testing::FakeBoard board("agx-orin-jp6");
  const std::string gpu = find_jetson_layout(*board.sysfs).gpus.front().path;
  const auto first = board.content();
  FakeRails(*board.sysfs).set(41);
  if (board.changes(first).empty()) return 2;
  if (board.sysfs->write(gpu + "/governor", "performance") != 0) return 3;
  if (board.sysfs->number(gpu + "/cur_freq") != board.sysfs->number(gpu + "/max_freq")) return 4;
  struct stat status {};
  if (::stat(board.sysfs->host_path(gpu + "/cur_freq").c_str(), &status) != 0) return 5;
  return (status.st_mode & 0222) == 0 ? 0 : 6;  // as read-only as before
}

TEST(FakeLoad, MovesABoardOfAnyUser) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(1);
    ::_exit(board_moves());
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ridgewatt
