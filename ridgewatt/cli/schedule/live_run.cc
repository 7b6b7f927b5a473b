#include "ridgewatt/cli/schedule/live_run.h"

#include <cmath>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::cli {
namespace {

Sweep sweep_of(const Context& context, const schedule::LiveProgramEntry& entry,
               const std::string& board, bool keep_outliers) {
  if (!entry.model.empty()) {
    workload::DeployOptions deploy;
    deploy.kind = entry.kind;
    const auto model = std::make_shared<const workload::DeployedWorkload>(entry.model, deploy);
    std::vector<int> batches = entry.batches;
    if (batches.empty()) batches = answer::batches_to_schedule(*model);
    return answer::estimate_sweep({.modes = "all", .batches = batches}, model, board);
  }
  return read_program(context, entry.sweep, entry.kind, keep_outliers);
}

}  // namespace

void LiveRunOptions::add_to(CLI::App& command) {
  const OptionAdder add(command);
  add.flag("--replan", replan,
           "Estimate the arrival rate from what the inference worker reports, and change "
           "the plan with it (with --apply-mode the power mode too)");
  add.input("--programs", programs,
            "TOML file of several inference and training programs, re-planned "
            "as their rates change, and started where they have a command");
  add.flag("--no-restart", no_restart, "A program of --programs that ended is not started again");
  add.number("--mode-change", mode_change_ms, milliseconds(),
             "Cost of a mode change in ms until one was measured");
  add.number("--headroom", headroom, share().within(0, 10), "Plan for this share more arrivals");
  add.number("--speed", speed, number().within(0.01, 1000),
             "Rehearse X times as fast as the clock: bounds, rates and times of "
             "minibatches are in the schedule's time");
}

void LiveRunOptions::check(const CLI::App& command) const {
  if (!wanted()) {
    refuse_without_effect(command, {"--mode-change", "--headroom", "--speed"},
                          "without --replan or --programs");
  } else {
    refuse_without_effect(command,
                          {"--batch", "--period", "--training-per-cycle", "--inference-time",
                           "--training-time", "--measure-interference"},
                          "where the schedule re-plans");
  }
  if (programs.empty()) {
    refuse_without_effect(command, {"--no-restart"}, "without --programs");
  } else {
    refuse_without_effect(command,
                          {"--inference-sweep", "--training-sweep", "--non-urgent",
                           "--arrival-rate", "--max-latency"},
                          "with --programs, whose file says it");
  }
}

LiveQuestion live_question(const Context& context, const LiveRunOptions& options,
                           const answer::ScheduleRequest& schedule) {
  LiveQuestion question;
  if (options.programs.empty()) {
    auto workloads = read_workloads(context, schedule);
    if (!workloads.inference) {
      throw UsageError("nothing arrives", "--inference-sweep", "give the sweep of an inference");
    }
    if (std::isinf(schedule.problem.max_latency_s))
      throw UsageError("an inference needs a latency bound", "", "give --max-latency");
    question.inference.push_back(std::move(*workloads.inference));
    for (auto& background : workloads.background) {
      question.training.push_back(std::move(background.sweep));
    }
    question.programs.push_back(
        {"", schedule.problem.max_latency_s, schedule.problem.arrival_rate_hz});
    return question;
  }
  const auto file = schedule::read_live_programs(options.programs);
  for (const auto& entry : file.inference) {
    question.inference.push_back(sweep_of(context, entry, file.board, schedule.keep_outliers));
    question.programs.push_back({entry.name, entry.max_latency_s, entry.rate_hz});
  }
  for (const auto& entry : file.training) {
    question.training.push_back(sweep_of(context, entry, file.board, schedule.keep_outliers));
    question.training_names.push_back(entry.name);
  }
  for (const auto* list : {&file.inference, &file.training}) {
    for (const auto& entry : *list) {
      if (!entry.command.empty()) question.commands.push_back(entry);
    }
  }
  return question;
}

}  // namespace ridgewatt::cli
