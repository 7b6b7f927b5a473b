// A result in JSON as a section of a page: the answer in words, its numbers as boxes and tables,
// and the figures that its numbers allow.
#pragma once

#include <string>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/html_report.h"

namespace ridgewatt::report {

// The results of tune, estimate, roofline, predict, pareto, schedule and study. False: it is none
// of them, and nothing was added.
bool add_known_result(HtmlReport& report, const Json& json);
// The same; any other JSON becomes nested lists and tables.
void add_json_result(HtmlReport& report, const std::string& name, const Json& json);

}  // namespace ridgewatt::report
