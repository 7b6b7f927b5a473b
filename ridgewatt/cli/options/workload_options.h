// Options about a workload of commands that have no table of parameters.
#pragma once

#include "ridgewatt/cli/command.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::cli {

// Adds --precision; the text is parsed here.
void add_precision(CLI::App& command, workload::Precision& precision);
// Adds --runtime; the text is parsed here.
void add_runtime(CLI::App& command, Runtime& runtime);
// Adds --strict, which say_caveats() obeys.
void add_strict(CLI::App& command, Context& context);
// Says what the cost of a model leaves out and what it rests on: one remark for each, but for JSON,
// where keys say it (add_caveats). With --strict throws NotSupportedError when something is not
// counted.
void say_caveats(const Context& context, const workload::CostCaveats& caveats);
// The second half of that alone, for what prints its result first.
void refuse_uncounted(const Context& context, const workload::CostCaveats& caveats);

}  // namespace ridgewatt::cli
