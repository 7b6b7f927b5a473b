// `roofline --device local`: the roofs of this machine, measured, and a model on them.
#pragma once

#include "ridgewatt/answer/roofline.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/report/roofline_report.h"

namespace ridgewatt::cli {

void add_local_options(const OptionAdder& add, answer::LocalRoofsQuestion& asked);
// UsageError for the first of them that was given for another device.
void refuse_local_options(const CLI::App& command);

// Measures, places the model where one is given, prints and draws. Errors as of microbenchmarks and
// models; NotSupportedError for a precision that no roof was measured in.
void run_local_roofline(const Context& context, const answer::RooflineQuestion& question,
                        const answer::LocalRoofsQuestion& options, const FigureFiles& figures);

}  // namespace ridgewatt::cli
