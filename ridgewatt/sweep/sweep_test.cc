#include "ridgewatt/sweep/sweep.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt {
namespace {

TEST(Sweep, ReadsUnitsAndGroups) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("s.csv",
                                 "workload,kind,batch,gpu_mhz,time_ms,power_w\n"
                                 "a,training,16,114.75,100,10\nb,inference,1,204,5,2\n"
                                 "a,training,16,204,50,12\n");
  const auto sweeps = read_sweeps(path);
  ASSERT_EQ(sweeps.size(), 2u);
  EXPECT_EQ(sweeps[0].workload, "a");
  EXPECT_EQ(sweeps[0].observations[0].point.mode.gpu_clock_hz, 114750000.0);
  EXPECT_DOUBLE_EQ(sweeps[0].observations[1].energy_j(), 0.6);
  EXPECT_EQ(sweeps[0].lines, (std::vector<std::size_t>{2, 4}));
  EXPECT_THROW(read_sweep(path), UsageError);
  const auto copy = folder.write("copy.csv", write_sweep_csv(sweeps));
  EXPECT_EQ(write_sweep_csv(read_sweeps(copy)), write_sweep_csv(sweeps));
}

TEST(Sweep, FurtherMeasuredValuesAreOptional) {
  const std::string text =
      "workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,governor,time_ms,power_w,energy_j,"
      "time_median_ms,fetch_stall_ms,board,provenance,runtime,twin\n"
      "a,training,,,,,,,40,13,0.52,10.3,30,,measured,,\na,training,,,,,,,5,2,,,0,,measured,,\n"
      "a,training,,,,,,,5,2,0.1,,,,measured,,\n";
  const auto sweeps = parse_sweeps(text, "s.csv");
  const auto& rows = sweeps[0].observations;
  EXPECT_DOUBLE_EQ(rows[0].energy_j(), 0.52);
  EXPECT_DOUBLE_EQ(*rows[0].time_median_s, 0.0103);
  EXPECT_DOUBLE_EQ(*rows[0].fetch_stall_s, 0.030);
  EXPECT_DOUBLE_EQ(rows[1].energy_j(), 0.01);  // from time and power
  EXPECT_EQ(*rows[1].fetch_stall_s, 0);
  EXPECT_DOUBLE_EQ(rows[2].energy_j(), 0.1);  // as measured, not time x power
  EXPECT_EQ(write_sweep_csv(sweeps), text);
  for (const char* row : {"0,1,1", "-1,1,1", "x,1,1", "1,0,1", "1,1,-1", "1,1,nan"}) {
    EXPECT_THROW(parse_sweeps(std::string("time_ms,power_w,energy_j,time_median_ms,fetch_stall_ms\n"
                                          "1,1,") +
                                  row + "\n",
                              "s.csv"),
                 InputError)
        << row;
  }
}

// The column exists only if a row has a flag. Averaged repeats have the flags of all.
TEST(Sweep, FlagsFollowTheirRows) {
  const std::string head = "workload,kind,batch,time_ms,power_w,flags\n";
  Sweep sweep = parse_sweeps(head +
                                 "a,training,1,5,2,\na,training,2,6,2,few-samples drifted\n"
                                 "a,training,1,5,2,throttled\na,training,4,7,2,\n",
                             "s.csv")
                    .at(0);
  EXPECT_EQ(sweep.flagged_rows(), 2u);
  EXPECT_EQ(sweep.flags_of(1).text(), "drifted few-samples");
  EXPECT_TRUE(sweep.flags_of(3).empty());
  const std::string written = write_sweep_csv({sweep});
  EXPECT_NE(written.find(",twin,flags\n"), std::string::npos);
  EXPECT_EQ(write_sweep_csv(parse_sweeps(written, "s.csv")), written);
  Sweep last;
  last.add_row(sweep, 0);
  last.add_row(sweep, 1);
  EXPECT_EQ(last.flags_of(1).text(), "drifted few-samples");
  EXPECT_TRUE(last.flags_of(0).empty());
  sweep = average_repeats(std::move(sweep));
  ASSERT_EQ(sweep.observations.size(), 3u);
  EXPECT_EQ(sweep.flags_of(0).text(), "throttled");
  EXPECT_EQ(sweep.flags_of(1).text(), "drifted few-samples");
  EXPECT_TRUE(sweep.flags_of(2).empty());
  EXPECT_EQ(write_sweep_csv(parse_sweeps("time_ms,power_w,flags\n1,2,\n", "s.csv")).find("flags"),
            std::string::npos);
  EXPECT_THROW(parse_sweeps(head + "a,training,1,5,2,odd\n", "s.csv"), InputError);
}

TEST(Sweep, BadNumbersAreNamedByLine) {
  const testing::TemporaryFolder folder;
  for (const char* row : {"nan,1", "-1,1", "0,1", "1e999,1", "x,1", "1,inf", "1,"}) {
    const auto path = folder.write("s.csv", std::string("time_ms,power_w\n") + row + "\n");
    try {
      read_sweeps(path);
      FAIL() << row;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos) << error.what();
    }
  }
}

// Computed by hand: the mean of 4 J in 10 ms and 12 J in 30 ms is 8 J in 20 ms, 400 W.
// An energy in mJ that is not read would be replaced by time x power.
TEST(Sweep, QuantitiesInAnotherUnitAreRefused) {
  for (const std::string header : {"time_ms,power_w,energy_mj", "time_s,power_w,energy_j",
                                   "time_ms,power_mw,energy_j", "time_ms,power_w,Time_Median_s"}) {
    try {
      parse_sweeps(header + "\n10,5,50\n", "s.csv");
      ADD_FAILURE() << header;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("unknown column '"), std::string::npos)
          << error.what();
    }
  }
  EXPECT_NO_THROW(parse_sweeps("time_ms,power_w,energy_j,energy_mj\n10,5,0.05,50\n", "s.csv"));
  EXPECT_NO_THROW(parse_sweeps("time_ms,power_w,power_limit\n10,5,50\n", "s.csv"));
}

// Any other kind would count as inference.
TEST(Sweep, KindsAreReadAsWords) {
  const auto sweeps = parse_sweeps(
      "workload,kind,time_ms,power_w\na,Training,1,1\na,train,2,1\na,,3,1\na,forward,4,1\n",
      "s.csv");
  ASSERT_EQ(sweeps.size(), 3u);
  EXPECT_EQ(sweeps[0].kind, "training");
  EXPECT_EQ(sweeps[0].observations.size(), 2u);
  EXPECT_EQ(sweeps[0].lines, (std::vector<std::size_t>{2, 3}));
  EXPECT_FALSE(sweeps[1].kind_stated);
  EXPECT_EQ(sweeps[2].kind, "forward");  // a phase
  try {
    parse_sweeps("workload,kind,time_ms,power_w\na,trianing,1,1\n", "s.csv");
    ADD_FAILURE();
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("did you mean training?"), std::string::npos) << text;
    EXPECT_NE(text.find("line 2"), std::string::npos) << text;
  }
}

TEST(Sweep, RepeatsAddUp) {
  const OperatingPoint point;
  OperatingPoint other;
  other.batch = 4;
  Sweep sweep;
  sweep.observations = {{point, 0.01, 100, 4, 0.009, 0.001},
                        {other, 0.5, 7},
                        {point, 0.03, 100, 12, 0.011, std::nullopt}};
  sweep.lines = {2, 3, 4};
  const Sweep means = average_repeats(sweep);
  ASSERT_EQ(means.observations.size(), 2u);
  EXPECT_EQ(means.lines, (std::vector<std::size_t>{2, 3}));
  const Observation& mean = means.observations[0];
  EXPECT_DOUBLE_EQ(mean.time_s, 0.02);
  EXPECT_DOUBLE_EQ(mean.energy_j(), 8);
  EXPECT_DOUBLE_EQ(mean.power_w, 400);
  EXPECT_DOUBLE_EQ(mean.time_median_s.value(), 0.01);
  EXPECT_FALSE(mean.fetch_stall_s);  // one repeat does not state it
  EXPECT_EQ(means.observations[1].power_w, 7);
}

TEST(Sweep, GivenSweepsHaveTheirPublishedSize) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto data = testing::shared_folder() / "data" / "agx-orin";
  EXPECT_EQ(read_sweep((data / "training/resnet18.csv").string()).observations.size(), 4368u);
  const auto inference = read_sweep((data / "inference/resnet50.csv").string());
  EXPECT_EQ(inference.observations.size(), 2205u);
  EXPECT_EQ(inference.space().size(), 441u);
  EXPECT_EQ(inference.batches(), (std::vector<int>{1, 4, 16, 32, 64}));
}

}  // namespace
}  // namespace ridgewatt
