// The quantities that several results share, each declared once: its key in CSV and JSON, heading,
// digits, and what it is. A new quantity of more than one result is a row of the table in
// columns.cc.
//
//   std::vector<Column> columns = knob_columns(modes);
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
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// The shared column of that key, with the rank that the table gives it (see Column). An unknown key
// throws std::out_of_range: the table does not have it.
Column column(std::string_view key, int rank = 0);
// What a shared key means, for the reference of keys; empty for any other key.
std::string_view meaning_of(std::string_view key);

void append(std::vector<Column>& columns, const std::vector<Column>& more);

// time_ms, power_w, energy_j of a minibatch.
std::vector<Column> cost_columns();
void add_cost(std::vector<Cell>& cells, const Observation& measured);
void add_cost(std::vector<Cell>& cells, const predict::Prediction& predicted);  // its means

// The same, each with its bounds behind it: time_ms, time_lo_ms, time_hi_ms, ...
std::vector<Column> cost_interval_columns();
void add_cost_interval(std::vector<Cell>& cells, const predict::Prediction& predicted);
// As keys; without bounds where they are the mean.
void add_cost_json(Json& json, const predict::Prediction& predicted);

}  // namespace ridgewatt::report
