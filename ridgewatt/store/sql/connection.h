// The interface between the store and a database of either kind: rows of a query, and points
// written with their samples in one transaction. The SQL is the same for all databases: parameters
// are $1, $2, .. in the order of their first use, never text inside the query.
//
//   connection.query("SELECT id FROM series WHERE board = $1", {std::string("agx-orin")},
//                    [&](const Row& row) { ids.push_back(row.integer(0)); });
//
// Tables and columns: sql/schema.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "ridgewatt/store/store.h"

namespace ridgewatt::store {

// A parameter: null, a whole number, a real number or text.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

// A row of a result, columns counted from 0.
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
  // Rows are passed on while or after they are read. A query that writes must be safe to run twice,
  // because it is repeated after a lost connection.
  virtual void query(const std::string& sql, const std::vector<Value>& values,
                     const Each& each = {}) = 0;
  // The rows of a long statement without parameters, passed on as they arrive, so that one row at a
  // time is held. After a lost connection `sql` is called again, for the rows that were not passed.
  using NextStatement = std::function<std::string()>;
  virtual void stream(const NextStatement& sql, const Each& each) { query(sql(), {}, each); }
  // Writes the missing points in one transaction; returns which points were written.
  virtual std::vector<bool> add(const std::vector<NewPoint>& points) = 0;
  virtual bool read_only() const = 0;
  // The version of the schema that queries see.
  virtual std::int64_t schema() const = 0;
};

}  // namespace ridgewatt::store
