#include "ridgewatt/cli/answer/tune_command.h"

#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::cli {

answer::TuneQuestion TuneOptions::asked(const Context& context) const {
  answer::TuneQuestion whole = TuneRequest::asked();
  whole.seed = context.seed;
  return whole;
}

void check_answer_table(const Context& context, const TuneOptions& options) {
  answer::TuneAnswer none;
  if (!options.heat.file.empty()) none.outcome.best.emplace().hold.emplace();
  check_table_options(
      context,
      with_origin(context, options.trace ? report::trace_table(none) : report::tune_table(none),
                  none.source.origin));
}

void print_answer(const Context& context, const TuneOptions& options, answer::TuneAnswer& found) {
  for (const auto& line : found.trace.left_out) remark(context, line);
  answer::add_holds(found, options.heat);
  if (found.source.caveats) say_caveats(context, *found.source.caveats);
  print(context, report::tune_result(found, options.trace));
}

void print_ranking(const Context& context, const answer::TuneRanking& ranking) {
  const auto& answers = ranking.answers;
  if (!answers.empty() && answers.front().source.caveats) {
    say_caveats(context, *answers.front().source.caveats);
  }
  print(context, report::ranking_result(ranking));
}

}  // namespace ridgewatt::cli
