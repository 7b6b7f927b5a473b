// Columns that several results share. Each is declared once, with its key in CSV and JSON, heading,
// digits and meaning. If a new quantity belongs to several results, add it to the table in
// report/answer/columns.cc.
//
//   std::vector<Column> columns = knob_columns();
//   append(columns, {column("batch")});
//   append(columns, cost_interval_columns());
//   ...
//   add_cost_interval(cells, prediction);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/report/keys.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::report {

// The shared column with this key and the given rank (see Column). Throws std::out_of_range for an
// unknown key.
Column column(std::string_view key, int rank = 0);
// Like column(), but tables and JSON omit the column if no row has a value.
Column optional_column(std::string_view key, int rank = 0);
// The meanings of the shared keys.
std::vector<KeyMeaning> shared_keys();

void append(std::vector<Column>& columns, const std::vector<Column>& more);

// time_ms, power_w, energy_j per minibatch.
std::vector<Column> cost_columns();
void add_cost(std::vector<Cell>& cells, const Observation& measured);
// Appends the predicted means.
void add_cost(std::vector<Cell>& cells, const predict::Prediction& predicted);

// Like cost_columns(), each followed by its bounds: time_ms, time_lo_ms, time_hi_ms, ...
std::vector<Column> cost_interval_columns();
void add_cost_interval(std::vector<Cell>& cells, const predict::Prediction& predicted);

// Appends the columns that state the origin of each row: workload, kind, board, provenance and, for
// modeled values, runtime and twin. They are for CSV and JSON; tables have the origin in a line
// above. `origins` has one element per row or one for all rows. Columns that `table` already has,
// such as `board` of estimate, do not change.
Table with_origin(const Table& table, const std::vector<RowOrigin>& origins);
// Adds the keys of with_origin() to a JSON object.
void add_origin(Json& object, const RowOrigin& origin);
// Adds `unsupported` (a list of op, domain, nodes, reason, share) and `assumed` (a list of
// sentences) to `json`; both may be empty.
void add_caveats(const workload::CostCaveats& caveats, Json& json);

}  // namespace ridgewatt::report
