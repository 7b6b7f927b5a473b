#include "ridgewatt/store/postgresql/session.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"

namespace ridgewatt::store {
namespace {

constexpr double kRestartS = 15;  // time limit for a restart of the server
constexpr std::size_t kLongestReason = 300;
constexpr int kMostAttempts = 5;
constexpr const char* kWaitForOthers = "SELECT pg_advisory_xact_lock(1380208469)";  // "RDWU"
// The server also notices within half a minute that a client is gone, and releases its locks.
constexpr const char* kToWrite =
    "SET search_path = ridgewatt; SET synchronous_commit = on; SET tcp_keepalives_idle = 10;"
    "SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3";
// Without JIT: compiling a query takes longer than counting a million points.
constexpr const char* kToRead =
    "SET search_path = ridgewatt; SET default_transaction_read_only = on; SET jit = off";

struct StateAndMessage {
  std::string state, message;
};

// Splits a line like "... FATAL:  28P01: password authentication failed LOCATION: ...". Empty if it
// has no SQLSTATE.
std::optional<StateAndMessage> find_state(std::string_view line) {
  constexpr std::size_t kDigits = 5;
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto digit = [&](char c) { return upper(c) || (c >= '0' && c <= '9'); };
  for (std::size_t at = line.find(": "); at != line.npos; at = line.find(": ", at + 1)) {
    if (at == 0 || !upper(line[at - 1])) continue;
    const std::string_view rest =
        line.substr(std::min(line.find_first_not_of(' ', at + 1), line.size()));
    const std::string_view state = rest.substr(0, kDigits);
    if (!std::all_of(state.begin(), state.end(), digit)) continue;
    if (!rest.substr(state.size()).starts_with(": ") || state.size() < kDigits) continue;
    const std::string_view message = rest.substr(kDigits + 2);
    return StateAndMessage{std::string(state),
                           std::string(message.substr(0, message.find(" LOCATION: ")))};
  }
  return std::nullopt;
}

// Converts a message from libpq to a single line.
std::string in_one_line(const std::string& message) {
  std::string line;
  for (const char c : message) {
    const bool blank = static_cast<unsigned char>(c) < 0x20;
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  if (line.size() > kLongestReason) line = line.substr(0, kLongestReason) + " ..";
  return line;
}

// True if the server is shutting down or does not accept connections yet.
bool server_leaves(const std::string& state) {
  return state.starts_with("57P0") || state.starts_with("08");
}

// A TLS error: the text in libpq's message, its meaning and a hint. If the hint is empty, libpq's
// own message is the hint.
struct TlsFault {
  const char *said, *what, *hint;
};
constexpr TlsFault kTlsFaults[] = {
    {"certificate verify failed", "the server's certificate is not trusted",
     "it has expired, or another authority than that of sslrootcert signed it"},
    {"does not match host name", "the server's certificate is for another host", ""},
    {"alert unknown ca", "the server does not trust the certificate of this client",
     "another authority than the server's signed it"},
    {"alert certificate expired", "the certificate of this client has expired", "renew it"},
    {"alert certificate revoked", "the certificate of this client is revoked", "ask for a new one"},
    {"certificate file", "the files for TLS cannot be used", ""},
    {"private key file", "the files for TLS cannot be used", ""},
};

// TLS errors are permanent, so the program does not wait and retry.
void refuse_tls_fault(const std::string& message, const std::string& shown) {
  for (const TlsFault& fault : kTlsFaults) {
    if (message.find(fault.said) == std::string::npos) continue;
    static const std::string kFailed = " failed: ";
    const auto begin = message.find(kFailed);
    const std::string own =
        begin == std::string::npos ? message : message.substr(begin + kFailed.size());
    throw PermissionError(fault.what, shown, *fault.hint == 0 ? own : fault.hint);
  }
}

class PostgresqlRow : public Row {
 public:
  PostgresqlRow(const libpq::Result* result, int row) : result_(result), row_(row) {}
  std::int64_t integer(int column) const override {
    return number_in(pq_.value(result_, row_, column), pq_.length(result_, row_, column));
  }
  double real(int column) const override {
    if (pq_.length(result_, row_, column) != 8) return 0;
    return std::bit_cast<double>(integer(column));
  }
  std::string text(int column) const override {
    return {pq_.value(result_, row_, column),
            static_cast<std::size_t>(pq_.length(result_, row_, column))};
  }
  bool is_null(int column) const override { return pq_.is_null(result_, row_, column) != 0; }

 private:
  const Libpq& pq_ = Libpq::get();
  const libpq::Result* result_;
  int row_;
};

// Parameters in the form that libpq needs.
struct Arguments {
  explicit Arguments(const std::vector<BoundValue>& values) {
    for (const auto& value : values) {
      types.push_back(value.type);
      bytes.push_back(value.is_null ? nullptr : value.bytes.data());
      lengths.push_back(static_cast<int>(value.bytes.size()));
      formats.push_back(libpq::kBinary);
    }
  }
  int count() const { return static_cast<int>(types.size()); }

  std::vector<unsigned> types;
  std::vector<const char*> bytes;
  std::vector<int> lengths, formats;
};

}  // namespace

std::int64_t number_in(const char* bytes, int length) {
  if (length <= 0) return 0;
  std::int64_t number = static_cast<signed char>(bytes[0]);
  for (int i = 1; i < length && i < 8; ++i) {
    number = (number << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

PostgresqlSession::PostgresqlSession(const std::string& location, bool read_only)
    : address_(parse_address(location)), read_only_(read_only) {
  try {
    connect();
  } catch (...) {
    close();
    throw;
  }
}

PostgresqlSession::~PostgresqlSession() {
  close();
}

void PostgresqlSession::close() {
  if (connection_ != nullptr) pq_.finish(connection_);
  connection_ = nullptr;
  prepared_.clear();
}

void PostgresqlSession::connect() {
  close();
  std::vector<const char*> keywords, values;
  for (const auto& [keyword, value] : address_.settings) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  connection_ = pq_.connect_start(keywords.data(), values.data(), 0);
  if (connection_ == nullptr) throw IoError("cannot connect to the store", shown());
  pq_.set_verbosity(connection_, libpq::kVerbose);  // includes SQLSTATE in messages
  pq_.set_notice(
      connection_, [](void*, const char*) {}, nullptr);
  wait_for_connection();
  try {
    prepare_session();
  } catch (const SessionLost& lost) {
    throw IoError("cannot connect to the store", shown(), lost.reason);
  }
}

void PostgresqlSession::wait_for_connection() {
  const Stopwatch waiting;
  // First wait until the socket is writable, as PQconnectPoll requires.
  for (int next = libpq::kPollWriting; next != libpq::kPollOk;) {
    const std::string message = in_one_line(pq_.error_message(connection_));
    if (next == libpq::kPollFailed || pq_.socket(connection_) < 0) {
      if (const auto found = find_state(message)) fail(found->state, found->message);
      if (pq_.needs_password(connection_) != 0) {
        throw PermissionError("the database server asks for a password", shown(),
                              "give it in ~/.pgpass, ?passfile=FILE or PGPASSWORD");
      }
      refuse_tls_fault(message, shown());
      throw IoError("cannot connect to the store", shown(), message);
    }
    const double left_s = address_.timeout_s - waiting.s();
    if (left_s <= 0)
      throw IoError("cannot connect to the store", shown(),
                    "the database server does not answer; check that it runs and can be reached");
    pollfd wanted{pq_.socket(connection_),
                  static_cast<short>(next == libpq::kPollReading ? POLLIN : POLLOUT), 0};
    if (::poll(&wanted, 1, static_cast<int>(left_s * 1000) + 1) > 0) {
      next = pq_.connect_poll(connection_);
    }
  }
}

void PostgresqlSession::prepare_session() {
  check(PostgresqlResult(pq_.exec(connection_, read_only_ ? kToRead : kToWrite)).get());
  backend_ = pq_.backend_pid(connection_);
  backend_start_.clear();
  const auto result =
      run("SELECT backend_start::text FROM pg_stat_activity WHERE pid = $1::int8", {backend_});
  if (pq_.rows(result.get()) == 1) backend_start_ = PostgresqlRow(result.get(), 0).text(0);
}

void PostgresqlSession::reconnect(const SessionLost& lost) {
  if (lost.gave_way) return;
  const std::int64_t old_backend = backend_;
  const std::string old_start = backend_start_;
  const Stopwatch waiting;
  while (true) {
    try {
      connect();
      break;
    } catch (const IoError& error) {
      if (waiting.s() > kRestartS) {
        throw IoError("lost the connection to the store", shown(), lost.reason);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  if (old_start.empty()) return;
  try {
    run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND "
        "backend_start::text = $2",
        {old_backend, old_start});
  } catch (const PermissionError&) {  // the old session ends when its connection times out
  } catch (const SessionLost&) {      // the next statement notices this
  }
}

void PostgresqlSession::fail(const std::string& state, const std::string& message) const {
  const std::string reason = in_one_line(message);
  if (state == "3D000") {
    throw NotFoundError("the server has no database of this name", shown(),
                        "create it with createdb");
  }
  if (state.starts_with("28"))
    throw PermissionError("the database server refuses the connection", shown(), reason);
  if (state == "42501")
    throw PermissionError("this database role may not use the store", shown(), reason);
  if (state == "25006") throw PermissionError("cannot write the store", shown(), reason);
  if (state.starts_with("22")) throw InputError("the database refuses a value", shown(), reason);
  if (state == "42P01" || state == "42703" || state == "3F000") {
    throw InputError("is a damaged ridgewatt store", shown(), reason);
  }
  throw IoError("database error", shown(), reason);
}

void PostgresqlSession::check(const libpq::Result* result) const {
  const int status = result == nullptr ? -1 : pq_.result_status(result);
  if (status == libpq::kTuplesOk || status == libpq::kCommandOk) return;
  const char* state = result == nullptr ? nullptr : pq_.error_field(result, 'C');
  const char* message = result == nullptr ? nullptr : pq_.error_field(result, 'M');
  const std::string code = state == nullptr ? "" : state;
  if (pq_.status(connection_) != libpq::kConnectionOk || server_leaves(code)) {
    throw SessionLost{in_one_line(message != nullptr ? message : pq_.error_message(connection_))};
  }
  const bool gave_way = code == "40P01" || code == "40001";
  if (gave_way) throw SessionLost{in_one_line(message), true};
  fail(code, message != nullptr ? message : pq_.error_message(connection_));
}

PostgresqlResult PostgresqlSession::run(const std::string& sql, const std::vector<Value>& values) {
  std::vector<BoundValue> parameters;
  for (const Value& value : values) parameters.push_back(bound(value));
  const Arguments arguments(parameters);
  PostgresqlResult result(pq_.exec_params(
      connection_, sql.c_str(), arguments.count(), arguments.types.data(), arguments.bytes.data(),
      arguments.lengths.data(), arguments.formats.data(), libpq::kBinary));
  check(result.get());
  return result;
}

void PostgresqlSession::query(const std::string& sql, const std::vector<Value>& values,
                              const Connection::Each& each) {
  PostgresqlResult result;
  for (int attempt = 1; result == nullptr; ++attempt) {
    try {
      result = run(sql, values);
    } catch (const SessionLost& lost) {
      if (attempt == kMostAttempts) {
        throw IoError("lost the connection to the store", shown(), lost.reason);
      }
      reconnect(lost);
    }
  }
  if (!each) return;
  for (int row = 0; row < pq_.rows(result.get()); ++row) each(PostgresqlRow(result.get(), row));
}

void PostgresqlSession::execute(const std::string& sql) {
  check(PostgresqlResult(pq_.exec(connection_, sql.c_str())).get());
}

void PostgresqlSession::prepare(const std::string& sql, const std::vector<BoundValue>& parameters) {
  if (prepared_ == sql) return;
  const Arguments arguments(parameters);
  check(PostgresqlResult(pq_.prepare(connection_, "ridgewatt", sql.c_str(), arguments.count(),
                                     arguments.types.data()))
            .get());
  prepared_ = sql;
}

std::vector<int> PostgresqlSession::run_all(const std::string& sql, std::size_t count,
                                            const Parameters& nth) {
  if (count == 0) return {};
  prepare(sql, nth(0));
  // All statements before one synchronization form one transaction, which it commits.
  if (pq_.enter_pipeline(connection_) != 1) throw SessionLost{"cannot send"};
  const bool alone = count == 1;
  if (!alone && pq_.send_params(connection_, kWaitForOthers, 0, nullptr, nullptr, nullptr, nullptr,
                                libpq::kBinary) != 1) {
    throw SessionLost{in_one_line(pq_.error_message(connection_))};
  }
  for (std::size_t i = 0; i < count; ++i) {
    const auto parameters = nth(i);
    const Arguments arguments(parameters);
    if (pq_.send_prepared(connection_, "ridgewatt", arguments.count(), arguments.bytes.data(),
                          arguments.lengths.data(), arguments.formats.data(),
                          libpq::kBinary) != 1) {
      throw SessionLost{in_one_line(pq_.error_message(connection_))};
    }
  }
  if (pq_.pipeline_sync(connection_) != 1) {
    throw SessionLost{in_one_line(pq_.error_message(connection_))};
  }
  std::vector<int> rows;
  collect(count, rows);
  if (!alone) rows.erase(rows.begin());
  return rows;
}

// Reads all results up to the synchronization. Before it nothing is committed.
void PostgresqlSession::collect(std::size_t statements, std::vector<int>& rows) {
  PostgresqlResult fault;
  for (std::size_t empty = 0;;) {
    PostgresqlResult result(pq_.get_result(connection_));
    if (result == nullptr) {
      if (pq_.status(connection_) != libpq::kConnectionOk || ++empty > statements + 2) {
        throw SessionLost{in_one_line(pq_.error_message(connection_))};
      }
      continue;
    }
    const int status = pq_.result_status(result.get());
    if (status == libpq::kPipelineSync) break;
    if (status == libpq::kTuplesOk) {
      rows.push_back(pq_.rows(result.get()));
    } else if (status != libpq::kPipelineAborted && fault == nullptr) {
      fault = std::move(result);
    }
  }
  pq_.exit_pipeline(connection_);
  if (fault != nullptr) check(fault.get());
}

}  // namespace ridgewatt::store
