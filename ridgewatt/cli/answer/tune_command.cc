#include "ridgewatt/cli/answer/tune_command.h"

#include "ridgewatt/io/file.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::cli {

void check_answer_table(const Context& context, const TuneOptions& options) {
  answer::TuneAnswer none;
  if (!options.heat.file.empty()) none.outcome.best.emplace().hold.emplace();
  check_table_options(
      context,
      with_origin(context, options.trace ? report::trace_table(none) : report::tune_table(none),
                  none.source.origin));
}

void print_answer(const Context& context, const TuneOptions& options,
                  const answer::TuneAnswer& found) {
  for (const auto& line : found.trace.left_out) remark(context, line);
  if (found.source.caveats) say_caveats(context, *found.source.caveats);
  print(context, report::tune_result(found, options.trace));
}

void print_reply(const Context& context, const TuneOptions& options,
                 const answer::TuneReply& reply) {
  if (reply.ranking) {
    const auto& answers = reply.ranking->answers;
    if (!answers.empty() && answers.front().source.caveats) {
      say_caveats(context, *answers.front().source.caveats);
    }
    return print(context, report::ranking_result(*reply.ranking));
  }
  if (!options.observations.empty()) {
    check_answer_table(context, options);
    // The one result that is read before it is written: it grows.
    ridgewatt::write_output(options.observations, reply.observations_csv);
  }
  print_answer(context, options, reply.answer);
}

}  // namespace ridgewatt::cli
