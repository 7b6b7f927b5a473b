// Tests ridgewatt mode on fake boards: an applied mode is undone, however the program ends.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "ridgewatt/base/random.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::cli {
namespace {

// label: board
TEST(ModeCommand, AnUnlistedMemoryClockIsRefused) {
  const testing::FakeBoard board("agx-orin-jp6");
  std::filesystem::remove(
      board.sysfs->host_path("/sys/kernel/debug/bpmp/debug/emc/possible_rates"));
  const std::string where = " --sysroot " + board.root;
  const auto refused = testing::run_program("mode apply --mem-mhz 2133 --dry-run" + where);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.output, ::testing::HasSubstr("2133 MHz"));
  const auto plan = testing::run_program("mode apply --mem-mhz 204 --dry-run" + where);
  EXPECT_EQ(plan.status, 0) << plan.output;
  EXPECT_THAT(plan.output, ::testing::HasSubstr("204000000"));
}

TEST(ModeCommand, CoresAreWholeNumbers) {
  const testing::FakeBoard board("orin-nano");
  const auto table = testing::run_program("mode list --sysroot " + board.root).output;
  EXPECT_EQ(table.find(" 6.0"), std::string::npos) << table;
  const auto csv = testing::run_program("mode list --format csv --sysroot " + board.root).output;
  EXPECT_THAT(csv, ::testing::HasSubstr("preset,0,15W,6,1497.6,612,2133,\n"));
}

// label: board
TEST(ModeCommand, ApplyStaysAndRestoreUndoes) {
  const testing::FakeBoard board("agx-orin-jp6");
  const auto first = board.content();
  const std::string where = " --sysroot " + board.root;
  const auto of_preset = testing::run_program("mode apply MODE_30W" + where);
  EXPECT_EQ(of_preset.status, 0);
  EXPECT_THAT(of_preset.output, ::testing::Not(::testing::HasSubstr("SMs")));
  const auto of_clocks = testing::run_program("mode apply --gpu-mhz 408 --cpu-cores 2" + where);
  EXPECT_EQ(of_clocks.status, 0);
  EXPECT_THAT(of_clocks.output, ::testing::HasSubstr("8 of 16 SMs stay on"));
  EXPECT_THAT(testing::run_program("mode show --format json" + where).output,
              ::testing::HasSubstr("\"gpu_mhz\": 408.0"));
  EXPECT_EQ(testing::run_program("mode restore" + where).status, 0);
  EXPECT_EQ(board.changes(first), "");
  const auto again = testing::run_program("mode restore" + where);
  EXPECT_EQ(again.status, 1);
  EXPECT_THAT(again.output, ::testing::HasSubstr("no saved power mode"));
  EXPECT_EQ(testing::run_program("mode apply" + where).status, 2);
}

// label: board
TEST(ModeCommand, AModeAsTextAndItsRoundedClocks) {
  const testing::FakeBoard board("agx-orin-jp6");
  const std::string where = " --sysroot " + board.root;
  constexpr const char* kRemark =
      "gpu = 409 MHz is not a clock of the board; the nearest clock is used, 408";
  for (const char* words : {"gpu=408,cores=2", "gpu=409", "--gpu-mhz 409"}) {
    const auto applied = testing::run_program(std::string("mode apply ") + words + where);
    EXPECT_EQ(applied.status, 0) << applied.output;
    const bool between = std::string(words).find("409") != std::string::npos;
    EXPECT_EQ(applied.output.find(kRemark) != std::string::npos, between) << applied.output;
    EXPECT_THAT(testing::run_program("mode show --format json" + where).output,
                ::testing::HasSubstr("\"gpu_mhz\": 408.0"));
  }
  const auto preset = testing::run_program("mode apply MODE_30W" + where);
  EXPECT_EQ(preset.output.find("nearest"), std::string::npos) << preset.output;
  EXPECT_EQ(testing::run_program("mode restore" + where).status, 0);
  const auto unknown = testing::run_program("mode apply gpuu=3" + where);
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, ::testing::HasSubstr("is not a knob of a power mode"));
}

// Every option that takes a preset understands its short name, as --modes does.
// label: board
TEST(ModeCommand, APresetHasItsShortNameEverywhere) {
  const testing::FakeBoard board("agx-orin-jp6");
  const std::string where = " --sysroot " + board.root;
  for (const std::string text : {"MODE_30W", "mode-30w", "30W", "30w"}) {
    for (const std::string& line :
         {"mode apply " + text + " --dry-run" + where,
          "soak --minutes 0.1 --idle 0 --mode " + text + where + " -- true",
          "compare --repeats 2 true --mode-a " + text + " --mode-b maxn" + where,
          "govern --phase-mode a=" + text + where + " -- true",
          "estimate zoo:lenet5 --device agx-orin --modes " + text,
          "explain zoo:lenet5 --device agx-orin --measured 60ms --mode " + text}) {
      const auto run = testing::run_program(line + " --quiet");
      EXPECT_EQ(run.output.find("there is no"), std::string::npos) << line << run.output;
      EXPECT_EQ(run.output.find("no power mode"), std::string::npos) << line << run.output;
      EXPECT_EQ(run.status, 0) << line << run.output;
    }
  }
}

// label: board
TEST(ModeCommand, GovernorsOfTheGpuAreNamed) {
  const testing::FakeBoard board("agx-orin-jp6");
  const auto first = board.content();
  const std::string where = " --sysroot " + board.root;
  const auto applied =
      testing::run_program("mode apply --gpu-governor wmark_active --gpu-mhz 816" + where);
  EXPECT_EQ(applied.status, 0) << applied.output;
  EXPECT_THAT(applied.output, ::testing::HasSubstr("GPU governor wmark_active"));
  const auto shown = testing::run_program("mode show --format json" + where).output;
  EXPECT_THAT(shown, ::testing::HasSubstr("\"gpu_governor\": \"wmark_active\""));
  EXPECT_THAT(shown, ::testing::HasSubstr("\"gpu_mhz\": 816.0"));
  EXPECT_EQ(testing::run_program("mode restore" + where).status, 0);
  EXPECT_EQ(board.changes(first), "");
  const auto unknown = testing::run_program("mode apply --gpu-governor schedutil" + where);
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, ::testing::HasSubstr("choose one of nvhost_podgov, wmark_active"));
  const auto of_gpu = testing::run_program("mode apply --governor nvhost_podgov" + where);
  EXPECT_EQ(of_gpu.status, 2);
  EXPECT_THAT(of_gpu.output, ::testing::HasSubstr("--gpu-governor"));
  EXPECT_EQ(board.changes(first), "");
}

// label: board
TEST(MeasureCommand, HoldsFanAndPageCacheAndSaysSo) {
  const testing::FakeBoard board("agx-orin-jp6");
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("data", std::string(100000, 'x'));
  const auto first = board.content();
  const auto measure = [&](const std::string& options) {
    return testing::run_program("measure --quiet --format json --idle 0 --sysroot " + board.root +
                                " --state-dir " + folder.path().string() + " " + options +
                                " -- sleep 0.1");
  };
  const auto held = measure("--full-fan --fill-cache " + file + " --residency " + file);
  ASSERT_EQ(held.status, 0) << held.output;
  const Json json = Json::parse(held.output.substr(held.output.find("{\n")));
  EXPECT_EQ(json["conditions"], Json({"fan at full speed", "page cache with " + file}));
  EXPECT_EQ(json["files"][0]["cached_before"], 1.0);
  EXPECT_EQ(json["files"][0]["bytes"], 100000);
  EXPECT_FALSE(json["residency"].empty());
  EXPECT_EQ(board.changes(first), "");
  // Both options for one file, a missing file and a board without a fan are rejected with one line.
  for (const std::string& options :
       {"--fill-cache " + file + " --drop-cache " + file, "--residency " + file + ".no",
        "--drop-cache " + file + ".no"}) {
    const auto refused = measure(options);
    EXPECT_NE(refused.status, 0) << options;
    EXPECT_EQ(std::count(refused.output.begin(), refused.output.end(), '\n'), 1) << refused.output;
  }
  EXPECT_THAT(
      testing::run_program("measure --full-fan --sysroot " + folder.path().string() + " -- true")
          .output,
      ::testing::HasSubstr("the fan of this board cannot be set"));
}

// A program is killed at any moment while it holds a mode: the original state is restored when its
// guardian has ended, and no process remains.
// label: board
TEST(ModeCommand, KilledAtAnyMomentTheFirstStateComesBack) {
  const testing::FakeBoard board("agx-orin-jp5");
  const auto first = board.content();
  const std::string program = (testing::build_folder() / "ridgewatt").string();
  Random random(3);
  for (int run = 0; run < 15; ++run) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      ::signal(SIGINT, SIG_DFL);  // may be ignored if the tests run in the background
      ::execl(program.c_str(), "ridgewatt", "mode", "apply", "--cpu-cores", "4", "--cpu-mhz",
              "1113.6", "--gpu-mhz", "510", "--mem-mhz", "665.6", "--for", "30", "--sysroot",
              board.root.c_str(), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(ends[1]);
    ::usleep(static_cast<useconds_t>(random.below(120000)));
    const int signals[] = {SIGKILL, SIGTERM, SIGINT};
    ::kill(child, signals[run % 3]);
    ::waitpid(child, nullptr, 0);
    // The guardian holds the other end of the pipe, so the end of the pipe is the end of the
    // guardian.
    char buffer[256];
    while (::read(ends[0], buffer, sizeof buffer) > 0) {
    }
    ::close(ends[0]);
    ASSERT_EQ(board.changes(first), "") << "run " << run;
  }
}

TEST(ModeCommand, NoPermissionIsOneLine) {
  if (::geteuid() != 0) GTEST_SKIP() << "skipped: needs root to become another user";
  const testing::FakeBoard board("agx-orin-jp6");
  // The other user may not access the build folder.
  const std::string program = (board.folder.path() / "ridgewatt").string();
  const std::string output = (board.folder.path() / "output").string();
  std::filesystem::copy_file(testing::build_folder() / "ridgewatt", program);
  std::filesystem::permissions(board.folder.path(), std::filesystem::perms::all);
  const std::string command =
      program + " mode apply --gpu-mhz 408 --sysroot " + board.root + " >" + output + " 2>&1";
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(9);
    ::_exit(WEXITSTATUS(std::system(command.c_str())));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  const std::string said = read_file(output);
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_THAT(said, ::testing::HasSubstr("Permission denied"));
}

// With a journal of another version, the program reports it in one line and changes nothing.
// label: board
TEST(ModeCommand, AnotherVersionOfTheJournalIsSaidAndKept) {
  for (const char* name : {"/mode.journal", "/mode.saved"}) {
    const testing::FakeBoard board("orin-nano");
    const auto first = board.content();
    const std::string path = board.root + ".ridgewatt" + name;
    std::filesystem::create_directories(board.root + ".ridgewatt");
    const std::string text = "ridgewatt mode journal 2\nboot - wall 17\n/a = 1\n";
    std::ofstream(path) << text;
    const auto apply = testing::run_program("mode apply --cpu-cores 2 --sysroot " + board.root);
    EXPECT_EQ(apply.status, 1);
    EXPECT_THAT(apply.output, ::testing::HasSubstr(path));
    EXPECT_EQ(std::count(apply.output.begin(), apply.output.end(), '\n'), 1) << apply.output;
    EXPECT_EQ(testing::run_program("mode restore --sysroot " + board.root).status, 1);
    EXPECT_EQ(read_file(path), text);
    EXPECT_EQ(board.changes(first), "");
  }
}

}  // namespace
}  // namespace ridgewatt::cli
