// ridgewatt campaign plan: the points for each kind of board, and the time that they will take.
#include "ridgewatt/answer/profile.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/make_plan.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/measure/placeholders.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {
namespace {

struct PlanCommand {
  campaign::Plan plan;
  campaign::PlanOptions options;
  std::vector<std::string> boards;
  std::vector<int> batches;
  answer::ModeWish wish;
  std::string model, output;
};

void check(const PlanCommand& options) {
  if (options.wish.ways() != 1) {
    throw UsageError("campaign plan needs the modes to measure", "",
                     "give one of --modes FILE, --sample N, --suggest N and --all");
  }
  if (options.batches.size() > 1 &&
      !measure::has_place(options.plan.profile.measure.command, measure::kBatchPlace)) {
    throw UsageError("--batch has no effect, because COMMAND does not contain {batch}", "",
                     "write {batch} where COMMAND states its batch");
  }
}

void plan_campaign(const Context& context, PlanCommand& options) {
  check(options);
  auto& plan = options.plan;
  const std::string path = campaign::file_of_plan(plan, options.output);
  if (plan.profile.series.workload.empty()) {
    plan.profile.series.workload = measure::workload_name(plan.profile.measure.command);
  }
  for (const auto& text : options.boards) {
    const auto [name, count, board] = campaign::parse_boards(text);
    const int batch = options.batches.empty() ? 0 : options.batches.front();
    const auto modes =
        answer::wished_modes(knob_space(board), options.wish, batch, board.name, context.seed);
    auto kind = campaign::planned_kind(name, count, modes, options.batches, options.options);
    if (!options.model.empty()) {
      campaign::predict_model(kind, board, options.model, plan.profile);
    }
    plan.boards.push_back(std::move(kind));
  }
  // Tasks run in other folders.
  const bool server = plan.store.find("://") != std::string::npos;
  if (!server) plan.store = absolute_path(plan.store);
  plan.check();
  const auto result = report::plan_result(plan, path, !options.model.empty());
  check_table_options(context, result);
  write_output(path, campaign::plan_json(plan));
  print(context, result);
}

void add_modes(CLI::App& command, PlanCommand& options) {
  const OptionAdder add(command);
  add_mode_wish(command, options.wish, "each board's");
  add.flag("--all", options.wish.all, "Every mode of each board's grid");
  add.optional("--batch", options.batches, count().within(1, 1 << 20),
               "Minibatch sizes; each takes the place of {batch} in COMMAND")
      ->delimiter(',')
      ->allow_extra_args(false);
  add.number("--repeats", options.options.repeats, count().within(1, 1000),
             "Number of times to measure each point");
  add.number("--calibration", options.options.calibration, count().within(0, 1000),
             "Number of points that every board measures, so that boards can be compared");
  add.number("--tasks", options.options.most_tasks, count().within(1, 1e6),
             "Maximum number of tasks per kind of board; must be below the cluster's MaxArraySize");
}

}  // namespace

void add_campaign_plan(CLI::App& campaign, Context& context) {
  const auto [command, options, add] = define<PlanCommand>(
      campaign, context, "plan", "Choose the points and boards of a campaign and predict its time",
      "ridgewatt campaign plan sweep7 --store points.db --boards fake:agx-orin:4,fake:orin-nano:4 "
      "--suggest 20 --batch 16 --model zoo:resnet50 -- ridgewatt fake-run zoo:resnet50 --batch "
      "{batch} --device {device}",
      plan_campaign);
  auto& profile = options.plan.profile;
  add.text("NAME", options.plan.name, "Name of the campaign")->required();
  add.text("--store", options.plan.store, "Store of the campaign: postgresql://.. or a file")
      ->required();
  add.words("--boards", options.boards, {answer::boards, answer::live_boards},
            "Kinds of boards with the number of boards, such as agx-orin:4")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false);
  add_modes(command, options);
  add.model("--model", options.model,
            "The model that COMMAND runs, for the boards' twins: zoo:NAME or an ONNX file");
  add_series(add, profile.series);
  add.sampling(profile.measure.rate_hz);
  add_profile_options(command, profile, options.plan.control);
  add.output("-o,--output", options.output, "File of the plan (NAME.json)");
  add.text("COMMAND", profile.measure.command,
           "Program, after --; {batch} and {device} stand for the batch and the board")
      ->required();
}

}  // namespace ridgewatt::cli
