// The interface between the store and a database of either kind: it runs queries, and writes points
// with their samples in one transaction. The SQL is the same for all databases. Parameters are $1,
// $2, .. in the order of their first use and are never inserted into the text of the query.
//
//   connection.query("SELECT id FROM series WHERE board = $1", {std::string("agx-orin")},
//                    [&](const Row& row) { ids.push_back(row.integer(0)); });
//
// sql/schema.h has the tables and columns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "ridgewatt/store/store.h"

namespace ridgewatt::store {

// A parameter: null, an integer, a real number or text.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

// A row of a result. Columns are numbered from 0.
class Row {
 public:
  virtual ~Row() = default;
  virtual std::int64_t integer(int column) const = 0;
  virtual double real(int column) const = 0;
  virtual std::string text(int column) const = 0;
  virtual bool is_null(int column) const = 0;
};

struct NewPoint {
  std::int64_t series = 0;
  const PointRecord* record = nullptr;
};

class Connection {
 public:
  using Each = std::function<void(const Row&)>;

  virtual ~Connection() = default;
  // Runs a query and calls `each` for every row, possibly while rows are still being read. A query
  // that writes must be safe to run twice, because it is repeated after a lost connection.
  virtual void query(const std::string& sql, const std::vector<Value>& values,
                     const Each& each = {}) = 0;
  // Runs a long query without parameters and calls `each` for every row as it arrives, so that only
  // one row is held in memory. After a lost connection, calls `sql` again, which must return a
  // query for the remaining rows.
  using NextStatement = std::function<std::string()>;
  virtual void stream(const NextStatement& sql, const Each& each) { query(sql(), {}, each); }
  // Writes the points that are missing, in one transaction. Returns for each point whether it was
  // written.
  virtual std::vector<bool> add(const std::vector<NewPoint>& points) = 0;
  virtual bool read_only() const = 0;
  // Version of the schema of the tables that queries see.
  virtual std::int64_t schema() const = 0;
};

}  // namespace ridgewatt::store
