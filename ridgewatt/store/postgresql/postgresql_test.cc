// Tests features of stores on a server: one-line errors, roles, credentials.
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/store/postgresql/postgresql_connection.h"
#include "ridgewatt/store/postgresql/test_stores.h"

namespace ridgewatt::store {
namespace {

constexpr const char* kSecret = "S3cr3t-Pa55";

class PostgresqlStore : public ::testing::Test {
 protected:
  void SetUp() override { RIDGEWATT_REQUIRE_POSTGRESQL(); }
  TestServer& server() { return *TestServer::get(); }
};

// The one-line message of the Fault that `body` throws; empty if it does not throw.
template <typename Fault, typename Body>
std::string line_of(Body body) {
  try {
    body();
  } catch (const Fault& fault) {
    const std::string line = fault.what();
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    EXPECT_EQ(line.find(kSecret), std::string::npos);
    EXPECT_LT(line.size(), 500u);
    return line;
  }
  return {};
}

// label: slow
TEST_F(PostgresqlStore, RefusalsAreOneLine) {
  const std::string location = server().fresh();
  const auto read = [&](const std::string& where) {
    return [where] { Store(where, Database::Access::kReadOnly); };
  };
  EXPECT_NE(line_of<InputError>(read(location)), "");
  EXPECT_NE(line_of<NotFoundError>(read(server().address("nowhere"))), "");
  EXPECT_NE(line_of<IoError>(read("postgresql://u@localhost/d?host=/no/such/folder")), "");
  EXPECT_NE(line_of<IoError>(read("postgresql://u@127.0.0.1:1/d?connect_timeout=2")), "");
  EXPECT_NE(line_of<UsageError>(read("postgresql://u@h:port/d?x=1&nothing")), "");
  const std::string other = location.substr(0, location.find('?'));
  const std::string database = other.substr(other.rfind('/') + 1);
  server().execute("CREATE SCHEMA ridgewatt CREATE TABLE schema_versions (x int)", database);
  EXPECT_NE(line_of<InputError>(read(location)), "");
  EXPECT_NE(line_of<InputError>([&] { Store{location}; }), "");
  server().execute("DROP SCHEMA ridgewatt CASCADE; CREATE SCHEMA ridgewatt", database);
  Store{location};
  server().execute("INSERT INTO ridgewatt.schema_version VALUES (99)", database);
  EXPECT_NE(line_of<InputError>(read(location)).find("99"), std::string::npos);
  EXPECT_NE(line_of<InputError>([&] { Store{location}; }), "");
}

TEST_F(PostgresqlStore, CopiedRowsAreThoseOfAQuery) {
  PostgresqlConnection connection(server().fresh(), false);
  const std::string sql =
      "SELECT g, g::float8 / -7, CASE WHEN g % 3 <> 0 THEN repeat('\u00e9|', g::int) END, '' FROM "
      "generate_series(-2::bigint, 40) AS g ORDER BY g";
  std::vector<std::string> queried, copied;
  const auto into = [](std::vector<std::string>& lines) {
    return [&lines](const Row& row) {
      lines.push_back(fmt::format("{} {} {} '{}' {} '{}'", row.integer(0), row.real(1),
                                  row.is_null(2), row.text(2), row.is_null(3), row.text(3)));
    };
  };
  connection.query(sql, {}, into(queried));
  connection.stream([&] { return sql; }, into(copied));
  EXPECT_EQ(copied.size(), 43u);
  EXPECT_EQ(copied, queried);
  int rows = 0;
  connection.stream([] { return "SELECT 1 WHERE false"; }, [&](const Row&) { ++rows; });
  EXPECT_EQ(rows, 0);
  EXPECT_THROW(connection.stream([] { return "SELECT x FROM nothing"; }, [](const Row&) {}),
               InputError);
  // After a callback stops a read, the connection can still be used.
  EXPECT_THROW(connection.stream([&] { return sql; }, [](const Row&) { throw Error("enough"); }),
               Error);
  connection.query("SELECT 7::bigint", {}, [&](const Row& row) { rows += row.integer(0); });
  EXPECT_EQ(rows, 7);
}

// More rows than a socket buffers, so that the server is still sending when its process ends.
// label: slow
TEST_F(PostgresqlStore, ALongReadGoesOnAfterALostConnection) {
  PostgresqlConnection connection(server().fresh(), false);
  constexpr std::int64_t kRows = 300'000;
  std::int64_t last = 0;
  int statements = 0;
  bool in_order = true;
  connection.stream(
      [&] {
        ++statements;
        return fmt::format("SELECT g, repeat('x', 100) FROM generate_series({}::bigint, {}) AS g",
                           last + 1, kRows);
      },
      [&](const Row& row) {
        in_order = in_order && row.integer(0) == last + 1 && row.text(1).size() == 100;
        last = row.integer(0);
        if (last != 1000 && last != 150'000) return;
        server().execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%'");
      });
  EXPECT_EQ(last, kRows);
  EXPECT_TRUE(in_order);
  EXPECT_EQ(statements, 3);
}

// label: slow
TEST_F(PostgresqlStore, RolesMayWhatTheyWereGranted) {
  const std::string location = server().fresh();
  const std::string other = location.substr(0, location.find('?'));
  const std::string database = other.substr(other.rfind('/') + 1);
  server().execute("CREATE ROLE reader LOGIN; CREATE ROLE board LOGIN");
  const std::string reader = server().address(database, "reader");
  const std::string board = server().address(database, "board");
  EXPECT_NE(line_of<PermissionError>([&] { Store{reader}; }), "");
  Store store(location);
  store.add(store.series(kSome), some_point(1));
  EXPECT_NE(line_of<PermissionError>([&] { Store(reader, Database::Access::kReadOnly); }), "");
  // The rights of ridgewatt_writer and ridgewatt_reader (docs/guide/fleet.md), and the right to
  // change plans.
  server().execute(
      "GRANT USAGE ON SCHEMA ridgewatt TO reader, board;"
      "GRANT SELECT ON ALL TABLES IN SCHEMA ridgewatt TO reader, board;"
      "GRANT INSERT ON ALL TABLES IN SCHEMA ridgewatt TO board;"
      "GRANT UPDATE ON ridgewatt.plan TO board",
      database);
  Store readers(reader, Database::Access::kReadOnly);
  EXPECT_EQ(readers.points(readers.series(kSome), true).at(0).samples.size(), 2u);
  Store careless(reader);
  EXPECT_NE(line_of<PermissionError>([&] { careless.add(1, some_point(2)); }), "");
  Store boards(board);
  boards.plan(kSome, 7);
  boards.add(boards.series(kSome), some_point(2));
  EXPECT_EQ(boards.planned(boards.series(kSome)), 7);
  EXPECT_EQ(readers.size(), 2);
  // A role without the right to change plans can still add points.
  server().execute("REVOKE UPDATE ON ridgewatt.plan FROM board", database);
  boards.plan(kSome, 8);
  boards.add(boards.series(kSome), some_point(4));
  EXPECT_EQ(boards.planned(boards.series(kSome)), 7);
  // A store that is opened read-only writes nothing, whatever the rights of its role are.
  Store owner(location, Database::Access::kReadOnly);
  EXPECT_NE(line_of<PermissionError>([&] { owner.add(1, some_point(3)); }), "");
  EXPECT_THROW(owner.series({"other", "w", "training"}), NotFoundError);
  EXPECT_EQ(owner.size(), 3);
}

// Schema 3 had all tables except `campaign`. A store with this schema can be read. A role that may
// not upgrade it gets a message that states the command for the owner. After the upgrade, each role
// has the same rights on the new table as on the other tables.
// label: slow
TEST_F(PostgresqlStore, SchemaThreeIsReadAsItIsAndBroughtUpToDateByItsOwner) {
  const std::string location = server().fresh();
  const std::string other = location.substr(0, location.find('?'));
  const std::string database = other.substr(other.rfind('/') + 1);
  {
    Store store(location);
    PointRecord point = some_point(1);
    point.slot = "c/b/0";
    store.add(store.series(kSome), point);
  }
  server().execute(
      "DROP TABLE ridgewatt.campaign, ridgewatt.failure, ridgewatt.campaign_board; DELETE FROM "
      "ridgewatt.schema_version WHERE version > 3;"
      "CREATE ROLE older_reader LOGIN; CREATE ROLE older_board LOGIN;"
      "GRANT USAGE ON SCHEMA ridgewatt TO older_reader, older_board;"
      "GRANT SELECT ON ALL TABLES IN SCHEMA ridgewatt TO older_reader, older_board;"
      "GRANT INSERT ON ALL TABLES IN SCHEMA ridgewatt TO older_board",
      database);
  const std::string reader = server().address(database, "older_reader");
  const std::string board = server().address(database, "older_board");
  {
    Store readers(reader, Database::Access::kReadOnly);
    EXPECT_EQ(readers.schema(), 3);
    EXPECT_EQ(readers.filled_slots("c/").size(), 1u);
    EXPECT_TRUE(readers.campaigns().empty());
  }
  const std::string line = line_of<PermissionError>([&] { Store{board}; });
  EXPECT_NE(line.find("ridgewatt store upgrade"), std::string::npos) << line;
  EXPECT_NE(line.find("schema 5"), std::string::npos) << line;
  EXPECT_EQ(Store(location).schema(), 5);
  Store boards(board);
  ASSERT_TRUE(boards.enter_campaign({"c", "aa", "ann@lab", 1700000000}));
  Store readers(reader, Database::Access::kReadOnly);
  EXPECT_EQ(readers.campaigns().at(0).fingerprint, "aa");
  EXPECT_EQ(readers.points(readers.series(kSome)).size(), 1u);
  Store careless(reader);
  EXPECT_FALSE(careless.enter_campaign({"d", "bb", "eve@lab", 1700000000}));
}

// label: slow
TEST_F(PostgresqlStore, APasswordComesFromFileOrEnvironmentAndIsNeverShown) {
  const std::string location = server().fresh();
  const std::string other = location.substr(0, location.find('?'));
  const std::string database = other.substr(other.rfind('/') + 1);
  server().execute(std::string("CREATE ROLE locked LOGIN SUPERUSER PASSWORD '") + kSecret + "'");
  const std::string locked = server().address(database, "locked");
  const auto open = [&] { Store{locked}; };
  unsetenv("PGPASSWORD");
  setenv("PGPASSFILE", "/no/such/file", 1);
  EXPECT_NE(line_of<PermissionError>(open).find("password"), std::string::npos);
  setenv("PGPASSWORD", (std::string(kSecret) + "x").c_str(), 1);
  EXPECT_NE(line_of<PermissionError>(open), "");
  setenv("PGPASSWORD", kSecret, 1);
  EXPECT_NO_THROW(open());
  EXPECT_EQ(Store(locked).path().find("host="), std::string::npos);
  EXPECT_NE(line_of<IoError>([&] { Store{"postgresql://locked@/d?host=/no/such"}; }), "");
  unsetenv("PGPASSWORD");
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("pass", std::string("*:*:*:locked:") + kSecret + "\n");
  chmod(file.c_str(), 0600);
  EXPECT_NO_THROW(Store{locked + "&passfile=" + file});
  const std::string wrong = folder.write("wrong", std::string("*:*:*:locked:no") + kSecret + "\n");
  chmod(wrong.c_str(), 0600);
  EXPECT_NE(line_of<PermissionError>([&] { Store{locked + "&passfile=" + wrong}; }), "");
  const std::string secret = kSecret;
  for (const std::string& bad :
       {"postgresql://u:" + secret + "@h/d", "postgres://u:" + secret + "@h:1/d?sslmode=require",
        "postgresql://u:a/" + secret + "@h/d", "postgresql://u:a@" + secret + "@h/d",
        "postgresql://u@h/d?password=" + secret, "postgresql://u@h/d?pass%77ord=" + secret,
        "postgresql://u@h/d?sslpassword=" + secret, "postgresql://u:" + secret + "%zz@h/d",
        "host=h user=u password=" + secret}) {
    EXPECT_NE(line_of<UsageError>([&] { Store{bad}; }).find("password"), std::string::npos) << bad;
    EXPECT_NE(line_of<UsageError>([&] { Store::made_at_first_write(bad); }), "") << bad;
  }
  unsetenv("PGPASSFILE");
}

}  // namespace
}  // namespace ridgewatt::store
