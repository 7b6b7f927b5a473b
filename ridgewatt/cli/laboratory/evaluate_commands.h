// The commands of the laboratory: those below `ridgewatt evaluate`, and what describes them.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/evaluate/outcomes.h"
#include "ridgewatt/report/figure.h"

namespace ridgewatt::cli {

void add_evaluate_boards(CLI::App& evaluate, Context& context);
void add_evaluate_board_effects(CLI::App& evaluate, Context& context);
void add_evaluate_choices(CLI::App& evaluate, Context& context);
void add_evaluate_clocks(CLI::App& evaluate, Context& context);
void add_evaluate_estimate(CLI::App& evaluate, Context& context);
void add_evaluate_govern(CLI::App& evaluate, Context& context);
void add_evaluate_in_place(CLI::App& evaluate, Context& context);
void add_evaluate_llm(CLI::App& evaluate, Context& context);
void add_evaluate_merge(CLI::App& evaluate, Context& context);
void add_evaluate_predictors(CLI::App& evaluate, Context& context);
void add_evaluate_references(CLI::App& evaluate, Context& context);
void add_evaluate_strategies(CLI::App& evaluate, Context& context);
void add_evaluate_schedules(CLI::App& evaluate, Context& context);
void add_evaluate_pipeline(CLI::App& evaluate, Context& context);
void add_evaluate_runtimes(CLI::App& evaluate, Context& context);
void add_evaluate_thermal(CLI::App& evaluate, Context& context);

inline constexpr void (*kEvaluateCommands[])(CLI::App&, Context&) = {
    add_evaluate_estimate,      add_evaluate_predictors, add_evaluate_clocks,
    add_evaluate_strategies,    add_evaluate_schedules,  add_evaluate_pipeline,
    add_evaluate_runtimes,      add_evaluate_boards,     add_evaluate_choices,
    add_evaluate_board_effects, add_evaluate_govern,     add_evaluate_thermal,
    add_evaluate_in_place,      add_evaluate_llm,        add_evaluate_merge,
    add_evaluate_references,
};

void add_evaluate(CLI::App& app, Context& context);

// Of the program `ridgewatt-lab`.
inline constexpr CommandEntry kLaboratoryCommands[] = {
    {"evaluate", add_evaluate, kLaboratory},
    {"help", add_help, kHelp},
    {"man", add_man, kHelp},
    {"complete", add_complete, ""},
};

// The scores of all outcomes of an evaluation, in the format that is wanted. `timing`: also how
// long it took.
void print_schedule_scores(const Context& context,
                           const std::vector<evaluate::OutcomeGroup>& groups,
                           const evaluate::Outcomes& outcomes, bool timing = false);
void print_strategy_scores(const Context& context,
                           const std::vector<evaluate::OutcomeGroup>& groups,
                           const evaluate::Outcomes& outcomes);
void print_predictor_scores(const Context& context,
                            const std::vector<evaluate::OutcomeGroup>& groups,
                            const evaluate::Outcomes& outcomes, bool every_run);

// The figures of an evaluation as SVG, or with its scores as one HTML page.
void write_scores(const FigureFiles& files, const std::string& title,
                  const std::vector<report::Figure>& figures, const report::Table& scores);

}  // namespace ridgewatt::cli
