// Results that are written row by row, without a table of them.
#pragma once

#include "ridgewatt/cli/command.h"
#include "ridgewatt/report/rows.h"

namespace ridgewatt::cli {

// As print of a table.
void print(const Context& context, const report::Rows& rows);
// As print of a JSON result.
void print(const Context& context, report::StreamedJson result);

}  // namespace ridgewatt::cli
