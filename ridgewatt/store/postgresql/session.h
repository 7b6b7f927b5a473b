// A session with a PostgreSQL server: a connection with bound parameters and binary results that is
// re-established when it breaks. Error messages are one line without credentials.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/store/postgresql/address.h"
#include "ridgewatt/store/postgresql/libpq.h"
#include "ridgewatt/store/sql/connection.h"

namespace ridgewatt::store {

struct ClearResult {
  void operator()(libpq::Result* result) const { Libpq::get().clear(result); }
};
using PostgresqlResult = std::unique_ptr<libpq::Result, ClearResult>;

// A parameter as it is sent: the number of its PostgreSQL type, and its bytes.
struct BoundValue {
  unsigned type = 0;
  std::string bytes;
  bool is_null = false;
};
// Decodes a big-endian integer of 1 to 8 bytes.
std::int64_t number_in(const char* bytes, int length);
BoundValue bound(const Value& value);
BoundValue bound_reals(const std::vector<double>& values);
BoundValue bound_integers(const std::vector<std::int64_t>& values);
BoundValue bound_texts(const std::vector<std::string>& values);

// Thrown if a statement was aborted. There are two cases. If the connection broke, it is unknown
// whether the statement took effect. If the server aborted this session to resolve a conflict,
// `gave_way` is true: the statement had no effect and can be repeated.
struct SessionLost {
  std::string reason;
  bool gave_way = false;
};

class PostgresqlSession {
 public:
  PostgresqlSession(const std::string& location, bool read_only);
  ~PostgresqlSession();
  PostgresqlSession(const PostgresqlSession&) = delete;
  PostgresqlSession& operator=(const PostgresqlSession&) = delete;

  // Passes the rows of a statement to `each`. The statement is repeated once if the connection
  // breaks.
  void query(const std::string& sql, const std::vector<Value>& values,
             const Connection::Each& each = {});
  // Passes the rows of a query without parameters to `each` one at a time, in the order in which
  // the server sends them (COPY in binary format). Throws SessionLost, possibly after some rows.
  void copy(const std::string& sql, const Connection::Each& each);
  // Executes statements without parameters, in one transaction or individually. Not repeated if the
  // connection breaks.
  void execute(const std::string& sql);
  // Runs the same statement `count` times in one transaction, with the parameters from `nth`, and
  // returns the number of rows of each run. The statement is prepared at first use. Throws
  // SessionLost. Transactions of several statements take a common lock first, so that two of them
  // cannot deadlock on each other's rows.
  using Parameters = std::function<std::vector<BoundValue>(std::size_t)>;
  std::vector<int> run_all(const std::string& sql, std::size_t count, const Parameters& nth);
  // Reconnects after SessionLost (unless the connection is intact) and ends the old session on the
  // server, so that it holds no locks. Throws IoError if the server is unavailable for longer than
  // a restart takes.
  void reconnect(const SessionLost& lost);

  bool read_only() const { return read_only_; }
  const std::string& shown() const { return address_.shown; }
  // Throws the error that corresponds to an SQLSTATE.
  [[noreturn]] void fail(const std::string& state, const std::string& message) const;

 private:
  void connect();
  void wait_for_connection();
  void prepare_session();
  void close();
  PostgresqlResult run(const std::string& sql, const std::vector<Value>& values);
  // Throws SessionLost or the error that corresponds to the result.
  void check(const libpq::Result* result) const;
  void collect(std::size_t statements, std::vector<int>& rows);
  void prepare(const std::string& sql, const std::vector<BoundValue>& parameters);

  PostgresqlAddress address_;
  bool read_only_;
  const Libpq& pq_ = Libpq::get();
  libpq::Connection* connection_ = nullptr;
  std::string prepared_;  // text of the prepared statement
  // Process ID and start time of the server process of this session.
  std::int64_t backend_ = 0;
  std::string backend_start_;
};

}  // namespace ridgewatt::store
