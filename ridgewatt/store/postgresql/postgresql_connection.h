// A store in a PostgreSQL database. The first client that writes creates or upgrades its schema
// `ridgewatt` under an advisory lock.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/store/postgresql/session.h"
#include "ridgewatt/store/sql/connection.h"
#include "ridgewatt/store/sql/schema.h"

namespace ridgewatt::store {

class PostgresqlConnection : public Connection {
 public:
  // Read-only access uses read-only transactions. Throws PermissionError, NotFoundError (no such
  // database), InputError (not a store, or written by a newer version) or IoError (unreachable).
  PostgresqlConnection(const std::string& location, bool read_only);

  void query(const std::string& sql, const std::vector<Value>& values, const Each& each) override {
    session_.query(sql, values, each);
  }
  void stream(const NextStatement& sql, const Each& each) override;
  // If the connection is lost, checks afterwards whether the points were stored, so that the result
  // is correct even if an acknowledgement was lost.
  std::vector<bool> add(const std::vector<NewPoint>& points) override;
  bool read_only() const override { return session_.read_only(); }
  std::int64_t schema() const override { return schema_; }

 private:
  void make_schema();
  void take_schema_steps();
  bool is_there(const std::vector<Value>& values);

  PostgresqlSession session_;
  std::int64_t schema_ = kSchemaVersion;
};

// True if the database contains a store. Throws the other errors of the constructor.
bool has_postgresql_store(const std::string& location);

}  // namespace ridgewatt::store
