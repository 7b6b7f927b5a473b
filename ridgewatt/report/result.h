// The result of a command in all formats: tables, CSV, JSON and remarks. `print(context, result)`
// (cli/command.h) prints the part that the format needs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/layer_sums.h"
#include "ridgewatt/report/rows.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// For people, programs and spreadsheets.
enum class OutputFormat { kTable, kJson, kCsv };
constexpr auto enum_names(OutputFormat) {
  return named<OutputFormat>({{OutputFormat::kTable, "table"},
                              {OutputFormat::kJson, "json"},
                              {OutputFormat::kCsv, "csv"}});
}

struct Result {
  // Text with its own line ends, then the table.
  struct Piece {
    std::string text;
    std::optional<Table> table = {};
  };
  // That there is no answer: what, where and what to do. The command then ends with status 3.
  struct NoSolution {
    std::string what;
    std::string where = {};
    std::string advice = {};
  };
  Table table;                      // of --sort, --top and --columns; shown if it has columns
  std::optional<Table> data = {};   // rows of CSV and JSON, if they differ from `table`
  std::optional<Rows> stream = {};  // rows of CSV that are made as they are written
  Json json = {};                   // null: the rows of `data` or `table`
  std::optional<StreamedJson> streamed = {};  // the JSON, made as it is written
  std::vector<Piece> before = {};             // for people
  std::vector<Piece> after = {};              // for people
  std::vector<std::string> remarks = {};      // on standard error, in every format
  std::vector<std::string> notes = {};        // the same, except with JSON, which has keys for them
  std::string order = {};                     // of `table` for people who ask for none: "-time_ms"
  std::optional<NoSolution> none = {};        // said last

  // Adds lines of text for people in front of the table, each with its line end.
  void lines_before(const std::vector<std::string>& lines, const std::string& indent = {});
  // Adds text for people after the table.
  void text_after(const std::string& text) { after.push_back({text}); }
  // Adds sums of the layers that `table` lists.
  void add_sums(LayerSums sums);

  const Table& rows() const { return data ? *data : table; }
  // Adds a table for people at the end, under a heading. A table without rows is left out.
  void add(const std::string& heading, Table more) {
    if (more.rows().empty()) return;
    after.push_back({'\n' + heading + (heading.empty() ? "" : "\n\n"), std::move(more)});
  }
};

// The first key of a JSON result is "schema": "ridgewatt.COMMAND/1" ("ridgewatt.tune/1",
// "ridgewatt.schedule.plan/1"). The number rises when a key is renamed, removed or changes its
// meaning. New keys do not raise it.

// `result` of the command ("schedule.plan") with its schema first; an array becomes the `rows` of
// an object.
Json with_schema(const std::string& command, Json result);

// Whether `result` names its schema, so that this program wrote it.
bool has_schema(const Json& result);

// Removes the schema; a result that has only `rows` becomes the bare array.
// A result without a schema (of older versions) is returned unchanged.
Json without_schema(Json result);

}  // namespace ridgewatt::report
