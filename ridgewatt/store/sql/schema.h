// The tables of a store, common to all databases, and the columns of a point.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/store/sql/connection.h"

namespace ridgewatt::store {

inline constexpr std::int64_t kSchemaVersion = 5;
// First version with the table `campaign`.
inline constexpr std::int64_t kSchemaWithCampaigns = 4;
// First version with the tables `failure` and `campaign_board`.
inline constexpr std::int64_t kSchemaWithFailures = 5;

// Names of the required column types in a database.
struct SqlTypes {
  std::string key;      // an auto-incremented key
  std::string integer;  // 64 bits
  std::string real;     // 64 bits
  std::string text;
};
// Returns CREATE TABLE statements of series, point and plan, with their indexes. Each database
// stores raw samples in its own form; queries read them from `reading` (point, channel, time_s,
// value, place).
std::string shared_tables(const SqlTypes& types);
// Returns "CREATE TABLE NAME (..)" for the table of series.
std::string series_table(const SqlTypes& types, const std::string& name);

// Returns CREATE TABLE of campaign: the plan that owns a campaign's name.
std::string campaign_table(const SqlTypes& types);
// Returns CREATE TABLE of failure (failed attempts) and of campaign_board (boards that work for a
// campaign).
std::string failure_tables(const SqlTypes& types);

// Columns of a series in a query on the table `series`.
inline constexpr const char* kSeriesColumns =
    "series.board, series.workload, series.kind, series.provenance, series.serial";
inline constexpr int kSeriesColumnCount = 5;
// Reads kSeriesColumns, starting at column `first`.
Series read_series(const Row& row, int first);

// Columns of a point after its series, in the order of read_point() and values_of().
extern const char* const kPointColumns;
inline constexpr int kPointColumnCount = 21;
// Returns "INSERT INTO point .. ON CONFLICT DO NOTHING RETURNING id". $1 is the series.
std::string insert_point();
// Reads the first six columns of kPointColumns, starting at column `first`.
OperatingPoint read_operating_point(const Row& row, int first);
// Reads kPointColumns, starting at column `first`.
PointRecord read_point(const Row& row, int first);
// Reads the flags of a point. Throws InputError if one is unknown.
PointFlags read_flags(const Row& row, int column);
// Columns of a point that a sweep also has, in the order of read_observation().
extern const char* const kObservationColumns;
Observation read_observation(const Row& row, int first);
// Returns the parameters of insert_point(): a series and the columns of a point. Throws InputError
// if a number of the point or of a sample is not finite.
std::vector<Value> values_of(std::int64_t series, const PointRecord& point);

}  // namespace ridgewatt::store
