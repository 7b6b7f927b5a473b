#include "ridgewatt/cli/schedule/live_run.h"

#include <algorithm>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/schedule/schedule_models.h"
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
    if (batches.empty()) batches = batches_to_schedule(*model);
    return answer::estimate_sweep({.modes = "all", .batches = batches}, model, board);
  }
  std::vector<Sweep> sweeps = read_sweeps(entry.sweep);
  if (sweeps.size() > 1) {
    std::erase_if(sweeps,
                  [&](const Sweep& one) { return workload_kind_of(one.kind) != entry.kind; });
  }
  Sweep sweep = choose_sweep(std::move(sweeps), std::nullopt, entry.sweep);
  return keep_outliers ? average_repeats(std::move(sweep))
                       : leave_out_flagged(context, sweep, entry.sweep);
}

}  // namespace

void LiveRunOptions::add_to(CLI::App& command) {
  command.add_flag("--replan", replan,
                   "Estimate the arrival rate from what the inference worker reports, and change "
                   "the plan with it (with --apply-mode the power mode too)");
  input_file(command.add_option("--programs", programs,
                                "TOML file of several inference and training programs, re-planned "
                                "as their rates change, and started where they have a command"));
  command.add_flag("--no-restart", no_restart,
                   "A program of --programs that ended is not started again");
  quantity(command.add_option("--mode-change", mode_change_ms,
                              "Cost of a mode change in ms until one was measured"),
           milliseconds())
      ->capture_default_str();
  quantity(command.add_option("--headroom", headroom, "Plan for this share more arrivals"),
           share().within(0, 10))
      ->capture_default_str();
  quantity(command.add_option("--speed", speed,
                              "Rehearse X times as fast as the clock: bounds, rates and times of "
                              "minibatches are in the schedule's time"),
           number().within(0.01, 1000))
      ->capture_default_str();
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
                          "beside --programs, whose file says it");
  }
}

LiveQuestion live_question(const Context& context, const LiveRunOptions& options,
                           const ScheduleOptions& schedule) {
  LiveQuestion question;
  if (options.programs.empty()) {
    auto workloads = schedule.workloads(context);
    if (!workloads.inference) {
      throw UsageError("nothing arrives", "--inference-sweep", "give the sweep of an inference");
    }
    if (!schedule.max_latency_ms)
      throw UsageError("an inference needs a latency bound", "", "give --max-latency");
    question.inference.push_back(std::move(*workloads.inference));
    for (auto& background : workloads.background) {
      question.training.push_back(std::move(background.sweep));
    }
    question.programs.push_back({"", *schedule.max_latency_ms / 1e3, schedule.rate.value_or(0)});
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

void add_summary(Json& json, const schedule::LiveSummary& summary) {
  json["plan_changes"] = summary.plan_changes;
  json["mode_changes"] = summary.mode_changes;
  json["mode_change_ms"] = summary.mode_change_s * 1e3;
  json["longest_mode_change_ms"] = summary.longest_mode_change_s * 1e3;
  json["time_corrections"] = summary.corrections;
  json["schedule_s"] = summary.duration_s;
  json["programs"] = Json::array();
  for (const auto& program : summary.programs) {
    // Of requests that were never served there is no latency: null in JSON.
    json["programs"].push_back({{"name", program.name.empty() ? "inference" : program.name},
                                {"requests", program.requests},
                                {"late", program.late},
                                {"lost", program.lost},
                                {"p50_ms", program.p50_s * 1e3},
                                {"p99_ms", program.p99_s * 1e3},
                                {"rate_hz", program.rate_hz},
                                {"minutes", program.windows_used},
                                {"minutes_met", program.windows_met},
                                {"workers", program.joined}});
  }
}

}  // namespace ridgewatt::cli
