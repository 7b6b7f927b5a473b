#include "ridgewatt/store/sql/schema.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::store {

const char* const kPointColumns =
    "cpu_cores, cpu_clock_hz, gpu_clock_hz, mem_clock_hz, governor, batch, repeat, time_s, power_w,"
    " energy_j, window_s, idle_power_w, minibatches, power_samples, largest_gap_s, flags,"
    " started_unix_s, time_median_s, fetch_stall_s, excluded, slot";

const char* const kObservationColumns =
    "cpu_cores, cpu_clock_hz, gpu_clock_hz, mem_clock_hz, governor, batch, time_s, power_w,"
    " energy_j, minibatches, time_median_s, fetch_stall_s";

namespace {

constexpr const char* kSeriesTable = R"sql(
CREATE TABLE {name} (
  id {key}, board {text} NOT NULL, workload {text} NOT NULL, kind {text} NOT NULL,
  provenance {text} NOT NULL, serial {text} NOT NULL DEFAULT '',
  UNIQUE (board, workload, kind, provenance, serial));
)sql";

constexpr const char* kTables = R"sql(
CREATE TABLE point (
  id {key}, series {integer} NOT NULL REFERENCES series (id),
  cpu_cores {integer} NOT NULL, cpu_clock_hz {real} NOT NULL, gpu_clock_hz {real} NOT NULL,
  mem_clock_hz {real} NOT NULL, governor {text} NOT NULL, batch {integer} NOT NULL,
  repeat {integer} NOT NULL, time_s {real} NOT NULL, power_w {real} NOT NULL,
  energy_j {real} NOT NULL, window_s {real} NOT NULL, idle_power_w {real} NOT NULL,
  minibatches {integer} NOT NULL, power_samples {integer} NOT NULL, largest_gap_s {real} NOT NULL,
  flags {text} NOT NULL, started_unix_s {integer} NOT NULL, time_median_s {real},
  fetch_stall_s {real}, excluded {integer} NOT NULL DEFAULT 0, slot {text},
  UNIQUE (series, cpu_cores, cpu_clock_hz, gpu_clock_hz, mem_clock_hz, governor, batch, repeat));
CREATE UNIQUE INDEX point_of_slot ON point (slot) WHERE slot IS NOT NULL;
CREATE INDEX point_of_series ON point (series, id);
CREATE TABLE plan (
  series {integer} PRIMARY KEY REFERENCES series (id), points {integer} NOT NULL);
)sql";

constexpr const char* kCampaignTable = R"sql(
CREATE TABLE campaign (
  name {text} PRIMARY KEY, fingerprint {text} NOT NULL, owner {text} NOT NULL,
  created_unix_s {integer} NOT NULL);
)sql";

constexpr const char* kFailureTables = R"sql(
CREATE TABLE failure (
  slot {text} NOT NULL, board {text} NOT NULL, serial {text} NOT NULL, host {text} NOT NULL,
  failed_unix_s {integer} NOT NULL, reason {text} NOT NULL, output {text} NOT NULL,
  PRIMARY KEY (slot, serial, failed_unix_s));
CREATE TABLE campaign_board (
  campaign {text} NOT NULL, kind {text} NOT NULL, serial {text} NOT NULL, host {text} NOT NULL,
  since_unix_s {integer} NOT NULL, PRIMARY KEY (campaign, kind, serial, host));
)sql";

std::string with_types(const char* text, const SqlTypes& types, const std::string& name = "") {
  return fmt::format(fmt::runtime(text), fmt::arg("name", name), fmt::arg("key", types.key),
                     fmt::arg("integer", types.integer), fmt::arg("real", types.real),
                     fmt::arg("text", types.text));
}

std::optional<double> known_real(const Row& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.real(column));
}

std::optional<double> energy_of_one(double energy_j, std::int64_t minibatches) {
  if (!(energy_j > 0) || minibatches <= 0) return std::nullopt;
  return energy_j / static_cast<double>(minibatches);
}

void require_finite(double value, const PointRecord& point) {
  if (std::isfinite(value)) return;
  throw InputError("a point with a value that is not finite cannot be stored",
                   describe(point.observation.point.mode));
}

}  // namespace

std::string series_table(const SqlTypes& types, const std::string& name) {
  return with_types(kSeriesTable, types, name);
}

std::string shared_tables(const SqlTypes& types) {
  return series_table(types, "series") + with_types(kTables, types);
}

std::string campaign_table(const SqlTypes& types) {
  return with_types(kCampaignTable, types);
}

std::string failure_tables(const SqlTypes& types) {
  return with_types(kFailureTables, types);
}

Series read_series(const Row& row, int first) {
  const int c = first;
  const std::string word = row.text(c + 3);
  const auto provenance = find_name<Provenance>(word);
  if (!provenance)
    throw InputError("the store has an unknown provenance", word,
                     "run `ridgewatt store check STORE`");
  return {row.text(c), row.text(c + 1), row.text(c + 2), *provenance, row.text(c + 4)};
}

std::string insert_point() {
  std::string parameters = "$1";
  for (int i = 2; i <= 1 + kPointColumnCount; ++i) parameters += fmt::format(", ${}", i);
  return fmt::format(
      "INSERT INTO point (series, {}) VALUES ({}) ON CONFLICT DO NOTHING RETURNING id",
      kPointColumns, parameters);
}

OperatingPoint read_operating_point(const Row& row, int first) {
  const int c = first;
  const PowerMode mode{static_cast<int>(row.integer(c)), row.real(c + 1), row.real(c + 2),
                       row.real(c + 3), row.text(c + 4)};
  return {mode, static_cast<int>(row.integer(c + 5))};
}

PointFlags read_flags(const Row& row, int column) {
  const std::string words = row.text(column);
  const auto flags = PointFlags::read(words);
  if (!flags)
    throw InputError("a point of the store has an unknown flag", words,
                     "run `ridgewatt store check STORE`");
  return *flags;
}

PointRecord read_point(const Row& row, int first) {
  int c = first + 6;
  const auto integer = [&] { return static_cast<int>(row.integer(c++)); };
  const auto real = [&] { return row.real(c++); };
  PointRecord point;
  point.observation.point = read_operating_point(row, first);
  point.repeat = integer();
  point.observation.time_s = real();
  point.observation.power_w = real();
  point.energy_j = real();
  point.window_s = real();
  point.idle_power_w = real();
  point.minibatches = integer();
  point.power_samples = integer();
  point.largest_gap_s = real();
  point.flags = read_flags(row, c++);
  point.started_unix_s = row.integer(c++);
  point.observation.measured_energy_j = energy_of_one(point.energy_j, point.minibatches);
  point.observation.time_median_s = known_real(row, c++);
  point.observation.fetch_stall_s = known_real(row, c++);
  point.excluded = integer();
  point.slot = row.text(c++);
  return point;
}

Observation read_observation(const Row& row, int first) {
  const int c = first + 6;
  Observation seen{read_operating_point(row, first), row.real(c), row.real(c + 1)};
  seen.measured_energy_j = energy_of_one(row.real(c + 2), row.integer(c + 3));
  seen.time_median_s = known_real(row, c + 4);
  seen.fetch_stall_s = known_real(row, c + 5);
  return seen;
}

std::vector<Value> values_of(std::int64_t series, const PointRecord& point) {
  const Observation& cost = point.observation;
  const PowerMode& mode = cost.point.mode;
  const auto integer = [](std::int64_t value) { return Value(value); };
  const auto known = [](const std::optional<double>& value) {
    return value ? Value(*value) : Value();
  };
  std::vector<Value> values = {
      series,
      integer(mode.cpu_cores),
      mode.cpu_clock_hz,
      mode.gpu_clock_hz,
      mode.mem_clock_hz,
      mode.governor,
      integer(cost.point.batch),
      integer(point.repeat),
      cost.time_s,
      cost.power_w,
      point.energy_j,
      point.window_s,
      point.idle_power_w,
      integer(point.minibatches),
      integer(point.power_samples),
      point.largest_gap_s,
      point.flags.text(),
      point.started_unix_s,
      known(cost.time_median_s),
      known(cost.fetch_stall_s),
      integer(point.excluded),
      point.slot.empty() ? Value() : Value(point.slot),
  };
  for (const Value& value : values) {
    if (const auto* real = std::get_if<double>(&value)) require_finite(*real, point);
  }
  for (const RawSample& sample : point.samples) {
    require_finite(sample.time_s, point);
    require_finite(sample.value, point);
  }
  return values;
}

}  // namespace ridgewatt::store
