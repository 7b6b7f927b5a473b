// ridgewatt schedule dynamic: re-planning for a changing arrival rate, compared with a bound.
#include "ridgewatt/answer/simulate.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/report/schedule_report.h"

namespace ridgewatt::cli {
namespace {

struct ScheduleDynamicCommand {
  answer::TraceQuestion question;
  bool in_order = false;
};

void run(const Context& context, ScheduleDynamicCommand& options, const CLI::App& command) {
  check_rows(command, answer::scheduled_model_rows());
  auto& question = options.question;
  double& rate_hz = question.schedule.problem.arrival_rate_hz;
  if (!(rate_hz > 0) && !question.bursty.rates_hz.empty()) {
    rate_hz = question.bursty.rates_hz.front();
  }
  question.dynamic.late_last = !options.in_order;
  question.seed = context.seed;
  question.check();
  const auto workloads = read_workloads(context, question.schedule);
  const auto result = report::arrivals_result(answer::serve_arrivals(question, workloads));
  print(context, result);
}

}  // namespace

void add_schedule_dynamic(CLI::App& schedule, Context& context) {
  const auto [command, options, add] = define<ScheduleDynamicCommand>(
      schedule, context, "dynamic",
      "Simulate re-planning while the arrival rate changes, compared with the optimum",
      "ridgewatt schedule dynamic --training-sweep T.csv --inference-sweep "
      "I.csv --max-latency 1000 --max-power 40 "
      "--duration 3600 --traces 5",
      run);
  auto& asked = options.question;
  asked.simulation.duration_s = 3600;
  add_programs(command, asked.schedule);
  add_models(command, asked.schedule);
  add_rows(command, answer::idle_power_rows(), &asked.schedule);
  add.named("--arrivals", asked.arrivals,
            "bursty, or a CSV of the requests' times (column time_s)");
  add.numbers("--burst-rates", asked.bursty.rates_hz, hertz().positive(),
              "Rates of the bursty process, 1/s");
  add.number("--burst-dwell", asked.bursty.mean_dwell_s, seconds().positive(),
             "Mean time between two changes of the rate in s");
  add.number("--duration", asked.simulation.duration_s, seconds().positive(),
             "Length of a trace in s; a recorded trace may end earlier");
  add.number("--traces", asked.traces, count().within(1, 1000), "Number of traces");
  const std::vector<std::string> names(schedule::plan_strategy_names().begin(),
                                       schedule::plan_strategy_names().end());
  add.one_of("--strategy", asked.strategy, {names},
             "Method that chooses the points to profile beforehand");
  add.number("--profiles", asked.profiles, count().within(1, 1000000),
             "Number of profiles for each of three arrival rates");
  add.headroom(asked.dynamic.headroom);
  add.number(
      "--hysteresis", asked.dynamic.hysteresis, share().within(0, 10),
      "Replace a plan that meets the latency limit only if the new one trains more by this share");
  add.flag("--in-order", options.in_order,
           "Serve requests strictly in order [requests that are already late come last]");
  add.number("--mode-change", asked.dynamic.mode_change_s, milliseconds(),
             "Time of a mode change in ms");
  add.number("--jitter", asked.simulation.jitter, number().within(0, 10),
             "Coefficient of variation of minibatch times");
}

}  // namespace ridgewatt::cli
