// A thin RAII wrapper of SQLite handles: parameters are bound by position, and every failure is an
// Error that names the database file.
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

// One prepared statement. Bind its parameters (from 1), then call step until it returns false.
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
  // True while there is a row to read.
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
  // kReadOnly writes nothing, not even into the folder of the file if nobody writes it: so the file
  // of another user in a folder of another user can be read. kCreate reads and writes; a new file
  // belongs to the user who called sudo.
  enum class Access { kReadOnly, kCreate };
  // Throws NotFoundError, PermissionError, InputError (not a database) or IoError.
  Database(const std::string& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);
  // The same, but returns false if another process holds a lock on the database.
  bool try_execute(const std::string& sql);
  std::int64_t last_insert_id() const;
  const std::string& path() const { return path_; }
  bool read_only() const { return access_ == Access::kReadOnly; }
  // Throws the error that corresponds to SQLite's result code.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  void open_to_read();
  void open(const std::string& name, int flags);
  void close();
  // Throws if the file was written after it was opened without locks.
  void check_unwritten() const;

  std::string path_;
  Access access_;
  sqlite3* handle_ = nullptr;
  std::optional<struct stat> unlocked_;  // the file's status when it was opened without locks
};

// A transaction: takes effect at commit(), otherwise not at all.
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
