#include "ridgewatt/cli/schedule/schedule_options.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::cli {

void ScheduleOptions::add_to(CLI::App& command) {
  input_file(command.add_option("--inference-sweep", infer, "Sweep of the urgent inference"));
  input_file(
      command.add_option("--training-sweep", train, "Sweep of the training (several take turns)"));
  input_file(command.add_option("--non-urgent", non_urgent,
                                "Sweep of a non-urgent inference that runs in place of training"));
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
  command.add_flag("--keep-outliers", keep_outliers, "Use rows that the quality check flags");
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
  if (!infer.empty() && !rate) {
    throw UsageError("inference needs an arrival rate", "--arrival-rate",
                     "give requests per second");
  }
  problem.check(!infer.empty());
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
  return workloads;
}

Json plan_to_json(const schedule::Plan& plan) {
  const auto& [candidate, cycle] = std::tie(plan.candidate, plan.cycle);
  Json json;
  json["mode"] = report::mode_to_json(candidate.mode);
  if (candidate.inference) json["batch"] = candidate.inference->batch;
  const auto& round = candidate.train().minibatches;
  if (!round.empty() && round.front().batch > 0) {
    for (const auto& minibatch : round) json["round_batches"].push_back(minibatch.batch);
  }
  json["training_minibatches_per_cycle"] = cycle.training_minibatches;
  json["training_throughput"] = cycle.training_throughput_hz;
  json["latency_ms"] = cycle.latency_s * 1e3;
  json["power_w"] = cycle.peak_power_w;
  json["busy_power_w"] = cycle.busy_power_w;
  json["mean_power_w"] = cycle.mean_power_w;
  json["idle_power_w"] = candidate.idle_power_w;
  json["period_ms"] = cycle.period_s * 1e3;
  json["inference_time_ms"] = candidate.infer().time_s * 1e3;
  json["training_time_ms"] = candidate.train().time_s * 1e3;
  json["utilization"] = cycle.utilization;
  return json;
}

Json answer_to_json(const schedule::Plan& plan) {
  Json json;
  json["feasible"] = plan.feasible;
  if (plan.feasible) {
    json.update(plan_to_json(plan));
  } else {
    json["nearest_miss"] = plan_to_json(plan);
    json["nearest_miss"]["misses"] = plan.miss;
  }
  return json;
}

report::Table plan_table(const schedule::Plan& plan) {
  report::Table table({{"quantity"}, {.name = "value", .wrap = true}});
  const auto add = [&](const std::string& name, report::Cell value) {
    table.add_row({name, std::move(value)});
  };
  add(plan.feasible ? "mode" : "mode (nearest miss)", describe(plan.candidate.mode));
  if (const auto& inference = plan.candidate.inference) {
    add("inference batch", std::int64_t{inference->batch});
  }
  add("training minibatches per cycle", std::int64_t{plan.cycle.training_minibatches});
  add("training throughput (1/s)", plan.cycle.training_throughput_hz);
  add("worst latency (ms)", plan.cycle.latency_s * 1e3);
  add("peak power (W)", plan.cycle.peak_power_w);
  add("mean power (W)", plan.cycle.mean_power_w);
  add("idle power (W)", plan.candidate.idle_power_w);
  add("period (ms)", plan.cycle.period_s * 1e3);
  add("inference minibatch (ms)", plan.candidate.infer().time_s * 1e3);
  add("training minibatch (ms)", plan.candidate.train().time_s * 1e3);
  if (!plan.feasible) add("misses", plan.miss);
  return table;
}

}  // namespace ridgewatt::cli
