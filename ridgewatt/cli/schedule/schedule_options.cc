#include "ridgewatt/cli/schedule/schedule_options.h"

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::cli {

void ScheduleOptions::add_programs_to(CLI::App& command) {
  input_file(command.add_option("--inference-sweep", infer, "Sweep of the urgent inference"));
  input_file(
      command.add_option("--training-sweep", train, "Sweep of the training (several take turns)"));
  input_file(command.add_option("--non-urgent", non_urgent,
                                "Sweep of a non-urgent inference that runs in place of training"));
  quantity(command.add_option("--switch-cost", switch_ms,
                              "What the first minibatch after another program's takes longer, in "
                              "ms, as schedule run and measure-sharing measure it"),
           milliseconds())
      ->capture_default_str();
  command.add_flag("--keep-outliers", keep_outliers, "Use rows that the quality check flags");
}

void ScheduleOptions::add_busy_share_to(CLI::App& command) {
  quantity(command.add_option("--busy-share", busy_shares,
                              "Share of its time in which each program alone keeps the device "
                              "busy, the inference first (of models: by default as the twin says)"),
           share())
      ->delimiter(',');
}

void ScheduleOptions::add_to(CLI::App& command) {
  add_programs_to(command);
  quantity(command.add_option("--non-urgent-rate", non_urgent_rate,
                              "Requests per second that each non-urgent inference must serve"),
           hertz().positive());
  quantity(command.add_option("--arrival-rate", rate,
                              "Arrivals of the urgent inference, requests per second"),
           hertz().positive());
  quantity(command.add_option("--max-latency", max_latency_ms, "Bound on the worst latency in ms"),
           milliseconds().positive());
  quantity(command.add_option("--max-power", max_power_w, "Power budget in W"), watts().positive());
  listed_choice(command, "--bound", bound, "What the worst latency counts")->capture_default_str();
}

void ScheduleOptions::add_idle_power_to(CLI::App& command) {
  quantity(command.add_option("--idle-power", idle_power_w,
                              "Power in W while nothing runs (default: of the twin of the board "
                              "that the sweeps name, else the least power in the sweeps)"),
           watts());
}

schedule::PlanProblem ScheduleOptions::problem() const {
  schedule::PlanProblem problem;
  problem.arrival_rate_hz = rate.value_or(0);
  if (max_latency_ms) problem.max_latency_s = *max_latency_ms / 1e3;
  if (max_power_w) problem.max_power_w = *max_power_w;
  problem.bound = bound;
  if (has_inference() && !rate) {
    throw UsageError("inference needs an arrival rate", "--arrival-rate",
                     "give requests per second");
  }
  problem.check(has_inference());
  return problem;
}

schedule::ScheduleWorkloads ScheduleOptions::workloads(const Context& context) const {
  // Of a file with training and inference the part that is asked for.
  const auto read = [&](const std::string& path, WorkloadKind kind = WorkloadKind::kInference) {
    std::vector<Sweep> sweeps = read_sweeps(path);
    if (sweeps.size() > 1) {
      std::erase_if(sweeps, [&](const Sweep& one) { return workload_kind_of(one.kind) != kind; });
    }
    Sweep sweep = choose_sweep(std::move(sweeps), std::nullopt, path);
    return keep_outliers ? average_repeats(std::move(sweep))
                         : leave_out_flagged(context, sweep, path);
  };
  if (non_urgent_rate.size() > non_urgent.size()) {
    throw UsageError("more rates than non-urgent inferences", "--non-urgent-rate");
  }
  schedule::ScheduleWorkloads workloads;
  workloads.switch_s = switch_ms / 1e3;
  models.add_sweeps(context, workloads);
  if (!infer.empty()) workloads.inference = read(infer);
  for (const auto& path : train)
    workloads.background.push_back({read(path, WorkloadKind::kTraining), 0});
  for (std::size_t i = 0; i < non_urgent.size(); ++i) {
    const double required = i < non_urgent_rate.size() ? non_urgent_rate[i] : 0;
    if (!(required >= 0 && required < 1e12)) {
      throw UsageError("a rate must be positive", "--non-urgent-rate");
    }
    workloads.background.push_back({read(non_urgent[i]), required});
  }
  const std::size_t programs = workloads.background.size() + (workloads.inference ? 1 : 0);
  if (!busy_shares.empty() && busy_shares.size() != programs) {
    throw UsageError("a share is given of each program or of none", "--busy-share",
                     "give them in the order inference, training, non-urgent");
  }
  // Models come first; a sweep beside them keeps its place.
  if (!infer.empty() && !workloads.uses.empty()) {
    workloads.uses.insert(workloads.uses.begin(), nullptr);
  }
  workloads.uses.resize(std::max(programs, workloads.uses.size()));
  for (std::size_t i = 0; i < busy_shares.size(); ++i) {
    workloads.uses[i] = [busy = busy_shares[i], known = workloads.uses[i]](const auto& point) {
      schedule::DeviceUse use = known ? known(point) : schedule::DeviceUse{};
      use.busy_share = busy;
      return use;
    };
  }
  return workloads;
}

}  // namespace ridgewatt::cli
