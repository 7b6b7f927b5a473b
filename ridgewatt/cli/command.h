// What every command of the program shares. A command is one file cmd_NAME.cc: it declares its
// options, calls one library function and prints. No logic lives here.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include "ridgewatt/base/json.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::cli {

struct Context {
  std::string format = "table";  // table, json or csv
  std::uint64_t seed = 1;
  bool quiet = false;

  bool json() const { return format == "json"; }
  bool csv() const { return format == "csv"; }
};

// Adds a subcommand with the options that all have: --format, --seed, --quiet. `example` is shown
// below the help.
CLI::App* add_command(CLI::App& parent, Context& context, const std::string& name,
                      const std::string& description, const std::string& example);

// Prints a table in the wanted format; as JSON it is the array alone.
void print(const Context& context, const Table& table);
void print(const Json& json);
// A remark on standard error, escaped; nothing when quiet.
void remark(const Context& context, const std::string& text);
// Writes `text` to `path` atomically, or to standard output when `path` is empty or "-".
void write_output(const std::string& path, const std::string& text);

}  // namespace ridgewatt::cli
