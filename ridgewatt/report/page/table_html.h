// A table in an HTML page. The first rows of a long table are HTML; all rows follow as a block of
// data, from which table.js draws one page of rows at a time. A browser needs seconds to lay out
// tens of thousands of rows, but milliseconds to read their data.
//
//   body += table_html(table, "0");  // <table data-table="0">, rows with their number
#pragma once

#include <cstddef>
#include <string>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// Number of rows of a table that are in the document at a time. Chosen: a browser lays them out in
// less than a tenth of a second. A table with fewer rows is completely HTML.
inline constexpr std::size_t kPageRows = 400;

// `id` is the target of links from figures; empty: there are no links.
std::string table_html(const Table& table, const std::string& id);

// The block of data: {"rows": count, "page": kPageRows, "columns": [{"texts", "places",
// "numeric"}]}. `texts` are the distinct formatted values of a column in rising order. `places` has
// the index of each row's value in `texts`; -1: no value.
Json table_block(const Table& table);

// JSON as text that cannot end the surrounding script element.
std::string script_json(const Json& json);

}  // namespace ridgewatt::report
