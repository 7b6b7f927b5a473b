// ridgewatt estimate: time, power and energy on any mode, from the twin.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/board_option.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/cli/print_rows.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::cli {
namespace {

using Over = answer::EstimateAnswer::Over;
using answer::EstimateQuestion;
using report::EstimateReader;

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

void print_text(const Context& context, const EstimateQuestion& question,
                const answer::EstimateAnswer& found) {
  const twin::TwinModel& model = *found.model;
  const answer::EstimateRow& first = found.rows.front();
  const twin::Estimator& estimator = model.estimator(first.setting->batch);
  const report::Table table = report::estimate_rows(found, EstimateReader::kPeople).table();
  std::cout << escape_terminal(question.workload.model) << ' ' << name_of(question.workload.kind)
            << ": " << escape_terminal(report::estimate_ground(found))
            << (estimator.cost().caveats.uncounted.empty() ? "; bounds hold 90 %\n" : "\n");
  const auto precision = question.workload.deploy().precision;
  if (precision != workload::Precision::kFp32 && !model.twin().changed_by) {
    std::cout << name_of(precision) << " by peak ratios: not validated\n";
  }
  std::cout << '\n';
  if (question.per_layer) {
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
    remark(context, fmt::format("time of the engine called from C++; thin Python code adds about "
                                "{:.2g} ms per run (--caller)",
                                1e3 * first.python_call_s));
  }
  if (const auto& reasons = first.setting->widened_by; !reasons.empty()) {
    remark(context, "the interval is wide: " + fmt::format("{}", fmt::join(reasons, "; ")));
  }
}

void print_csv(const Context& context, const EstimateQuestion& question,
               const answer::EstimateAnswer& found) {
  if (!question.per_layer)
    return print(context, report::estimate_rows(found, EstimateReader::kCsv));
  const answer::EstimateRow& first = found.rows.front();
  const twin::Estimator& estimator = found.model->estimator(first.setting->batch);
  print(context,
        report::with_origin(report::layer_table(estimator.cost(), estimator.layers(first.mode)),
                            {found.origin(first)}));
}

void run(const Context& context, EstimateQuestion question) {
  question.device = board_or_local(context, question.device);
  const answer::EstimateAnswer found = answer::estimate(question, question.workload.load());
  for (const auto& [name, reason] : found.left_out) {
    if (!context.json()) remark(context, "left out: " + name + ": " + reason);
  }
  found.check();
  const int batch = question.batches.empty() ? 0 : question.batches.front();
  say_caveats(context, found.model->estimator(batch).cost().caveats);
  if (context.json())
    print(context, report::estimate_json(found, question.per_layer));
  else if (context.csv())
    print_csv(context, question, found);
  else
    print_text(context, question, found);
  if (!found.fits_memory()) {
    throw NoSolutionError("no minibatch fits the board's memory", question.workload.model,
                          "take a smaller batch or a board with more memory");
  }
}

}  // namespace

void add_estimate(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "estimate", "Time, power and energy on any power mode, without profiling",
      "ridgewatt estimate zoo:resnet50 --device agx-orin --modes presets --batch 1,16");
  auto question = std::make_shared<EstimateQuestion>();
  add_parameters(*command, answer::estimate_parameters(), question.get());
  add_strict(*command, context);
  command->callback([&context, question, command] {
    check_parameters(*command, answer::estimate_parameters(), question.get());
    run(context, *question);
  });
}

}  // namespace ridgewatt::cli
