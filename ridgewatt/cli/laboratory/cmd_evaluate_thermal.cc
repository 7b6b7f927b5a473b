// ridgewatt evaluate thermal: constants and throttling times on simulated boards of known truth.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"

namespace ridgewatt::cli {

void add_evaluate_thermal(CLI::App& evaluate, Context& context) {
  auto* command = add_command(evaluate, context, "thermal",
                              "Score fitted thermal constants and throttling times on simulated "
                              "boards, whose true values are known",
                              "ridgewatt evaluate thermal --boards 200 --seed 2");
  auto boards = std::make_shared<int>(200);
  OptionAdder(*command).number("--boards", *boards, count().within(1, 100000), "Simulated boards");
  command->callback([&context, boards] {
    std::vector<evaluate::ThermalScores> scores;
    for (const bool unmodelled : {false, true}) {
      for (const bool ambient_known : {true, false}) {
        scores.push_back(evaluate::score_thermal({.boards = *boards,
                                                  .seed = context.seed,
                                                  .ambient_known = ambient_known,
                                                  .unmodelled = unmodelled}));
      }
    }
    print(context, evaluate::thermal_scores_result(scores));
  });
}

}  // namespace ridgewatt::cli
