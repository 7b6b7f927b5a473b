// The subcommands of `ridgewatt evaluate`, which only `ridgewatt-lab` contains.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::cli {

AddCommand add_evaluate_boards, add_evaluate_board_effects, add_evaluate_choices,
    add_evaluate_clocks, add_evaluate_estimate, add_evaluate_explain, add_evaluate_govern,
    add_evaluate_groups, add_evaluate_in_place, add_evaluate_llm, add_evaluate_merge,
    add_evaluate_predictors, add_evaluate_references, add_evaluate_strategies,
    add_evaluate_schedules, add_evaluate_pipeline, add_evaluate_runtimes, add_evaluate_thermal;

inline constexpr AddCommand* kEvaluateCommands[] = {
    add_evaluate_estimate,      add_evaluate_predictors, add_evaluate_clocks,
    add_evaluate_strategies,    add_evaluate_schedules,  add_evaluate_pipeline,
    add_evaluate_runtimes,      add_evaluate_boards,     add_evaluate_choices,
    add_evaluate_board_effects, add_evaluate_govern,     add_evaluate_thermal,
    add_evaluate_in_place,      add_evaluate_llm,        add_evaluate_merge,
    add_evaluate_references,    add_evaluate_explain,    add_evaluate_groups,
};

// Writes figures as SVG files, or with the scores as one HTML page.
void write_scores(const FigureFiles& files, const std::string& title,
                  const std::vector<report::Figure>& figures, const report::Table& scores);

}  // namespace ridgewatt::cli
