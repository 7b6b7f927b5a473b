// ridgewatt layers: measured layers of an engine or a framework compared with their roof.
#include "ridgewatt/answer/layers.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/report/roofline_report.h"

namespace ridgewatt::cli {
namespace {

struct LayersCommand {
  answer::LayersQuestion question;
  FigureFiles figures;
};

void run(const Context& context, const LayersCommand& options) {
  const answer::LayersAnswer found = answer::measured_layers(options.question);
  print(context, report::measured_layers_result(found, context.format));
  options.figures.write([&] { return report::measured_layers_svg(found); },
                        [&] { return report::measured_layers_html(found); });
}

}  // namespace

void add_layers(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<LayersCommand, &LayersCommand::question>(
      app, context, answer::layers_parameters(), run);
  options.figures.add_to(command, "the roofline with the measured layers");
}

}  // namespace ridgewatt::cli
