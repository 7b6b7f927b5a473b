// Code that all commands of the program share. A command is a row of commands.cc or a file
// cmd_NAME.cc: it declares options, calls one library function and prints the result. It contains
// no other logic.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/io/output_file.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::cli {

using report::OutputFormat;

// Collects standard output for the file of -o, so that the file is either complete or not written.
class KeptOutput : std::streambuf {
 public:
  ~KeptOutput() override;
  std::string path;  // empty: output is printed
  // Starts to collect standard output if `path` is set.
  void begin();
  void finish();  // writes the file
  // Returns whether output is being collected.
  bool keeps() const { return terminal_ != nullptr; }

 private:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  std::optional<OutputFile> file_;
  std::streambuf* terminal_ = nullptr;
};

struct CommandEntry;  // commands.h

// The values of options that every command has, and other state of a run of the program.
struct Context {
  std::span<const CommandEntry> commands = {};  // of this program
  std::vector<std::string> line = {};           // the command line without the name of the program
  OutputFormat format = OutputFormat::kTable;
  std::uint64_t seed = 1;
  bool quiet = false;
  bool wide = false;      // all columns of a table, even if they exceed the width of the terminal
  std::size_t top = 0;    // maximum number of rows of a table; 0: all
  std::string sort = {};  // column by which tables are sorted; see Table::sort
  std::vector<std::string> columns = {};  // columns of tables; empty: all. See Table::keep_columns.
  bool with_figures = false;              // JSON gets the key "figures"; see report/html_report.h
  // For commands with a model: operators whose cost is not counted are an error.
  bool strict = false;
  KeptOutput output = {};
  std::vector<std::string> remarks = {};  // printed before the command runs
  std::vector<std::string> then = {};     // command line to run next in this process; empty: none
  const CLI::App* program = nullptr;      // its innermost command determines the schema of JSON
  // If set, determines the schema in place of `program`: "evaluate.schedules".
  std::string result_of = {};

  bool json() const { return format == OutputFormat::kJson; }
  bool csv() const { return format == OutputFormat::kCsv; }
};

// Heading of the global options in the help.
inline constexpr char kEveryCommand[] = "Options of every command";
// Adds --format, --seed, --quiet and the table options. The program and every command have them.
void add_global_options(CLI::App& app, Context& context);
// Adds -o to a command whose printed text is its result.
void add_output_option(CLI::App& command, Context& context);
// Returns the subcommand with this name and sets its description; adds it if it does not exist.
CLI::App* command_named(CLI::App& parent, std::string_view name, std::string_view description);
// Adds a subcommand with the global options to `parent`. `example` is shown below its help.
CLI::App* add_command(CLI::App& parent, Context& context, std::string_view name,
                      std::string_view description, std::string_view example);

// Adds --wide, --top, --sort and --columns; called by add_global_options().
void add_table_options(CLI::App& command, Context& context);
// Throws UsageError for --top, --sort or --columns with JSON, because JSON is always complete and
// unsorted. Throws UsageError for --with-figures without JSON.
void check_table_options(const Context& context);
// Throws UsageError if --sort or --columns name a column that `table` lacks. Call it before a
// command measures, changes or writes anything. `table` is the table that will be printed; it may
// have no rows.
void check_table_options(const Context& context, report::Table table);
// Does the same for the table that the result prints.
void check_table_options(const Context& context, const report::Result& result);
// Throws UsageError if --top, --sort or --columns is given and the result is not printed as a
// table: "--top has no effect with --output".
void refuse_table_options(const Context& context, const std::string& when);
// For a command whose result is always CSV: throws like refuse_table_options(), and also for JSON.
void refuse_all_but_csv(const Context& context);

// Returns `table`. For CSV and JSON, adds columns for the origin of the rows.
report::Table with_origin(const Context& context, const report::Table& table,
                          const RowOrigin& origin);
// Prints the main table of a command in the requested format, with --sort, --top and --columns.
// JSON contains all rows. `order`: column by which the terminal output is sorted if --sort is not
// given; CSV keeps the order of the rows.
void print(const Context& context, const report::Table& table, const std::string& order = {});
// Prints the main table of a command, whose rows are written one at a time.
void print(const Context& context, const report::Rows& rows);
// Prints a JSON result that is written in parts.
void print(const Context& context, report::StreamedJson result);
// Prints the part of a result that belongs to the format, and its remarks. Throws NoSolutionError
// if the result has no solution.
void print(const Context& context, const report::Result& result);
// Prints another table, without --sort, --top and --columns.
void print_aside(const Context& context, const report::Table& table);
// Prints a JSON result with its schema (report/result.h).
void print(const Context& context, const Json& result);
// Returns a JSON result with its schema, as an object and as text for a file.
Json schema_first(const Context& context, const Json& result);
std::string json_text(const Context& context, const Json& result);
// Prints a remark on standard error, with control characters escaped; nothing with --quiet.
void remark(const Context& context, const std::string& text);
// Throws Error if the measured program ended with a status other than 0. Called after the result
// was printed.
void check_status(int status, const std::vector<std::string>& program);
// Creates a folder for results, with its parents, if it does not exist.
void make_folder(const std::string& path);
// Writes `text` to the file `path` (see io/file.h), or prints it if `path` is empty.
void write_output(const std::string& path, std::string_view text);

}  // namespace ridgewatt::cli
