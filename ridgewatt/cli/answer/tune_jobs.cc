// `tune` for a job with a deadline or an energy budget, for a periodic task, and for the energy
// budget of a day.
#include <utility>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/report/job_report.h"

namespace ridgewatt::cli {
namespace {

void print_job(const Context& context, const answer::JobAnswer& found) {
  if (found.ways.empty()) {
    const bool late = found.question.deadline_s && found.least_time_s > *found.question.deadline_s;
    throw NoSolutionError(
        "no plan for the job meets the limit", late ? "--deadline" : "--max-job-energy",
        late ? "the fastest plan takes " + report::duration_text(found.least_time_s)
             : "the least energy is " + report::energy_text(found.least_energy_j));
  }
  if (found.costs.caveats) say_caveats(context, *found.costs.caveats);
  print(context, report::job_result(found));
}

void print_period(const Context& context, const answer::PeriodAnswer& found) {
  if (found.ways.empty()) {
    throw NoSolutionError("no power mode finishes a minibatch within --period", "",
                          "the fastest plan takes " + report::duration_text(found.least_time_s));
  }
  if (found.costs.caveats) say_caveats(context, *found.costs.caveats);
  print(context, report::period_result(found));
}

}  // namespace

void check_job_options(const CLI::App& command, const TuneOptions& options) {
  const answer::JobQuestion& job = options.job;
  check_rows(command, answer::job_rows());
  if (job.sleep_power_w && !job.sleep_s) {
    throw UsageError("--sleep-power needs the time to suspend and wake", "", "give --sleep-time");
  }
  if (!job.asked()) {
    return refuse_without_effect(command, {"--sleep-power"},
                                 "without --deadline, --max-job-energy or --period");
  }
  const bool of_job = job.of_job();
  const bool of_day = job.day_energy_j || job.battery_j || !job.solar.empty();
  if (of_job + of_day + job.period_s.has_value() > 1) {
    throw UsageError(
        "the goals of a job (--deadline, --max-job-energy), of a period (--period) and of a day "
        "(--day-energy, --solar) cannot be combined",
        "", "give one of them");
  }
  using Ways = answer::TuneForms;
  check_form(command, of_job ? Ways::kJob : of_day ? Ways::kDay : Ways::kPeriod);
  if (of_job && !options.dataset_size) {
    throw UsageError("a goal of a job needs the size of the job", "",
                     "give --dataset-size, and --epochs if more than 1");
  }
  if (of_day) {
    refuse_without_effect(command, {"--sleep-power"}, "for a day");
    if (job.day_energy_j) {
      refuse_without_effect(command, {"--battery", "--solar"}, "with --day-energy");
    } else if (!job.solar.empty() && !job.battery_j) {
      throw UsageError("--solar needs a battery for the night", "", "give --battery CAPACITY");
    }
  }
  if (options.device == "all" || platform::is_local_device(options.device)) {
    throw UsageError("a goal of a job, a period or a day needs the twin of one board", "",
                     "give --device BOARD; on a real board use `ridgewatt govern`");
  }
  if (options.question.batches.size() > 1) {
    throw UsageError("a goal of a job, a period or a day needs one batch", "", "give one --batch");
  }
}

void tune_job(const Context& context, TuneOptions& options) {
  if (options.workload.model.empty()) {
    throw UsageError("tune needs a model, a sweep or samples", "", "give MODEL --device BOARD");
  }
  options.device = board_or_local(context, options.device);
  const auto workload = options.workload.load();
  const std::vector<int>& batches = options.question.batches;
  const int batch = batches.empty() ? answer::usual_batch(*workload) : batches.front();
  answer::ModeCosts costs =
      answer::mode_costs(workload, options.device, batch, options.question.run);
  answer::JobQuestion question = options.job;
  if (question.of_job()) question.samples = options.job_samples();
  question.max_power_w = options.goal.limits.power_w;
  if (question.period_s) {
    print_period(context, answer::ask_period(question, std::move(costs)));
  } else {
    print_job(context, question.of_job() ? answer::ask_job(question, std::move(costs))
                                         : answer::ask_day(question, std::move(costs)));
  }
}

}  // namespace ridgewatt::cli
