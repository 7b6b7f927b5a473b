#include "ridgewatt/store/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>

#include "ridgewatt/base/caller.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/fd.h"
#include "ridgewatt/io/file_kind.h"
#include "ridgewatt/io/input_files.h"
#include "ridgewatt/io/shell.h"

namespace ridgewatt::store {

namespace {

constexpr int kBusyMs = 60'000;  // for a disk that syncs slowly, and several waiting writers

bool has_content(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

// A device or a FIFO cannot hold a database: SQLite would create a journal in its folder. It takes
// a file of one byte for an empty one (unixFileSize in os_unix.c), and would overwrite it.
void require_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  if (!S_ISREG(status.st_mode)) {
    throw InputError("is not a regular file, so it cannot hold a database", path);
  }
  if (status.st_size == 1) throw InputError("is not a database, but a file of one byte", path);
}

bool file_stands(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

// Returns "file:" and the path, with all characters escaped that have a meaning in a URI.
std::string immutable_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '/' || c == '.' ||
                       c == '-' || c == '_';
    uri += plain ? std::string(1, c) : fmt::format("%{:02x}", static_cast<unsigned char>(c));
  }
  return uri + "?immutable=1";
}

bool same_instant(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// Creates a new file for the user who called sudo; SQLite gives its journal files the same owner.
// An existing file is left unchanged.
void create_for_caller(const std::string& path) {
  const auto caller = calling_user();
  if (!caller) return;
  const OwnedFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!file) return;  // SQLite reports the reason
  [[maybe_unused]] const int result = ::fchown(file.get(), caller->user, caller->group);
}

}  // namespace

Database::Database(const std::string& path, Access access) : path_(path), access_(access) {
  require_file(path);
  note_input(path);
  if (access == Access::kReadOnly) {
    open_to_read();
  } else {
    create_for_caller(path);
    open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  }
}

Database::~Database() {
  close();
}

void Database::close() {
  sqlite3_close(handle_);
  handle_ = nullptr;
}

void Database::open(const std::string& name, int flags) {
  const int code = sqlite3_open_v2(name.c_str(), &handle_, flags, nullptr);
  if (code != SQLITE_OK) {
    const int system_error = handle_ != nullptr ? sqlite3_system_errno(handle_) : 0;
    close();
    if (system_error != 0) throw_errno(system_error, "cannot open the database", path_);
    throw IoError("cannot open the database", path_, sqlite3_errstr(code));
  }
  sqlite3_busy_timeout(handle_, kBusyMs);
  sqlite3_extended_result_codes(handle_, 1);
}

// SQLite needs an index file to read a database with a write-ahead log, and would have to create
// it. Without a log, the database file alone is complete: it is read without index and locks, and
// the result is rejected if the file has changed during the read.
void Database::open_to_read() {
  const std::string log = path_ + "-wal";
  const auto alone = [&] { return !has_content(log) && !file_stands(path_ + "-journal"); };
  const auto open_unlocked = [&] {
    struct stat status {};
    if (::stat(path_.c_str(), &status) != 0) throw_errno(errno, "cannot open the database", path_);
    if (S_ISDIR(status.st_mode)) throw InputError("is a folder, not a database", path_);
    open(immutable_uri(path_), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    unlocked_ = status;
  };
  if (alone() && !file_stands(log)) return open_unlocked();
  open(path_, SQLITE_OPEN_READONLY);
  const int code =
      sqlite3_exec(handle_, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr);
  const int kind = code & 0xFF;
  if (code == SQLITE_OK) return;
  if (kind != SQLITE_CANTOPEN && kind != SQLITE_READONLY && kind != SQLITE_PERM) fail(code);
  close();
  if (alone()) return open_unlocked();
  throw PermissionError("cannot read the write-ahead log of the database", log,
                        "read the database once as the user who wrote it");
}

void Database::check_unwritten() const {
  if (!unlocked_) return;
  struct stat now {};
  if (::stat(path_.c_str(), &now) == 0 && now.st_ino == unlocked_->st_ino &&
      now.st_dev == unlocked_->st_dev && now.st_size == unlocked_->st_size &&
      same_instant(now.st_mtim, unlocked_->st_mtim)) {
    return;
  }
  throw IoError("another process changed the database while it was read", path_,
                "run the command again");
}

namespace {

// Says what a file is that has no header of SQLite. Its content is read only now: closing a
// descriptor of a database would release the locks that this process holds on it.
void refuse_other_kind(const std::string& path) {
  const std::string begin = begin_of_file(path);
  if (begin.empty() || begin.starts_with(kSqliteHeader)) return;
  const std::string_view kind = kind_of_content(begin);
  throw InputError(fmt::format("is {}, not a database", kind), path,
                   kind == kCsvKind ? "to make a store of a sweep, use `ridgewatt store import "
                                      "NEW.db " +
                                          shell_quoted(path) + "`"
                                    : "");
}

}  // namespace

void Database::fail(int code) const {
  check_unwritten();  // a concurrent change explains any error
  const std::string reason = sqlite3_errmsg(handle_);
  switch (code & 0xFF) {
    case SQLITE_NOTADB:
      refuse_other_kind(path_);
      [[fallthrough]];
    case SQLITE_CORRUPT:
      throw InputError("is a damaged database", path_, reason);
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      throw PermissionError("cannot write the database", path_, reason);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw IoError("another process has locked the database", path_,
                    "try again when that process has ended");
    case SQLITE_CANTOPEN:
      throw PermissionError("cannot write the database or its folder", path_, reason);
    case SQLITE_FULL:
      throw IoError("cannot write the database", path_, "the disk is full");
    default:
      throw IoError("database error", path_, reason);
  }
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

bool Database::try_execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  const int kind = code & 0xFF;
  if (kind == SQLITE_BUSY || kind == SQLITE_LOCKED || kind == SQLITE_PROTOCOL) return false;
  if (code != SQLITE_OK) fail(code);
  return true;
}

bool Database::has_table(std::string_view name) {
  Statement table(*this, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  return table.bind(1, name).step();
}

std::int64_t Database::pragma(std::string_view name) {
  Statement statement(*this, "PRAGMA " + std::string(name));
  statement.step();
  return statement.integer(0);
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

Statement& Statement::bind_null(int index) {
  if (const int code = sqlite3_bind_null(statement_, index)) database_.fail(code);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    database_.check_unwritten();
    return false;
  }
  database_.fail(code);
}

void Statement::reset() {
  sqlite3_reset(statement_);
}

void Statement::run() {
  while (step()) {
  }
  reset();
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

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

Transaction::Transaction(Database& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const Error&) {  // SQLite has already rolled back (disk full)
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace ridgewatt::store
