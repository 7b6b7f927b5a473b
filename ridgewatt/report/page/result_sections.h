// Functions that several sections of result_json.h use, and the sections that have their own files.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/html_report.h"

namespace ridgewatt::report {

// "12 x CPU 2202, GPU 1300", for figures.
std::string short_mode(const PowerMode& mode);
// `what`, followed by the number of omitted rows.
std::string table_caption(const std::string& what, std::size_t rows);
// A table of the knobs, batch and costs of `points`, in the units of the columns. `names` is the
// first column (empty: none). The last columns are the fields of `more` that occur in `points`.
Table points_table(const Json& points, const std::vector<std::string>& names,
                   std::initializer_list<const char*> more);

// Every field that is a number, text or boolean, with dotted names for nested fields, in the order
// of their first occurrence.
Table fields_table(const Json& rows);

// Nested lists, and a table for each list of objects.
void add_unknown_result(HtmlReport& report, const std::string& name, const Json& json);
void add_roofline_result(HtmlReport& report, const Json& json);
void add_plan_result(HtmlReport& report, const Json& json);
void add_simulation_result(HtmlReport& report, const Json& json);
void add_study_result(HtmlReport& report, const Json& json);

}  // namespace ridgewatt::report
