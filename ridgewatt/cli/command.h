// What every command of the program shares. A command is one file cmd_NAME.cc: it declares its
// options, calls one library function and prints. No logic lives here.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::cli {

using report::OutputFormat;

// Standard output, kept back for the file of -o, which gets the whole result or none of it.
class KeptOutput {
 public:
  ~KeptOutput();
  std::string path;  // empty: nothing is kept back
  void begin();
  void finish();  // writes the file
  bool keeps() const { return terminal_ != nullptr; }

 private:
  std::ostringstream text_;
  std::streambuf* terminal_ = nullptr;
};

struct CommandEntry;  // commands.h

// What the options say that stand before or after any command.
struct Context {
  std::span<const CommandEntry> commands = {};  // of this program
  std::vector<std::string> line = {};           // the command line, as it was given
  OutputFormat format = OutputFormat::kTable;
  std::uint64_t seed = 1;
  bool quiet = false;
  bool wide = false;      // every column of a table, whatever the width of the terminal
  std::size_t top = 0;    // rows of a table; 0: all
  std::string sort = {};  // column of a table, see Table::sort
  std::vector<std::string> columns = {};  // of a table, see Table::keep_columns; empty: all
  bool with_figures = false;              // JSON gets the key "figures", see report/result_report.h
  bool strict = false;  // of commands with a model: what cannot be counted is an error
  KeptOutput output = {};
  std::vector<std::string> remarks = {};  // said before the command runs
  std::vector<std::string> then = {};     // a command line that runs next, in this process
  const CLI::App* program = nullptr;      // whose innermost command names the schema of JSON
  std::string result_of = {};  // or the command ("evaluate.schedules") whose result it is

  bool json() const { return format == OutputFormat::kJson; }
  bool csv() const { return format == OutputFormat::kCsv; }
};

// Where the help lists them.
inline constexpr char kEveryCommand[] = "Options of every command";
// --format, --seed, --quiet and those of tables: the program itself and every command have them.
void add_global_options(CLI::App& app, Context& context);
// -o of a command whose result is what it prints.
void add_output_option(CLI::App& command, Context& context);
// The subcommand of that name with this description; added where it is not there yet.
CLI::App* command_named(CLI::App& parent, const std::string& name, const std::string& description);
// Gives `parent` a subcommand with the global options. `example` is shown below the help.
CLI::App* add_command(CLI::App& parent, Context& context, const std::string& name,
                      const std::string& description, const std::string& example);

// --wide, --top, --sort and --columns: part of the global options.
void add_table_options(CLI::App& command, Context& context);
// JSON is whole and in its own order: UsageError when --top, --sort or --columns are asked
// of it; figures are for JSON alone.
void check_table_options(const Context& context);
// Before a command measures, changes or writes anything: UsageError where --sort or --columns name
// no column of `table`, which is the one that it will print, or the same without rows.
void check_table_options(const Context& context, report::Table table);

void check_table_options(const Context& context, const report::Result& result);

// `table`, and for programs where its rows come from.
report::Table with_origin(const Context& context, const report::Table& table,
                          const RowOrigin& origin);
// Prints the table that the command is about in the wanted format, with --sort and --top; as JSON
// its rows, all of them. `order` is how people find it when they ask for no other; CSV keeps its
// own order.
void print(const Context& context, const report::Table& table, const std::string& order = {});
// As print of a table, but row by row.
void print(const Context& context, const report::Rows& rows);
// As print of a JSON result.
void print(const Context& context, report::StreamedJson result);
// Prints the part of a result that the format needs, and its remarks. NoSolutionError where the
// result says that there is no answer.
void print(const Context& context, const report::Result& result);
// A second table: as it is, but no wider than the terminal.
void print_aside(const Context& context, const report::Table& table);
// A result with its schema (report/result.h).
void print(const Context& context, const Json& result);
// The same as an object, and as text for a file.
Json schema_first(const Context& context, const Json& result);
std::string json_text(const Context& context, const Json& result);
// A remark on standard error, escaped; nothing when quiet.
void remark(const Context& context, const std::string& text);
// Once all is printed: Error where the program that was measured did not end with 0.
void check_status(int status, const std::vector<std::string>& program);
// Makes a folder for results where there is none.
void make_folder(const std::string& path);
// Writes `text` where the user wants it (see io/file.h); an empty `path`, an option that was not
// given, prints it.
void write_output(const std::string& path, std::string_view text);

}  // namespace ridgewatt::cli
