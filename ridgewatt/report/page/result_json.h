// Adds a JSON result to a page: the answer as text, its numbers as boxes and tables, and the
// figures that the numbers allow.
#pragma once

#include <string>

#include "ridgewatt/io/json.h"
#include "ridgewatt/report/html_report.h"

namespace ridgewatt::report {

// Adds the result of tune, estimate, roofline, predict, pareto, schedule or study. Returns false
// and adds nothing for other JSON.
bool add_known_result(HtmlReport& report, const Json& json);
// Like add_known_result; other JSON becomes nested lists and tables.
void add_json_result(HtmlReport& report, const std::string& name, const Json& json);

}  // namespace ridgewatt::report
