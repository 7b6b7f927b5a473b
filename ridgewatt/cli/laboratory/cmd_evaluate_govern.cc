// ridgewatt evaluate govern: how well a governor holds goals on random days of a twin.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateGovern {
  evaluate::GovernScoreOptions score;
  bool days = false;
};

void run(const Context& context, EvaluateGovern& options) {
  options.score.seed = context.seed;
  print(context,
        evaluate::govern_scores_result(evaluate::score_governor(options.score), options.days));
}

}  // namespace

void add_evaluate_govern(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateGovern>(
      evaluate, context, "govern",
      "Score the governor on random simulated days, relative to the best fixed mode in hindsight",
      "ridgewatt evaluate govern --days 100", run);
  add.board("--device", options.score.board, "Board whose twin is simulated")
      ->capture_default_str();
  add.model("--model", options.score.models,
            "Models, used in turn, one per day: zoo:NAME or an ONNX file")
      ->delimiter(',')
      ->capture_default_str();
  add.number("--batch", options.score.batch, count().within(1, 1 << 20),
             "Minibatch size of training");
  add.choices("--goal", options.score.goals, "Goals to score")->delimiter(',');
  add.number("--days", options.score.days, count().within(1, 100000),
             "Number of random days per goal");
  add.flag("--every-day", options.days, "Print one row per day");
  add.threads(options.score.threads, "Threads, 0: all");
}

}  // namespace ridgewatt::cli
