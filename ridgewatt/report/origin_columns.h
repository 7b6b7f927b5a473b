// The columns that say where each row of a result comes from: workload, kind, board, provenance
// and, where modelled, runtime and twin. For CSV and JSON; people read it above the table.
//
//   print(context, context.csv() ? with_origin(table, {origin}) : table);
#pragma once

#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::report {

// `table` with the columns of `origins` behind its own; one origin per row, or one for all. A
// column that the table has already (`board` of estimate) stays as it is.
Table with_origin(const Table& table, const std::vector<RowOrigin>& origins);
// The same keys into a JSON object.
void add_origin(Json& object, const RowOrigin& origin);

}  // namespace ridgewatt::report
