// A session with a PostgreSQL server: a connection that is re-established when it breaks, with
// bound parameters and binary results. Errors are one line without credentials.
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

// A parameter as it is sent: PostgreSQL's type number and the bytes.
struct BoundValue {
  unsigned type = 0;
  std::string bytes;
  bool is_null = false;
};
// The whole number that big-endian bytes are, of 1 to 8.
std::int64_t number_in(const char* bytes, int length);
BoundValue bound(const Value& value);
BoundValue bound_reals(const std::vector<double>& values);
BoundValue bound_integers(const std::vector<std::int64_t>& values);
BoundValue bound_texts(const std::vector<std::string>& values);

// The connection broke during a statement: it is unknown whether the statement took effect. Or the
// server resolved a deadlock by aborting this session: then it had no effect and may be repeated.
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

  // The rows of one statement, repeated once if the connection breaks.
  void query(const std::string& sql, const std::vector<Value>& values,
             const Connection::Each& each = {});
  // The rows of a query without parameters as the server sends them (COPY in binary), one at a
  // time. Throws SessionLost, also after some rows.
  void copy(const std::string& sql, const Connection::Each& each);
  // Statements without parameters, in one transaction or individually; not repeated.
  void execute(const std::string& sql);
  // Runs the same statement `count` times in one transaction, each with the parameters from `nth`,
  // prepared at first use; returns the number of rows of each. Throws SessionLost. Transactions of
  // several statements take a lock before they begin, so that no two of them deadlock on each
  // other's rows.
  using Parameters = std::function<std::vector<BoundValue>(std::size_t)>;
  std::vector<int> run_all(const std::string& sql, std::size_t count, const Parameters& nth);
  // Reconnects after SessionLost (unless the connection is intact) and ends what remains of the old
  // session on the server, so that it holds no locks. Throws IoError if the server is unavailable
  // for longer than a restart takes.
  void reconnect(const SessionLost& lost);

  bool read_only() const { return read_only_; }
  const std::string& shown() const { return address_.shown; }
  // The error of a statement, by its SQLSTATE.
  [[noreturn]] void fail(const std::string& state, const std::string& message) const;

 private:
  void connect();
  void wait_for_connection();
  void prepare_session();
  void close();
  PostgresqlResult run(const std::string& sql, const std::vector<Value>& values);
  // Throws SessionLost, or the error that corresponds to a result.
  void check(const libpq::Result* result) const;
  void collect(std::size_t statements, std::vector<int>& rows);
  void prepare(const std::string& sql, const std::vector<BoundValue>& parameters);

  PostgresqlAddress address_;
  bool read_only_;
  const Libpq& pq_ = Libpq::get();
  libpq::Connection* connection_ = nullptr;
  std::string prepared_;      // the prepared statement
  std::int64_t backend_ = 0;  // the server process of this session, and its start time
  std::string backend_start_;
};

}  // namespace ridgewatt::store
