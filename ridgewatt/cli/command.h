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

// What the options say that stand before or after any command.
struct Context {
  std::string format = "table";  // table, json or csv
  std::uint64_t seed = 1;
  bool quiet = false;

  bool json() const { return format == "json"; }
  bool csv() const { return format == "csv"; }
};

// --format, --seed and --quiet: the program itself and every command have them.
void add_global_options(CLI::App& app, Context& context);
// Adds a subcommand with the global options. `example` is shown below the help.
CLI::App* add_command(CLI::App& parent, Context& context, const std::string& name,
                      const std::string& description, const std::string& example);

// Prints a table in the wanted format; as JSON it is the array alone.
void print(const Context& context, const Table& table);
void print(const Json& json);
// A remark on standard error, escaped; nothing when quiet.
void remark(const Context& context, const std::string& text);
// Writes `text` where the user wants it (see base/file.h); an empty `path`, an option that was not
// given, prints it.
void write_output(const std::string& path, const std::string& text);

}  // namespace ridgewatt::cli
