#include "ridgewatt/store/sqlite/sqlite_connection.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/store/sql/schema.h"

namespace ridgewatt::store {
namespace {

constexpr double kPatienceS = 60;
constexpr std::int64_t kApplicationId = 0x52445754;  // "RDWT"

SqlTypes sqlite_types() {
  return {"INTEGER PRIMARY KEY", "INTEGER", "REAL", "TEXT"};
}

constexpr const char* kSampleTable = R"sql(
CREATE TABLE sample (
  point INTEGER NOT NULL REFERENCES point (id), channel TEXT NOT NULL, time_s REAL NOT NULL,
  value REAL NOT NULL);
CREATE INDEX sample_of_point ON sample (point);
)sql";

constexpr const char* kReadingView =
    "CREATE TEMP VIEW reading AS SELECT point, channel, time_s, value, rowid AS place FROM sample";

// In schema 1, time_s was the median, and `minibatches` did not count slow minibatches, although
// energy, window and samples include them. Imported points have no samples, and their energy was
// not measured.
constexpr const char* kFromSchema1 = R"sql(
SELECT id, campaign, cpu_cores, cpu_clock_hz, gpu_clock_hz, mem_clock_hz, governor, batch, repeat,
  CASE WHEN n > 0 THEN window_s / n ELSE time_s END AS time_s,
  CASE WHEN n > 0 AND energy_j > 0 THEN energy_j / window_s ELSE power_w END AS power_w,
  CASE WHEN n > 0 THEN energy_j ELSE 0 END AS energy_j,
  window_s, idle_power_w, CASE WHEN n > 0 THEN n ELSE minibatches END AS minibatches,
  power_samples, largest_gap_s, flags, started_unix_s,
  CASE WHEN n > 0 THEN time_s END AS time_median_s, NULL AS fetch_stall_s, 0 AS excluded
FROM (SELECT *, (SELECT COUNT(*) FROM sample WHERE sample.point = p.id AND channel = 'minibatch'
      AND p.window_s > 0) AS n FROM main.point AS p)
)sql";

constexpr const char* kUpTo2 = R"sql(
ALTER TABLE point ADD COLUMN time_median_s REAL;
ALTER TABLE point ADD COLUMN fetch_stall_s REAL;
ALTER TABLE point ADD COLUMN excluded INTEGER NOT NULL DEFAULT 0;
CREATE TEMP TABLE newer AS {};
CREATE INDEX temp.newer_id ON newer (id);
UPDATE point SET (time_s, power_w, energy_j, minibatches, time_median_s) = (SELECT time_s,
  power_w, energy_j, minibatches, time_median_s FROM newer WHERE newer.id = point.id);
DROP TABLE newer;
)sql";

// In schema 2, a series was called a campaign, and there were no serials or slots. References to
// the table follow its renaming to `series`; then a new table with that name takes its place.
constexpr const char* kUpTo3 = R"sql(
CREATE TABLE IF NOT EXISTS plan (
  campaign INTEGER PRIMARY KEY REFERENCES campaign (id), points INTEGER NOT NULL);
ALTER TABLE campaign RENAME TO series;
{}
INSERT INTO series_with_serial (id, board, workload, kind, provenance)
  SELECT id, board, workload, kind, provenance FROM series;
DROP TABLE series;
ALTER TABLE series_with_serial RENAME TO series;
ALTER TABLE plan RENAME COLUMN campaign TO series;
ALTER TABLE point RENAME COLUMN campaign TO series;
ALTER TABLE point ADD COLUMN slot TEXT;
CREATE UNIQUE INDEX point_of_slot ON point (slot) WHERE slot IS NOT NULL;
CREATE INDEX point_of_series ON point (series, id);
)sql";

constexpr std::int64_t kSchemaWithSeries = 3;

void bind_all(Statement& statement, const std::vector<Value>& values) {
  int index = 0;
  for (const Value& value : values) {
    ++index;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
      statement.bind(index, *integer);
    } else if (const auto* real = std::get_if<double>(&value)) {
      statement.bind(index, *real);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      statement.bind(index, std::string_view(*text));
    } else {
      statement.bind_null(index);
    }
  }
}

class SqliteRow : public Row {
 public:
  explicit SqliteRow(const Statement& statement) : statement_(statement) {}
  std::int64_t integer(int column) const override { return statement_.integer(column); }
  double real(int column) const override { return statement_.real(column); }
  std::string text(int column) const override { return statement_.text(column); }
  bool is_null(int column) const override { return statement_.is_null(column); }

 private:
  const Statement& statement_;
};

}  // namespace

SqliteConnection::SqliteConnection(const std::string& path, Database::Access access)
    : database_(path, access) {
  const bool is_new = database_.pragma("schema_version") == 0;
  if (is_new && access == Database::Access::kReadOnly) {
    throw InputError("is not a ridgewatt store", path, "it is empty");
  }
  if (!is_new && database_.pragma("application_id") != kApplicationId) {
    throw InputError("is a database, but not a ridgewatt store", path);
  }
  const auto version = database_.pragma("user_version");
  if (version > kSchemaVersion) {
    throw InputError(fmt::format("the store has schema {}, but this program supports only up to {}",
                                 version, kSchemaVersion),
                     path, "use a newer version of ridgewatt");
  }
  database_.execute("PRAGMA temp_store = MEMORY");
  if (access == Database::Access::kCreate) {
    make_schema();
    bring_up_to_date();
    database_.execute("PRAGMA foreign_keys = ON");
  } else if (version < kSchemaWithSeries) {
    read_as_newest(version);
  }
  schema_ = access == Database::Access::kCreate ? kSchemaVersion : version;
  database_.execute(kReadingView);
}

// Temporary views in memory that hide the older tables of the same names.
void SqliteConnection::read_as_newest(std::int64_t version) {
  database_.execute(
      fmt::format("CREATE TEMP VIEW series AS SELECT *, '' AS serial FROM main.campaign;"
                  "CREATE TEMP VIEW plan AS SELECT {};"
                  "CREATE TEMP VIEW point AS SELECT *, campaign AS series, NULL AS slot FROM {}",
                  database_.has_table("plan") ? "campaign AS series, points FROM main.plan"
                                              : "0 AS series, 0 AS points WHERE 0",
                  version == 1 ? fmt::format("({})", kFromSchema1) : "main.point"));
}

void SqliteConnection::make_schema() {
  // Switching to the log needs exclusive access to the file, and SQLite does not wait for it.
  const Stopwatch waiting;
  while (!database_.try_execute("PRAGMA journal_mode = WAL")) {
    if (waiting.s() > kPatienceS) {
      throw IoError("another process has locked the store", database_.path(),
                    "try again when that process has ended");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  database_.execute("PRAGMA synchronous = FULL");
  if (database_.pragma("schema_version") != 0) return;
  Transaction transaction(database_);
  // Another process may have created the tables while this one waited for the lock.
  if (database_.pragma("schema_version") != 0) return;
  database_.execute(shared_tables(sqlite_types()) + campaign_table(sqlite_types()) +
                    failure_tables(sqlite_types()) + kSampleTable);
  database_.execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                kApplicationId, kSchemaVersion));
  transaction.commit();
}

// Disable foreign keys during the upgrade, because a referenced table is dropped and recreated.
void SqliteConnection::bring_up_to_date() {
  if (database_.pragma("user_version") == kSchemaVersion) return;
  database_.execute("PRAGMA foreign_keys = OFF");
  Transaction transaction(database_);
  const auto version = database_.pragma("user_version");
  if (version == kSchemaVersion) return;  // another process has upgraded the store
  if (version == 1) database_.execute(fmt::format(kUpTo2, kFromSchema1));
  if (version < kSchemaWithSeries) {
    database_.execute(fmt::format(kUpTo3, series_table(sqlite_types(), "series_with_serial")));
  }
  if (version < kSchemaWithCampaigns) database_.execute(campaign_table(sqlite_types()));
  database_.execute(failure_tables(sqlite_types()));
  database_.execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  transaction.commit();
}

void SqliteConnection::query(const std::string& sql, const std::vector<Value>& values,
                             const Each& each) {
  Statement statement(database_, sql);
  bind_all(statement, values);
  const SqliteRow row(statement);
  while (statement.step()) {
    if (each) each(row);
  }
}

std::vector<bool> SqliteConnection::add(const std::vector<NewPoint>& points) {
  Transaction transaction(database_);
  Statement insert(database_, insert_point());
  Statement sample(database_,
                   "INSERT INTO sample (point, channel, time_s, value) VALUES (?,?,?,?)");
  std::vector<bool> added;
  for (const auto& point : points) {
    bind_all(insert, values_of(point.series, *point.record));
    added.push_back(insert.step());
    const std::int64_t id = added.back() ? insert.integer(0) : 0;
    insert.reset();
    if (!added.back()) continue;
    for (const auto& raw : point.record->samples) {
      sample.bind(1, id).bind(2, raw.channel).bind(3, raw.time_s).bind(4, raw.value).run();
    }
  }
  transaction.commit();
  return added;
}

}  // namespace ridgewatt::store
