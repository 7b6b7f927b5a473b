// Deletes the points that retention rules select, and checks the store for inconsistent rows.
#include <fmt/format.h>

#include <ctime>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/location.h"
#include "ridgewatt/store/sql/connection.h"
#include "ridgewatt/store/sql/schema.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::store {
namespace {

constexpr std::int64_t kKeepAll = std::int64_t{1} << 40;  // more repeats than any point has

// Selects the series that match a filter ($1 to $4).
constexpr const char* kSelectedSeries =
    "SELECT id FROM series WHERE ($1 = '' OR board = $1) AND ($2 = '' OR workload = $2) AND ($3 = "
    "'' OR kind = $3) AND ($4 = '' OR serial = $4)";

// Selects points by the rules of age ($5) and repeats ($6), with their slots.
std::string named_points() {
  return fmt::format(
      "SELECT id, slot FROM (SELECT id, slot, started_unix_s, ROW_NUMBER() OVER (PARTITION BY "
      "series, cpu_cores, cpu_clock_hz, gpu_clock_hz, mem_clock_hz, governor, batch ORDER BY "
      "started_unix_s DESC, id DESC) AS place FROM point WHERE series IN ({})) AS p WHERE "
      "(started_unix_s > 0 AND started_unix_s < $5) OR place > $6",
      kSelectedSeries);
}

// Selects points whose raw samples the rule of age ($5) deletes.
std::string aged_points() {
  return fmt::format(
      "SELECT id FROM point WHERE series IN ({}) AND started_unix_s > 0 AND started_unix_s < $5",
      kSelectedSeries);
}

// Selects the raw samples of these points. The name of a point's command stays.
std::string aged_samples() {
  return fmt::format("FROM sample WHERE channel <> '{}' AND point IN ({})", kCommandChannel,
                     aged_points());
}

std::vector<Value> filter_values(const SeriesFilter& filter) {
  return {filter.board, filter.workload, filter.kind, filter.serial};
}

std::int64_t count_rows(Connection& connection, const std::string& rows,
                        const std::vector<Value>& values) {
  std::int64_t count = 0;
  connection.query("SELECT COUNT(*) FROM (" + rows + ") AS counted", values,
                   [&](const Row& row) { count = row.integer(0); });
  return count;
}

// A query that returns faulty rows; its first column is the example to show.
struct RowTest {
  const char* name;
  const char* rows;
};
constexpr RowTest kRowTests[] = {
    {"every point belongs to a series",
     "SELECT 'point ' || id AS example FROM point WHERE series NOT IN (SELECT id FROM series)"},
    {"every sample belongs to a point",
     "SELECT 'sample of point ' || point AS example FROM sample WHERE point NOT IN (SELECT id FROM "
     "point)"},
    {"every planned number belongs to a series",
     "SELECT 'plan of series ' || series AS example FROM plan WHERE series NOT IN (SELECT id FROM "
     "series)"},
    {"time is positive and power is not negative",
     "SELECT 'point ' || id AS example FROM point WHERE time_s <= 0 OR power_w < 0"},
    // True by definition for measured points; the tolerance of 1 % allows for rounding in older
    // versions.
    {"the window lasts as long as its minibatches",
     "SELECT 'point ' || id AS example FROM point WHERE power_samples > 0 AND ABS(window_s - "
     "time_s * minibatches) > 0.01 * window_s"},
    {"a slot is CAMPAIGN/KIND/LABEL",
     "SELECT slot AS example FROM point WHERE slot IS NOT NULL AND slot NOT LIKE '%_/_%/_%'"},
};

StoreFault tested(Connection& connection, const std::string& name, const std::string& rows,
                  const std::vector<Value>& values = {}) {
  StoreFault fault{name, 0, ""};
  connection.query("SELECT COUNT(*), MIN(example) FROM (" + rows + ") AS faults", values,
                   [&](const Row& row) {
                     fault.rows = row.integer(0);
                     if (fault.rows > 0) fault.example = row.text(1);
                   });
  return fault;
}

// Counts points with words that this program does not know. Reading such a point fails.
template <typename Known>
StoreFault known_words(Connection& connection, const std::string& name, const std::string& sql,
                       const Known& known) {
  StoreFault fault{name, 0, ""};
  connection.query(sql, {}, [&](const Row& row) {
    if (known(row.text(0))) return;
    fault.rows += row.integer(1);
    if (fault.example.empty()) fault.example = row.text(0);
  });
  return fault;
}

// Measured points: the energy is power times window by definition; the tolerance of 1 % allows for
// rounding in older versions. Imported points have no power samples and are checked per series,
// like the rows of a sweep.
StoreFault energies(Connection& connection) {
  StoreFault fault = tested(
      connection, "energy is power times window",
      "SELECT 'point ' || id AS example FROM point WHERE power_samples > 0 AND energy_j > 0 AND "
      "ABS(energy_j - power_w * window_s) > 0.01 * energy_j");
  struct Imported {
    std::vector<std::int64_t> points;
    std::vector<double> ratios;
  };
  std::map<std::int64_t, Imported> by_series;
  connection.query(
      "SELECT series, id, energy_j, power_w, window_s FROM point WHERE power_samples = 0 AND "
      "energy_j > 0 ORDER BY id",
      {}, [&](const Row& row) {
        auto& [points, ratios] = by_series[row.integer(0)];
        points.push_back(row.integer(1));
        ratios.push_back(row.real(2) / (row.real(3) * row.real(4)));
      });
  for (const auto& [series, imported] : by_series) {
    const EnergyCount count(imported.ratios);
    if (fault.remark.empty()) fault.remark = count.remark();
    for (std::size_t i = 0; i < imported.points.size(); ++i) {
      if (count.plausible(imported.ratios[i])) continue;
      ++fault.rows;
      if (fault.example.empty()) fault.example = fmt::format("point {}", imported.points[i]);
    }
  }
  return fault;
}

StoreFault whole_pages(Connection& connection) {
  StoreFault fault{"the pages of the file are undamaged", 0, ""};
  connection.query("PRAGMA integrity_check(100)", {}, [&](const Row& row) {
    if (row.text(0) == "ok") return;
    ++fault.rows;
    if (fault.example.empty()) fault.example = row.text(0).substr(0, 200);
  });
  return fault;
}

}  // namespace

void PruneRules::check() const {
  if (!points_unix_s && !samples_unix_s && !failures_unix_s && !repeats) {
    throw UsageError("store prune needs a rule for the rows to delete", "",
                     "give --points, --samples, --failures or --repeats");
  }
  if (repeats && *repeats < 1) {
    throw UsageError(fmt::format("--repeats is {}, but must be 1 or more", *repeats));
  }
}

Pruned Store::prune(const PruneRules& rules, bool dry) {
  rules.check();
  Pruned pruned;
  if (!connection_) return pruned;
  Connection& database = *connection_;
  auto named = filter_values(rules.filter);
  named.insert(named.end(),
               {Value(rules.points_unix_s.value_or(0)), Value(rules.repeats.value_or(kKeepAll))});
  const std::string slotted = named_points();
  const std::string doomed = fmt::format("SELECT id FROM ({}) AS named{}", slotted,
                                         rules.campaigns ? "" : " WHERE slot IS NULL");
  auto aged = filter_values(rules.filter);
  aged.emplace_back(rules.samples_unix_s.value_or(0));
  const std::string of_aged = "DELETE " + aged_samples();
  const std::string of_doomed = "DELETE FROM sample WHERE point IN (" + doomed + ")";
  const Value failed_before(rules.failures_unix_s.value_or(0));
  pruned.points = count_rows(database, doomed, named);
  if (!rules.campaigns) pruned.kept_slots = count_rows(database, slotted, named) - pruned.points;
  pruned.samples = count_rows(database, "SELECT 1 " + aged_samples(), aged);
  pruned.failures =
      schema() < kSchemaWithFailures
          ? 0
          : count_rows(database, "SELECT 1 FROM failure WHERE failed_unix_s < $1", {failed_before});
  if (dry) return pruned;
  database.query(of_aged, aged);
  database.query(of_doomed, named);
  database.query("DELETE FROM point WHERE id IN (" + doomed + ")", named);
  database.query("DELETE FROM failure WHERE failed_unix_s < $1", {failed_before});
  return pruned;
}

std::vector<StoreFault> Store::check() {
  std::vector<StoreFault> faults;
  if (!connection_) return faults;
  Connection& database = *connection_;
  if (!is_postgresql(location_)) faults.push_back(whole_pages(database));
  for (const auto& test : kRowTests) faults.push_back(tested(database, test.name, test.rows));
  faults.push_back(energies(database));
  constexpr std::int64_t kDayS = 86400;  // the clocks of boards may differ by a day
  faults.push_back(tested(database, "no point begins in the future",
                          "SELECT 'point ' || id AS example FROM point WHERE started_unix_s > $1",
                          {std::int64_t{std::time(nullptr)} + kDayS}));
  faults.push_back(known_words(
      database, "every flag is known", "SELECT flags, COUNT(*) FROM point GROUP BY flags",
      [](const std::string& words) { return PointFlags::read(words).has_value(); }));
  faults.push_back(
      known_words(database, "every provenance is known",
                  "SELECT provenance, COUNT(*) FROM series GROUP BY provenance",
                  [](const std::string& word) { return find_name<Provenance>(word).has_value(); }));
  return faults;
}

}  // namespace ridgewatt::store
