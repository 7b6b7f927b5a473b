// What the sections of result_json share, and those that live in files of their own.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/html_report.h"

namespace ridgewatt::report {

// "12 x CPU 2202, GPU 1300": for a figure.
std::string short_mode(const PowerMode& mode);
// `what`, and how many rows are left out.
std::string table_caption(const std::string& what, std::size_t rows);
// Knobs, batch and costs of objects as points of people's units; `names` first (empty: none), and
// of `more` the fields that occur.
Table points_table(const Json& points, const std::vector<std::string>& names,
                   std::initializer_list<const char*> more);

// Every field of the objects that is a number, a text or a truth, nested ones by a dotted name, in
// order of appearance.
Table fields_table(const Json& rows);

// Nested lists, and a table for each list of objects.
void add_unknown_result(HtmlReport& report, const std::string& name, const Json& json);
void add_roofline_result(HtmlReport& report, const Json& json);
void add_plan_result(HtmlReport& report, const Json& json);
void add_simulation_result(HtmlReport& report, const Json& json);
void add_study_result(HtmlReport& report, const Json& json);

}  // namespace ridgewatt::report
