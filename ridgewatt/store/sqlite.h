// A thin owner of SQLite handles: statements bind by position and every failure becomes an Error
// that names the database file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace ridgewatt {

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
  // Runs a statement that returns nothing, and makes it ready to be bound again.
  void run();

  double real(int column) const;
  std::int64_t integer(int column) const;
  std::string text(int column) const;

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

class Database {
 public:
  enum class Access { kReadOnly, kCreate };
  // Throws NotFoundError, PermissionError, InputError (not a database) or IoError.
  Database(const std::string& path, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void execute(const std::string& sql);
  std::int64_t last_insert_id() const;
  const std::string& path() const { return path_; }
  // Throws the error that SQLite's result code stands for.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Statement;
  std::string path_;
  sqlite3* handle_ = nullptr;
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

}  // namespace ridgewatt
