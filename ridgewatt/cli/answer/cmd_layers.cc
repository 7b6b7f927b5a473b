// ridgewatt layers: measured layers of an engine or a framework beside their roof.
#include "ridgewatt/answer/layers.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/roofline_report.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::cli {
namespace {

struct LayersCommand {
  answer::LayersQuestion question;
  std::optional<int> batch;
  std::vector<std::string> dims;
  FigureFiles figures;
};

void run(const Context& context, LayersCommand command) {
  for (const auto& dim : command.dims) {
    const auto [name, extent] = parse_dim(dim);
    command.question.dims[name] = extent;
  }
  if (command.batch) command.question.batch = *command.batch;
  const answer::LayersAnswer found = answer::measured_layers(command.question);
  if (!command.figures.empty()) {
    command.figures.write([&] { return report::measured_layers_svg(found); },
                          [&] { return report::measured_layers_html(found); });
  }
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

void check(const CLI::App& command, const LayersCommand& options) {
  if (options.question.device.empty()) {
    refuse_without_effect(command, {"--mode"}, "without --device");
  }
  if (options.question.model.empty()) {
    refuse_without_effect(command, {"--dim"}, "without --model");
  }
  if (options.question.power.empty()) {
    refuse_without_effect(command, {"--power-channel"}, "without --power");
  }
}

}  // namespace

void add_layers(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "layers", "Measured layers of a runtime beside their roof",
                  "ridgewatt layers --profile profile.json --layers layers.json --model "
                  "resnet18.onnx --device agx-orin");
  auto options = std::make_shared<LayersCommand>();
  auto& question = options->question;
  input_file(command->add_option("--profile", question.profile,
                                 "Profile: of trtexec --exportProfile, of nsys (SQLite) or of "
                                 "PyTorch (JSON, JSON.gz)"))
      ->required();
  input_file(command->add_option("--layers", question.layers,
                                 "Layer information of the engine (trtexec --exportLayerInfo)"));
  input_file(
      command->add_option("--times", question.times, "Times of its runs (trtexec --exportTimes)"));
  command->add_option("--model", question.model, "The ONNX model, or zoo:NAME, that was run");
  quantity(command->add_option("--batch", options->batch,
                               "Samples per run, where the layer information does not tell"),
           count().within(1, 1e6));
  command->add_option("--dim", options->dims, "Extent of an open axis of the model, NAME=VALUE");
  quantity(command->add_option("--runs", question.runs,
                               "Runs that a trace of kernels holds: times are per run [1, or the "
                               "steps that PyTorch's profiler marked]"),
           count().within(1, 1e12));
  command->add_option("--device", question.device, "Board or board file whose roofs are drawn");
  command
      ->add_option("--mode", question.mode,
                   "Power mode in which it ran; " + std::string(kModesHelp))
      ->capture_default_str();
  input_file(
      command->add_option("--power", question.power,
                          "Power meanwhile: the CSV of `measure --series-csv` or of a meter"));
  command->add_option("--power-channel", question.power_channel,
                      "Channel of that file [the only one, or VDD_IN]");
  options->figures.add_to(*command, "the roofline with the measured layers");
  command->callback([&context, options, command] {
    check(*command, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
