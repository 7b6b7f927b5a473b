// ridgewatt layers: measured layers of an engine or a framework compared with their roof.
#include "ridgewatt/answer/layers.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/report/roofline_report.h"

namespace ridgewatt::cli {
namespace {

struct LayersCommand {
  answer::LayersQuestion question;
  FigureFiles figures;
};

void print_layers(const Context& context, const answer::LayersAnswer& found) {
  if (context.json()) return print(context, report::measured_layers_json(found));
  const auto lines = report::measured_layers_lines(found);
  if (context.csv()) {
    for (const auto& line : lines) remark(context, line);
    return print(context, report::measured_layer_table(found));
  }
  print(context, report::measured_layer_table(found), report::measured_layer_order(found));
  std::cout << '\n';
  for (const auto& line : lines) std::cout << escape_terminal(line) << '\n';
}

void run(const Context& context, const LayersCommand& command) {
  const answer::LayersAnswer found = answer::measured_layers(command.question);
  print_layers(context, found);
  command.figures.write([&] { return report::measured_layers_svg(found); },
                        [&] { return report::measured_layers_html(found); });
}

}  // namespace

void add_layers(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "layers", "Compare measured layers of a runtime with their roof",
                  "ridgewatt layers --profile profile.json --layers layers.json --model "
                  "resnet18.onnx --device agx-orin");
  auto options = std::make_shared<LayersCommand>();
  add_parameters(*command, answer::layers_parameters(), &options->question);
  options->figures.add_to(*command, "the roofline with the measured layers");
  command->callback([&context, options, command] {
    check_parameters(*command, answer::layers_parameters(), &options->question);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
