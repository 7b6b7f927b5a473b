// ridgewatt evaluate in-place: compares tuning of a running program with a restart for each
// profile, and checks whether drift is detected, on fake boards in simulated time.
#include "ridgewatt/base/progress.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"

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
      "Compare tuning of a running program with a restart per profile, on fake boards in simulated "
      "time",
      "ridgewatt evaluate in-place --trials 5\n  ridgewatt evaluate in-place --drift --trials 5",
      run);
  add.model("--model", options.models, "Models: zoo:NAME or an ONNX file")
      ->allow_extra_args(false)
      ->capture_default_str();
  add.board("--device", options.boards, "Fake boards to simulate")
      ->allow_extra_args(false)
      ->capture_default_str();
  add.batch(options.batch);
  add.training(options.kind, "Training steps instead of inference");
  add.number("--trials", options.trials, count().within(1, 1e6),
             "Number of seeds per model and board");
  add.number("--first-seed", options.first_seed, count().within(1, 1e9), "First seed");
  add.number("--profiles", options.profiles, count().within(1, 1e6),
             "Number of windows from which the mode is chosen");
  add.flag("--drift", options.drift, "Disturb the searches and score whether drift is detected");
  add.flag("--per-model", options.per_model, "Print one row per model, board and goal");
}

}  // namespace ridgewatt::cli
