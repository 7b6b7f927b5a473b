#include "ridgewatt/cli/answer/tune_command.h"

#include "ridgewatt/answer/held.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::cli {

answer::TuneQuestion TuneOptions::asked(const Context& context) const {
  answer::TuneQuestion whole = TuneRequest::asked();
  whole.seed = context.seed;
  return whole;
}

namespace {

// What --sort and --columns are about.
report::Table answer_table(const Context& context, const answer::TuneAnswer& found, bool trace) {
  return with_origin(context, trace ? report::trace_table(found) : report::tune_table(found),
                     found.source.origin);
}

}  // namespace

void check_answer_table(const Context& context, const TuneOptions& options) {
  answer::TuneAnswer none;
  if (!options.heat.file.empty()) none.outcome.best.emplace().hold.emplace();
  check_table_options(context, answer_table(context, none, options.trace));
}

void print_answer(const Context& context, const answer::TuneAnswer& found, bool trace) {
  if (found.source.caveats) say_caveats(context, *found.source.caveats);
  if (context.json()) {
    print(context, report::tune_to_json(found));
  } else if (context.csv()) {
    print(context, answer_table(context, found, trace));
  } else {
    for (const auto& line : report::tune_question(found))
      std::cout << escape_terminal(line) << '\n';
    std::cout << '\n';
    for (const auto& line : report::tune_headline(found)) {
      std::cout << "  " << escape_terminal(line) << '\n';
    }
    std::cout << '\n';
    const bool steps = trace && !found.trace.profiled.empty();
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
  if (!found.outcome.best) {
    throw NoSolutionError("no answer within the limits",
                          report::describe_goal(found.outcome.goal, found.source.origin.kind),
                          report::how_to_relax(found));
  }
}

void print_ranking(const Context& context, const answer::TuneRanking& ranking) {
  const auto& answers = ranking.answers;
  const bool boards = ranking.over == answer::TuneRanking::Over::kBoards;
  if (!answers.empty() && answers.front().source.caveats) {
    say_caveats(context, *answers.front().source.caveats);
  }
  const bool answered = !answers.empty() && answers.front().outcome.best;
  if (context.json()) {
    print(context, report::ranking_to_json(ranking));
  } else {
    if (!context.csv() && answered) {
      const answer::TuneAnswer& best = answers.front();
      std::cout << escape_terminal(report::describe_goal(best.outcome.goal)) << ", modelled, "
                << (boards ? name_of(best.source.origin.runtime.value())
                           : "on " + escape_terminal(best.source.device.value()))
                << "\n\n";
    }
    std::vector<RowOrigin> origins;
    for (const auto& found : answers) origins.push_back(found.source.origin);
    const report::Table table = report::ranking_table(ranking);
    print(context, context.csv() ? report::with_origin(table, origins) : table);
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
