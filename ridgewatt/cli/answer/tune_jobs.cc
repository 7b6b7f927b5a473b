// `tune` for a job with a deadline or an energy budget, for a periodic task, and for the energy
// budget of a day.
#include <utility>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/job_report.h"

namespace ridgewatt::cli {

void tune_job(const Context& context, const TuneOptions& options) {
  const auto workload = options.workload.load();
  const std::vector<int>& batches = options.question.batches;
  const int batch = batches.empty() ? answer::usual_batch(*workload) : batches.front();
  answer::ModeCosts costs =
      answer::mode_costs(workload, options.device, batch, options.question.run);
  const auto caveats = costs.caveats;
  answer::JobQuestion question = options.job;
  if (question.of_job()) question.samples = options.job_samples();
  question.max_power_w = options.goal.limits.power_w;
  const report::Result result =
      question.period_s   ? report::period_result(answer::ask_period(question, std::move(costs)))
      : question.of_job() ? report::job_result(answer::ask_job(question, std::move(costs)))
                          : report::job_result(answer::ask_day(question, std::move(costs)));
  print(context, caveats, result);
}

}  // namespace ridgewatt::cli
