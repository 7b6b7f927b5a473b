// ridgewatt roofline: roofs and balance points of power modes, and where a model's layers lie.
#include "ridgewatt/answer/roofline.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/options/figure_files.h"
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

measure::LocalRoofs measure_roofs(const Context& context, const answer::LocalRoofsQuestion& asked) {
  constexpr std::size_t kOtherKernels = 4;  // approximate number in addition to the intensities
  Progress progress("roofs", measure::MicrobenchOptions{}.intensities.size() + kOtherKernels,
                    context.quiet);
  std::size_t started = 0;
  return answer::measure_roofs(asked, [&] { progress.update(started++); });
}

void run_here(const Context& context, const RooflineCommand& command) {
  const auto& [question, figures, options] = command;
  report::LocalRoofline local;
  local.levels = question.levels;
  local.model = question.workload.model;
  // Reads the model first, so that an invalid file is reported before anything is measured.
  if (!local.model.empty()) {
    local.cost = answer::counted_cost(question);
    say_caveats(context, local.cost.caveats);
  }
  check_table_options(context, local.model.empty() ? report::local_roof_table(local)
                                                   : report::local_layer_table(local));
  local.roofs = measure_roofs(context, options);
  if (options.caches && local.roofs.target != RoofTarget::kCpu) {
    remark(context, "--caches has no effect, because caches of a GPU cannot be measured");
  } else if (options.caches) {
    for (auto& level : answer::measure_cache_levels(options)) local.levels.push_back(level);
  }
  if (!local.model.empty()) local.layers = roofline::place_kernels(local.cost, local.roofs.fit);
  print(context, report::local_result(local));
  figures.write([&] { return report::local_roofline_svg(local); },
                [&] { return report::local_roofline_html(local); });
}

// CSV can contain the layers of one mode only.
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
    refuse_without_effect(
        command, {"--target", "--gpu", "--threads", "--seconds", "--footprint", "--caches"},
        "without --device local");
  }
  check_parameters(command, answer::roofline_parameters(), &question);
  if (local) return run_here(context, options);
  question.seed = context.seed;
  const answer::RooflineAnswer found = answer::roofline_on_board(
      question, question.workload.model.empty() ? nullptr : question.workload.load(),
      board_or_local(context, question.device));
  if (found.left_out > 0) {
    remark(context, "left out, because the clocks vary: " +
                        counted(static_cast<std::int64_t>(found.left_out), "mode") +
                        " with a power limit or a governor");
  }
  if (found.model) say_caveats(context, found.estimator()->cost().caveats);
  report::RooflineReport report = report::twin_report(found);
  if (!options.figures.empty()) report::add_observations(found, report);
  check_csv(context, command, found);
  print(context, report::roofline_result(found, report, context.format));
  options.figures.write([&] { return report::roofline_svg(report); },
                        [&] { return report::roofline_html(report); });
}

void add_local_options(const OptionAdder& add, answer::LocalRoofsQuestion& asked) {
  add.choice("--target", asked.target, "With --device local: processor to measure");
  add.number("--gpu", asked.gpu, count().within(0, 1024), "With --device local: number of the GPU");
  add.number("--threads", asked.threads, count().within(0, 1024),
             "With --device local: number of threads (0: all)");
  add.number("--seconds", asked.seconds_per_point, seconds().positive(),
             "With --device local: maximum time per point");
  add.number("--footprint", asked.footprint_bytes, mebibytes().within(1, 1048576),
             "With --device local: size of the memory that is read and written (MiB)");
  add.flag("--caches", asked.caches, "With --device local: also measure the processor's caches");
}

}  // namespace

void add_roofline(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<RooflineCommand, &RooflineCommand::question>(
      app, context, answer::roofline_parameters(), run);
  command.get_option("--device")
      ->description(std::string(kBoardHelp) + "; local: this machine, measured now");
  add_strict(command, context);
  options.figures.add_to(command, "the roofs");
  add_local_options(add, options.local);
}

}  // namespace ridgewatt::cli
