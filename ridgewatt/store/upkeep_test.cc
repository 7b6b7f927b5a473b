// Tests failed attempts, retention rules and the check of a store.
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/postgresql/test_stores.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::store {
namespace {

class Upkeep : public StoreOn {
 protected:
  // Points of batches 1, 2 and 3 from 1000, 2000 and 3000 s, and a second repeat of batch 1 from
  // 4000 s that fills a slot.
  static void fill(Store& store) {
    for (int i = 1; i <= 4; ++i) {
      PointRecord point = some_point(i == 4 ? 1 : i);
      point.repeat = i == 4 ? 1 : 0;
      point.started_unix_s = 1000 * i;
      point.window_s = point.energy_j / point.observation.power_w;
      point.minibatches = 1;
      point.observation.time_s = point.window_s;
      if (i == 4) point.slot = "c/b/0";
      store.add(store.series(kSome), point);
    }
  }
  static std::size_t samples(Store& store) {
    std::size_t count = 0;
    for (const auto& point : store.points(store.series(kSome), true)) {
      count += point.samples.size();
    }
    return count;
  }
};

TEST_P(Upkeep, FailedAttemptsAreKeptOnceAndHandedIn) {
  Store spool(fresh()), store(fresh());
  const FailedAttempt failure{"c/b/0", "b", "7", "orin1", 1000, "ended with 3", "no weights\nend"};
  spool.add_failures({failure, failure});
  spool.add_campaign_board({"c", "b", "7", "orin1", 900});
  ASSERT_EQ(spool.failures("c/").size(), 1u);
  EXPECT_EQ(spool.failures("c/")[0], failure);
  EXPECT_TRUE(spool.failures("d/").empty());
  store.take_from(spool);
  store.take_from(spool);
  EXPECT_EQ(store.failures("").size(), 1u);
  ASSERT_EQ(store.campaign_boards("c").size(), 1u);
  EXPECT_EQ(store.campaign_boards("c")[0].host, "orin1");
  EXPECT_TRUE(store.campaign_boards("d").empty());
}

TEST_P(Upkeep, OnlyWhatARuleNamesIsDeletedAndADryRunDeletesNothing) {
  Store store(fresh());
  fill(store);
  store.add_failures(
      {{"c/b/0", "b", "7", "h", 1000, "r", ""}, {"c/b/0", "b", "7", "h", 5000, "r", ""}});
  EXPECT_THROW(store.prune({}, true), UsageError);
  const PruneRules old{.points_unix_s = 2500};
  EXPECT_EQ(store.prune(old, true).points, 2);
  EXPECT_EQ(store.size(), 4);
  EXPECT_EQ(samples(store), 8u);
  EXPECT_EQ(store.prune({.filter = {.workload = "other"}, .points_unix_s = 9000}, false).points, 0);
  EXPECT_EQ(store.prune({.samples_unix_s = 1500}, false).points, 0);
  EXPECT_EQ(store.size(), 4);
  EXPECT_EQ(samples(store), 6u);
  EXPECT_EQ(store.prune(old, false).points, 2);
  EXPECT_EQ(store.size(), 2);
  EXPECT_EQ(samples(store), 4u);
  EXPECT_EQ(store.prune({.failures_unix_s = 2000}, false).failures, 1);
  EXPECT_EQ(store.failures("").size(), 1u);
  // The point of a campaign stays until a rule for campaigns removes it.
  const auto kept = store.prune({.points_unix_s = 9000}, false);
  EXPECT_EQ(kept.points, 1);
  EXPECT_EQ(kept.kept_slots, 1);
  EXPECT_TRUE(store.has_slot("c/b/0"));
  EXPECT_EQ(store.prune({.points_unix_s = 9000, .campaigns = true}, false).points, 1);
  EXPECT_EQ(store.size(), 0);
}

// What identifies the command of a point stays with the point.
TEST_P(Upkeep, TheCommandOutlivesTheSamples) {
  Store store(fresh());
  PointRecord point = some_point(1);
  point.started_unix_s = 1000;
  point.samples = {{"power:total", 0.1, 20}, {kCommandChannel, 0, 9007199254740991}};
  const auto series = store.series(kSome);
  store.add(series, point);
  const std::vector<CommandCount> counts = {{12, 1, 9007199254740991, 1}};
  EXPECT_EQ(store.commands(series), counts);
  EXPECT_EQ(store.prune({.samples_unix_s = 1500}, false).samples, 1);
  EXPECT_EQ(store.commands(series), counts);
  ASSERT_EQ(store.points(series, true).size(), 1u);
  EXPECT_EQ(store.points(series, true)[0].samples.size(), 1u);
}

TEST_P(Upkeep, TheNewestRepeatsStay) {
  Store store(fresh());
  fill(store);
  EXPECT_THROW(store.prune({.repeats = 0}, true), UsageError);
  EXPECT_EQ(store.prune({.repeats = 1}, false).points, 1);  // the older point of batch 1
  EXPECT_EQ(store.size(), 3);
  EXPECT_TRUE(store.has_slot("c/b/0"));
  EXPECT_EQ(store.prune({.repeats = 1}, false).points, 0);
}

TEST_P(Upkeep, TheCheckFindsWhatCannotBeRight) {
  Store store(fresh());
  fill(store);
  for (const auto& fault : store.check()) EXPECT_EQ(fault.rows, 0) << fault.check << fault.example;
  PointRecord point = some_point(9);
  point.window_s = 10;
  point.minibatches = 100;  // 0.9 s each in 10 s
  point.energy_j = 1;       // 29 W for 10 s
  point.slot = "nowhere";
  point.started_unix_s = 1LL << 40;
  store.add(store.series(kSome), point);
  int found = 0;
  for (const auto& fault : store.check()) {
    found += static_cast<int>(fault.rows);
    EXPECT_EQ(fault.rows > 0, !fault.example.empty());
  }
  EXPECT_EQ(found, 4);  // energy, window, slot, future
}

TEST_P(Upkeep, TheCheckSeesImportedRows) {
  Store store(fresh());
  Sweep sweep{"made", "w", "training", {}, {}};
  for (const double energy_j : {0.0, 0.2, 0.206, 5.0}) {  // 20 W for 10 ms; 0: not measured
    Observation row{.time_s = 0.01, .power_w = 20};
    row.point.batch = static_cast<int>(sweep.observations.size()) + 1;
    if (energy_j > 0) row.measured_energy_j = energy_j;
    sweep.observations.push_back(row);
  }
  ASSERT_EQ(store.import(sweep, "b", Provenance::kReplayed).added, 4u);
  for (const auto& fault : store.check()) {
    EXPECT_EQ(fault.rows, fault.check == "energy is power times window" ? 1 : 0) << fault.check;
  }
}

// Each series has its way of counting energy, and is judged by the rule of `sweep check`.
TEST_P(Upkeep, TheCheckJudgesImportedEnergyAsTheCheckOfASweep) {
  for (const auto& [usual, rows] :
       {std::pair{0.7, 1}, {1.0, 1}, {1.4, 1}, {0.5, 9}, {1000.0, 10}}) {
    Store store(fresh());
    Sweep sweep{"made", "w", "training", {}, {}};
    for (int i = 1; i <= 10; ++i) {
      Observation row{.time_s = 0.01 * i, .power_w = 20};
      row.point.batch = i;
      row.measured_energy_j = (i == 4 ? 3 : usual) * row.power_w * row.time_s;
      sweep.observations.push_back(row);
    }
    if (usual == 0.5) sweep.observations[3].measured_energy_j = 20 * 0.04;
    ASSERT_EQ(store.import(sweep, "b", Provenance::kReplayed).added, 10u);
    sweep.workload = "other";
    for (auto& row : sweep.observations) row.measured_energy_j = row.power_w * row.time_s;
    ASSERT_EQ(store.import(sweep, "b", Provenance::kReplayed).added, 10u);
    const auto read = store.sweeps({.workload = "w"});
    ASSERT_EQ(read.size(), 1u);
    for (const auto& fault : store.check()) {
      const bool energy = fault.check == "energy is power times window";
      EXPECT_EQ(fault.rows, energy ? rows : 0) << fault.check << usual;
      EXPECT_EQ(!fault.remark.empty(), energy && (usual == 0.7 || usual == 1.4)) << usual;
      if (energy) {
        EXPECT_EQ(check_quality(read[0]).flagged_rows(), static_cast<std::size_t>(rows)) << usual;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(On, Upkeep, kBackends, backend_name);

}  // namespace
}  // namespace ridgewatt::store
