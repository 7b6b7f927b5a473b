// `roofline --device local`: measures the roofline of this machine and shows a model on it.
#pragma once

#include "ridgewatt/answer/roofline.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_adder.h"

namespace ridgewatt::cli {

// Adds the options of the measurement.
void add_local_options(const OptionAdder& add, answer::LocalRoofsQuestion& asked);
// Throws UsageError for the first of these options that was given with another device.
void refuse_local_options(const CLI::App& command);

// Measures, places the layers of the model if there is one, prints the result and writes the
// figures. Throws the errors of microbenchmarks and models, and NotSupportedError for a precision
// that was not measured.
void run_local_roofline(const Context& context, const answer::RooflineQuestion& question,
                        const answer::LocalRoofsQuestion& options, const FigureFiles& figures);

}  // namespace ridgewatt::cli
