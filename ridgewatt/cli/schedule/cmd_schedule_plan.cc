// ridgewatt schedule plan: mode, inference batch and training minibatches per cycle.
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/schedule/schedule_commands.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/origin_columns.h"
#include "ridgewatt/schedule/plan_search.h"

namespace ridgewatt::cli {
namespace {

struct PlanOptions {
  ScheduleOptions schedule;
  std::string strategy = "exhaustive";
  int profiles = 15;
  std::vector<std::string> train_reference, infer_reference;
};

// What was profiled at a point, in order.
Json profiled_to_json(const schedule::Candidate& candidate, const schedule::PlanProblem& problem) {
  const schedule::Plan plan = schedule::plan_with(candidate, problem);
  Json json;
  json["mode"] = report::mode_to_json(candidate.mode);
  if (const auto& inference = candidate.inference) {
    json["batch"] = inference->batch;
    json["inference_time_ms"] = inference->time_s * 1e3;
    json["inference_power_w"] = inference->power_w;
  }
  if (const auto& round = candidate.background) {
    json["training_time_ms"] = round->time_s * 1e3;
    json["training_power_w"] = round->power_w;
  }
  json["feasible"] = plan.feasible;
  return json;
}

schedule::Plan search(const Context& context, const PlanOptions& options,
                      const schedule::PlanProblem& problem,
                      std::vector<schedule::Candidate> candidates, Json& profiled) {
  schedule::PlanSpace space(std::move(candidates));
  for (const auto& path : options.infer_reference) space.add_reference(read_sweep(path), true);
  for (const auto& path : options.train_reference) space.add_reference(read_sweep(path), false);
  schedule::PlanSearchOptions search_options;
  search_options.strategy = options.strategy;
  search_options.profiles = options.profiles;
  search_options.seed = context.seed;
  const auto summary =
      schedule::PlanSearch(space, problem, schedule::replay(space), search_options).run();
  for (const std::size_t point : summary.profiled) {
    profiled.push_back(profiled_to_json(space.candidates()[point], problem));
  }
  return summary.plan;
}

void check(const CLI::App& command, const PlanOptions& options) {
  const std::string when = "with --strategy " + options.strategy;
  const schedule::PlanStrategy& strategy = schedule::find_plan_strategy(options.strategy);
  if (strategy.every_point) {
    refuse_without_effect(command, {"--profiles"}, when, "it knows every point of the sweeps");
  }
  if (!strategy.uses_prior) {
    const std::string learners =
        tune::names_where(schedule::plan_strategies(), &schedule::PlanStrategy::uses_prior);
    refuse_without_effect(command, {"--training-reference", "--inference-reference"}, when,
                          learners + " learn from them");
  }
}

void run(const Context& context, const PlanOptions& options) {
  const schedule::PlanProblem problem = options.schedule.problem();
  const schedule::ScheduleWorkloads workloads = options.schedule.workloads(context);
  auto [candidates, idle_source] = answer::planned_points(workloads, options.schedule.idle_power_w);
  Json profiled = Json::array();
  // The exact answer knows every point and needs no profile.
  const schedule::Plan plan =
      schedule::find_plan_strategy(options.strategy).every_point
          ? schedule::PlanTable(std::move(candidates)).best(problem)
          : search(context, options, problem, std::move(candidates), profiled);
  if (context.json()) {
    Json json = answer_to_json(plan);
    json["bound"] = name_of(options.schedule.bound);
    json["strategy"] = options.strategy;
    json["idle_power"] = idle_source;
    json["seed"] = context.seed;
    report::add_origin(json, schedule::plan_origin(workloads));
    json["profiled"] = profiled;
    print(context, json);
  } else {
    report::Table table = plan_table(plan);
    const OriginFields fields({schedule::plan_origin(workloads)});
    const auto values = fields.values(schedule::plan_origin(workloads));
    for (std::size_t i = 0; i < values.size(); ++i) table.add_row({fields.names()[i], values[i]});
    remark(context, "idle power: " + idle_source);
    print(context, table);
  }
  if (!plan.feasible) throw NoSolutionError("no plan meets the constraints", plan.miss);
}

}  // namespace

void add_schedule_plan(CLI::App& schedule, Context& context) {
  auto* command =
      add_command(schedule, context, "plan", "Mode, batch and training minibatches per cycle",
                  "ridgewatt schedule plan --training-sweep T.csv --inference-sweep I.csv "
                  "--arrival-rate 60 --max-latency 500 "
                  "--max-power 30 --strategy auto --profiles 15");
  auto options = std::make_shared<PlanOptions>();
  options->schedule.add_to(*command);
  options->schedule.add_idle_power_to(*command);
  std::vector<std::string> names(schedule::plan_strategy_names().begin(),
                                 schedule::plan_strategy_names().end());
  command
      ->add_option("--strategy", options->strategy,
                   "exhaustive: the optimum of the sweeps; others profile a few points of them")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  quantity(command->add_option(
               "--profiles", options->profiles,
               "Operating points (mode and batch) at which both workloads may be profiled"),
           count().within(1, 1000000))
      ->capture_default_str();
  input_file(command->add_option("--training-reference", options->train_reference,
                                 "Sweep of another training workload, for auto and als"));
  input_file(command->add_option("--inference-reference", options->infer_reference,
                                 "Sweep of another inference workload, for auto and als"));
  command->callback([&context, options, command] {
    check(*command, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
