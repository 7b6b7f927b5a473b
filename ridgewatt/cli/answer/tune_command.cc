#include "ridgewatt/cli/answer/tune_command.h"

#include "ridgewatt/answer/held.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::cli {

answer::TuneQuestion TuneOptions::asked(const Context& context) const {
  answer::TuneQuestion asked = question;
  asked.goal = goal.goal();
  asked.seed = context.seed;
  asked.job_samples = dataset_size * epochs;
  if (time_budget_s) asked.budget.time_s = *time_budget_s;
  if (asked.verify > 0) asked.budget.profiles = asked.verify;
  return asked;
}

void add_holds(const TuneOptions& options, answer::TuneAnswer& found) {
  if (options.thermal.given()) {
    answer::add_holds(found, options.thermal.read(), options.hold);
  }
}

void print_answer(const Context& context, const answer::TuneAnswer& found, bool trace) {
  if (found.caveats) say_caveats(context, *found.caveats);
  if (context.json()) {
    print(context, report::tune_to_json(found));
  } else if (context.csv()) {
    const report::Table table = trace ? report::trace_table(found) : report::tune_table(found);
    print(context, report::with_origin(table, {found.origin}));
  } else {
    for (const auto& line : report::tune_question(found))
      std::cout << escape_terminal(line) << '\n';
    std::cout << '\n';
    for (const auto& line : report::tune_headline(found)) {
      std::cout << "  " << escape_terminal(line) << '\n';
    }
    std::cout << '\n';
    const bool steps = trace && !found.profiled.empty();
    if (steps)
      print_aside(context, report::tune_table(found));
    else
      print(context, report::tune_table(found));
    for (const auto& line : report::tune_remarks(found)) std::cout << '\n' << escape_terminal(line);
    std::cout << '\n';
    if (steps) {
      std::cout << '\n';
      print(context, report::trace_table(found));
    }
  }
  if (!found.answer) {
    throw NoSolutionError("no answer within the limits",
                          report::describe_goal(found.goal, found.origin.kind),
                          report::how_to_mend(found));
  }
}

void print_ranking(const Context& context, const answer::TuneRanking& ranking) {
  const auto& answers = ranking.answers;
  const bool boards = ranking.over == answer::TuneRanking::Over::kBoards;
  if (!answers.empty() && answers.front().caveats) {
    say_caveats(context, *answers.front().caveats);
  }
  const bool answered = !answers.empty() && answers.front().answer;
  if (context.json()) {
    print(context, report::ranking_to_json(ranking));
  } else {
    if (!context.csv() && answered) {
      const answer::TuneAnswer& best = answers.front();
      std::cout << escape_terminal(report::describe_goal(best.goal)) << ", modelled, "
                << (boards ? name_of(best.origin.runtime.value())
                           : "on " + escape_terminal(best.device))
                << "\n\n";
    }
    std::vector<RowOrigin> origins;
    for (const auto& found : answers) origins.push_back(found.origin);
    const report::Table table = report::ranking_table(ranking);
    print(context, context.csv() && !origins.empty() ? report::with_origin(table, origins) : table);
  }
  if (!context.json()) {
    for (const auto& line : ranking.left_out) remark(context, "left out: " + line);
  }
  if (!answered) {
    throw NoSolutionError(std::string(boards ? "no board" : "no runtime") +
                          " has an answer within the limits");
  }
}

}  // namespace ridgewatt::cli
