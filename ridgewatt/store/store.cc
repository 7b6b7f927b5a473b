#include "ridgewatt/store/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <map>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::store {
namespace {

constexpr std::int64_t kSchemaVersion = 2;
constexpr double kPatienceS = 60;
constexpr std::int64_t kApplicationId = 0x52445754;  // "RDWT"

constexpr const char* kSchema = R"sql(
CREATE TABLE campaign (
  id INTEGER PRIMARY KEY, board TEXT NOT NULL, workload TEXT NOT NULL, kind TEXT NOT NULL,
  provenance TEXT NOT NULL, UNIQUE (board, workload, kind, provenance));
CREATE TABLE point (
  id INTEGER PRIMARY KEY, campaign INTEGER NOT NULL REFERENCES campaign (id),
  cpu_cores INTEGER NOT NULL, cpu_clock_hz REAL NOT NULL, gpu_clock_hz REAL NOT NULL,
  mem_clock_hz REAL NOT NULL, governor TEXT NOT NULL, batch INTEGER NOT NULL,
  repeat INTEGER NOT NULL, time_s REAL NOT NULL, power_w REAL NOT NULL, energy_j REAL NOT NULL,
  window_s REAL NOT NULL, idle_power_w REAL NOT NULL, minibatches INTEGER NOT NULL,
  power_samples INTEGER NOT NULL, largest_gap_s REAL NOT NULL, flags TEXT NOT NULL,
  started_unix_s INTEGER NOT NULL, time_median_s REAL, fetch_stall_s REAL,
  excluded INTEGER NOT NULL DEFAULT 0,
  UNIQUE (campaign, cpu_cores, cpu_clock_hz, gpu_clock_hz, mem_clock_hz, governor, batch, repeat));
CREATE TABLE sample (
  point INTEGER NOT NULL REFERENCES point (id), channel TEXT NOT NULL, time_s REAL NOT NULL,
  value REAL NOT NULL);
CREATE INDEX sample_of_point ON sample (point);
)sql";

constexpr const char* kPointColumns =
    "cpu_cores, cpu_clock_hz, gpu_clock_hz, mem_clock_hz, governor, batch, repeat, time_s, power_w,"
    " energy_j, window_s, idle_power_w, minibatches, power_samples, largest_gap_s, flags,"
    " started_unix_s, time_median_s, fetch_stall_s, excluded";

// Schema 1 kept the median as time_s, and did not count minibatches that were slow, of which
// energy, window and samples hold all. What was imported has no samples, and its energy was not
// measured.
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

constexpr const char* kPointKey =
    "campaign = ? AND cpu_cores = ? AND cpu_clock_hz = ? AND gpu_clock_hz = ? AND mem_clock_hz = ? "
    "AND governor = ? AND batch = ? AND repeat = ?";

std::int64_t pragma(Database& database, const std::string& name) {
  Statement statement(database, "PRAGMA " + name);
  statement.step();
  return statement.integer(0);
}

// Binds mode, batch and repeat at `index` and after.
void bind_key(Statement& statement, int index, const OperatingPoint& point, int repeat) {
  statement.bind(index, point.mode.cpu_cores)
      .bind(index + 1, point.mode.cpu_clock_hz)
      .bind(index + 2, point.mode.gpu_clock_hz)
      .bind(index + 3, point.mode.mem_clock_hz)
      .bind(index + 4, point.mode.governor)
      .bind(index + 5, point.batch)
      .bind(index + 6, repeat);
}

void bind_campaign(Statement& statement, const Campaign& campaign) {
  statement.bind(1, campaign.board)
      .bind(2, campaign.workload)
      .bind(3, campaign.kind)
      .bind(4, std::string(name_of(campaign.provenance)));
}

// Reads kPointColumns, which start at column `c`.
PointRecord read_point(const Statement& row, int c) {
  PointRecord point;
  OperatingPoint& operating_point = point.observation.point;
  operating_point.mode = {static_cast<int>(row.integer(c)), row.real(c + 1), row.real(c + 2),
                          row.real(c + 3), row.text(c + 4)};
  operating_point.batch = static_cast<int>(row.integer(c + 5));
  point.repeat = static_cast<int>(row.integer(c + 6));
  point.observation.time_s = row.real(c + 7);
  point.observation.power_w = row.real(c + 8);
  point.energy_j = row.real(c + 9);
  point.window_s = row.real(c + 10);
  point.idle_power_w = row.real(c + 11);
  point.minibatches = static_cast<int>(row.integer(c + 12));
  point.power_samples = static_cast<int>(row.integer(c + 13));
  point.largest_gap_s = row.real(c + 14);
  const auto flags = PointFlags::read(row.text(c + 15));
  if (!flags) throw InputError("a point of the store has an unknown flag", row.text(c + 15));
  point.flags = *flags;
  point.started_unix_s = row.integer(c + 16);
  if (point.energy_j > 0 && point.minibatches > 0) {
    point.observation.measured_energy_j = point.energy_j / point.minibatches;
  }
  if (!row.is_null(c + 17)) point.observation.time_median_s = row.real(c + 17);
  if (!row.is_null(c + 18)) point.observation.fetch_stall_s = row.real(c + 18);
  point.excluded = static_cast<int>(row.integer(c + 19));
  return point;
}

// Repeats of one point as one: the power is that of the median time and energy, so that the three
// agree. An energy, median or stall that one of them lacks is not known.
Observation median_of(const std::vector<Observation>& repeats) {
  if (repeats.size() == 1) return repeats[0];
  const auto median_over = [&](auto value) -> std::optional<double> {
    std::vector<double> values;
    for (const auto& one : repeats) {
      const std::optional<double> found = value(one);
      if (!found) return std::nullopt;
      values.push_back(*found);
    }
    return median(values);
  };
  Observation result{repeats[0].point};
  result.time_s = *median_over([](const Observation& o) { return std::optional(o.time_s); });
  result.power_w = *median_over([](const Observation& o) { return std::optional(o.power_w); });
  result.measured_energy_j = median_over([](const Observation& o) { return o.measured_energy_j; });
  result.time_median_s = median_over([](const Observation& o) { return o.time_median_s; });
  result.fetch_stall_s = median_over([](const Observation& o) { return o.fetch_stall_s; });
  if (result.measured_energy_j) result.power_w = *result.measured_energy_j / result.time_s;
  return result;
}

}  // namespace

Store::Store(const std::string& path, Database::Access access) : path_(path) {
  open(access);
}

Store Store::made_at_first_write(const std::string& path) {
  if (::access(path.c_str(), F_OK) == 0) return Store(path);
  const auto slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw_errno(errno, "cannot make store", path);
  return {path, Later()};
}

void Store::open(Database::Access access) {
  auto database = std::make_unique<Database>(path_, access);
  const bool is_new = pragma(*database, "schema_version") == 0;
  if (is_new && access == Database::Access::kReadOnly) {
    throw InputError("is not a ridgewatt store", path_, "it is empty");
  }
  if (!is_new && pragma(*database, "application_id") != kApplicationId) {
    throw InputError("is a database, but not a ridgewatt store", path_);
  }
  const auto version = pragma(*database, "user_version");
  if (version > kSchemaVersion) {
    throw InputError(
        fmt::format("store has schema {}, this program knows up to {}", version, kSchemaVersion),
        path_, "use a newer ridgewatt");
  }
  database_ = std::move(database);
  if (access == Database::Access::kCreate) {
    make_schema();
    bring_up_to_date();
  } else if (version == 1) {  // a view that stands before the table, in memory
    database_->execute(
        fmt::format("PRAGMA temp_store = MEMORY; CREATE TEMP VIEW point AS {}", kFromSchema1));
  }
}

void Store::make_schema() {
  // To turn the log on needs the file alone, and SQLite does not wait for that.
  const Stopwatch waiting;
  while (!database_->try_execute("PRAGMA journal_mode = WAL")) {
    if (waiting.s() > kPatienceS) {
      throw IoError("another process holds the store", path_, "try again when it has ended");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  database_->execute("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  if (pragma(*database_, "schema_version") != 0) return;
  Transaction transaction(*database_);
  // Another process may have made the tables while this one waited for the lock.
  if (pragma(*database_, "schema_version") != 0) return;
  database_->execute(kSchema);
  database_->execute(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                                 kApplicationId, kSchemaVersion));
  transaction.commit();
}

void Store::bring_up_to_date() {
  if (pragma(*database_, "user_version") == kSchemaVersion) return;
  Transaction transaction(*database_);
  if (pragma(*database_, "user_version") == kSchemaVersion) return;  // another process did
  database_->execute(fmt::format(
      "ALTER TABLE point ADD COLUMN time_median_s REAL;"
      "ALTER TABLE point ADD COLUMN fetch_stall_s REAL;"
      "ALTER TABLE point ADD COLUMN excluded INTEGER NOT NULL DEFAULT 0;"
      "CREATE TEMP TABLE newer AS {};"
      "CREATE INDEX temp.newer_id ON newer (id);"
      "UPDATE point SET (time_s, power_w, energy_j, minibatches, time_median_s) = (SELECT time_s,"
      " power_w, energy_j, minibatches, time_median_s FROM newer WHERE newer.id = point.id);"
      "DROP TABLE newer; PRAGMA user_version = {}",
      kFromSchema1, kSchemaVersion));
  transaction.commit();
}

Database& Store::database() {
  if (!database_) open(Database::Access::kCreate);
  return *database_;
}

std::optional<std::int64_t> Store::find_campaign(const Campaign& campaign) {
  if (!database_) return std::nullopt;
  Statement select(*database_,
                   "SELECT id FROM campaign WHERE board = ? AND workload = ? AND kind = ? AND "
                   "provenance = ?");
  bind_campaign(select, campaign);
  if (!select.step()) return std::nullopt;
  return select.integer(0);
}

std::int64_t Store::campaign(const Campaign& campaign) {
  if (const auto found = find_campaign(campaign)) return *found;
  if (database().read_only()) {
    throw NotFoundError("the store has no such campaign", path_,
                        campaign.board + " " + campaign.workload + " " + campaign.kind);
  }
  Statement insert(*database_,
                   "INSERT INTO campaign (board, workload, kind, provenance) VALUES (?, ?, ?, ?) "
                   "ON CONFLICT DO NOTHING");
  bind_campaign(insert, campaign);
  insert.run();
  return find_campaign(campaign).value();
}

std::vector<Campaign> Store::campaigns() {
  if (!database_) return {};
  Statement row(*database_, "SELECT board, workload, kind, provenance FROM campaign ORDER BY id");
  std::vector<Campaign> result;
  while (row.step()) {
    const auto provenance = find_name<Provenance>(row.text(3));
    if (!provenance) throw InputError("the store has an unknown provenance", path_, row.text(3));
    result.push_back({row.text(0), row.text(1), row.text(2), *provenance});
  }
  return result;
}

void Store::add(std::int64_t campaign, const PointRecord& point) {
  if (add_if_absent(campaign, point)) return;
  throw IoError("the store has this point already", path_, describe(point.observation.point.mode));
}

bool Store::add_if_absent(std::int64_t campaign, const PointRecord& point) {
  Transaction transaction(database());
  if (has(campaign, point.observation.point, point.repeat)) return false;
  insert(campaign, point);
  write_plan();
  transaction.commit();
  return true;
}

std::optional<Observation> Store::find(std::int64_t campaign, const OperatingPoint& point,
                                       int repeat) {
  if (!database_) return std::nullopt;
  Statement select(*database_,
                   fmt::format("SELECT {} FROM point WHERE {}", kPointColumns, kPointKey));
  select.bind(1, campaign);
  bind_key(select, 2, point, repeat);
  if (!select.step()) return std::nullopt;
  return read_point(select, 0).observation;
}

void Store::insert(std::int64_t campaign, const PointRecord& point) {
  Statement insert(database(),
                   fmt::format("INSERT INTO point (campaign, {}) VALUES "
                               "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                               "?)",
                               kPointColumns));
  insert.bind(1, campaign);
  bind_key(insert, 2, point.observation.point, point.repeat);
  insert.bind(9, point.observation.time_s)
      .bind(10, point.observation.power_w)
      .bind(11, point.energy_j)
      .bind(12, point.window_s)
      .bind(13, point.idle_power_w)
      .bind(14, point.minibatches)
      .bind(15, point.power_samples)
      .bind(16, point.largest_gap_s)
      .bind(17, point.flags.text())
      .bind(18, point.started_unix_s)
      .bind(21, point.excluded);
  const auto bind_known = [&](int index, const std::optional<double>& value) {
    if (value) insert.bind(index, *value);  // else null
  };
  bind_known(19, point.observation.time_median_s);
  bind_known(20, point.observation.fetch_stall_s);
  insert.run();
  const std::int64_t id = database_->last_insert_id();
  Statement sample(*database_,
                   "INSERT INTO sample (point, channel, time_s, value) VALUES (?,?,?,?)");
  for (const auto& raw : point.samples) {
    sample.bind(1, id).bind(2, raw.channel).bind(3, raw.time_s).bind(4, raw.value).run();
  }
}

bool Store::has(std::int64_t campaign, const OperatingPoint& point, int repeat) {
  return find(campaign, point, repeat).has_value();
}

std::vector<PointRecord> Store::points(std::int64_t campaign, bool with_samples) {
  if (!database_) return {};
  Statement row(*database_, fmt::format("SELECT id, {} FROM point WHERE campaign = ? ORDER BY id",
                                        kPointColumns));
  row.bind(1, campaign);
  std::vector<PointRecord> result;
  while (row.step()) {
    result.push_back(read_point(row, 1));
    if (with_samples) result.back().samples = samples(row.integer(0));
  }
  return result;
}

std::vector<RawSample> Store::samples(std::int64_t point) {
  Statement row(*database_,
                "SELECT channel, time_s, value FROM sample WHERE point = ? ORDER BY rowid");
  row.bind(1, point);
  std::vector<RawSample> result;
  while (row.step()) result.push_back({row.text(0), row.real(1), row.real(2)});
  return result;
}

std::vector<Sweep> Store::sweeps(const CampaignFilter& filter) {
  const auto wanted = [](const std::string& filter_field, const std::string& field) {
    return filter_field.empty() || filter_field == field;
  };
  std::vector<Sweep> result;
  for (const auto& key : campaigns()) {
    if (!wanted(filter.board, key.board) || !wanted(filter.workload, key.workload) ||
        !wanted(filter.kind, key.kind)) {
      continue;
    }
    std::map<OperatingPoint, std::vector<Observation>> repeats;
    std::vector<OperatingPoint> order;
    for (const auto& point : points(campaign(key))) {
      auto& seen = repeats[point.observation.point];
      if (seen.empty()) order.push_back(point.observation.point);
      seen.push_back(point.observation);
    }
    Sweep sweep{path_, key.workload, key.kind, {}, {}, key.board};
    sweep.provenance = key.provenance;
    for (const auto& point : order) {
      sweep.observations.push_back(median_of(repeats[point]));
      sweep.lines.push_back(sweep.observations.size());
    }
    if (!order.empty()) result.push_back(std::move(sweep));
  }
  return result;
}

std::size_t Store::import(const Sweep& sweep, const std::string& board, Provenance provenance) {
  const std::int64_t id = campaign({board, sweep.workload, sweep.kind, provenance});
  Transaction transaction(database());
  std::size_t added = 0;
  for (const auto& observation : sweep.observations) {
    if (has(id, observation.point)) continue;
    PointRecord point;
    point.observation = observation;
    point.energy_j = observation.measured_energy_j.value_or(0);
    point.window_s = observation.time_s;
    point.minibatches = 1;
    insert(id, point);
    ++added;
  }
  transaction.commit();
  return added;
}

}  // namespace ridgewatt::store
