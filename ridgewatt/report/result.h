// The result of a command in all formats: tables, CSV, JSON and remarks. `print(context, result)`
// (cli/command.h) prints the part that the format needs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

struct Result {
  // Text with its own line ends, then the table.
  struct Piece {
    std::string text;
    std::optional<Table> table = {};
  };
  Table table;                            // the table of --sort, --top and --columns
  std::optional<Table> data = {};         // rows of CSV and JSON, if they differ from `table`
  Json json = {};                         // null: the rows of `data` or `table`
  std::vector<Piece> before = {};         // for people
  std::vector<Piece> after = {};          // for people
  std::vector<std::string> remarks = {};  // on standard error, in every format
  std::vector<std::string> notes = {};    // the same, except with JSON, which has keys for them

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
