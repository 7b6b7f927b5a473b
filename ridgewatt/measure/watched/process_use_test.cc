#include "ridgewatt/measure/watched/process_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ridgewatt/measure/seen_run.h"

namespace ridgewatt::measure {
namespace {

// The format of cpu.max: Documentation/admin-guide/cgroup-v2.rst.
TEST(ProcessUse, AQuotaIsTimePerPeriod) {
  EXPECT_EQ(quota_of("150000 100000\n"), 1.5);
  EXPECT_FALSE(quota_of("max 100000\n"));
  EXPECT_FALSE(quota_of(""));
  EXPECT_FALSE(quota_of("100000 0"));
}

TEST(ProcessUse, TheOwnProcessIsNotOfItsTree) {
  const auto table = process_table();
  ASSERT_TRUE(table.contains(::getpid()));
  EXPECT_THAT(process_tree(table, ::getpid()), ::testing::Not(::testing::Contains(::getpid())));
  EXPECT_TRUE(process_tree({}, 1).empty());
}

// A child process with OMP_NUM_THREADS=2 on one CPU.
TEST(ProcessUse, ReadsWhatAChildMayUse) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    char name[] = "sleep", seconds[] = "20", threads[] = "OMP_NUM_THREADS=2";
    char* arguments[] = {name, seconds, nullptr};
    char* environment[] = {threads, nullptr};
    ::execve("/bin/sleep", arguments, environment);
    ::_exit(127);
  }
  while (threads_set(child) != 2 && ::waitpid(child, nullptr, WNOHANG) == 0) ::usleep(1000);
  EXPECT_EQ(threads_set(child), 2);
  EXPECT_EQ(allowed_cpus(child), 1);
  EXPECT_THAT(libraries_in(maps_of(child)), ::testing::Optional(::testing::IsEmpty()));
  EXPECT_EQ(process_table().at(child).parent, ::getpid());
  EXPECT_THAT(process_tree(process_table(), ::getpid()), ::testing::Contains(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(ProcessUse, AProcessThatIsNotThereShowsNothing) {
  constexpr pid_t kNone = 1 << 29;
  EXPECT_FALSE(libraries_in(maps_of(kNone)));
  EXPECT_FALSE(threads_set(kNone));
  EXPECT_FALSE(allowed_cpus(kNone));
  EXPECT_TRUE(threads_of(kNone).empty());
}

}  // namespace
}  // namespace ridgewatt::measure
