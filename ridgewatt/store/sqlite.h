// A thin owner of SQLite handles: statements bind by position and every failure becomes an Error
// that names the database file.
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
  // Makes it ready to be bound again.
  void reset();
  // Runs a statement that returns nothing, and makes it ready to be bound again.
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
  // kReadOnly writes nothing, not even beside the file where nobody writes it: a file of another
  // user in a folder of another user can be read. kCreate reads and writes; a new file belongs to
  // the user who called sudo.
  enum class Access { kReadOnly, kCreate };
  // Throws NotFoundError, PermissionError, InputError (not a database) or IoError.
  Database(const std::string& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);
  // The same, but false when another process holds the database just now.
  bool try_execute(const std::string& sql);
  std::int64_t last_insert_id() const;
  const std::string& path() const { return path_; }
  bool read_only() const { return access_ == Access::kReadOnly; }
  // Throws the error that SQLite's result code stands for.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  void open_to_read();
  void open(const std::string& name, int flags);
  void close();
  // Throws when the file was written since it was opened without locks.
  void check_unwritten() const;

  std::string path_;
  Access access_;
  sqlite3* handle_ = nullptr;
  std::optional<struct stat> unlocked_;  // opened without locks: what the file was then
};

// Everything until commit() happens, or nothing of it.
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
