// A result in JSON as a section of a page: the answer in words, its numbers as boxes and tables,
// and the figures that its numbers allow. Knows the results of tune, estimate, roofline, predict,
// pareto, schedule and study; any other JSON becomes nested lists
// and tables.
#pragma once

#include <string>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/html_report.h"

namespace ridgewatt::report {

void add_json_result(HtmlReport& report, const std::string& name, const Json& json);

}  // namespace ridgewatt::report
