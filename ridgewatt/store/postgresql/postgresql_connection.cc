#include "ridgewatt/store/postgresql/postgresql_connection.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/store/sql/schema.h"

namespace ridgewatt::store {
namespace {

constexpr std::int64_t kMigrationLock = 0x52445754;  // "RDWT"
constexpr int kMostTries = 5;
constexpr std::size_t kKeyColumns = 7;  // of kPointColumns; the key also has the series

// Stores the raw samples of a point as one row per channel.
constexpr const char* kReadings = R"sql(
CREATE TABLE sample (
  point bigint NOT NULL REFERENCES point (id), position bigint NOT NULL, channel text NOT NULL,
  time_s double precision[] NOT NULL, value double precision[] NOT NULL,
  PRIMARY KEY (point, position));
CREATE VIEW reading AS
  SELECT sample.point, sample.channel, r.time_s, r.value, sample.position * 4294967296 + r.n AS place
  FROM sample, unnest(sample.time_s, sample.value) WITH ORDINALITY AS r (time_s, value, n);
)sql";

// Gives roles the same rights on a new table that they have on the table `series`.
std::string grants_as_of_series(const char* table) {
  constexpr const char* kGrants = R"sql(
DO $$ DECLARE granted record; BEGIN
  FOR granted IN SELECT privilege_type, CASE grantee WHEN 'PUBLIC' THEN 'PUBLIC' ELSE
      quote_ident(grantee) END AS role FROM information_schema.role_table_grants
    WHERE table_schema = 'ridgewatt' AND table_name = 'series' AND grantee <> current_user
  LOOP
    EXECUTE format('GRANT %s ON ridgewatt.{} TO %s', granted.privilege_type, granted.role);
  END LOOP;
END $$;
)sql";
  return fmt::format(kGrants, table);
}

struct SchemaStep {
  std::int64_t version;  // version after this step
  std::string sql;
};

// All schema steps in order. A new version of the schema adds a step at the end.
std::vector<SchemaStep> schema_steps() {
  const SqlTypes types{"bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "bigint",
                       "double precision", "text"};
  return {{3,
           "CREATE TABLE schema_version (version bigint PRIMARY KEY, made timestamptz NOT NULL "
           "DEFAULT now());" +
               shared_tables(types) + kReadings},
          {4, campaign_table(types) + grants_as_of_series("campaign")},
          {5, failure_tables(types) + grants_as_of_series("failure") +
                  grants_as_of_series("campaign_board")}};
}

// Returns the version of the schema, or nullopt if there is no store.
std::optional<std::int64_t> schema_version(PostgresqlSession& session) {
  bool is_made = false;
  std::int64_t others = 0;
  session.query(
      "SELECT bool_or(relname = 'schema_version'), count(*) FROM pg_class WHERE relnamespace = "
      "(SELECT oid FROM pg_namespace WHERE nspname = 'ridgewatt')",
      {}, [&](const Row& row) {
        is_made = row.integer(0) != 0;
        others = row.integer(1);
      });
  if (!is_made && others > 0) {
    throw InputError("the database has a schema \"ridgewatt\" that is not a ridgewatt store",
                     session.shown(), "give another database");
  }
  if (!is_made) return std::nullopt;
  std::int64_t version = 0;
  session.query("SELECT max(version) FROM ridgewatt.schema_version", {},
                [&](const Row& row) { version = row.integer(0); });
  if (version < 1) throw InputError("is a damaged ridgewatt store", session.shown());
  if (version > kSchemaVersion) {
    throw InputError(fmt::format("the store has schema {}, but this program supports only up to {}",
                                 version, kSchemaVersion),
                     session.shown(), "use a newer version of ridgewatt");
  }
  return version;
}

// Samples grouped by channel: names, and where each channel begins and ends in `times` and
// `values`.
struct Channels {
  explicit Channels(const std::vector<RawSample>& samples) {
    for (const auto& sample : samples) {
      if (std::find(names.begin(), names.end(), sample.channel) == names.end()) {
        names.push_back(sample.channel);
      }
    }
    for (const auto& name : names) {
      begins.push_back(static_cast<std::int64_t>(times.size()) + 1);
      for (const auto& sample : samples) {
        if (sample.channel != name) continue;
        times.push_back(sample.time_s);
        values.push_back(sample.value);
      }
      ends.push_back(static_cast<std::int64_t>(times.size()));
    }
  }
  std::vector<std::string> names;
  std::vector<std::int64_t> begins, ends;
  std::vector<double> times, values;
};

// Inserts a point and its samples in one statement. Returns a row if the point was new.
std::string add_statement() {
  const int c = kPointColumnCount + 2;
  return fmt::format(
      "WITH added AS ({}), sampled AS (INSERT INTO sample (point, position, channel, time_s, "
      "value) "
      "SELECT added.id, c.n, c.channel, (${}::float8[])[c.a::int:c.b::int], "
      "(${}::float8[])[c.a::int:c.b::int] FROM added, unnest(${}::text[], ${}::bigint[], "
      "${}::bigint[]) WITH ORDINALITY AS c (channel, a, b, n)) SELECT id FROM added",
      insert_point(), c, c + 1, c + 2, c + 3, c + 4);
}

std::vector<BoundValue> bound_point(const NewPoint& point) {
  std::vector<BoundValue> result;
  for (const Value& value : values_of(point.series, *point.record)) result.push_back(bound(value));
  const Channels channels(point.record->samples);
  result.push_back(bound_reals(channels.times));
  result.push_back(bound_reals(channels.values));
  result.push_back(bound_texts(channels.names));
  result.push_back(bound_integers(channels.begins));
  result.push_back(bound_integers(channels.ends));
  return result;
}

}  // namespace

PostgresqlConnection::PostgresqlConnection(const std::string& location, bool read_only)
    : session_(location, read_only) {
  const auto version = schema_version(session_);
  if (version == kSchemaVersion) return;
  if (!read_only) {
    make_schema();
    return;
  }
  if (!version) {
    throw InputError("the database does not hold a ridgewatt store", session_.shown(),
                     "the first command that writes to it creates the store");
  }
  schema_ = *version;
}

void PostgresqlConnection::make_schema() {
  try {
    take_schema_steps();
  } catch (const PermissionError& error) {
    throw PermissionError(
        fmt::format("the store must be upgraded to schema {}, but this database role may not do so",
                    kSchemaVersion),
        error.what(), "let the owner of the schema run `ridgewatt store upgrade` once");
  }
}

// If several clients start at once, the first one creates the schema and the others find it.
void PostgresqlConnection::take_schema_steps() {
  try {
    session_.execute(fmt::format("BEGIN; SELECT pg_advisory_xact_lock({})", kMigrationLock));
    bool has_schema = false;
    session_.query("SELECT oid FROM pg_namespace WHERE nspname = 'ridgewatt'", {},
                   [&](const Row&) { has_schema = true; });
    if (!has_schema) session_.execute("CREATE SCHEMA ridgewatt");
    const auto version = schema_version(session_);
    for (const auto& step : schema_steps()) {
      if (step.version <= version.value_or(0)) continue;
      session_.execute(
          step.sql + fmt::format("INSERT INTO schema_version (version) VALUES ({})", step.version));
    }
    session_.execute("COMMIT");
  } catch (const SessionLost& lost) {
    throw IoError("lost the connection to the store", session_.shown(), lost.reason);
  }
}

void PostgresqlConnection::stream(const NextStatement& sql, const Each& each) {
  for (int attempt = 1;; ++attempt) {
    try {
      return session_.copy(sql(), each);
    } catch (const SessionLost& lost) {
      if (attempt == kMostTries) {
        throw IoError("lost the connection to the store", session_.shown(), lost.reason);
      }
      session_.reconnect(lost);
    }
  }
}

std::vector<bool> PostgresqlConnection::add(const std::vector<NewPoint>& points) {
  for (const auto& point : points)
    values_of(point.series, *point.record);  // throws before anything is written
  bool in_doubt = false;
  std::vector<int> rows;
  for (int attempt = 1;; ++attempt) {
    try {
      rows = session_.run_all(add_statement(), points.size(),
                              [&](std::size_t i) { return bound_point(points[i]); });
      break;
    } catch (const SessionLost& lost) {
      if (attempt == kMostTries) {
        throw IoError("lost the connection to the store", session_.shown(), lost.reason);
      }
      session_.reconnect(lost);
      in_doubt = in_doubt || !lost.gave_way;
    }
  }
  std::vector<bool> added;
  for (std::size_t i = 0; i < points.size(); ++i) {
    added.push_back(rows.at(i) > 0 ||
                    (in_doubt && is_there(values_of(points[i].series, *points[i].record))));
  }
  return added;
}

// True if the store has this point with the same values in all columns (samples are not compared).
bool PostgresqlConnection::is_there(const std::vector<Value>& values) {
  std::string condition = "series = $1";
  std::size_t column = 0;
  for (const auto& name : split(kPointColumns, ',')) {
    const char* equal = column < kKeyColumns ? "=" : "IS NOT DISTINCT FROM";
    condition += fmt::format(" AND {} {} ${}", trim(name), equal, column + 2);
    ++column;
  }
  bool found = false;
  session_.query("SELECT id FROM point WHERE " + condition, values,
                 [&](const Row&) { found = true; });
  return found;
}

bool has_postgresql_store(const std::string& location) {
  PostgresqlSession session(location, true);
  return schema_version(session).has_value();
}

}  // namespace ridgewatt::store
