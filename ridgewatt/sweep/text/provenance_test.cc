#include "ridgewatt/sweep/provenance.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt {
namespace {

TEST(Provenance, WordsReadBack) {
  EXPECT_EQ(find_name<Provenance>("replayed"), Provenance::kReplayed);
  EXPECT_FALSE(find_name<Provenance>("guessed"));
  EXPECT_FALSE(find_name<Provenance>(""));
}

TEST(Provenance, WhatIsMadeOfFakeRowsIsFake) {
  using enum Provenance;
  EXPECT_EQ(derived_provenance(kMeasured, kPredicted), kPredicted);
  EXPECT_EQ(derived_provenance(kReplayed, kReplayed), kReplayed);
  EXPECT_EQ(derived_provenance(kFake, kPredicted), kFake);
  EXPECT_EQ(derived_provenance(kModelled, kReplayed), kModelled);
  EXPECT_EQ(weaker_provenance(kFake, kMeasured), kFake);
  EXPECT_EQ(weaker_provenance(kMeasured, kReplayed), kReplayed);
}

TEST(Provenance, StaysInTheCsvOfASweep) {
  const std::string text =
      "workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,governor,time_ms,power_w,energy_j,"
      "time_median_ms,fetch_stall_ms,board,provenance,runtime,twin\n"
      "a,training,,,,306,,,10,5,,,,agx-orin,fake,,\n"
      "a,training,,,,306,,,11,6,,,,agx-orin,modelled,pytorch-eager,\"scaled, not validated\"\n";
  const auto sweeps = parse_sweeps(text, "s.csv");
  ASSERT_EQ(sweeps.size(), 2u);
  EXPECT_EQ(sweeps[0].provenance, Provenance::kFake);
  EXPECT_EQ(sweeps[0].board, "agx-orin");
  EXPECT_EQ(sweeps[1].twin, "scaled, not validated");
  EXPECT_EQ(write_sweep_csv(sweeps), text);
}

TEST(Provenance, AFileThatDoesNotSayIsARecordedSweep) {
  const auto sweeps = parse_sweeps("gpu_mhz,time_ms,power_w\n306,10,5\n", "s.csv");
  EXPECT_EQ(sweeps.at(0).provenance, Provenance::kReplayed);
  EXPECT_EQ(write_sweep_csv(sweeps),
            "workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,governor,time_ms,power_w,"
            "energy_j,time_median_ms,fetch_stall_ms,board,provenance,runtime,twin\n"
            "workload,inference,,,,306,,,10,5,,,,,replayed,,\n");
}

TEST(Provenance, AWordThatIsNoneIsRefused) {
  try {
    parse_sweeps("time_ms,power_w,provenance\n1,1,guessed\n", "s.csv");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("line 2"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("guessed"), std::string::npos);
  }
}

}  // namespace
}  // namespace ridgewatt
