#include "ridgewatt/cli/answer/tune_command.h"

#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::cli {
namespace {

using Ways = answer::TuneForms;

// Options that only the command line has, and the forms of `tune` in which they have no effect.
struct OwnOption {
  const char* name;
  answer::Forms idle_in;
};
constexpr OwnOption kOwnOptions[] = {
    {"--model", Ways::kCampaign | Ways::kRowsAlone | Ways::kProgram | Ways::kInPlace},
    {"--observations", Ways::kCampaign | Ways::kBoard | Ways::kTwin | Ways::kNoSearch},
    {"--trace", Ways::kNoSearch},
    {"--strict", Ways::kCampaign | Ways::kRowsAlone | Ways::kProgram | Ways::kInPlace},
    {"--campaign", Ways::kJobs},
    {"--governors", Ways::kInPlace},
    {"--settle", Ways::kInPlace},
    {"--settle-window", Ways::kInPlace},
    {"--idle", Ways::kInPlace},
    {"--fill-cache", Ways::kInPlace},
    {"--drop-cache", Ways::kInPlace},
};

}  // namespace

void check_form(const CLI::App& command, const answer::Form& form) {
  check_form(command, answer::tune_parameters(), form);
  for (const auto& [name, idle_in] : kOwnOptions) {
    if (!idle_in.has(form)) continue;
    refuse_without_effect(command, {name}, std::string(form.when),
                          form.advice.empty() ? "omit it" : std::string(form.advice));
  }
}

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
    // Without refuse_input(), because the search also reads this file and adds to it.
    ridgewatt::write_output(options.observations, reply.observations_csv);
  }
  print_answer(context, options, reply.answer);
}

}  // namespace ridgewatt::cli
