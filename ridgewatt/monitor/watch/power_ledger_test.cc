// Tests energies of sources with known samples.
#include "ridgewatt/monitor/watch/power_ledger.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ridgewatt::monitor {
namespace {

measure::PowerSample sample_of(double time_s, double first_w, double second_w = 0) {
  measure::PowerSample sample;
  sample.time_s = time_s;
  sample.power_w[0] = first_w;
  sample.power_w[1] = second_w;
  return sample;
}

Snapshot snapshot_of(const PowerLedger& ledger, std::size_t rails) {
  Snapshot snapshot;
  snapshot.rails.resize(rails);
  ledger.fill(snapshot);
  return snapshot;
}

// The counter of an H100 is read ten times as often as it advances.
TEST(PowerLedger, ACounterWithoutNewsIsNotMissing) {
  PowerLedger ledger({{"gpu", true}}, /*means=*/true, 100);
  ledger.add(sample_of(10, NAN));  // starts the first mean
  ledger.add(sample_of(10.05, NAN));
  ledger.add(sample_of(10.1, 100));
  ledger.add(sample_of(10.15, NAN));
  EXPECT_EQ(snapshot_of(ledger, 1).total_w, 100);
  ledger.add(sample_of(10.2, 300));
  ledger.add(sample_of(10.25, NAN));
  const Snapshot now = snapshot_of(ledger, 1);
  EXPECT_NEAR(now.total.energy_j, 40, 1e-6);
  EXPECT_NEAR(now.rails[0].since_start.energy_j, 40, 1e-6);
  EXPECT_EQ(now.total_w, 300);
  EXPECT_EQ(now.samples, 2u);
  EXPECT_EQ(now.missing, 0u);
  ledger.add(sample_of(11.5, NAN));  // no value for more than a second
  EXPECT_EQ(snapshot_of(ledger, 1).missing, 1u);
  EXPECT_EQ(snapshot_of(ledger, 1).total_w, std::nullopt);
}

TEST(PowerLedger, CountersThatAdvanceInTurnAddUp) {
  PowerLedger ledger({{"gpu 0", true}, {"gpu 1", true}}, /*means=*/true, 100);
  ledger.add(sample_of(10, NAN, NAN));
  ledger.add(sample_of(10.1, 100, 50));
  ledger.add(sample_of(10.2, 100, NAN));
  ledger.add(sample_of(10.3, NAN, 50));
  EXPECT_NEAR(snapshot_of(ledger, 2).total.energy_j, 45, 1e-6);
  EXPECT_EQ(snapshot_of(ledger, 2).total_w, 150);
}

TEST(PowerLedger, ABoundNeedsTwoSamplesInTheWindow) {
  PowerLedger ledger({{"rail", true}}, /*means=*/false, 10);
  const auto known = [&](const Energy& energy) { return std::isfinite(energy.error_j); };
  EXPECT_FALSE(known(snapshot_of(ledger, 1).total));
  ledger.add(sample_of(10, 100));
  EXPECT_FALSE(known(snapshot_of(ledger, 1).total));
  EXPECT_FALSE(known(snapshot_of(ledger, 1).rails[0].since_start));
  const auto window = ledger.begin_window("w", 10.05);
  const auto shorter = ledger.begin_window("shorter", 10.05);
  ledger.mark(10.05);
  ledger.add(sample_of(10.1, 100));
  EXPECT_TRUE(known(snapshot_of(ledger, 1).total));
  EXPECT_FALSE(known(ledger.windows(10.15)[0].energy));
  ledger.mark(10.15);
  EXPECT_FALSE(known(snapshot_of(ledger, 1).minibatch_energy));
  EXPECT_FALSE(known(ledger.end_window(shorter, 10.15).energy));
  ledger.add(sample_of(10.2, 100));
  ledger.mark(10.25);
  EXPECT_TRUE(known(ledger.end_window(window, 10.25).energy));
  EXPECT_FALSE(known(ledger.end_window(shorter, 10.25).energy)) << "later samples are not in it";
  EXPECT_TRUE(known(snapshot_of(ledger, 1).minibatch_energy));
}

}  // namespace
}  // namespace ridgewatt::monitor
