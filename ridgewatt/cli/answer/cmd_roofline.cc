// ridgewatt roofline: roofs and balance points of power modes, and where a model's layers lie.
#include "ridgewatt/answer/roofline.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/answer/local_roofline.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/cli/print_rows.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/twin_report.h"

namespace ridgewatt::cli {
namespace {

struct RooflineCommand {
  answer::RooflineQuestion question;
  bool modes_given = false;
  FigureFiles figures;
  LocalRooflineOptions local;
  bool measured_now() const { return question.device == "local"; }
};

void check(const CLI::App& command, const RooflineCommand& options) {
  if (options.measured_now()) {
    refuse_without_effect(command,
                          {"--modes", "--power-cap", "--runtime", "--workers", "--loader-time"},
                          "with --device local", "the machine is measured as it is set");
  } else {
    LocalRooflineOptions::refuse(command);
  }
  check_parameters(command, answer::roofline_parameters(), &options.question);
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

void print_found(const Context& context, const RooflineCommand& command,
                 const answer::RooflineAnswer& found, const report::RooflineReport& report) {
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

void run(const Context& context, const RooflineCommand& command) {
  answer::RooflineQuestion question = command.question;
  if (command.measured_now()) {
    return run_local_roofline(context, question, command.local, command.figures);
  }
  question.seed = context.seed;
  const answer::RooflineAnswer found = answer::roofline_on_board(
      question, question.workload.model.empty() ? nullptr : question.workload.load(),
      board_or_local(context, question.device));
  if (found.model) say_caveats(context, found.estimator()->cost().caveats);
  report::RooflineReport report = report::twin_report(found);
  if (!command.figures.empty()) report::add_observations(found, report);
  print_found(context, command, found, report);
  command.figures.write([&] { return report::roofline_svg(report); },
                        [&] { return report::roofline_html(report); });
}

}  // namespace

void add_roofline(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "roofline", "Roofs and balance points of power modes; where layers lie",
      "ridgewatt roofline zoo:resnet50 --device agx-orin --modes maxn --batch 16");
  auto options = std::make_shared<RooflineCommand>();
  add_parameters(*command, answer::roofline_parameters(), &options->question);
  command->get_option("--device")
      ->description(std::string(kBoardHelp) + "; local: this machine, measured now");
  add_strict(*command, context);
  options->figures.add_to(*command, "the roofs");
  options->local.add_to(*command);
  command->callback([&context, options, command] {
    options->modes_given = option_given(*command, "--modes");
    check(*command, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
