// A table of a page. Of a long one the first rows are HTML, and all rows lie behind it as one block
// of data of which table.js draws a page of rows at a time: a browser takes seconds for ten
// thousands of rows, and milliseconds for their data.
//
//   body += table_html(table, "0");  // <table data-table="0">, rows with their number
#pragma once

#include <cstddef>
#include <string>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// Rows of a table that are in the document at once; chosen: what a browser lays out in less than a
// tenth of a second. Shorter tables are HTML alone.
inline constexpr std::size_t kPageRows = 400;

// `id` is what figures link to; empty: nothing does.
std::string table_html(const Table& table, const std::string& id);

// The block: {"rows": count, "page": kPageRows, "columns": [{"texts", "places", "numeric"}]}. Of a
// column the distinct values in rising order, as people read them, and for each row its place among
// them; -1: no value.
Json table_block(const Table& table);

// JSON that cannot end the script element around it, whatever its texts hold.
std::string script_json(const Json& json);

}  // namespace ridgewatt::report
