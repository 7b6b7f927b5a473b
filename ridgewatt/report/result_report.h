// Any result file of the program, CSV or JSON, as a section of an HTML report: its numbers as
// sortable tables, and the figures that its columns allow.
#pragma once

#include <string>
#include <string_view>

#include "ridgewatt/report/html_report.h"

namespace ridgewatt::report {

// A table in a report stops here: a page of more would be tens of megabytes.
inline constexpr std::size_t kMostTableRows = 100'000;

// CSV: one table; operating points (time_ms, power_w and knobs) get the energy figures, error or
// penalty columns over a number of profiled modes get curves.
// JSON: the page of its kind (result_json.h).
// `name` is for headings and messages. InputError when `content` is neither.
void add_result(HtmlReport& report, const std::string& name, std::string_view content);
// The figures that a JSON result allows, as HtmlReport::figures has them.
Json result_figures(const Json& result);

}  // namespace ridgewatt::report
