// ridgewatt evaluate board-effects: are differences between boards found, and taken out?
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/evaluate/board_effect_scores.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateBoardEffectsCommand {
  std::vector<std::string> sweeps;
  evaluate::RecoveryOptions recovery;
  evaluate::MergeOptions merge;
};

report::Table recovery_table(evaluate::RecoveryOptions options) {
  report::Table table(
      {{.name = "trouble"},
       {.name = "time_offset_pct", .heading = "time offset held (%)", .digits = 3},
       {.name = "power_offset_pct", .heading = "power offset held (%)", .digits = 3},
       {.name = "time_slope_pct", .heading = "time slope held (%)", .digits = 3},
       {.name = "power_slope_pct", .heading = "power slope held (%)", .digits = 3},
       {.name = "half_width_pct", .heading = "half width (%)", .digits = 2},
       {.name = "named_pct", .heading = "odd boards named (%)", .digits = 3},
       {.name = "falsely_named_pct", .heading = "others named (%)", .digits = 2},
       {.name = "aside_pct", .heading = "wrong points found (%)", .digits = 3}});
  for (const auto trouble : {evaluate::Trouble::kNone, evaluate::Trouble::kBoard,
                             evaluate::Trouble::kPoints, evaluate::Trouble::kBoth}) {
    options.trouble = trouble;
    const auto score = evaluate::score_recovery(options);
    const bool board = trouble == evaluate::Trouble::kBoard || trouble == evaluate::Trouble::kBoth;
    const bool points =
        trouble == evaluate::Trouble::kPoints || trouble == evaluate::Trouble::kBoth;
    table.add_row({std::string(name_of(trouble)), 100 * score.time_offset, 100 * score.power_offset,
                   100 * score.time_slope, 100 * score.power_slope, 100 * score.half_width,
                   board ? report::Cell(100 * score.outliers_found) : report::Cell(),
                   100 * score.falsely_named,
                   points ? report::Cell(100 * score.points_found) : report::Cell()});
  }
  return table;
}

report::Table merge_table(const EvaluateBoardEffectsCommand& options) {
  std::vector<report::Column> columns = {{"workload"}, {"kind"}, {"rows"}, {"points"}};
  for (const std::string quantity : {"time", "power"}) {
    columns.push_back({.name = quantity + "_single_mape_pct", .digits = 3});
    columns.push_back({.name = quantity + "_merged_mape_pct", .digits = 3});
    columns.push_back({.name = quantity + "_uncorrected_mape_pct", .digits = 3});
    columns.push_back({.name = quantity + "_ratio", .digits = 3});
  }
  report::Table table(columns);
  for (const auto& path : options.sweeps) {
    for (const auto& sweep : read_sweeps(path)) {
      const auto score = evaluate::score_merged(sweep, options.merge);
      table.add_row({score.workload, score.kind, std::int64_t{score.rows},
                     std::int64_t{score.points}, score.time.single, score.time.merged,
                     score.time.uncorrected, score.time.ratio(), score.power.single,
                     score.power.merged, score.power.uncorrected, score.power.ratio()});
    }
  }
  return table;
}

}  // namespace

void add_evaluate_board_effects(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "board-effects", "Score what is found of differences between boards",
      "ridgewatt evaluate board-effects\n"
      "  ridgewatt evaluate board-effects --sweep resnet18.csv --points 50");
  auto options = std::make_shared<EvaluateBoardEffectsCommand>();
  input_file(command->add_option(
                 "--sweep", options->sweeps,
                 "Sweep CSV whose rows are dealt to boards with differences injected, to predict "
                 "from; without one: simulated boards, whether intervals hold"))
      ->allow_extra_args(false);
  quantity(command->add_option("--boards", options->merge.boards, "Boards"),
           count().within(2, 1000))
      ->capture_default_str();
  quantity(command->add_option("--points", options->merge.points,
                               "Points of a sweep to predict from, at most a third of it"),
           count().within(8, 1e6))
      ->capture_default_str();
  quantity(command->add_option("--calibration", options->merge.calibration,
                               "Of them, points that every board measures"),
           count().within(1, 1000))
      ->capture_default_str();
  quantity(command->add_option("--runs", options->merge.runs, "Runs with each sweep"),
           count().within(1, 1e4))
      ->capture_default_str();
  quantity(command->add_option("--simulations", options->recovery.runs, "Simulated campaigns"),
           count().within(1, 1e6))
      ->capture_default_str();
  command->callback([&context, options] {
    options->merge.seed = options->recovery.seed = context.seed;
    options->recovery.boards = options->merge.boards;
    print(context,
          options->sweeps.empty() ? recovery_table(options->recovery) : merge_table(*options));
  });
}

}  // namespace ridgewatt::cli
