// Reads keys of a table in engines/*.toml. Each function throws InputError that names a faulty key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/io/embedded.h"
#include "ridgewatt/io/toml.h"

namespace ridgewatt::llm {

class EngineTable {
 public:
  // `table` must outlive this object.
  EngineTable(const TomlTable& table, std::string where)
      : table_(table), where_(std::move(where)) {}

  std::string text(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  double number(std::string_view key) const;  // positive
  bool flag(std::string_view key) const;
  bool has(std::string_view key) const { return table_.contains(key); }
  const std::string& where() const { return where_; }
  [[noreturn]] void fail(std::string_view key, std::string_view fault) const;

 private:
  const TomlTable& table_;
  std::string where_;
};

// The tables of an array.
std::vector<const TomlTable*> tables_of(const TomlTable& table, std::string_view key,
                                        const std::string& source);

// The embedded file with this name.
const EmbeddedFile& embedded_engines(std::string_view name);

}  // namespace ridgewatt::llm
