#include "ridgewatt/store/store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"

namespace ridgewatt::store {
namespace {

constexpr uid_t kNobody = 65534;
const Campaign kSome{"b", "w", "training", Provenance::kMeasured};

// Runs `body` in a process of its own; its exit status, 9 after an exception.
template <typename Body>
int in_child(Body body, uid_t user = 0) {
  const pid_t child = fork();
  if (child == 0) {
    if (user != 0 && (setgid(user) != 0 || setuid(user) != 0)) _exit(8);
    try {
      _exit(body());
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
      _exit(9);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

PointRecord some_point(int batch) {
  PointRecord point;
  point.observation = {{{12, 2201.6e6, 1300.5e6, 3199e6, ""}, batch}, 0.1 * batch, 20.0 + batch};
  point.energy_j = 42;
  point.power_samples = 2;
  point.flags.add(PointFlag::kThrottled);
  point.samples = {{"power:VDD_IN", 0.0, 20.5}, {"minibatch", 0.1, 0.1}};
  return point;
}

TEST(Store, PointsAndSamplesComeBackAsTheyWent) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "s.db").string();
  const Campaign key{"agx-orin", "resnet18", "training", Provenance::kMeasured};
  {
    Store store(path);
    const auto id = store.campaign(key);
    EXPECT_EQ(store.campaign(key), id);
    EXPECT_NE(store.campaign({"agx-orin", "resnet18", "training", Provenance::kReplayed}), id);
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
  EXPECT_EQ(points[0].flags.text(), "throttled");
  ASSERT_EQ(points[0].samples.size(), 2u);
  EXPECT_EQ(points[0].samples[0].channel, "power:VDD_IN");
  EXPECT_EQ(points[0].samples[1].value, 0.1);
}

// Who watches a run sees how far it is; a run without a point says nothing, another campaign's
// neither, and the newest run's word counts.
TEST(Store, APlanIsWrittenWithTheFirstPoint) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "s.db").string();
  const auto planned = [&]() -> std::optional<std::int64_t> {
    Store store(path, Database::Access::kReadOnly);
    const auto id = store.find_campaign(kSome);
    return id ? store.planned(*id) : std::nullopt;
  };
  {
    Store store(path);
    const auto other = store.campaign({"b", "other", "training", Provenance::kMeasured});
    store.plan(kSome, 12);
    store.add(other, some_point(4));
    EXPECT_FALSE(planned());
    store.add(store.campaign(kSome), some_point(4));
    EXPECT_EQ(planned(), 12);
    EXPECT_FALSE(store.planned(other));
  }
  Store again(path);
  again.plan(kSome, 20);
  EXPECT_EQ(planned(), 12);
  again.add(again.campaign(kSome), some_point(1));
  EXPECT_EQ(planned(), 20);
}

TEST(Store, RepeatsBecomeTheirMedian) {
  const testing::TemporaryFolder folder;
  Store store((folder.path() / "s.db").string());
  const auto id = store.campaign({"b", "w", "inference", Provenance::kMeasured});
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

// What is measured of a minibatch goes to the sweep as it is: its energy is the integral, not a
// median time at a mean power.
TEST(Store, TheMeasuredEnergyIsExported) {
  const testing::TemporaryFolder folder;
  Store store((folder.path() / "s.db").string());
  const auto id = store.campaign(kSome);
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

// A store as schema 1 wrote it: the median under the name of the time, 40 of 52 minibatches
// counted, energy and window of all 52. It is read as it lies, and brought up to date when written.
TEST(Store, OldStoresStillOpen) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "old.db").string();
  {
    Database old(path, Database::Access::kCreate);
    old.execute(
        "CREATE TABLE campaign (id INTEGER PRIMARY KEY, board TEXT NOT NULL, workload TEXT NOT "
        "NULL, kind TEXT NOT NULL, provenance TEXT NOT NULL, UNIQUE (board, workload, kind, "
        "provenance));"
        "CREATE TABLE point (id INTEGER PRIMARY KEY, campaign INTEGER NOT NULL REFERENCES campaign "
        "(id), cpu_cores INTEGER NOT NULL, cpu_clock_hz REAL NOT NULL, gpu_clock_hz REAL NOT NULL, "
        "mem_clock_hz REAL NOT NULL, governor TEXT NOT NULL, batch INTEGER NOT NULL, repeat "
        "INTEGER "
        "NOT NULL, time_s REAL NOT NULL, power_w REAL NOT NULL, energy_j REAL NOT NULL, window_s "
        "REAL NOT NULL, idle_power_w REAL NOT NULL, minibatches INTEGER NOT NULL, power_samples "
        "INTEGER NOT NULL, largest_gap_s REAL NOT NULL, flags TEXT NOT NULL, started_unix_s "
        "INTEGER "
        "NOT NULL, UNIQUE (campaign, cpu_cores, cpu_clock_hz, gpu_clock_hz, mem_clock_hz, "
        "governor, "
        "batch, repeat));"
        "CREATE TABLE sample (point INTEGER NOT NULL REFERENCES point (id), channel TEXT NOT NULL, "
        "time_s REAL NOT NULL, value REAL NOT NULL); CREATE INDEX sample_of_point ON sample "
        "(point);"
        "PRAGMA application_id = 0x52445754; PRAGMA user_version = 1;"
        "INSERT INTO campaign VALUES (1, 'b', 'w', 'training', 'measured');"
        "INSERT INTO point VALUES (1, 1, 4, 0, 0, 0, '', 1, 0, 0.0103, 12.76, 27.04, 2.08, 5, 40, "
        "200,"
        " 0.01, '', 1), (2, 1, 4, 0, 0, 0, '', 2, 0, 0.5, 10, 5, 0.5, 0, 1, 0, 0, '', 0);"
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 52) "
        "INSERT INTO sample SELECT 1, 'minibatch', i * 0.04, 0.0103 FROM n;");
  }
  const auto bytes = read_file(path);
  const auto check = [](Store&& store) {
    const auto points = store.points(store.campaign(kSome), true);
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(points[0].minibatches, 52);
    EXPECT_EQ(points[0].samples.size(), 52u);
    EXPECT_DOUBLE_EQ(points[0].observation.time_s, 2.08 / 52);
    EXPECT_DOUBLE_EQ(points[0].observation.energy_j(), 0.52);
    EXPECT_DOUBLE_EQ(points[0].observation.power_w, 13);
    EXPECT_DOUBLE_EQ(*points[0].observation.time_median_s, 0.0103);
    EXPECT_FALSE(points[0].observation.fetch_stall_s);
    EXPECT_FALSE(points[1].observation.measured_energy_j);  // was imported
    EXPECT_DOUBLE_EQ(points[1].observation.time_s, 0.5);
    EXPECT_EQ(store.sweeps()[0].observations.size(), 2u);
  };
  check(Store(path, Database::Access::kReadOnly));
  EXPECT_EQ(read_file(path), bytes);
  check(Store(path));
  check(Store(path, Database::Access::kReadOnly));  // schema 2
  EXPECT_NE(read_file(path), bytes);
  Store store(path);
  store.add(store.campaign(kSome), some_point(7));
  EXPECT_EQ(store.points(store.campaign(kSome)).size(), 3u);
}

TEST(Store, ImportedSweepIsExportedUnchanged) {
  const testing::TemporaryFolder folder;
  const auto file = folder.write("s.csv",
                                 "workload,kind,batch,gpu_mhz,time_ms,power_w\n"
                                 "a,training,16,114.75,100,10\na,training,16,204,50,12\n");
  const Sweep sweep = read_sweep(file);
  Store store((folder.path() / "s.db").string());
  EXPECT_EQ(store.import(sweep, "agx-orin", Provenance::kReplayed), 2u);
  EXPECT_EQ(store.import(sweep, "agx-orin", Provenance::kReplayed), 0u);
  Sweep kept = sweep;
  kept.board = "agx-orin";
  EXPECT_EQ(write_sweep_csv(store.sweeps()), write_sweep_csv({kept}));
}

TEST(Store, PointsKeepBoardAndProvenanceAndAreChosenByThem) {
  const testing::TemporaryFolder folder;
  Store store((folder.path() / "s.db").string());
  store.add(store.campaign({"fake:agx-orin", "a", "training", Provenance::kFake}), some_point(1));
  store.add(store.campaign({"agx-orin", "a", "training", Provenance::kMeasured}), some_point(1));
  store.add(store.campaign({"agx-orin", "b", "inference", Provenance::kMeasured}), some_point(1));
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
      const auto id = store.campaign({"b", "w", "training", Provenance::kMeasured});
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
        store.points(store.campaign({"b", "w", "training", Provenance::kMeasured}), true);
    // The last point may be written without its report.
    EXPECT_GE(static_cast<int>(points.size()), finished);
    EXPECT_LE(static_cast<int>(points.size()), finished + 1 + round);
    finished = static_cast<int>(points.size());
    for (const auto& point : points) EXPECT_EQ(point.samples.size(), 2u);
  }
}

// A store of root in a folder of root: another user reads it, whatever its writer left beside it.
TEST(Store, AnotherUserReads) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: needs root to become another user";
  const testing::TemporaryFolder folder;
  chmod(folder.path().c_str(), 0755);
  const std::string path = (folder.path() / "a b%3F?#.db").string();
  Store(path).add(Store(path).campaign(kSome), some_point(1));
  const auto count = [&] {
    Store store(path, Database::Access::kReadOnly);
    return static_cast<int>(store.points(store.campaign(kSome), true).size());
  };
  ASSERT_FALSE(std::filesystem::exists(path + "-wal"));
  EXPECT_EQ(in_child(count, kNobody), 1);
  EXPECT_EQ(in_child(count), 1);
  EXPECT_FALSE(std::filesystem::exists(path + "-wal")) << "reading left something behind";
  EXPECT_FALSE(std::filesystem::exists(path + "-shm"));
  // A writer that was killed leaves a log with points in it.
  EXPECT_EQ(in_child([&] {
              Store store(path);
              store.add(store.campaign(kSome), some_point(2));
              return kill(getpid(), SIGKILL);
            }),
            128 + SIGKILL);
  ASSERT_GT(std::filesystem::file_size(path + "-wal"), 0u);
  EXPECT_EQ(in_child(count, kNobody), 2);
  // Without the right to read that log nothing is told: the file alone lacks a point.
  chmod((path + "-shm").c_str(), 0600);
  chmod((path + "-wal").c_str(), 0600);
  EXPECT_EQ(in_child(
                [&] {
                  try {
                    return count();
                  } catch (const PermissionError& error) {
                    return std::string(error.what()).find("-wal") != std::string::npos ? 77 : 78;
                  }
                },
                kNobody),
            77);
  Store{path};  // its writer replays it
  EXPECT_EQ(in_child(count, kNobody), 2);
  // An empty log without its index, as a reader of an older version left it.
  std::ofstream(path + "-wal").flush();
  EXPECT_EQ(in_child(count, kNobody), 2);
  EXPECT_EQ(in_child([&] { return Store(path), 0; }, kNobody), 9);  // but not write
}

TEST(Store, WhatIsWrittenMeanwhileIsNotMixedIn) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "s.db").string();
  Store(path).add(Store(path).campaign(kSome), some_point(1));
  Store reader(path, Database::Access::kReadOnly);
  EXPECT_EQ(reader.points(reader.campaign(kSome)).size(), 1u);
  Store(path).add(Store(path).campaign(kSome), some_point(2));
  EXPECT_THROW(reader.points(reader.campaign(kSome)), IoError);
  Store fresh(path, Database::Access::kReadOnly);
  EXPECT_THROW(fresh.campaign({"other", "w", "training", Provenance::kMeasured}), NotFoundError);
  EXPECT_THROW(Store(path, Database::Access::kReadOnly).add(1, some_point(3)), PermissionError);
}

// Processes that make one store and fill it with the same points at the same moment.
TEST(Store, ManyProcessesMakeAndFillOneStore) {
  static constexpr int kProcesses = 4;
  static constexpr int kPoints = 3;
  const testing::TemporaryFolder folder;
  for (int round = 0; round < 40; ++round) {
    const std::string path = (folder.path() / ("s" + std::to_string(round))).string();
    int start[2];
    ASSERT_EQ(pipe(start), 0);
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      close(start[1]);
      char go = 0;
      if (read(start[0], &go, 1) != 0) _exit(7);  // all at once, when the parent closes its end
      _exit(in_child([&] {
        Store store(path);
        for (int batch = 1; batch <= kPoints; ++batch) {
          store.add_if_absent(store.campaign(kSome), some_point(batch));
        }
        Campaign own = kSome;
        own.workload = std::to_string(process);
        store.add(store.campaign(own), some_point(1));
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
    EXPECT_EQ(store.points(store.campaign(kSome)).size(), std::size_t{kPoints});
    EXPECT_EQ(store.campaigns().size(), 1u + kProcesses);
  }
}

TEST(Store, AStoreMadeAtFirstWriteLeavesNothingWithoutOne) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "s.db").string();
  {
    Store store = Store::made_at_first_write(path);
    EXPECT_FALSE(store.find_campaign(kSome));
    EXPECT_TRUE(store.campaigns().empty() && store.sweeps().empty());
    EXPECT_FALSE(store.has(1, some_point(1).observation.point));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  Store store = Store::made_at_first_write(path);
  store.add(store.campaign(kSome), some_point(1));
  EXPECT_TRUE(Store::made_at_first_write(path).find_campaign(kSome));
  EXPECT_THROW(Store::made_at_first_write((folder.path() / "no" / "s.db").string()), NotFoundError);
}

// Under sudo the store and what lies beside it belong to the calling user.
TEST(Store, UnderSudoItBelongsToTheCaller) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: needs root";
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "s.db").string();
  setenv("SUDO_UID", "65534", 1);
  setenv("SUDO_GID", "65533", 1);
  {
    Store store(path);
    store.add(store.campaign(kSome), some_point(1));
    for (const char* end : {"", "-wal", "-shm"}) {
      struct stat status {};
      ASSERT_EQ(stat((path + end).c_str(), &status), 0) << end;
      EXPECT_EQ(status.st_uid, kNobody) << end;
      EXPECT_EQ(status.st_gid, 65533u) << end;
    }
  }
  for (const char* wrong : {"", "x", "-1", "4294967295", "0"}) {
    setenv("SUDO_UID", wrong, 1);
    const std::string other = path + "o";
    Store{other};
    struct stat status {};
    ASSERT_EQ(stat(other.c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 0u) << wrong;
    std::filesystem::remove(other);
  }
  unsetenv("SUDO_UID");
  unsetenv("SUDO_GID");
}

}  // namespace
}  // namespace ridgewatt::store
