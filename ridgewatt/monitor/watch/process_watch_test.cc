#include "ridgewatt/monitor/watch/process_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt::monitor {
namespace {

// proc(5): utime and stime are fields 14 and 15, rss is field 24.
TEST(ProcessWatch, ReadsAStatLineWhoseNameHoldsAnything) {
  const auto found = parse_process(
      "42 (a) R (b) S 1 42 42 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 3 0 12345 999999 10 "
      "18446744073709551615 0 0");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->process.pid, 42);
  EXPECT_EQ(found->process.name, "a) R (b");
  EXPECT_DOUBLE_EQ(found->cpu_s, 200.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)));
  EXPECT_DOUBLE_EQ(found->process.memory_bytes,
                   10.0 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
}

TEST(ProcessWatch, RefusesWhatIsNoStatLine) {
  for (const char* text : {"", "42", "42 (a", "42 a) (", "x (a) S 1", "42 (a) S 1 2 3"}) {
    EXPECT_FALSE(parse_process(text).has_value()) << text;
  }
}

TEST(ProcessWatch, WhoHoldsMemoryOfTheGpuComesFirst) {
  const testing::TemporaryFolder folder;
  const auto lay = [&](const std::string& path, const std::string& content) {
    std::filesystem::create_directories((folder.path() / path).parent_path());
    folder.write(path, content);
  };
  const std::string rest = " S 1 1 1 0 -1 0 0 0 0 0 100 0 0 0 20 0 3 0 1 1 10";
  lay("proc/7/stat", "7 (quiet)" + rest);
  lay("proc/9/stat", "9 (trains)" + rest);
  lay("sys/kernel/debug/nvmap/iovmm/clients",
      "CLIENT PROCESS PID SIZE\nuser trains 9 4096K\nuser trains 9 1024K\ntotal 5120K\n");
  const platform::Sysfs sysfs(folder.path().string());
  ProcessWatch watch(sysfs);
  const auto found = watch.look(1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].name, "trains");
  EXPECT_EQ(found[0].gpu_memory_bytes, 5120 * 1024);
  // 1 s of CPU time in 2 s.
  lay("proc/7/stat", "7 (quiet) S 1 1 1 0 -1 0 0 0 0 0 200 0 0 0 20 0 3 0 1 1 10");
  const auto later = watch.look(3);
  ASSERT_EQ(later.size(), 2u);
  EXPECT_EQ(later[1].pid, 7);
  EXPECT_NEAR(later[1].cpu_share, 100.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)) / 2, 1e-12);
}

}  // namespace
}  // namespace ridgewatt::monitor
