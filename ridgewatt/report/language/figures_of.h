// The figures of a forecast as columns, cells and keys, each with the bounds of its 90 % interval.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/io/json.h"
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

// ttft_ms, ttft_lo_ms, ttft_hi_ms, tpot_ms, ... request_j, request_hi_j, request_s.
std::vector<Column> forecast_columns();
void add_forecast(std::vector<Cell>& cells, const llm::Forecast& forecast);
void add_forecast(Json& json, const llm::Forecast& forecast);

// "12.3 ms", "11.0 to 14.0", and both: "12.3 ms (11.0 to 14.0)".
std::string value_text(const llm::PredictedValue& figure, double scale, const std::string& unit);
std::string bounds_text(const llm::PredictedValue& figure, double scale);
std::string figure_text(const llm::PredictedValue& figure, double scale, const std::string& unit);

}  // namespace ridgewatt::report
