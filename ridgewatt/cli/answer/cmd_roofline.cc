// ridgewatt roofline: roofs and balance points of power modes, and where a model's layers lie.
#include "ridgewatt/answer/roofline.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/answer/local_roofline.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/twin_report.h"

namespace ridgewatt::cli {
namespace {

struct RooflineCommand {
  answer::RooflineQuestion question;
  FigureFiles figures;
  answer::LocalRoofsQuestion local;
};

// CSV has the layers of one mode.
void check_csv(const Context& context, const CLI::App& command,
               const answer::RooflineAnswer& found) {
  if (!context.csv() || !found.model || found.modes.size() < 2) return;
  if (option_given(command, "--modes")) {
    throw UsageError("CSV can only show the layers of one mode, but --modes names several", "",
                     "give one mode, omit MODEL, or use --format json");
  }
  remark(context,
         "layers are shown in mode " + describe(found.modes.front()) +
             "; select another with --modes, or omit MODEL to print the roofs of all modes");
}

void run(const Context& context, RooflineCommand& options, const CLI::App& command) {
  answer::RooflineQuestion& question = options.question;
  const bool local = question.device == "local";
  if (local) {
    refuse_without_effect(command,
                          {"--modes", "--power-cap", "--runtime", "--workers", "--loader-time"},
                          "with --device local", "the machine is measured as it is set");
  } else {
    refuse_local_options(command);
  }
  check_parameters(command, answer::roofline_parameters(), &question);
  if (local) return run_local_roofline(context, question, options.local, options.figures);
  question.seed = context.seed;
  const answer::RooflineAnswer found = answer::roofline_on_board(
      question, question.workload.model.empty() ? nullptr : question.workload.load(),
      board_or_local(context, question.device));
  if (found.model) say_caveats(context, found.estimator()->cost().caveats);
  report::RooflineReport report = report::twin_report(found);
  if (!options.figures.empty()) report::add_observations(found, report);
  check_csv(context, command, found);
  print(context, report::roofline_result(found, report, context.format));
  options.figures.write([&] { return report::roofline_svg(report); },
                        [&] { return report::roofline_html(report); });
}

}  // namespace

void add_roofline(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<RooflineCommand, &RooflineCommand::question>(
      app, context, answer::roofline_parameters(),
      "ridgewatt roofline zoo:resnet50 --device agx-orin --modes maxn --batch 16", run);
  command.get_option("--device")
      ->description(std::string(kBoardHelp) + "; local: this machine, measured now");
  add_strict(command, context);
  options.figures.add_to(command, "the roofs");
  add_local_options(add, options.local);
}

}  // namespace ridgewatt::cli
