#include "ridgewatt/store/store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/location.h"
#include "ridgewatt/store/postgresql/postgresql_connection.h"
#include "ridgewatt/store/sql/connection.h"
#include "ridgewatt/store/sql/schema.h"
#include "ridgewatt/store/sql/stored_points.h"
#include "ridgewatt/store/sqlite/sqlite_connection.h"
#include "ridgewatt/sweep/repeats.h"

namespace ridgewatt::store {
namespace {

constexpr std::int64_t kPage = 20'000;  // points per read

constexpr const char* kPointKey =
    "series = $1 AND cpu_cores = $2 AND cpu_clock_hz = $3 AND gpu_clock_hz = $4 AND mem_clock_hz = "
    "$5 AND governor = $6 AND batch = $7 AND repeat = $8";

// Returns one row per series with counts of its points, batches and modes. The query counts rows of
// subqueries because PostgreSQL uses several processes to count rows and distinct rows, but not to
// count distinct values within a group.
constexpr const char* kHoldings = R"sql(
WITH p AS (
  SELECT series, COUNT(*) AS points, SUM(CASE WHEN flags <> '' THEN 1 ELSE 0 END) AS flagged,
    MAX(started_unix_s) AS newest
  FROM point GROUP BY series),
m AS (
  SELECT series, COUNT(*) AS modes FROM (SELECT DISTINCT series, cpu_cores, cpu_clock_hz,
    gpu_clock_hz, mem_clock_hz, governor FROM point) AS mode GROUP BY series),
b AS (
  SELECT series, COUNT(*) AS batches FROM (SELECT DISTINCT series, batch FROM point) AS batch
  GROUP BY series)
SELECT {}, COALESCE(p.points, 0), COALESCE(b.batches, 0), COALESCE(p.flagged, 0),
  COALESCE(p.newest, 0), plan.points, COALESCE(m.modes, 0)
FROM series LEFT JOIN p ON p.series = series.id LEFT JOIN m ON m.series = series.id
LEFT JOIN b ON b.series = series.id LEFT JOIN plan ON plan.series = series.id ORDER BY series.id
)sql";

std::vector<Value> values_of_series(const Series& series) {
  return {series.board, series.workload, series.kind, std::string(name_of(series.provenance)),
          series.serial};
}

struct CostRows {
  std::vector<Observation> observations;
  std::vector<PointFlags> flags;
  bool repeated = false;  // a point may occur several times
};

// Reads the points in the order in which they were measured, except superseded points.
void read_costs(Connection& connection, std::int64_t series,
                const std::map<std::int64_t, std::int64_t>& superseded, CostRows& rows) {
  std::int64_t last = -1;
  rows.repeated = rows.repeated || !rows.observations.empty();
  const auto rest = [&] {
    return fmt::format(
        "SELECT id, repeat, flags, {} FROM point WHERE series = {} AND id > {} ORDER BY id",
        kObservationColumns, series, last);
  };
  connection.stream(rest, [&](const Row& row) {
    last = row.integer(0);
    if (superseded.contains(last)) return;
    rows.observations.push_back(read_observation(row, 3));
    rows.flags.push_back(read_flags(row, 2));
    rows.repeated = rows.repeated || row.integer(1) > 0;
  });
}

// Merges the repeats of each point into one row, at the position of the first repeat. Repeats with
// flags count only if all repeats have flags; the row then has the flags of all.
void join_repeats(CostRows& costs) {
  auto& rows = costs.observations;
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto less = rows[a].point <=> rows[b].point;
    return less < 0 || (less == 0 && a < b);
  });
  std::vector<bool> is_repeat(rows.size(), false);
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    std::vector<Observation> repeats, clean;
    PointFlags flags;
    for (; end < order.size() && rows[order[end]].point == rows[order[begin]].point; ++end) {
      is_repeat[order[end]] = end > begin;
      repeats.push_back(rows[order[end]]);
      if (costs.flags[order[end]].empty()) clean.push_back(rows[order[end]]);
      flags.add(costs.flags[order[end]]);
    }
    rows[order[begin]] = median_of_repeats(clean.empty() ? repeats : clean);
    costs.flags[order[begin]] = clean.empty() ? flags : PointFlags();
  }
  std::size_t row = 0;
  std::erase_if(rows, [&](const Observation&) { return is_repeat[row++]; });
  row = 0;
  std::erase_if(costs.flags, [&](const PointFlags&) { return is_repeat[row++]; });
}

}  // namespace

bool SeriesFilter::fits(const Series& series) const {
  const auto wanted = [](const std::string& filter_field, const std::string& field) {
    return filter_field.empty() || filter_field == field;
  };
  return wanted(board, series.board) && wanted(workload, series.workload) &&
         wanted(kind, series.kind) && wanted(serial, series.serial);
}

Store::Store(const std::string& location, Database::Access access) : Store(location, Later()) {
  open(access);
}

Store::Store(const std::string& location, Later) : location_(location) {
  refuse_password(location);
  path_ = shown_location(location);
}

Store::~Store() = default;
Store::Store(Store&& other) noexcept = default;
Store& Store::operator=(Store&& other) noexcept = default;

void Store::open(Database::Access access) {
  if (is_postgresql(location_)) {
    const bool read_only = access == Database::Access::kReadOnly;
    connection_ = std::make_unique<PostgresqlConnection>(location_, read_only);
  } else {
    connection_ = std::make_unique<SqliteConnection>(location_, access);
  }
}

Store Store::made_at_first_write(const std::string& location) {
  Store store(location, Later());
  if (is_postgresql(location) ? has_postgresql_store(location)
                              : ::access(location.c_str(), F_OK) == 0) {
    store.open(Database::Access::kCreate);
  } else if (!is_postgresql(location)) {
    const auto slash = location.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : location.substr(0, slash + 1);
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
      throw_errno(errno, "cannot create the store", location);
    }
  }
  return store;
}

Connection& Store::connection() {
  if (!connection_) open(Database::Access::kCreate);
  return *connection_;
}

std::int64_t Store::schema() const {
  return connection_ ? connection_->schema() : 0;
}

std::optional<std::int64_t> Store::find_series(const Series& series) {
  std::optional<std::int64_t> found;
  if (!connection_) return found;
  connection_->query(
      "SELECT id FROM series WHERE board = $1 AND workload = $2 AND kind = $3 AND provenance = $4 "
      "AND serial = $5",
      values_of_series(series), [&](const Row& row) { found = row.integer(0); });
  return found;
}

std::int64_t Store::series(const Series& series) {
  if (const auto found = find_series(series)) return *found;
  if (connection().read_only()) {
    throw NotFoundError("the store has no points of this board, workload and kind", path_,
                        series.board + " " + series.workload + " " + series.kind);
  }
  connection_->query(
      "INSERT INTO series (board, workload, kind, provenance, serial) VALUES ($1, $2, $3, $4, $5) "
      "ON CONFLICT DO NOTHING",
      values_of_series(series));
  return find_series(series).value();
}

std::vector<Series> Store::all_series() {
  std::vector<Series> result;
  if (!connection_) return result;
  connection_->query(fmt::format("SELECT {} FROM series ORDER BY id", kSeriesColumns), {},
                     [&](const Row& row) { result.push_back(read_series(row, 0)); });
  return result;
}

std::vector<Holding> Store::holdings() {
  std::vector<Holding> result;
  if (!connection_) return result;
  connection_->query(fmt::format(kHoldings, kSeriesColumns), {}, [&](const Row& row) {
    const int c = kSeriesColumnCount;
    Holding held;
    held.series = read_series(row, 0);
    held.points = row.integer(c);
    held.batches = row.integer(c + 1);
    held.flagged = row.integer(c + 2);
    held.newest_unix_s = row.integer(c + 3);
    if (!row.is_null(c + 4)) held.planned = row.integer(c + 4);
    held.modes = row.integer(c + 5);
    result.push_back(std::move(held));
  });
  std::set<std::int64_t> changed;
  for (const auto& [point, series] : superseded_points()) changed.insert(series);
  for (auto& held : result) {
    if (!changed.empty() && changed.contains(find_series(held.series).value())) recount(held);
  }
  return result;
}

// Counts the points of a series that has superseded points.
void Store::recount(Holding& held) {
  std::set<PowerMode> modes;
  std::set<int> batches;
  held.points = held.flagged = held.newest_unix_s = 0;
  for (const auto& point : points(find_series(held.series).value())) {
    if (point.superseded) continue;
    ++held.points;
    held.flagged += point.flags.empty() ? 0 : 1;
    held.newest_unix_s = std::max(held.newest_unix_s, point.started_unix_s);
    modes.insert(point.observation.point.mode);
    batches.insert(point.observation.point.batch);
  }
  held.modes = static_cast<std::int64_t>(modes.size());
  held.batches = static_cast<std::int64_t>(batches.size());
}

void Store::add(std::int64_t series, const PointRecord& point) {
  if (add_if_absent(series, point)) return;
  throw IoError("the store already has this point", path_, describe(point.observation.point.mode));
}

bool Store::add_if_absent(std::int64_t series, const PointRecord& point) {
  const bool added = connection().add({{series, &point}}).at(0);
  if (added) write_plan();
  return added;
}

std::optional<PointRecord> Store::find_record(std::int64_t series, const OperatingPoint& point,
                                              int repeat) {
  std::optional<PointRecord> found;
  if (!connection_) return found;
  PointRecord key;
  key.observation.point = point;
  key.repeat = repeat;
  auto values = values_of(series, key);
  values.resize(8);  // the columns of kPointKey
  connection_->query(fmt::format("SELECT {} FROM point WHERE {}", kPointColumns, kPointKey), values,
                     [&](const Row& row) { found = read_point(row, 0); });
  return found;
}

std::optional<Observation> Store::find(std::int64_t series, const OperatingPoint& point,
                                       int repeat) {
  const auto found = find_record(series, point, repeat);
  return found ? std::optional(found->observation) : std::nullopt;
}

bool Store::has(std::int64_t series, const OperatingPoint& point, int repeat) {
  return find(series, point, repeat).has_value();
}

std::int64_t Store::size() {
  std::int64_t points = 0;
  if (!connection_) return points;
  connection_->query("SELECT COUNT(*) FROM point", {},
                     [&](const Row& row) { points = row.integer(0); });
  return points;
}

std::vector<PointRecord> Store::points(std::int64_t series, bool with_samples) {
  std::vector<PointRecord> result;
  if (!connection_) return result;
  const std::string sql = fmt::format(
      "SELECT id, {} FROM point WHERE series = $1 AND id > $2 ORDER BY id LIMIT $3", kPointColumns);
  const std::int64_t page = with_samples ? kPage / 100 : kPage;
  const auto superseded = superseded_points();
  std::int64_t last = -1;
  while (true) {
    std::vector<std::int64_t> ids;
    connection_->query(sql, {series, last, page}, [&](const Row& row) {
      result.push_back(read_point(row, 1));
      ids.push_back(row.integer(0));
      result.back().superseded = superseded.contains(ids.back());
    });
    if (with_samples) {
      std::vector<PointRecord*> read;
      for (std::size_t i = result.size() - ids.size(); i < result.size(); ++i) {
        read.push_back(&result[i]);
      }
      read_samples(ids, read);
    }
    if (static_cast<std::int64_t>(ids.size()) < page) return result;
    last = ids.back();
  }
}

// `ids` are in ascending order; points[i] has the id ids[i].
void Store::read_samples(std::span<const std::int64_t> ids, std::span<PointRecord* const> points) {
  if (ids.empty()) return;
  std::vector<Value> values;
  std::string wanted;
  for (const std::int64_t id : ids) {
    values.emplace_back(id);
    wanted += fmt::format("{}${}", values.size() == 1 ? "" : ", ", values.size());
  }
  connection_->query(
      fmt::format("SELECT point, channel, time_s, value FROM reading WHERE point IN ({}) ORDER BY "
                  "point, place",
                  wanted),
      values, [&](const Row& row) {
        const auto at = std::lower_bound(ids.begin(), ids.end(), row.integer(0)) - ids.begin();
        points[static_cast<std::size_t>(at)]->samples.push_back(
            {row.text(1), row.real(2), row.real(3)});
      });
}

std::vector<CommandCount> Store::commands(std::int64_t series) {
  std::vector<CommandCount> counts;
  if (!connection_) return counts;
  connection_->query(
      "SELECT point.cpu_cores, point.batch, reading.value, COUNT(*) FROM point JOIN reading ON "
      "reading.point = point.id WHERE point.series = $1 AND reading.channel = $2 GROUP BY "
      "point.cpu_cores, point.batch, reading.value",
      {series, std::string(kCommandChannel)}, [&](const Row& row) {
        counts.push_back({static_cast<int>(row.integer(0)), static_cast<int>(row.integer(1)),
                          row.real(2), row.integer(3)});
      });
  return counts;
}

std::vector<Sweep> Store::sweeps(const SeriesFilter& filter) {
  const auto superseded = superseded_points();
  std::vector<std::pair<Series, CostRows>> found;
  for (const auto& key : all_series()) {
    if (!filter.fits(key)) continue;
    Series name = key;
    name.serial.clear();
    auto place = std::find_if(found.begin(), found.end(),
                              [&](const auto& one) { return one.first == name; });
    if (place == found.end()) place = found.insert(found.end(), {name, CostRows()});
    read_costs(*connection_, series(key), superseded, place->second);
  }
  std::vector<Sweep> result;
  for (auto& [key, rows] : found) {
    if (rows.repeated) join_repeats(rows);
    Sweep sweep{path_, key.workload, key.kind, std::move(rows.observations), {}, key.board};
    sweep.provenance = key.provenance;
    sweep.flags = std::move(rows.flags);
    sweep.lines.resize(sweep.observations.size());
    std::iota(sweep.lines.begin(), sweep.lines.end(), std::size_t{1});
    if (!sweep.observations.empty()) result.push_back(std::move(sweep));
  }
  return result;
}

ImportedSweep Store::import(const Sweep& sweep, const std::string& board, Provenance provenance) {
  const std::int64_t id = this->series({board, sweep.workload, sweep.kind, provenance});
  StoredPoints stored(connection(), id);
  std::vector<PointRecord> points;
  for (std::size_t row = 0; row < sweep.observations.size(); ++row) {
    const Observation& observation = sweep.observations[row];
    PointRecord point;
    point.observation = observation;
    point.energy_j = observation.measured_energy_j.value_or(0);
    if (stored.take(point)) continue;
    point.repeat = stored.reserve(observation.point, 0);
    point.flags = sweep.flags_of(row);
    point.window_s = observation.time_s;
    point.minibatches = 1;
    points.push_back(std::move(point));
  }
  std::vector<NewPoint> rows;
  for (const auto& point : points) rows.push_back({id, &point});
  const auto added = connection().add(rows);
  ImportedSweep imported{sweep.workload, sweep.kind, sweep.observations.size()};
  for (std::size_t i = 0; i < added.size(); ++i) {
    imported.added += added[i] ? 1 : 0;
    imported.differing += added[i] && stored.has(points[i].observation.point) ? 1 : 0;
  }
  return imported;
}

std::vector<ImportedSweep> Store::import(const std::vector<Sweep>& sweeps,
                                         const std::string& board) {
  std::vector<ImportedSweep> imported;
  for (const auto& sweep : sweeps) {
    std::string name = board.empty() ? sweep.board : board;
    if (name.empty()) name = "unknown";
    const auto provenance = derived_provenance(sweep.provenance, Provenance::kReplayed);
    imported.push_back(import(sweep, name, provenance));
  }
  return imported;
}

}  // namespace ridgewatt::store
