#include "ridgewatt/store/store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt {
namespace {

PointRecord some_point(int batch) {
  PointRecord point;
  point.observation = {{{12, 2201.6e6, 1300.5e6, 3199e6, ""}, batch}, 0.1 * batch, 20.0 + batch};
  point.energy_j = 42;
  point.power_samples = 2;
  point.flags = "throttled";
  point.samples = {{"power:VDD_IN", 0.0, 20.5}, {"minibatch", 0.1, 0.1}};
  return point;
}

TEST(Store, PointsAndSamplesComeBackAsTheyWent) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "s.db").string();
  const Campaign key{"agx-orin", "resnet18", "training", "measured"};
  {
    Store store(path);
    const auto id = store.campaign(key);
    EXPECT_EQ(store.campaign(key), id);
    EXPECT_NE(store.campaign({"agx-orin", "resnet18", "training", "replayed"}), id);
    store.add(id, some_point(4));
    store.add(id, some_point(1));
    EXPECT_TRUE(store.has(id, some_point(4).observation.point));
    EXPECT_FALSE(store.has(id, some_point(4).observation.point, 1));
    EXPECT_THROW(store.add(id, some_point(4)), IoError);
  }
  Store store(path, Database::Access::kReadOnly);
  const auto points = store.points(store.campaign(key), true);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].observation.point, some_point(4).observation.point);
  EXPECT_EQ(points[0].observation.time_s, 0.4);
  EXPECT_EQ(points[0].flags, "throttled");
  ASSERT_EQ(points[0].samples.size(), 2u);
  EXPECT_EQ(points[0].samples[0].channel, "power:VDD_IN");
  EXPECT_EQ(points[0].samples[1].value, 0.1);
}

TEST(Store, RepeatsBecomeTheirMedian) {
  const testing::TemporaryFolder folder;
  Store store((folder.path() / "s.db").string());
  const auto id = store.campaign({"b", "w", "inference", "measured"});
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

TEST(Store, ImportedSweepIsExportedUnchanged) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("s.csv",
                                 "workload,kind,batch,gpu_mhz,time_ms,power_w\n"
                                 "a,training,16,114.75,100,10\na,training,16,204,50,12\n");
  const Sweep sweep = read_sweep(file);
  Store store((folder.path() / "s.db").string());
  EXPECT_EQ(store.import(sweep, "agx-orin", "replayed"), 2u);
  EXPECT_EQ(store.import(sweep, "agx-orin", "replayed"), 0u);
  Sweep kept = sweep;
  kept.board = "agx-orin";
  EXPECT_EQ(write_sweep_csv(store.sweeps()), write_sweep_csv({kept}));
}

TEST(Store, PointsKeepBoardAndProvenanceAndAreChosenByThem) {
  const testing::TemporaryFolder folder;
  Store store((folder.path() / "s.db").string());
  store.add(store.campaign({"fake:agx-orin", "a", "training", "fake"}), some_point(1));
  store.add(store.campaign({"agx-orin", "a", "training", "measured"}), some_point(1));
  store.add(store.campaign({"agx-orin", "b", "inference", "measured"}), some_point(1));
  const auto all = store.sweeps();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].provenance, Provenance::kFake);
  EXPECT_EQ(all[0].board, "fake:agx-orin");
  EXPECT_EQ(all[1].provenance, Provenance::kMeasured);
  EXPECT_EQ(store.sweeps({"", "a", "", ""}).size(), 2u);
  EXPECT_EQ(store.sweeps({"agx-orin", "a", "", ""}).size(), 1u);
  EXPECT_EQ(store.sweeps({"", "", "inference", ""}).size(), 1u);
  EXPECT_TRUE(store.sweeps({"", "c", "", ""}).empty());
}

TEST(Store, ForeignAndBrokenFilesAreNamed) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(Store(folder.write("text.db", std::string(5000, 'x'))), InputError);
  const std::string foreign = (folder.path() / "foreign.db").string();
  Database(foreign, Database::Access::kCreate).execute("CREATE TABLE t (x)");
  EXPECT_THROW(Store{foreign}, InputError);
  EXPECT_THROW(Store((folder.path() / "no.db").string(), Database::Access::kReadOnly),
               NotFoundError);
  const std::string newer = (folder.path() / "newer.db").string();
  Store{newer};
  Database(newer, Database::Access::kCreate).execute("PRAGMA user_version = 99");
  EXPECT_THROW(Store{newer}, InputError);
}

TEST(Store, KilledWriterLosesNoFinishedPointAndDoublesNone) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "s.db").string();
  int finished = 0;
  for (int round = 0; round < 5; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      Store store(path);
      const auto id = store.campaign({"b", "w", "training", "measured"});
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
    const auto points = store.points(store.campaign({"b", "w", "training", "measured"}), true);
    // The last point may be written without its report.
    EXPECT_GE(static_cast<int>(points.size()), finished);
    EXPECT_LE(static_cast<int>(points.size()), finished + 1 + round);
    finished = static_cast<int>(points.size());
    for (const auto& point : points) EXPECT_EQ(point.samples.size(), 2u);
  }
}

}  // namespace
}  // namespace ridgewatt
