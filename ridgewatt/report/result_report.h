// Adds any result file of the program, CSV or JSON, to an HTML report: as sortable tables, and as
// the figures that its columns allow.
#pragma once

#include <string>
#include <string_view>

#include "ridgewatt/report/html_report.h"

namespace ridgewatt::report {

// Maximum number of table rows in a report. A page with more would have tens of megabytes.
inline constexpr std::size_t kMostTableRows = 100'000;

// For CSV, adds one table. Operating points (time_ms, power_w and knobs) also get the energy
// figures, and columns of error or penalty over a number of profiled modes get curves. For JSON,
// adds the page for its kind (result_json.h). `name` is for headings and messages. Throws
// InputError if `content` is neither CSV nor JSON.
void add_result(HtmlReport& report, const std::string& name, std::string_view content);
// The figures for a JSON result, in the form of HtmlReport::figures.
Json result_figures(const Json& result);

}  // namespace ridgewatt::report
