// ridgewatt evaluate in-place: tuning a running program against a restart for every profile, and
// whether drift is noticed, on fake boards in simulated time.
#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::cli {
namespace {

void run(const Context& context, evaluate::InPlaceSeries& series) {
  Progress progress("trials", series.size(), context.quiet);
  series.progress = [&](std::size_t done, const std::string& what) { progress.update(done, what); };
  const evaluate::InPlaceScores scores = evaluate::score_in_place(series);
  progress.update(series.size());
  print(context, series.drift ? evaluate::drift_score_table(scores.drifts)
                              : evaluate::in_place_table(scores.answers));
}

}  // namespace

void add_evaluate_in_place(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<evaluate::InPlaceSeries>(
      evaluate, context, "in-place",
      "Tune a running program against a restart for every profile, on fake boards in simulated "
      "time",
      "ridgewatt evaluate in-place --trials 5\n  ridgewatt evaluate in-place --drift --trials 5",
      run);
  add.text("--model", options.models, "zoo:NAME or an ONNX file, repeatable")
      ->allow_extra_args(false)
      ->capture_default_str();
  add.text("--device", options.boards, "Board that is faked, repeatable")
      ->allow_extra_args(false)
      ->capture_default_str();
  add.batch(options.batch);
  add.training(options.kind, "Training steps instead of inference");
  add.number("--trials", options.trials, count().within(1, 1e6), "Seeds per model and board");
  add.number("--first-seed", options.first_seed, count().within(1, 1e9), "The first of them");
  add.number("--profiles", options.profiles, count().within(1, 1e6), "Windows that choose");
  add.flag("--drift", options.drift, "Disturb the searches and score what is noticed");
  add.flag("--per-model", options.per_model, "A row per model, board and goal");
}

}  // namespace ridgewatt::cli
