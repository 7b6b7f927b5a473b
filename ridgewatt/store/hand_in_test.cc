// Tests slots, boards with the same name, and points that one store hands in to another.
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/postgresql/test_stores.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::store {
namespace {

class HandIn : public StoreOn {};

TEST_P(HandIn, ASlotIsFilledOnceByWhicheverBoardWasFirst) {
  Store store(fresh());
  Series first = kSome, second = kSome;
  first.serial = "1";
  second.serial = "2";
  PointRecord point = some_point(1);
  point.slot = "c/b/7";
  EXPECT_TRUE(store.add_if_absent(store.series(first), point));
  EXPECT_TRUE(store.has_slot("c/b/7"));
  EXPECT_FALSE(store.add_if_absent(store.series(second), point));
  EXPECT_THROW(store.add(store.series(second), point), IoError);
  EXPECT_FALSE(store.has(store.series(second), point.observation.point));
  point.slot = "c/b/8";
  EXPECT_FALSE(store.add_if_absent(store.series(first), point)) << "the point is there";
  EXPECT_FALSE(store.has_slot("c/b/8"));
  EXPECT_TRUE(store.add_if_absent(store.series(second), point));
  point = some_point(2);
  EXPECT_TRUE(store.add_if_absent(store.series(first), point));
  point.repeat = 1;
  EXPECT_TRUE(store.add_if_absent(store.series(first), point)) << "no slot is not a slot";
  const auto filled = store.filled_slots("c/b/");
  ASSERT_EQ(filled.size(), 2u);
  EXPECT_EQ(filled[0].slot, "c/b/7");
  EXPECT_EQ(filled[0].series, first);
  EXPECT_EQ(filled[1].series.serial, "2");
  EXPECT_TRUE(filled[0].flags.has(PointFlag::kThrottled));
  EXPECT_TRUE(store.filled_slots("c/b/77").empty());
  EXPECT_TRUE(store.filled_slots("%").empty());
  EXPECT_EQ(store.points(store.series(first))[0].slot, "c/b/7");
}

TEST_P(HandIn, ASlotSaysWhichPointFillsIt) {
  Store store(fresh());
  PointRecord point = some_point(3);
  point.slot = "c/b/3";
  store.add(store.series(kSome), point);
  const auto found = store.find_slot("c/b/3");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->point, point.observation.point);
  EXPECT_EQ(found->series, kSome);
  EXPECT_FALSE(store.find_slot("c/b/"));
}

TEST_P(HandIn, TheFirstPlanKeepsACampaignsName) {
  Store store(fresh());
  EXPECT_FALSE(store.find_campaign("c"));
  const auto first = store.enter_campaign({"c", "aa", "ann@lab", 1700000000});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->owner, "ann@lab");
  const auto second = store.enter_campaign({"c", "bb", "bob@lab", 1800000000});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->fingerprint, "aa");
  EXPECT_EQ(second->created_unix_s, 1700000000);
  store.enter_campaign({"a", "cc", "bob@lab", 1800000000});
  const auto all = store.campaigns();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "a");
}

TEST_P(HandIn, HandingInAddsWhatLacksAndNothingTwice) {
  Store spool((folder_.path() / "spool.db").string());
  Store shared(fresh());
  Series mine = kSome, yours = kSome;
  mine.serial = "mine";
  yours.serial = "yours";
  EXPECT_EQ(shared.take_from(spool).added, 0u);
  EXPECT_TRUE(shared.all_series().empty());
  for (int batch = 1; batch <= 450; ++batch) {
    PointRecord point = some_point(batch);
    point.slot = batch % 2 == 0 ? "c/b/" + std::to_string(batch) : "";
    point.repeat = batch % 3;
    point.excluded = batch;
    point.observation.fetch_stall_s = 0.25 * batch;
    spool.add(spool.series(mine), point);
  }
  spool.add(spool.series(kSome), some_point(1));
  PointRecord first = some_point(1000);
  first.slot = "c/b/10";
  shared.add(shared.series(yours), first);
  std::size_t examined = 0;
  const auto done = shared.take_from(spool, [&](std::size_t seen) { examined = seen; });
  EXPECT_EQ(examined, 451u);
  EXPECT_EQ(done.added, 450u);
  EXPECT_EQ(done.present, 0u);
  EXPECT_EQ(done.superseded, 1u);
  const auto again = shared.take_from(spool);
  EXPECT_EQ(again.added, 0u);
  EXPECT_EQ(again.present, 450u);
  EXPECT_EQ(again.superseded, 1u);
  EXPECT_EQ(shared.size(), 451);
  const auto theirs = spool.points(spool.series(mine), true);
  const auto ours = shared.points(shared.series(mine), true);
  ASSERT_EQ(ours.size(), 449u);
  for (std::size_t i = 0, j = 0; i < theirs.size(); ++i) {
    if (theirs[i].slot == "c/b/10") continue;
    EXPECT_EQ(ours[j].observation.point, theirs[i].observation.point);
    EXPECT_EQ(ours[j].observation.fetch_stall_s, theirs[i].observation.fetch_stall_s);
    EXPECT_EQ(ours[j].slot, theirs[i].slot);
    EXPECT_EQ(ours[j].repeat, theirs[i].repeat);
    EXPECT_EQ(ours[j].excluded, theirs[i].excluded);
    EXPECT_EQ(ours[j].flags.text(), theirs[i].flags.text());
    ASSERT_EQ(ours[j].samples.size(), 2u);
    EXPECT_EQ(ours[j].samples[0].value, 20.5);
    ++j;
  }
  Store back((folder_.path() / "back.db").string());
  EXPECT_EQ(back.take_from(shared).added, 451u);
  const auto returned = back.points(back.series(mine), true);
  ASSERT_EQ(returned.size(), 449u);
  EXPECT_EQ(returned[448].slot, ours[448].slot);
  EXPECT_EQ(returned[448].samples.at(1).channel, "minibatch");
}

// The stores had campaigns of one name whose plans differ.
TEST_P(HandIn, ARerunReplacesOnlyTheSamePoint) {
  Store shared(fresh());
  const auto add = [&](const char* slot, int batch) {
    PointRecord point = some_point(batch);
    point.slot = slot;
    point.repeat = static_cast<int>(shared.size());
    shared.add(shared.series(kSome), point);
  };
  add("c/b/0", 1);
  add("c/b/0@1", 4);
  EXPECT_EQ(shared.superseded(), 0);
  EXPECT_EQ(shared.sweeps().at(0).observations.size(), 2u);
  add("c/b/0@2", 1);
  EXPECT_EQ(shared.superseded(), 1);
}

TEST_P(HandIn, TwoCampaignsOfABoardBothHandIn) {
  Store shared(fresh());
  for (const char* campaign : {"a", "b", "b"}) {  // b twice
    Store spool((folder_.path() / campaign).string());
    PointRecord point = some_point(16);
    point.slot = std::string(campaign) + "/nano/0";
    spool.add_if_absent(spool.series(kSome), point);
    shared.take_from(spool);
  }
  const auto points = shared.points(shared.series(kSome));
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].slot, "a/nano/0");
  EXPECT_EQ(points[1].slot, "b/nano/0");
  EXPECT_EQ(points[1].repeat, 1);
}

TEST_P(HandIn, OtherValuesOfAPointBecomeARepeat) {
  Store shared(fresh());
  Store spools[] = {Store((folder_.path() / "a.db").string()),
                    Store((folder_.path() / "b.db").string())};
  for (const double time_s : {1.0, 2.0, 3.0}) {
    Store& spool = spools[time_s == 2 ? 1 : 0];
    PointRecord point = some_point(16);
    point.repeat = time_s == 3 ? 1 : 0;
    point.observation.time_s = time_s;
    spool.add(spool.series(kSome), point);
  }
  EXPECT_EQ(shared.take_from(spools[0]).differing, 0u);
  const auto second = shared.take_from(spools[1]);
  EXPECT_EQ(second.added, 1u);
  EXPECT_EQ(second.present, 0u);
  EXPECT_EQ(second.differing, 1u);
  for (Store& spool : spools) {
    const auto again = shared.take_from(spool);
    EXPECT_EQ(again.added, 0u);
    EXPECT_EQ(again.differing, 0u);
  }
  const auto points = shared.points(shared.series(kSome), true);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[2].repeat, 2);
  EXPECT_EQ(points[2].observation.time_s, 2);
  EXPECT_EQ(points[2].samples.size(), 2u);
  EXPECT_EQ(shared.sweeps().at(0).observations.at(0).time_s, 2);  // the median
}

TEST_P(HandIn, BoardsOfOneNameMakeOneSweepUnlessOneIsChosen) {
  Store store(fresh());
  for (const char* serial : {"1", "2", "3"}) {
    Series key = kSome;
    key.serial = serial;
    PointRecord point = some_point(1);
    point.observation.time_s = key.serial == "3" ? 100 : std::stoi(serial);
    store.add(store.series(key), point);
  }
  const auto all = store.sweeps();
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].observations.size(), 1u);
  EXPECT_EQ(all[0].observations[0].time_s, 2);
  SeriesFilter one;
  one.serial = "3";
  EXPECT_EQ(store.sweeps(one).at(0).observations.at(0).time_s, 100);
}

// Spools with the same points in different orders are handed in at the same time.
TEST_P(HandIn, SeveralHandInTheSamePointsAtOnce) {
  static constexpr int kPoints = 600;
  const std::string location = fresh();
  std::vector<pid_t> children;
  for (int process = 0; process < 4; ++process) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    _exit(in_child([&] {
      Store spool((folder_.path() / std::to_string(process)).string());
      Sweep sweep{"", "w", "training", {}, {}};
      for (int i = 0; i < kPoints; ++i) {
        const int batch = 1 + (process % 2 == 0 ? i : kPoints - 1 - i);
        sweep.observations.push_back(some_point(batch).observation);
      }
      spool.import(sweep, "b", Provenance::kMeasured);
      const auto done = Store(location).take_from(spool);
      return done.added + done.present == kPoints && done.superseded == 0 ? 0 : 1;
    }));
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Store(location, Database::Access::kReadOnly).size(), kPoints);
}

// Boards without a serial number have one series.
TEST_P(HandIn, SeveralHandInOtherValuesAtOnce) {
  static constexpr int kPoints = 300, kProcesses = 4;
  const std::string location = fresh();
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    _exit(in_child([&] {
      Store spool((folder_.path() / std::to_string(process)).string());
      for (int batch = 1; batch <= kPoints; ++batch) {
        PointRecord point = some_point(batch);
        point.observation.time_s += process;
        spool.add(spool.series(kSome), point);
      }
      return Store(location).take_from(spool).added == kPoints ? 0 : 1;
    }));
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(Store(location, Database::Access::kReadOnly).size(), kPoints * kProcesses);
}

INSTANTIATE_TEST_SUITE_P(Each, HandIn, kBackends, backend_name);

}  // namespace
}  // namespace ridgewatt::store
