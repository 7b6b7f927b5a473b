// A store in an SQLite file. Creates its tables and upgrades those of older schemas.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/store/sql/connection.h"
#include "ridgewatt/store/sqlite.h"

namespace ridgewatt::store {

class SqliteConnection : public Connection {
 public:
  // See the constructor of Store.
  SqliteConnection(const std::string& path, Database::Access access);

  void query(const std::string& sql, const std::vector<Value>& values, const Each& each) override;
  std::vector<bool> add(const std::vector<NewPoint>& points) override;
  bool read_only() const override { return database_.read_only(); }
  std::int64_t schema() const override { return schema_; }

 private:
  void make_schema();
  void bring_up_to_date();
  void read_as_newest(std::int64_t version);

  Database database_;
  std::int64_t schema_ = 0;
};

}  // namespace ridgewatt::store
