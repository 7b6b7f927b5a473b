// ridgewatt estimate: time, power and energy on any mode, from the twin.
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::cli {
namespace {

void run(const Context& context, answer::EstimateQuestion& question) {
  const answer::EstimateAnswer found = answer::estimate(question, question.workload.load());
  for (const auto& [name, reason] : found.left_out) {
    if (!context.json()) remark(context, "left out: " + name + ": " + reason);
  }
  found.check();
  const int batch = question.batches.empty() ? 0 : question.batches.front();
  print(context, found.model->estimator(batch).cost().caveats,
        report::estimate_result(question, found, context.format));
}

}  // namespace

void add_estimate(CLI::App& app, Context& context) {
  const auto [command, question, add] =
      define<answer::EstimateQuestion>(app, context, answer::estimate_parameters(), run);
  add_strict(command, context);
}

}  // namespace ridgewatt::cli
