#include "ridgewatt/cli/schedule/schedule_options.h"

#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/cli/options/workload_options.h"

namespace ridgewatt::cli {

void add_programs(CLI::App& command, answer::ScheduleRequest& asked) {
  add_rows(command, answer::program_rows(), &asked);
  add_rows(command, answer::demand_rows(), &asked);
}

void add_models(CLI::App& command, answer::ScheduleRequest& asked) {
  add_rows(command, answer::scheduled_model_rows(), &asked.models);
}

Sweep read_program(const Context& context, const std::string& path, WorkloadKind kind,
                   bool keep_outliers) {
  return with_remark(context, answer::read_program(path, kind, keep_outliers));
}

schedule::ScheduleWorkloads read_workloads(const Context& context,
                                           const answer::ScheduleRequest& asked) {
  asked.check();
  const auto& models = asked.models;
  const std::string board = models.empty() ? "" : board_or_local(context, models.device);
  const auto read = [&](const std::string& path, WorkloadKind kind) {
    return read_program(context, path, kind, asked.keep_outliers);
  };
  answer::ScheduleSweeps sweeps;
  if (!asked.inference_sweep.empty()) {
    sweeps.inference = read(asked.inference_sweep, WorkloadKind::kInference);
  }
  for (const auto& path : asked.training_sweeps) {
    sweeps.training.push_back(read(path, WorkloadKind::kTraining));
  }
  for (const auto& path : asked.non_urgent) {
    sweeps.non_urgent.push_back(read(path, WorkloadKind::kInference));
  }
  return workloads_to_schedule(asked, std::move(sweeps), board);
}

}  // namespace ridgewatt::cli
