#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt {
namespace {

TEST(Marks, LinesInPieces) {
  MarkReader reader(10);
  reader.add("begin load 10.5\nminib", 11);
  reader.add("atch 11.0\nfetched 11.2\nminibatch 12\nend load\nnonsense\nminibatch 99\n", 13);
  EXPECT_EQ(reader.malformed(), 2u);  // nonsense, and a time in the future
  ASSERT_EQ(reader.marks().size(), 5u);
  const auto minibatches = minibatches_of(reader.marks());
  ASSERT_EQ(minibatches.size(), 1u);
  EXPECT_DOUBLE_EQ(minibatches[0].end_s - minibatches[0].begin_s, 1);
  EXPECT_NEAR(minibatches[0].fetch_s, 0.2, 1e-12);
  const auto phases = phases_of(reader.marks(), 20);
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_DOUBLE_EQ(phases[0].end_s, 13);  // no time given: its arrival
}

TEST(Marks, AnEndlessLineIsOneMalformedMark) {
  MarkReader reader(0);
  for (int i = 0; i < 1000; ++i) reader.add(std::string(1000, 'x'), 1);
  reader.add("\nminibatch\n", 1);
  EXPECT_EQ(reader.malformed(), 1u);
  EXPECT_EQ(reader.marks().size(), 1u);
}

// A shell that marks 5 minibatches of 60 ms on a board of constant power.
TEST(Measure, ACommandOnAFakeBoard) {
  const testing::FakeBoard board("orin-nano");
  MeasureOptions options;
  options.idle_s = 0.1;
  options.command = {"/bin/sh", "-c",
                     "echo begin all >&$RIDGEWATT_MARK_FD; for i in 1 2 3 4 5; do sleep 0.06; echo "
                     "minibatch >&$RIDGEWATT_MARK_FD; done; exit 3"};
  const auto result = measure_command(*board.sysfs, options);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.summary.count, 4u);
  EXPECT_GE(result.summary.median_s, 0.06);
  const double power_w = 5.064 * 0.24;
  ASSERT_TRUE(result.total);
  EXPECT_NEAR(result.total->mean_w, power_w, 1e-9);
  EXPECT_NEAR(result.total->energy_j, power_w * (result.end_s - result.begin_s), 1e-9);
  EXPECT_NEAR(*result.idle_w, power_w, 1e-9);
  EXPECT_NEAR(result.summary.energy_j,
              power_w * (result.minibatches.back().end_s - result.minibatches[0].begin_s) / 4,
              1e-9);
  ASSERT_EQ(result.phases.size(), 1u);
  EXPECT_EQ(result.phases[0].span.name, "all");
}

TEST(Measure, WithoutASensorTimeIsStillMeasured) {
  const testing::TemporaryFolder nothing;
  MeasureOptions options;
  options.command = {"/bin/sh", "-c", "exit 0"};
  const auto result = measure_command(Sysfs(nothing.path().string()), options);
  EXPECT_FALSE(result.total);
  EXPECT_THAT(result.source, ::testing::HasSubstr("shows no power"));
  EXPECT_GT(result.end_s, result.begin_s);
}

TEST(Measure, ACommandThatIsNotThere) {
  const testing::TemporaryFolder nothing;
  const Sysfs sysfs(nothing.path().string());
  MeasureOptions options;
  EXPECT_THROW(measure_command(sysfs, options), UsageError);
  options.command = {"no-such-program-here"};
  EXPECT_THROW(measure_command(sysfs, options), NotFoundError);
  options.command = {"/no/such/program"};
  EXPECT_THROW(measure_command(sysfs, options), NotFoundError);
}

}  // namespace
}  // namespace ridgewatt
