// ridgewatt estimate: time, power and energy on any mode, from the twin.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/thermal_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/cli/print_rows.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/origin_columns.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::cli {
namespace {

using Over = answer::EstimateAnswer::Over;
using report::EstimateReader;

struct EstimateOptions {
  WorkloadOptions workload;
  std::string device;
  std::string modes;
  bool per_layer = false;
  double dataset_size = 0;
  double epochs = 1;
  bool all_runtimes = false;
  bool precision_given = false;
  ThermalOptions thermal;
  thermal::HoldQuestion hold;  // but for the power
};

// What a user would ask next where the time goes to launches.
void say_remedies(const Context& context, const std::vector<answer::Remedy>& remedies) {
  if (remedies.empty()) return;
  std::string list;
  for (const auto& remedy : remedies) {
    list += fmt::format("{}{} {:.3g} times ({:.3g} ms per sample)", list.empty() ? "" : ", ",
                        remedy.what, remedy.times_faster, 1e3 * remedy.s_per_sample);
  }
  remark(context, "bound by launches; faster, as modelled: " + list);
}

void print_text(const Context& context, const EstimateOptions& options,
                const answer::EstimateAnswer& found) {
  const twin::TwinModel& model = *found.model;
  const answer::EstimateRow& first = found.rows.front();
  const twin::Estimator& estimator = model.estimator(first.setting->batch);
  const report::Table table = report::estimate_rows(found, EstimateReader::kPeople).table();
  std::cout << escape_terminal(options.workload.model) << ' ' << name_of(options.workload.kind)
            << ": " << escape_terminal(report::estimate_ground(found))
            << (estimator.cost().caveats.uncounted.empty() ? "; bounds hold 90 %\n" : "\n");
  if (options.workload.precision != workload::Precision::kFp32 && !model.twin().changed_by) {
    std::cout << name_of(options.workload.precision) << " by peak ratios: not validated\n";
  }
  std::cout << '\n';
  if (options.per_layer) {
    const report::Table layers =
        report::layer_table(estimator.cost(), estimator.layers(first.mode));
    print_aside(context, table);
    std::cout << "\nLayers at " << describe(first.estimate.clocks) << ", batch "
              << first.setting->batch;
    if (found.over == Over::kBoards) std::cout << ", on " << escape_terminal(first.setting->board);
    std::cout << ":\n\n";
    print(context, layers, report::kLayerOrder);
    print_sums(context, report::layer_sums(layers));
    std::cout << "\nBy cause:\n\n";
    print_aside(context, report::cause_table(first.estimate));
  } else {
    print(context, table);
  }
  const std::string note = report::estimate_preset_note(found);
  if (!note.empty()) std::cout << '\n' << escape_terminal(note) << '\n';
  const std::string envelope = report::envelope_note(found);
  if (!envelope.empty()) remark(context, envelope);
  say_remedies(context, found.remedies);
  if (first.python_call_s > 0) {
    remark(context, fmt::format("time of the engine called from C++; a Python program adds about "
                                "{:.2g} ms per run (--python-caller)",
                                1e3 * first.python_call_s));
  }
  if (const auto& reasons = first.setting->widened_by; !reasons.empty()) {
    remark(context, "the interval is wide: " + fmt::format("{}", fmt::join(reasons, "; ")));
  }
}

void print_csv(const Context& context, const EstimateOptions& options,
               const answer::EstimateAnswer& found) {
  if (!options.per_layer) return print(context, report::estimate_rows(found, EstimateReader::kCsv));
  const answer::EstimateRow& first = found.rows.front();
  const twin::Estimator& estimator = found.model->estimator(first.setting->batch);
  print(context,
        report::with_origin(report::layer_table(estimator.cost(), estimator.layers(first.mode)),
                            {found.origin(first)}));
}

void check(const CLI::App& command, const EstimateOptions& options) {
  check_workload_options(command, options.workload);
  options.thermal.check(command);
  if (!(options.dataset_size > 0)) {
    refuse_without_effect(command, {"--epochs"}, "without --dataset-size");
  }
}

answer::EstimateAnswer estimate(const EstimateOptions& options,
                                const answer::EstimateQuestion& question,
                                const std::shared_ptr<const workload::DeployedWorkload>& workload) {
  if (options.device == "all") return answer::estimate_over_boards(question, workload);
  if (!options.all_runtimes) return answer::estimate_on_board(question, workload, options.device);
  std::vector<workload::Precision> precisions;
  if (options.precision_given) precisions = {options.workload.precision};
  return answer::estimate_over_runtimes(question, workload, options.device, precisions);
}

void run(const Context& context, EstimateOptions options) {
  options.device = board_or_at_hand(context, options.device);
  const answer::EstimateQuestion question{options.modes, options.workload.batches,
                                          options.workload.run(),
                                          options.dataset_size * options.epochs};
  const auto workload = options.workload.workload();
  if (options.device == "all" && options.all_runtimes) {
    throw UsageError("boards and runtimes cannot both be all", "",
                     "name a board with --device, or a runtime with --runtime");
  }
  answer::EstimateAnswer found = estimate(options, question, workload);
  if (options.thermal.given()) answer::add_holds(found, options.thermal.read(), options.hold);
  for (const auto& [name, reason] : found.left_out) {
    if (!context.json()) remark(context, "left out: " + name + ": " + reason);
  }
  found.check();
  const auto& batches = options.workload.batches;
  say_caveats(context,
              found.model->estimator(batches.empty() ? 0 : batches.front()).cost().caveats);
  if (context.json())
    print(context, report::estimate_json(found, options.per_layer));
  else if (context.csv())
    print_csv(context, options, found);
  else
    print_text(context, options, found);
  if (!found.fits_memory()) {
    throw NoSolutionError("no minibatch fits the board's memory", options.workload.model,
                          "take a smaller batch or a board with more memory");
  }
}

}  // namespace

void add_estimate(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "estimate", "Time, power and energy on any power mode, without profiling",
      "ridgewatt estimate zoo:resnet50 --device agx-orin --modes presets --batch 1,16");
  auto options = std::make_shared<EstimateOptions>();
  options->workload.add_to(*command, context, &options->all_runtimes);
  command->add_option("--device", options->device,
                      "Board, board file, or all (ranks the boards); without it the board at hand");
  command->add_option("--modes", options->modes, std::string("Default presets; ") + kModesHelp);
  command->add_flag("--per-layer", options->per_layer,
                    "Also the layers of the first mode and batch");
  quantity(command->add_option("--dataset-size", options->dataset_size,
                               "Samples per epoch: time of the job"),
           count().within(1, 1e12));
  quantity(command->add_option("--epochs", options->epochs, "Epochs of the job"),
           number().positive());
  options->thermal.add_to(*command, true);
  command->callback([&context, options, command] {
    options->hold = options->thermal.question(*command);
    options->precision_given = command->count("--precision") > 0;
    check(*command, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
