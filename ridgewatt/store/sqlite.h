// A thin RAII wrapper around SQLite handles. Parameters are bound by position. Every failure throws
// an Error that names the database file.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace ridgewatt::store {

class Database;

// A prepared statement. Bind its parameters (numbered from 1), then call step() until it returns
// false.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int index, double value);
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, int value) { return bind(index, std::int64_t{value}); }
  Statement& bind(int index, std::string_view value);
  // Advances to the next row. Returns false if there is none.
  bool step();
  Statement& bind_null(int index);
  // Resets the statement so that it can be bound again.
  void reset();
  // Runs a statement that returns no rows, and resets it.
  void run();

  double real(int column) const;
  std::int64_t integer(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  // kReadOnly writes nothing. If no other process writes the database, it also creates no auxiliary
  // files next to it, so it can read a file in another user's folder. kCreate reads and writes. A
  // new file belongs to the user who called sudo.
  enum class Access { kReadOnly, kCreate };
  // Throws NotFoundError, PermissionError, InputError (not a database) or IoError.
  Database(const std::string& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);
  // Like execute(), but returns false if another process holds a lock on the database.
  bool try_execute(const std::string& sql);
  bool has_table(std::string_view name);
  // The integer that PRAGMA `name` returns.
  std::int64_t pragma(std::string_view name);
  const std::string& path() const { return path_; }
  bool read_only() const { return access_ == Access::kReadOnly; }
  // Throws the error that corresponds to an SQLite result code.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  void open_to_read();
  void open(const std::string& name, int flags);
  void close();
  // Throws IoError if another process wrote the file after it was opened without locks.
  void check_unwritten() const;

  std::string path_;
  Access access_;
  sqlite3* handle_ = nullptr;
  std::optional<struct stat> unlocked_;  // status of the file when it was opened without locks
};

// A transaction. Without commit(), its changes are discarded.
class Transaction {
 public:
  explicit Transaction(Database& database);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace ridgewatt::store
