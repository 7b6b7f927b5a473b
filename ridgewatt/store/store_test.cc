#include "ridgewatt/store/store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/postgresql/test_stores.h"

namespace ridgewatt::store {
namespace {

TEST_P(StoreOn, PointsAndSamplesComeBackAsTheyWent) {
  const std::string path = fresh();
  const Series key{"agx-orin", "resnet18", "training", Provenance::kMeasured};
  {
    Store store(path);
    const auto id = store.series(key);
    EXPECT_EQ(store.series(key), id);
    EXPECT_NE(store.series({"agx-orin", "resnet18", "training", Provenance::kReplayed}), id);
    store.add(id, some_point(4));
    store.add(id, some_point(1));
    EXPECT_TRUE(store.has(id, some_point(4).observation.point));
    EXPECT_FALSE(store.has(id, some_point(4).observation.point, 1));
    EXPECT_THROW(store.add(id, some_point(4)), IoError);
  }
  Store store(path, Database::Access::kReadOnly);
  const auto points = store.points(store.series(key), true);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].observation.point, some_point(4).observation.point);
  EXPECT_EQ(points[0].observation.time_s, 0.4);
  EXPECT_EQ(points[0].flags.text(), "throttled");
  ASSERT_EQ(points[0].samples.size(), 2u);
  EXPECT_EQ(points[0].samples[0].channel, "power:VDD_IN");
  EXPECT_EQ(points[0].samples[1].value, 0.1);
}

// A reader can see the planned number of points while a run progresses. A run that has no point yet
// has no effect, nor does a run of another series, and the newest run's plan applies.
TEST_P(StoreOn, APlanIsWrittenWithTheFirstPoint) {
  const std::string path = fresh();
  const auto planned = [&]() -> std::optional<std::int64_t> {
    Store store(path, Database::Access::kReadOnly);
    const auto id = store.find_series(kSome);
    return id ? store.planned(*id) : std::nullopt;
  };
  {
    Store store(path);
    const auto other = store.series({"b", "other", "training", Provenance::kMeasured});
    store.plan(kSome, 12);
    store.add(other, some_point(4));
    EXPECT_FALSE(planned());
    store.add(store.series(kSome), some_point(4));
    EXPECT_EQ(planned(), 12);
    EXPECT_FALSE(store.planned(other));
  }
  Store again(path);
  again.plan(kSome, 20);
  EXPECT_EQ(planned(), 12);
  again.add(again.series(kSome), some_point(1));
  EXPECT_EQ(planned(), 20);
}

TEST_P(StoreOn, RepeatsBecomeTheirMedian) {
  Store store(fresh());
  const auto id = store.series({"b", "w", "inference", Provenance::kMeasured});
  for (int repeat = 0; repeat < 3; ++repeat) {
    PointRecord point = some_point(1);
    point.repeat = repeat;
    point.observation.time_s = repeat == 2 ? 100.0 : 1.0 + repeat;
    store.add(id, point);
  }
  const auto sweeps = store.sweeps();
  ASSERT_EQ(sweeps.size(), 1u);
  ASSERT_EQ(sweeps[0].observations.size(), 1u);
  EXPECT_EQ(sweeps[0].observations[0].time_s, 2.0);
}

// The values of a minibatch are exported as measured: the energy is the integral, not the median
// time x the mean power.
TEST_P(StoreOn, TheMeasuredEnergyIsExported) {
  Store store(fresh());
  const auto id = store.series(kSome);
  PointRecord point = some_point(1);
  point.observation.time_s = 0.040;
  point.observation.power_w = 13;
  point.observation.time_median_s = 0.010;
  point.observation.fetch_stall_s = 0.030;
  point.minibatches = 52;
  point.excluded = 3;
  point.window_s = 52 * 0.040;
  point.energy_j = 52 * 0.52;
  store.add(id, point);
  EXPECT_EQ(store.points(id)[0].excluded, 3);
  point.repeat = 1;
  point.energy_j *= 3;
  store.add(id, point);
  const Observation once = *store.find(id, point.observation.point, 0);
  EXPECT_DOUBLE_EQ(once.energy_j(), 0.52);
  EXPECT_DOUBLE_EQ(*once.time_median_s, 0.010);
  EXPECT_DOUBLE_EQ(*once.fetch_stall_s, 0.030);
  const auto text = write_sweep_csv(store.sweeps());
  EXPECT_NE(text.find("time_ms,power_w,energy_j,time_median_ms,fetch_stall_ms"), std::string::npos);
  const Observation both = parse_sweeps(text, "s.csv")[0].observations[0];
  EXPECT_DOUBLE_EQ(both.energy_j(), 1.04);  // the median of two
  EXPECT_DOUBLE_EQ(both.power_w * both.time_s, both.energy_j());
}

TEST_P(StoreOn, HoldingsCountWhatPointsShow) {
  Store store(fresh());
  EXPECT_TRUE(store.holdings().empty());
  const auto id = store.series(kSome);
  store.series({"empty", "w", "training"});
  store.plan(kSome, 9);
  for (int i = 0; i < 6; ++i) {
    PointRecord point = some_point(1 + i % 2);
    point.observation.point.mode.cpu_cores = 1 + i % 3;
    point.flags = {};
    if (i < 4) point.flags.add(PointFlag::kDrifted);
    point.started_unix_s = 100 - i;
    store.add(id, point);
  }
  const auto held = store.holdings();
  ASSERT_EQ(held.size(), 2u);
  EXPECT_EQ(held[0].points, 6);
  EXPECT_EQ(held[0].modes, 3);
  EXPECT_EQ(held[0].batches, 2);
  EXPECT_EQ(held[0].flagged, 4);
  EXPECT_EQ(held[0].newest_unix_s, 100);
  EXPECT_EQ(held[0].planned, 9);
  EXPECT_EQ(held[1].points, 0);
  EXPECT_FALSE(held[1].planned);
  EXPECT_EQ(store.size(), 6);
}

// Two boards measured point 0 of a campaign and their calibration points. Point 0 was planned again
// twice, and only board b has a second calibration point. Names with '@' are no reruns.
TEST_P(StoreOn, WhatWasMeasuredAgainNoLongerCounts) {
  Store store(fresh());
  const std::string kind = "nano@super";
  const auto add = [&](const std::string& serial, const std::string& label, int batch,
                       double time_s) {
    PointRecord point = some_point(batch);
    point.observation.time_s = time_s;
    point.slot = "c/" + kind + "/" + label;
    const auto series = store.series({kind, "w", "training", Provenance::kMeasured, serial});
    while (store.has(series, point.observation.point, point.repeat)) ++point.repeat;
    store.add(series, point);
  };
  add("s@a", "0", 1, 5);
  add("s@a", "1", 2, 2);
  add("s@a", "cal-0/s@a", 3, 3);
  add("b", "0@1", 1, 7);
  add("b", "0@2", 1, 1);
  add("b", "cal-0/b", 3, 9);
  EXPECT_EQ(store.superseded(), 2);
  add("b", "cal-0@1/b", 3, 4);
  EXPECT_EQ(store.superseded(), 3);
  EXPECT_EQ(store.superseded({"", "", "", "s@a"}), 1);
  EXPECT_EQ(store.superseded({"other", "", ""}), 0);
  std::vector<std::string> left_out;
  for (const auto& series : store.all_series()) {
    for (const auto& point : store.points(*store.find_series(series))) {
      if (point.superseded) left_out.push_back(point.slot.substr(2 + kind.size() + 1));
    }
  }
  EXPECT_EQ(left_out, (std::vector<std::string>{"0", "0@1", "cal-0/b"}));
  std::vector<double> times_s;
  const Sweep sweep = store.sweeps().at(0);
  for (const auto& row : sweep.observations) times_s.push_back(row.time_s);
  EXPECT_EQ(times_s,
            (std::vector<double>{2, 3.5, 1}));  // the calibration of both boards: 3 and 4 s
  const auto held = store.holdings();
  ASSERT_EQ(held.size(), 2u);
  EXPECT_EQ(held[0].points, 2);
  EXPECT_EQ(held[0].batches, 2);
  EXPECT_EQ(held[0].modes, 1);
  EXPECT_EQ(held[1].points, 2);
  EXPECT_EQ(held[1].flagged, 2);
  EXPECT_EQ(store.size(), 7);  // nothing is deleted
}

TEST_P(StoreOn, FlagsLeaveAndEnterAStoreWithTheirRows) {
  Store store(fresh());
  const auto id = store.series(kSome);
  for (int repeat = 0; repeat < 2; ++repeat) {
    PointRecord point = some_point(1);
    point.repeat = repeat;
    point.flags = {};
    point.flags.add(repeat == 0 ? PointFlag::kThrottled : PointFlag::kDrifted);
    store.add(id, point);
    // A repeat without flags replaces the one with flags.
    point.observation.point.batch = 2;
    if (repeat == 1) point.flags = {}, point.observation.time_s = 7;
    store.add(id, point);
  }
  const Sweep sweep = store.sweeps().at(0);
  EXPECT_EQ(sweep.flagged_rows(), 1u);
  EXPECT_EQ(sweep.flags_of(0).text(), "drifted throttled");  // of both repeats
  EXPECT_TRUE(sweep.flags_of(1).empty());
  EXPECT_DOUBLE_EQ(sweep.observations[1].time_s, 7);
  Store copy(fresh());
  copy.import(parse_sweeps(write_sweep_csv({sweep}), "s.csv"), "");
  EXPECT_EQ(copy.holdings().at(0).flagged, 1);
  EXPECT_EQ(copy.sweeps().at(0).flags_of(0).text(), "drifted throttled");
}

TEST_P(StoreOn, WhatIsNotFiniteIsNotStored) {
  Store store(fresh());
  const auto id = store.series(kSome);
  for (const double bad : {NAN, INFINITY, -INFINITY}) {
    PointRecord point = some_point(1);
    point.observation.power_w = bad;
    EXPECT_THROW(store.add(id, point), InputError);
    point = some_point(1);
    point.samples[1].value = bad;
    EXPECT_THROW(store.add(id, point), InputError);
  }
  EXPECT_EQ(store.size(), 0);
  PointRecord point = some_point(1);
  point.observation.time_s = 1e308;
  point.observation.power_w = 5e-324;
  point.samples[0].value = -1.7976931348623157e308;
  store.add(id, point);
  const auto back = store.points(id, true).at(0);
  EXPECT_EQ(back.observation.time_s, 1e308);
  EXPECT_EQ(back.observation.power_w, 5e-324);
  EXPECT_EQ(back.samples[0].value, -1.7976931348623157e308);
}

TEST_P(StoreOn, ImportedSweepIsExportedUnchanged) {
  const auto file = folder_.write("s.csv",
                                  "workload,kind,batch,gpu_mhz,time_ms,power_w\n"
                                  "a,training,16,114.75,100,10\na,training,16,204,50,12\n");
  const Sweep sweep = read_sweep(file);
  Store store(fresh());
  EXPECT_EQ(store.import(sweep, "agx-orin", Provenance::kReplayed).added, 2u);
  EXPECT_EQ(store.import(sweep, "agx-orin", Provenance::kReplayed).added, 0u);
  Sweep kept = sweep;
  kept.board = "agx-orin";
  EXPECT_EQ(write_sweep_csv(store.sweeps()), write_sweep_csv({kept}));
}

// Rows of one point are its repeats. Equal rows of a file are different measurements, and a file
// that is imported again adds nothing.
TEST_P(StoreOn, ImportKeepsRepeatsAndTellsRowsThatDiffer) {
  const auto sweep_of = [&](const std::string& rows) {
    return read_sweep(folder_.write("s.csv", "workload,kind,cpu_cores,time_ms,power_w\n" + rows));
  };
  const Sweep first = sweep_of(
      "a,training,12,10.1,40\na,training,12,12.3,42\na,training,12,20,20\n"
      "a,training,8,20,20\na,training,8,20,20\n");
  Store store(fresh());
  const auto import = [&](const Sweep& sweep) {
    return store.import(sweep, "agx-orin", Provenance::kReplayed);
  };
  EXPECT_EQ(import(first).added, 5u);
  const auto again = import(first);
  EXPECT_EQ(again.rows, 5u);
  EXPECT_EQ(again.added, 0u);
  EXPECT_EQ(again.differing, 0u);
  const auto rows = store.sweeps().at(0).observations;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NEAR(rows[0].time_s, 0.0123, 1e-12);  // the median
  // One row is known, one has other values, and one is a new point.
  const auto other =
      import(sweep_of("a,training,12,10.1,40\na,training,8,30,20\na,training,4,9,9\n"));
  EXPECT_EQ(other.added, 2u);
  EXPECT_EQ(other.differing, 1u);
  const auto points =
      store.points(store.series({"agx-orin", "a", "training", Provenance::kReplayed}));
  ASSERT_EQ(points.size(), 7u);
  EXPECT_EQ(points[2].repeat, 2);
  EXPECT_EQ(points[5].repeat, 2);
  EXPECT_EQ(points[6].repeat, 0);
}

TEST_P(StoreOn, PointsKeepBoardAndProvenanceAndAreChosenByThem) {
  Store store(fresh());
  store.add(store.series({"fake:agx-orin", "a", "training", Provenance::kFake}), some_point(1));
  store.add(store.series({"agx-orin", "a", "training", Provenance::kMeasured}), some_point(1));
  store.add(store.series({"agx-orin", "b", "inference", Provenance::kMeasured}), some_point(1));
  const auto all = store.sweeps();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].provenance, Provenance::kFake);
  EXPECT_EQ(all[0].board, "fake:agx-orin");
  EXPECT_EQ(all[1].provenance, Provenance::kMeasured);
  EXPECT_EQ(store.sweeps({"", "a", ""}).size(), 2u);
  EXPECT_EQ(store.sweeps({"agx-orin", "a", ""}).size(), 1u);
  EXPECT_EQ(store.sweeps({"", "", "inference"}).size(), 1u);
  EXPECT_TRUE(store.sweeps({"", "c", ""}).empty());
}

TEST_P(StoreOn, KilledWriterLosesNoFinishedPointAndDoublesNone) {
  const std::string path = fresh();
  int finished = 0;
  for (int round = 0; round < 5; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      Store store(path);
      const auto id = store.series({"b", "w", "training", Provenance::kMeasured});
      for (int batch = 1;; ++batch) {
        if (store.has(id, some_point(batch).observation.point)) continue;
        store.add(id, some_point(batch));
        const char done = 1;
        if (write(pipe_ends[1], &done, 1) != 1) _exit(1);
      }
    }
    close(pipe_ends[1]);
    char done = 0;
    for (int i = 0; i < 3 + round && read(pipe_ends[0], &done, 1) == 1; ++i) ++finished;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    while (read(pipe_ends[0], &done, 1) == 1) ++finished;
    close(pipe_ends[0]);
    Store store(path);
    const auto points =
        store.points(store.series({"b", "w", "training", Provenance::kMeasured}), true);
    // The last point may be stored without having been reported.
    EXPECT_GE(static_cast<int>(points.size()), finished);
    EXPECT_LE(static_cast<int>(points.size()), finished + 1 + round);
    finished = static_cast<int>(points.size());
    for (const auto& point : points) EXPECT_EQ(point.samples.size(), 2u);
  }
}

// Processes create a store and add the same points at the same time.
// label: waits
TEST_P(StoreOn, ManyProcessesMakeAndFillOneStore) {
  static constexpr int kProcesses = 4;
  static constexpr int kPoints = 3;
  for (int round = 0; round < (on_server() ? 8 : 40); ++round) {
    const std::string path = fresh();
    int start[2];
    ASSERT_EQ(pipe(start), 0);
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      close(start[1]);
      char go = 0;
      if (read(start[0], &go, 1) != 0) _exit(7);  // all start when the parent closes its end
      _exit(in_child([&] {
        Store store(path);
        for (int batch = 1; batch <= kPoints; ++batch) {
          store.add_if_absent(store.series(kSome), some_point(batch));
        }
        Series own = kSome;
        own.workload = std::to_string(process);
        store.add(store.series(own), some_point(1));
        return 0;
      }));
    }
    close(start[0]);
    close(start[1]);
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      ASSERT_EQ(status, 0) << "round " << round;
    }
    Store store(path, Database::Access::kReadOnly);
    EXPECT_EQ(store.points(store.series(kSome)).size(), std::size_t{kPoints});
    EXPECT_EQ(store.all_series().size(), 1u + kProcesses);
  }
}

TEST_P(StoreOn, AStoreMadeAtFirstWriteLeavesNothingWithoutOne) {
  const std::string path = fresh();
  {
    Store store = Store::made_at_first_write(path);
    EXPECT_FALSE(store.find_series(kSome));
    EXPECT_TRUE(store.all_series().empty() && store.sweeps().empty());
    EXPECT_FALSE(store.has(1, some_point(1).observation.point));
  }
  if (on_server()) {
    EXPECT_THROW(Store(path, Database::Access::kReadOnly), InputError) << "a store was made";
  } else {
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  }
  Store store = Store::made_at_first_write(path);
  store.add(store.series(kSome), some_point(1));
  EXPECT_TRUE(Store::made_at_first_write(path).find_series(kSome));
  const std::string nowhere = on_server() ? TestServer::get()->address("nowhere")
                                          : (folder_.path() / "no" / "s.db").string();
  EXPECT_THROW(Store::made_at_first_write(nowhere), NotFoundError);
}

// Any text in a name or a slot is either stored unchanged or rejected with a one-line message.
TEST_P(StoreOn, HostileWordsAreKeptOrRefused) {
  Store store(fresh());
  const std::string nul("a\0b", 3);
  int number = 0;
  for (const std::string& word :
       {std::string("'; DROP TABLE point; --"), std::string("\"$1\" {} %s \\"),
        std::string("\xc3\xa4\xe2\x82\xac\n\t"), std::string(100'000, 'x'), nul,
        std::string("\xff\xfe bad")}) {
    const bool refusable = on_server() && (word == nul || word[0] == '\xff');
    Series key = kSome;
    key.workload = word;
    PointRecord point = some_point(++number);
    try {
      point.slot = word.size() < 1000 ? word : "";
      point.samples[0].channel = word;
      point.observation.point.mode.governor = word.size() < 1000 ? word : "";
      store.add(store.series(key), point);
      ASSERT_FALSE(refusable);
      const auto all = store.all_series();
      EXPECT_EQ(all.back().workload, word);
      const auto back = store.points(*store.find_series(key), true).at(0);
      EXPECT_EQ(back.slot, point.slot);
      EXPECT_EQ(back.samples.at(0).channel, word);
      EXPECT_EQ(back.observation.point, point.observation.point);
    } catch (const InputError& error) {
      EXPECT_TRUE(refusable) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  EXPECT_EQ(store.size(), on_server() ? 4 : 6);
}

INSTANTIATE_TEST_SUITE_P(Each, StoreOn, kBackends, backend_name);

}  // namespace
}  // namespace ridgewatt::store
