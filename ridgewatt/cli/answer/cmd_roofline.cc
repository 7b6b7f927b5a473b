// ridgewatt roofline: roofs and balance points of power modes, and where a model's layers lie.
#include <cmath>
#include <optional>

#include "ridgewatt/answer/roofline.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/answer/local_roofline.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/cli/print_rows.h"
#include "ridgewatt/report/origin_columns.h"
#include "ridgewatt/report/twin_report.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::cli {
namespace {

struct RooflineCommand {
  WorkloadOptions workload;
  std::string device;
  std::string modes = "presets";
  bool modes_given = false;
  std::optional<double> power_cap_w;
  std::vector<std::string> levels;  // NAME=GB/s
  FigureFiles figures;
  LocalRooflineOptions local;
  bool at_hand() const { return device == "local"; }  // measured now
};

// "L2=1040": a cache and its bandwidth in GB/s.
answer::CacheLevel parse_level(const std::string& text) {
  const auto equals = text.rfind('=');
  const auto value =
      equals == std::string::npos ? std::nullopt : parse_double(text.substr(equals + 1));
  if (!value || !(*value > 0) || !std::isfinite(*value) || equals == 0) {
    throw UsageError("--level needs NAME=GB/s", text, "for example --level L2=1000");
  }
  return {text.substr(0, equals), *value * report::kGiga, "given with --level"};
}

// Without a model there is nothing that these say anything of.
void check(const CLI::App& command, const RooflineCommand& options) {
  if (options.at_hand()) {
    refuse_without_effect(command,
                          {"--modes", "--power-cap", "--runtime", "--workers", "--loader-time"},
                          "with --device local", "the machine is measured as it is set");
  } else {
    LocalRooflineOptions::refuse(command);
  }
  if (options.workload.model.empty()) {
    refuse_without_effect(command,
                          {"--batch", "--training", "--precision", "--runtime", "--optimizer",
                           "--dim", "--workers", "--loader-time"},
                          "without a MODEL");
  }
  if (options.workload.batches.size() > 1) {
    throw UsageError("layers are shown at one batch", "--batch", "give one");
  }
  check_workload_options(command, options.workload);
}

void print_text(const Context& context, const answer::RooflineAnswer& found,
                const report::RooflineReport& report) {
  std::cout << escape_terminal(found.twin.provenance()) << '\n';
  for (const auto& line : report.ceilings) std::cout << escape_terminal(line) << '\n';
  std::cout << '\n';
  const report::Table roofs = report::roof_rows(found).table();
  found.model ? print_aside(context, roofs) : print(context, roofs);
  if (!report.levels.empty()) {
    std::cout << "\nCaches at " << describe(found.modes.front()) << ":\n\n";
    print_aside(context, report::level_table(report));
  }
  if (!found.model) return;
  std::cout << '\n'
            << escape_terminal(found.origin.workload) << " at " << describe(found.modes.front())
            << ", batch " << found.estimator()->cost().batch
            << "; traffic as modelled, time on the GPU:\n\n";
  print(context, report::roofline_layer_table(report.layers), report::kGpuOrder);
  std::cout << "\nWhere the minibatch's time goes:\n\n";
  print_aside(context, report::time_parts_table(report.parts));
}

void run(const Context& context, const RooflineCommand& command) {
  answer::RooflineQuestion question{.modes = command.modes, .run = command.workload.run()};
  for (const auto& level : command.levels) question.levels.push_back(parse_level(level));
  if (command.at_hand()) {
    return run_local_roofline(context, command.workload, command.local, question.levels,
                              command.figures);
  }
  if (!command.workload.batches.empty()) question.batch = command.workload.batches.front();
  question.power_cap_w = command.power_cap_w;
  question.seed = context.seed;
  const answer::RooflineAnswer found = answer::roofline_on_board(
      question, command.workload.model.empty() ? nullptr : command.workload.workload(),
      board_or_at_hand(context, command.device));
  if (found.model) say_caveats(context, found.estimator()->cost().caveats);
  report::RooflineReport report = report::twin_report(found);
  if (!command.figures.empty()) {
    report::add_observations(found, report);
    command.figures.write([&] { return report::roofline_svg(report); },
                          [&] { return report::roofline_html(report); });
  }
  if (context.json()) return print(context, report::roofline_json(found, report));
  if (context.csv() && found.model && found.modes.size() > 1) {
    if (command.modes_given) {
      throw UsageError("CSV holds the layers of one mode", "--modes",
                       "name one, leave MODEL out for the roofs of all, or take --format json");
    }
    remark(context, "layers in the mode " + describe(found.modes.front()) +
                        "; --modes names another, and without MODEL the roofs of all are printed");
  }
  if (!context.csv()) return print_text(context, found, report);
  print(context, report::with_origin(found.model ? report::roofline_layer_table(report.layers)
                                                 : report::roof_rows(found).table(),
                                     {found.origin}));
}

}  // namespace

void add_roofline(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "roofline", "Roofs and balance points of power modes; where layers lie",
      "ridgewatt roofline zoo:resnet50 --device agx-orin --modes maxn --batch 16");
  auto options = std::make_shared<RooflineCommand>();
  options->workload.add_to(*command, context);
  command->get_option("MODEL")->required(false);
  command->add_option("--device", options->device,
                      std::string(kBoardHelp) + "; local: this machine, measured now");
  command->add_option("--modes", options->modes, std::string("Default presets; ") + kModesHelp);
  quantity(command->add_option("--power-cap", options->power_cap_w,
                               "Power that no kernel may exceed [the board's limit]"),
           watts().positive());
  command->add_option("--level", options->levels,
                      "A cache and its bandwidth, NAME=GB/s: a further roof; may be repeated");
  options->figures.add_to(*command, "the roofs");
  options->local.add_to(*command);
  command->callback([&context, options, command] {
    options->modes_given = option_given(*command, "--modes");
    check(*command, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
