// Tests that apply only to stores in a file: older schemas, other users, journal files.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/store/postgresql/test_stores.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::store {
namespace {

constexpr uid_t kNobody = 65534;

TEST(SqliteStore, NoStoreIsMadeOfADamagedFile) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "points.db").string();
  {
    Store store(path);
    const auto id = store.series(kSome);
    for (int batch = 1; batch <= 400; ++batch) store.add(id, some_point(batch));
  }
  std::string text = read_file(path);
  text.replace(text.size() / 2, 4096, std::string(4096, 'x'));
  folder.write("points.db", text);
  const std::string made = (folder.path() / "made.db").string();
  Store damaged(path, Database::Access::kReadOnly);
  EXPECT_THROW(Store::made_at_first_write(made).take_from(damaged), InputError);
  EXPECT_FALSE(std::filesystem::exists(made));
}

// The last point is in the second transaction of the copy, so the first one could be committed.
TEST(SqliteStore, NoStoreIsMadeIfAPointCannotBeCopied) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "points.db").string();
  {
    Store store(path);
    const auto id = store.series(kSome);
    for (int batch = 1; batch <= 300; ++batch) store.add(id, some_point(batch));
  }
  Database(path, Database::Access::kCreate)
      .execute("UPDATE point SET time_s = 9e999 WHERE batch = 300");
  const std::string made = (folder.path() / "made.db").string();
  Store source(path, Database::Access::kReadOnly);
  EXPECT_THROW(Store::made_at_first_write(made).take_from(source), InputError);
  EXPECT_FALSE(std::filesystem::exists(made));
}

TEST(SqliteStore, AFileOfAnotherKindIsRefusedAndKept) {
  const testing::TemporaryFolder folder;
  for (const std::string& content : {std::string("\n"), std::string("ab"), std::string("{}\n"),
                                     std::string("a,b\n1,2\n"), std::string(5000, '\0')}) {
    const std::string path = folder.write("file", content);
    for (const auto access : {Database::Access::kReadOnly, Database::Access::kCreate}) {
      try {
        Store(path, access).all_series();
        ADD_FAILURE() << content;
      } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("not a database"), std::string::npos)
            << error.what();
      }
    }
    EXPECT_EQ(read_file(path), content);
  }
}

// A store written with schema 1: the median is stored as the time, 40 of 52 minibatches count, and
// energy and window cover all 52. Reading does not change the file; writing upgrades it.
TEST(SqliteStore, OldStoresStillOpen) {
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
    const auto points = store.points(store.series(kSome), true);
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(points[0].minibatches, 52);
    EXPECT_EQ(points[0].samples.size(), 52u);
    EXPECT_DOUBLE_EQ(points[0].observation.time_s, 2.08 / 52);
    EXPECT_DOUBLE_EQ(points[0].observation.energy_j(), 0.52);
    EXPECT_DOUBLE_EQ(points[0].observation.power_w, 13);
    EXPECT_DOUBLE_EQ(*points[0].observation.time_median_s, 0.0103);
    EXPECT_FALSE(points[0].observation.fetch_stall_s);
    EXPECT_FALSE(points[1].observation.measured_energy_j);  // an imported point
    EXPECT_DOUBLE_EQ(points[1].observation.time_s, 0.5);
    EXPECT_EQ(store.sweeps()[0].observations.size(), 2u);
  };
  check(Store(path, Database::Access::kReadOnly));
  EXPECT_EQ(read_file(path), bytes);
  check(Store(path));
  check(Store(path, Database::Access::kReadOnly));
  EXPECT_NE(read_file(path), bytes);
  Store store(path);
  store.add(store.series(kSome), some_point(7));
  EXPECT_EQ(store.points(store.series(kSome)).size(), 3u);
}

// Writes a store with schema 2 and a plan.
void write_schema_2(const std::string& path, int points) {
  Database old(path, Database::Access::kCreate);
  old.execute(
      "PRAGMA journal_mode = WAL; CREATE TABLE campaign (id INTEGER PRIMARY KEY, board TEXT NOT "
      "NULL, workload TEXT NOT NULL, kind TEXT NOT NULL, provenance TEXT NOT NULL, UNIQUE (board, "
      "workload, kind, provenance));"
      "CREATE TABLE point (id INTEGER PRIMARY KEY, campaign INTEGER NOT NULL REFERENCES campaign "
      "(id), cpu_cores INTEGER NOT NULL, cpu_clock_hz REAL NOT NULL, gpu_clock_hz REAL NOT NULL, "
      "mem_clock_hz REAL NOT NULL, governor TEXT NOT NULL, batch INTEGER NOT NULL, repeat INTEGER "
      "NOT NULL, time_s REAL NOT NULL, power_w REAL NOT NULL, energy_j REAL NOT NULL, window_s "
      "REAL NOT NULL, idle_power_w REAL NOT NULL, minibatches INTEGER NOT NULL, power_samples "
      "INTEGER NOT NULL, largest_gap_s REAL NOT NULL, flags TEXT NOT NULL, started_unix_s INTEGER "
      "NOT NULL, time_median_s REAL, fetch_stall_s REAL, excluded INTEGER NOT NULL DEFAULT 0, "
      "UNIQUE (campaign, cpu_cores, cpu_clock_hz, gpu_clock_hz, mem_clock_hz, governor, batch, "
      "repeat));"
      "CREATE TABLE sample (point INTEGER NOT NULL REFERENCES point (id), channel TEXT NOT NULL, "
      "time_s REAL NOT NULL, value REAL NOT NULL); CREATE INDEX sample_of_point ON sample (point);"
      "PRAGMA application_id = 0x52445754; PRAGMA user_version = 2;"
      "INSERT INTO campaign VALUES (3, 'b', 'w', 'training', 'measured');"
      "CREATE TABLE plan (campaign INTEGER PRIMARY KEY REFERENCES campaign (id), points INTEGER "
      "NOT NULL); INSERT INTO plan VALUES (3, 44);");
  old.execute("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
              std::to_string(points) +
              ") INSERT INTO point SELECT i, 3, 4, 0, 0, 0, '', i, 0, 0.5, 10, 5, 0.5, 0, 1, 0, 0, "
              "'drifted', 7, 0.4, NULL, 2 FROM n;"
              "INSERT INTO sample SELECT id, 'minibatch', 0.5, 0.25 FROM point;");
}

TEST(SqliteStore, SchemaTwoIsReadAsItIsAndBroughtUpToDate) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "old.db").string();
  write_schema_2(path, 2);
  const auto bytes = read_file(path);
  const auto check = [](Store&& store) {
    const auto held = store.holdings();
    ASSERT_EQ(held.size(), 1u);
    EXPECT_EQ(held[0].series, kSome);
    EXPECT_EQ(held[0].points, 2);
    EXPECT_EQ(held[0].flagged, 2);
    EXPECT_EQ(held[0].planned, 44);
    const auto points = store.points(store.series(kSome), true);
    EXPECT_EQ(points[1].observation.point.batch, 2);
    EXPECT_EQ(points[1].excluded, 2);
    EXPECT_EQ(points[1].samples.at(0).value, 0.25);
    EXPECT_EQ(points[1].slot, "");
    EXPECT_FALSE(store.has_slot(""));
    EXPECT_TRUE(store.filled_slots("").empty());
  };
  check(Store(path, Database::Access::kReadOnly));
  EXPECT_EQ(read_file(path), bytes);
  check(Store(path));
  check(Store(path, Database::Access::kReadOnly));
  Database now(path, Database::Access::kCreate);
  Statement version(now, "PRAGMA user_version");
  ASSERT_TRUE(version.step());
  EXPECT_EQ(version.integer(0), 5);
  Statement broken(now, "PRAGMA foreign_key_check");
  EXPECT_FALSE(broken.step());
  Statement referred(now, "SELECT \"table\" FROM pragma_foreign_key_list('point')");
  ASSERT_TRUE(referred.step());
  EXPECT_EQ(referred.text(0), "series");
  Series serial = kSome;
  serial.serial = "1421";
  Store store(path);
  EXPECT_NE(store.series(serial), store.series(kSome));
  EXPECT_THROW(store.add(99, some_point(9)), IoError);  // no such series
}

// Several processes upgrade a store at once, and one of them is killed: nothing is lost.
// label: waits
TEST(SqliteStore, SeveralBringAnOldStoreUpToDate) {
  const testing::TemporaryFolder folder;
  for (int round = 0; round < 8; ++round) {
    const std::string path = (folder.path() / std::to_string(round)).string();
    write_schema_2(path, 5000);
    std::vector<pid_t> children;
    for (int process = 0; process < 4; ++process) {
      children.push_back(fork());
      if (children.back() != 0) continue;
      _exit(in_child([&] {
        Store store(path);
        return store.add_if_absent(store.series(kSome), some_point(9000)) ? 1 : 0;
      }));
    }
    usleep(static_cast<useconds_t>(2000 * round));
    kill(children[0], SIGKILL);
    int added = 0;
    for (std::size_t i = 0; i < children.size(); ++i) {
      int status = 0;
      waitpid(children[i], &status, 0);
      if (i > 0) {
        ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= 1);
      }
      added += WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    }
    EXPECT_LE(added, 1);
    Store store(path, Database::Access::kReadOnly);
    EXPECT_EQ(store.holdings().at(0).points, 5001);
    EXPECT_EQ(store.points(store.series(kSome), true).back().samples.size(), 2u);
  }
}

// Schema 3 had all tables except `campaign`.
TEST(SqliteStore, SchemaThreeIsReadAsItIsAndBroughtUpToDate) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "old.db").string();
  Store(path).add(Store(path).series(kSome), some_point(1));
  Database(path, Database::Access::kCreate)
      .execute(
          "DROP TABLE campaign; DROP TABLE failure; DROP TABLE campaign_board; PRAGMA user_version "
          "= 3");
  {
    Store old(path, Database::Access::kReadOnly);
    EXPECT_EQ(old.schema(), 3);
    EXPECT_TRUE(old.campaigns().empty());
    EXPECT_EQ(old.points(old.series(kSome)).size(), 1u);
  }
  Store now(path);
  EXPECT_EQ(now.schema(), 5);
  ASSERT_TRUE(now.enter_campaign({"c", "aa", "ann@lab", 1700000000}));
  EXPECT_EQ(now.points(now.series(kSome)).size(), 1u);
}

TEST(SqliteStore, ForeignAndBrokenFilesAreNamed) {
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

// A store of root in a folder of root: another user can read it, whichever journal files its writer
// has left.
TEST(SqliteStore, AnotherUserReads) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: needs root to become another user";
  const testing::TemporaryFolder folder;
  chmod(folder.path().c_str(), 0755);
  const std::string path = (folder.path() / "a b%3F?#.db").string();
  Store(path).add(Store(path).series(kSome), some_point(1));
  const auto count = [&] {
    Store store(path, Database::Access::kReadOnly);
    return static_cast<int>(store.points(store.series(kSome), true).size());
  };
  ASSERT_FALSE(std::filesystem::exists(path + "-wal"));
  EXPECT_EQ(in_child(count, kNobody), 1);
  EXPECT_EQ(in_child(count), 1);
  EXPECT_FALSE(std::filesystem::exists(path + "-wal")) << "reading left something behind";
  EXPECT_FALSE(std::filesystem::exists(path + "-shm"));
  // A killed writer leaves a log with points.
  EXPECT_EQ(in_child([&] {
              Store store(path);
              store.add(store.series(kSome), some_point(2));
              return kill(getpid(), SIGKILL);
            }),
            128 + SIGKILL);
  ASSERT_GT(std::filesystem::file_size(path + "-wal"), 0u);
  EXPECT_EQ(in_child(count, kNobody), 2);
  // If the user may not read that log, reading is refused, because the file alone lacks a point.
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
  Store{path};  // the writer replays the log
  EXPECT_EQ(in_child(count, kNobody), 2);
  // An empty log without its index, as a reader of an older version leaves it.
  std::ofstream(path + "-wal").flush();
  EXPECT_EQ(in_child(count, kNobody), 2);
  EXPECT_EQ(in_child([&] { return Store(path), 0; }, kNobody), 9);  // writing is refused
}

TEST(SqliteStore, WhatIsWrittenInBetweenIsNotMixedIn) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "s.db").string();
  Store(path).add(Store(path).series(kSome), some_point(1));
  Store reader(path, Database::Access::kReadOnly);
  EXPECT_EQ(reader.points(reader.series(kSome)).size(), 1u);
  Store(path).add(Store(path).series(kSome), some_point(2));
  EXPECT_THROW(reader.points(reader.series(kSome)), IoError);
  Store fresh(path, Database::Access::kReadOnly);
  EXPECT_THROW(fresh.series({"other", "w", "training", Provenance::kMeasured}), NotFoundError);
  EXPECT_THROW(Store(path, Database::Access::kReadOnly).add(1, some_point(3)), PermissionError);
}

// Under sudo, the store and its journal files belong to the calling user.
TEST(SqliteStore, UnderSudoItBelongsToTheCaller) {
  if (geteuid() != 0) GTEST_SKIP() << "skipped: needs root";
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "s.db").string();
  setenv("SUDO_UID", "65534", 1);
  setenv("SUDO_GID", "65533", 1);
  {
    Store store(path);
    store.add(store.series(kSome), some_point(1));
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
