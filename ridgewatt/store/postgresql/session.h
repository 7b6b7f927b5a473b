// A session with a PostgreSQL server: a connection that is made again when it breaks, parameters
// that are bound, results in binary. Errors are one line without credentials.
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

// A parameter as it is sent: PostgreSQL's number of its type, and its bytes.
struct BoundValue {
  unsigned type = 0;
  std::string bytes;
  bool is_null = false;
};
BoundValue bound(const Value& value);
BoundValue bound_reals(const std::vector<double>& values);
BoundValue bound_integers(const std::vector<std::int64_t>& values);
BoundValue bound_texts(const std::vector<std::string>& values);

// The connection broke while something was asked: whether it was done is not known. Or two clients
// waited for each other and this one gave way: it was not done, and may be asked again.
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

  // The rows of one statement, asked once more when the connection breaks meanwhile.
  void query(const std::string& sql, const std::vector<Value>& values,
             const Connection::Each& each = {});
  // Statements without parameters, in one transaction or by themselves; not repeated.
  void execute(const std::string& sql);
  // The same statement `count` times, each with the parameters that `nth` gives, prepared at first
  // use, in one transaction: the number of rows that each gave. Throws SessionLost. Transactions of
  // several statements wait for each other before they begin, so that no two of them wait for each
  // other's rows.
  using Parameters = std::function<std::vector<BoundValue>(std::size_t)>;
  std::vector<int> run_all(const std::string& sql, std::size_t count, const Parameters& nth);
  // Makes a connection again after SessionLost (unless it is whole), and ends what is left of the
  // old one on the server, so that it holds nothing. IoError: the server is away for longer than a
  // restart takes.
  void reconnect(const SessionLost& lost);

  bool read_only() const { return read_only_; }
  const std::string& shown() const { return address_.shown; }
  // What went wrong once, by its SQLSTATE.
  [[noreturn]] void fail(const std::string& state, const std::string& message) const;

 private:
  void connect();
  void wait_for_connection();
  void prepare_session();
  void close();
  PostgresqlResult run(const std::string& sql, const std::vector<Value>& values);
  // Throws SessionLost, or the error that a result stands for.
  void check(const libpq::Result* result) const;
  void collect(std::size_t statements, std::vector<int>& rows);
  void prepare(const std::string& sql, const std::vector<BoundValue>& parameters);

  PostgresqlAddress address_;
  bool read_only_;
  const Libpq& pq_ = Libpq::get();
  libpq::Connection* connection_ = nullptr;
  std::string prepared_;      // the statement that is
  std::int64_t backend_ = 0;  // the server's process of this session, and when it began
  std::string backend_start_;
};

}  // namespace ridgewatt::store
