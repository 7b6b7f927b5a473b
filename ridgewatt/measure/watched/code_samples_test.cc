#include "ridgewatt/measure/watched/code_samples.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/measure/watched/process_use.h"

namespace ridgewatt::measure {
namespace {

// The format of the maps file is described in proc(5).
TEST(CodeSamples, ReadsWhereTheCodeOfRuntimesIs) {
  const AddressRanges ranges = runtime_code(
      "55d0c0000000-55d0c0001000 r-xp 00000000 fe:00 12 /usr/bin/node\n"
      "7f00a0000000-7f00a0400000 r-xp 00000000 fe:00 13 /opt/libonnxruntime.so.1\n"
      "7f00b0000000-7f00b0001000 r-xp 00000000 fe:00 14 /usr/lib/libpython3.11.so\n"
      "7f00c0000000-7f00c0001000 rw-p 00000000 00:00 0\n"
      "no line of maps\n");
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(ranges[0].first, 0x7f00a0000000u);
  EXPECT_EQ(ranges[0].second, 0x7f00a0400000u);
}

// This program has no runtime. If the kernel does not permit sampling, there are no samples.
TEST(CodeSamples, AProgramWithoutARuntimeSpendsNothingInOne) {
  CodeSamples samples(::getpid());
  volatile double sum = 0;
  for (const double end_s = monotonic_s() + 0.3; monotonic_s() < end_s;) {
    for (int i = 0; i < 100000; ++i) sum = sum + i;
    samples.take({});
  }
  EXPECT_EQ(samples.runtime_share().value_or(0), 0);
}

TEST(CodeSamples, AThreadThatIsNotThereShowsNothing) {
  CodeSamples samples(1 << 29);
  samples.take({});
  EXPECT_FALSE(samples.runtime_share());
}

// File names of ONNX Runtime 1.20 and 1.30, Nsight Systems, PyTorch, Windows and Perfetto.
TEST(CodeSamples, TheFileOfAProfilerHasATimeOrAnEndingInItsName) {
  EXPECT_TRUE(is_profile_file("/tmp/onnxruntime_profile__2026-11-28_09-30-00.json"));
  EXPECT_TRUE(is_profile_file("p_2026-11-28_09-30-00_653.json"));
  EXPECT_TRUE(is_profile_file("/tmp/report1.nsys-rep"));
  EXPECT_TRUE(is_profile_file("host_1234.pt.trace.json"));
  EXPECT_TRUE(is_profile_file("/tmp/trace.json"));
  EXPECT_TRUE(is_profile_file("run.etl"));
  EXPECT_FALSE(is_profile_file("backtrace.json"));
  EXPECT_FALSE(is_profile_file("model.etl.bak"));
  EXPECT_FALSE(is_profile_file("/tmp/results_2026-11-28.json"));
  EXPECT_FALSE(is_profile_file("a.json"));
}

// Versions 1 and 2 of control groups: cgroups(7).
TEST(CodeSamples, AControlGroupOfCpuTimeHasAFolder) {
  EXPECT_EQ(cpu_group_of("0::/user.slice"), "/user.slice");
  EXPECT_EQ(cpu_group_of("4:cpu,cpuacct:/docker/1f"), "/cpu,cpuacct/docker/1f");
  EXPECT_EQ(cpu_group_of("2:cpuacct:/"), "");
  EXPECT_EQ(cpu_group_of("9:name=systemd:/"), "");
  EXPECT_EQ(cpu_group_of("nonsense"), "");
}

}  // namespace
}  // namespace ridgewatt::measure
