// The quantities that several results share, each declared once: its key in CSV and JSON, heading,
// digits, and what it is. A new quantity of more than one result is a row of the table in
// columns.cc.
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

// The shared column of that key, with the rank that the table gives it (see Column). An unknown key
// throws std::out_of_range: the table does not have it.
Column column(std::string_view key, int rank = 0);
// The same, left out of tables for people and of JSON where no row has it.
Column optional_column(std::string_view key, int rank = 0);
// What the shared keys mean.
std::vector<KeyMeaning> shared_keys();

void append(std::vector<Column>& columns, const std::vector<Column>& more);

// time_ms, power_w, energy_j of a minibatch.
std::vector<Column> cost_columns();
void add_cost(std::vector<Cell>& cells, const Observation& measured);
void add_cost(std::vector<Cell>& cells, const predict::Prediction& predicted);  // its means

// The same, each with its bounds behind it: time_ms, time_lo_ms, time_hi_ms, ...
std::vector<Column> cost_interval_columns();
void add_cost_interval(std::vector<Cell>& cells, const predict::Prediction& predicted);

// The columns that state where each row of a result comes from: workload, kind, board, provenance
// and, where modelled, runtime and twin. For CSV and JSON; people read it above the table.
// `table` with the columns of `origins` behind its own; one origin per row, or one for all. A
// column that the table has already (`board` of estimate) stays as it is.
Table with_origin(const Table& table, const std::vector<RowOrigin>& origins);
// The same keys into a JSON object.
void add_origin(Json& object, const RowOrigin& origin);
// Adds `unsupported` (a list of op, domain, nodes, reason, share) and `assumed` (a list of
// sentences) to the object `json`; both may be empty.
void add_caveats(const workload::CostCaveats& caveats, Json& json);

}  // namespace ridgewatt::report
