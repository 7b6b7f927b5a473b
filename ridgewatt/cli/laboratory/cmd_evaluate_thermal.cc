// ridgewatt evaluate thermal: constants and throttling times on simulated boards of known truth.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/report/calibrate_report.h"

namespace ridgewatt::cli {

void add_evaluate_thermal(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "thermal",
      "Thermal constants and throttling times on simulated boards, whose truth is known",
      "ridgewatt evaluate thermal --boards 200 --seed 2");
  auto boards = std::make_shared<int>(200);
  quantity(command->add_option("--boards", *boards, "Simulated boards"), count().within(1, 100000))
      ->capture_default_str();
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
    const auto constants = report::thermal_constant_table(scores.front());
    const auto times = report::thermal_time_table(scores);
    if (context.json()) {
      return print(context, Json{{"boards", *boards},
                                 {"tolerance", scores.front().options.tolerance},
                                 {"time_tolerance", scores.front().options.time_tolerance},
                                 {"constants", constants.to_json()},
                                 {"times", times.to_json()}});
    }
    print(context, constants);
    if (context.csv()) return;
    std::cout << "\nTime until the board throttles, of other loads at other temperatures:\n\n";
    print_aside(context, times);
  });
}

}  // namespace ridgewatt::cli
