// The answer of a search on a running program, as JSON and as text.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/answer/tune_in_place.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::report {

// tune_to_json and the key `in_place`: windows, transients, drift, power_limit, minibatches that
// were trained, and how the program went on.
Json in_place_to_json(const answer::InPlaceAnswer& report);
// What tune_remarks cannot say: a line each.
std::vector<std::string> in_place_remarks(const answer::InPlaceAnswer& report);
// Every window in order.
Table windows_table(const answer::InPlaceAnswer& report);

}  // namespace ridgewatt::report
