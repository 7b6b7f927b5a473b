// The result of a command in all formats: tables, CSV, JSON and remarks. `print(context, result)`
// (cli/command.h) prints the part for the requested format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/layer_sums.h"
#include "ridgewatt/report/rows.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// Table: text for the terminal.
enum class OutputFormat { kTable, kJson, kCsv };
constexpr auto enum_names(OutputFormat) {
  return named<OutputFormat>({{OutputFormat::kTable, "table"},
                              {OutputFormat::kJson, "json"},
                              {OutputFormat::kCsv, "csv"}});
}

struct Result {
  // A text with its line ends, followed by a table.
  struct Piece {
    std::string text;
    std::optional<Table> table = {};
  };
  // Why there is no answer, and what to do. The command then ends with status 3.
  struct NoSolution {
    std::string what;
    std::string where = {};
    std::string advice = {};
  };
  Table table;  // --sort, --top and --columns apply to it; shown if it has columns
  std::optional<Table> data = {};             // rows of CSV and JSON, if they differ from `table`
  std::optional<Rows> stream = {};            // rows of CSV, created while they are written
  Json json = {};                             // null: the rows of `data` or `table`
  std::optional<StreamedJson> streamed = {};  // the JSON, created while it is written
  std::vector<Piece> before = {};             // before the table, only in table format
  std::vector<Piece> after = {};              // like `before`, but after the table
  std::vector<std::string> remarks = {};      // printed on standard error, in every format
  std::vector<std::string> notes = {};  // like remarks, except in JSON, which has keys for them
  std::string order = {};               // default order of `table` in table format: "-time_ms"
  std::optional<NoSolution> none = {};  // printed last

  // Adds lines of text before the table. Line ends are added.
  void lines_before(const std::vector<std::string>& lines, const std::string& indent = {});
  // Adds text after the table.
  void text_after(const std::string& text) { after.push_back({text}); }
  // Adds sums over the layers in `table`.
  void add_sums(LayerSums sums);

  // The table, followed by the columns that only the rows of CSV have. With `csv`, the rows of CSV,
  // followed by the columns that only the table has.
  Table with_all_columns(bool csv) const;

  const Table& rows() const { return data ? *data : table; }
  // Adds a table at the end, below a heading, in table format. Does nothing if the table has no
  // rows.
  void add(const std::string& heading, Table more) {
    if (more.rows().empty()) return;
    after.push_back({'\n' + heading + (heading.empty() ? "" : "\n\n"), std::move(more)});
  }
};

// The first key of a JSON result is "schema": "ridgewatt.COMMAND/1" ("ridgewatt.tune/1",
// "ridgewatt.schedule.plan/1"). The number increases when a key is renamed or removed or changes
// its meaning, but not for new keys.

// The schema of the results of `command` ("schedule plan" or "schedule.plan"):
// "ridgewatt.schedule.plan/1".
std::string schema_name(std::string_view command);
// Adds the schema of `command` as the first key. An array becomes the key `rows` of an object.
Json with_schema(std::string_view command, Json result);

// Whether `result` has a schema and thus was written by this program.
bool has_schema(const Json& result);

// Removes the schema. A result that has only `rows` becomes that array. A result without a schema
// (of an older version) does not change.
Json without_schema(Json result);

}  // namespace ridgewatt::report
