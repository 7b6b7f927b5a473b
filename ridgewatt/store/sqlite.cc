#include "ridgewatt/store/sqlite.h"

#include <sqlite3.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

Database::Database(const std::string& path, Access access) : path_(path) {
  const int flags = access == Access::kCreate ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                              : SQLITE_OPEN_READWRITE;
  const int code = sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    const int system_error = handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
    sqlite3_close(handle_);
    if (system_error != 0) throw_errno(system_error, "cannot open database", path);
    throw IoError("cannot open database", path, sqlite3_errstr(code));
  }
  sqlite3_busy_timeout(handle_, 5000);
  sqlite3_extended_result_codes(handle_, 1);
}

Database::~Database() {
  sqlite3_close(handle_);
}

void Database::fail(int code) const {
  const std::string reason = sqlite3_errmsg(handle_);
  switch (code & 0xFF) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      throw InputError("is not a sound database", path_, reason);
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      throw PermissionError("cannot write database", path_, reason);
    default:
      throw IoError("database error", path_, reason);
  }
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::last_insert_id() const {
  return sqlite3_last_insert_rowid(handle_);
}

Statement::Statement(Database& database, std::string_view sql) : database_(database) {
  const int code = sqlite3_prepare_v2(database.handle_, sql.data(), static_cast<int>(sql.size()),
                                      &statement_, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

Statement::~Statement() {
  sqlite3_finalize(statement_);
}

Statement& Statement::bind(int index, double value) {
  if (const int code = sqlite3_bind_double(statement_, index, value)) database_.fail(code);
  return *this;
}

Statement& Statement::bind(int index, std::int64_t value) {
  if (const int code = sqlite3_bind_int64(statement_, index, value)) database_.fail(code);
  return *this;
}

Statement& Statement::bind(int index, std::string_view value) {
  const int code = sqlite3_bind_text(statement_, index, value.data(),
                                     static_cast<int>(value.size()), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) database_.fail(code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  database_.fail(code);
}

void Statement::run() {
  while (step()) {
  }
  sqlite3_reset(statement_);
}

double Statement::real(int column) const {
  return sqlite3_column_double(statement_, column);
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

std::string Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (text == nullptr) return {};
  return {text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {  // SQLite has rolled back by itself (disk full): nothing is left to do
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace ridgewatt
