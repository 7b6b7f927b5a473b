// ridgewatt campaign plan: which points on which kinds of boards, and what they will take.
#include <fmt/format.h>

#include <filesystem>

#include "ridgewatt/answer/profile.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/campaign/make_plan.h"
#include "ridgewatt/cli/campaign/campaign_commands.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/sweep/points.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::cli {
namespace {

struct PlanCommand {
  campaign::Plan plan;
  campaign::PlanOptions options;
  std::vector<std::string> boards;
  std::vector<int> batches;
  std::string modes_file, model, output;
  std::size_t sample = 0, suggest = 0;
  bool all = false;
};

// "agx-orin:4"; without a count one.
std::pair<std::string, int> parse_boards(const std::string& text) {
  const auto colon = text.rfind(':');
  const bool counted = colon != std::string::npos && text.substr(0, colon) != "fake";
  if (!counted) return {text, 1};
  const auto count = parse_int(text.substr(colon + 1));
  if (!count || *count < 1 || *count > 100000) {
    throw UsageError("is not a kind of board and their number", text, "write agx-orin:4");
  }
  return {text.substr(0, colon), static_cast<int>(*count)};
}

// A fake board has the tables of its own JetPack, not those of the kind's default.
Board board_of(const std::string& kind) {
  if (!kind.starts_with("fake:")) return load_board(kind);
  return load_board(platform::board_of_fake(kind.substr(5)));
}

std::vector<PowerMode> modes_of(const Context& context, const PlanCommand& options,
                                const Board& board) {
  std::vector<PowerMode> modes;
  if (!options.modes_file.empty()) {
    for (const auto& point : read_points(options.modes_file)) modes.push_back(point.mode);
    return modes;
  }
  const KnobSpace space = knob_space(board);
  if (options.all) return space.modes();
  if (options.sample > 0) return answer::random_modes(space, options.sample, context.seed);
  const int batch = options.batches.empty() ? 0 : options.batches.front();
  return answer::modes_to_learn_from(space, {options.suggest, batch, {}, board.name});
}

void check(const PlanCommand& options) {
  const int ways = (options.modes_file.empty() ? 0 : 1) + (options.sample > 0 ? 1 : 0) +
                   (options.suggest > 0 ? 1 : 0) + (options.all ? 1 : 0);
  if (ways != 1) {
    throw UsageError("give one of --modes FILE, --sample N, --suggest N and --all",
                     "campaign plan");
  }
  const auto& command = options.plan.profile.measure.command;
  const bool placed = std::any_of(command.begin(), command.end(), [](const auto& word) {
    return word.find("{batch}") != std::string::npos;
  });
  if (options.batches.size() > 1 && !placed) {
    throw UsageError("the command never receives the batch size", "--batch",
                     "write {batch} where its command names the batch");
  }
}

void foretell_kind(const PlanCommand& options, const Board& board, campaign::BoardKind& kind) {
  if (options.model.empty()) return;
  const auto workload_kind =
      find_name<WorkloadKind>(options.plan.profile.series.kind).value_or(WorkloadKind::kInference);
  const auto workload = std::make_shared<const workload::DeployedWorkload>(
      options.model, workload::DeployOptions{.kind = workload_kind});
  const twin::TwinModel model(twin::load_twin(board), workload);
  campaign::foretell(kind, model, options.plan.profile);
}

// Of everything that is known about the plan; durations are empty where nothing foretold them.
report::Table plan_table(const campaign::Plan& plan) {
  report::Table table({{"board"},
                       {"boards"},
                       {"points"},
                       {"calibration"},
                       {"tasks"},
                       {.name = "points_per_task", .rank = 1},
                       {.name = "foretold_s", .heading = "duration (s)", .digits = 3},
                       {.name = "foretold_j", .heading = "energy (J)", .digits = 3}});
  for (const auto& kind : plan.boards) {
    const auto ahead = campaign::foretold(kind);
    const bool known = ahead.duration_s > 0;
    table.add_row({kind.name, std::int64_t{kind.boards},
                   static_cast<std::int64_t>(kind.points.size()),
                   static_cast<std::int64_t>(kind.calibration.size()),
                   static_cast<std::int64_t>(campaign::tasks_of(kind).size()),
                   static_cast<std::int64_t>(kind.points_per_task),
                   known ? report::Cell(ahead.duration_s) : report::Cell(),
                   known ? report::Cell(ahead.energy_j) : report::Cell()});
  }
  return table;
}

void say_foretold(const Context& context, const PlanCommand& options) {
  double duration_s = 0, energy_j = 0;
  std::size_t unknown = 0;
  for (const auto& kind : options.plan.boards) {
    const auto ahead = campaign::foretold(kind);
    duration_s = std::max(duration_s, ahead.duration_s);
    energy_j += ahead.energy_j;
    unknown += ahead.unknown;
  }
  if (options.model.empty()) {
    remark(context,
           "how long it takes is not known; --model MODEL lets the boards' twins foretell");
    return;
  }
  if (unknown > 0)
    remark(context, fmt::format("{} points do not fit the memory of their board", unknown));
  const bool short_one = duration_s < 3600;
  remark(context,
         fmt::format("foretold by the twins, without starting the program: {:.3g} {}, {:.3g} Wh",
                     duration_s / (short_one ? 1 : 3600), short_one ? "s" : "h", energy_j / 3600));
}

void plan_campaign(const Context& context, PlanCommand& options) {
  check(options);
  auto& plan = options.plan;
  if (plan.profile.series.workload.empty()) {
    plan.profile.series.workload = measure::workload_name(plan.profile.measure.command);
  }
  for (const auto& text : options.boards) {
    const auto [name, count] = parse_boards(text);
    const Board board = board_of(name);
    auto kind = campaign::planned_kind(name, count, modes_of(context, options, board),
                                       options.batches, options.options);
    foretell_kind(options, board, kind);
    plan.boards.push_back(std::move(kind));
  }
  // Tasks run elsewhere.
  const bool server = plan.store.find("://") != std::string::npos;
  if (!server) plan.store = absolute_path(plan.store);
  plan.check();
  const std::string path = options.output.empty() ? plan.name + ".json" : options.output;
  write_output(path, campaign::plan_json(plan));
  if (context.json()) {
    print(context,
          Json{{"name", plan.name}, {"plan", path}, {"kinds", plan_table(plan).to_json()}});
  } else {
    print(context, plan_table(plan));
  }
  say_foretold(context, options);
}

void add_modes(CLI::App& command, PlanCommand& options) {
  input_file(command.add_option("--modes", options.modes_file,
                                "Modes to profile: a CSV with knob columns, and governor"));
  quantity(command.add_option("--sample", options.sample,
                              "Modes drawn from each board's grid, by --seed"),
           count().within(1, 1e6));
  quantity(command.add_option("--suggest", options.suggest, "Modes that the predictor proposes"),
           count().within(1, 1e5));
  command.add_flag("--all", options.all, "Every mode of each board's grid");
  quantity(
      command.add_option("--batch", options.batches, "Minibatch sizes, for {batch} in COMMAND")
          ->delimiter(',')
          ->allow_extra_args(false),
      count().within(1, 1 << 20));
  quantity(
      command.add_option("--repeats", options.options.repeats, "Times that each point is measured"),
      count().within(1, 1000))
      ->capture_default_str();
  quantity(command.add_option("--calibration", options.options.calibration,
                              "Points that every board measures, so that boards can be compared"),
           count().within(0, 1000))
      ->capture_default_str();
  quantity(command.add_option("--tasks", options.options.most_tasks,
                              "Most tasks per kind; below the cluster's MaxArraySize"),
           count().within(1, 1e6))
      ->capture_default_str();
}

}  // namespace

void add_campaign_plan(CLI::App& campaign, Context& context) {
  auto* command = add_command(
      campaign, context, "plan", "Which points on which boards, and what they will take",
      "ridgewatt campaign plan sweep7 --store points.db --boards fake:agx-orin:4,fake:orin-nano:4 "
      "--suggest 20 --batch 16 --model zoo:resnet50 -- ridgewatt fake-run zoo:resnet50 --batch "
      "{batch} --device {device}");
  auto options = std::make_shared<PlanCommand>();
  auto& profile = options->plan.profile;
  profile.series.kind = name_of(WorkloadKind::kInference);
  command->add_option("NAME", options->plan.name, "Name of the campaign")->required();
  command
      ->add_option("--store", options->plan.store,
                   "Store of the campaign: postgresql://.. or a file")
      ->required();
  command->add_option("--boards", options->boards, "Kinds of boards and their number, agx-orin:4")
      ->required()
      ->delimiter(',')
      ->allow_extra_args(false);
  add_modes(*command, *options);
  command->add_option(
      "--model", options->model,
      "The model that COMMAND runs, for the boards' twins: zoo:NAME or an ONNX file");
  command->add_option("--workload", profile.series.workload, "Name of the workload");
  command->add_option("--kind", profile.series.kind, "training, inference, ..")
      ->capture_default_str();
  quantity(command->add_option("--sampling-hz", profile.measure.rate_hz, "Power sampling rate"),
           hertz().within(1, 1000))
      ->capture_default_str();
  add_profile_options(*command, profile, options->plan.control);
  output_file(command->add_option("-o,--output", options->output, "File of the plan (NAME.json)"));
  command
      ->add_option("COMMAND", profile.measure.command,
                   "Program, after --; {batch} and {device} in it are filled in")
      ->required();
  command->callback([&context, options] { plan_campaign(context, *options); });
}

}  // namespace ridgewatt::cli
