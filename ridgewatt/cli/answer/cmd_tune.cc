// ridgewatt tune: the best power mode and batch within limits.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ridgewatt/answer/language_tune.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/answer/tune_command.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/language_report.h"
#include "ridgewatt/report/tune_report.h"

namespace ridgewatt::cli {
namespace {

using Ways = answer::TuneForms;

// The way in which the options ask for an answer; see answer::way_of().
const answer::Form& way_of(const TuneOptions& options) {
  const answer::JobQuestion& job = options.job;
  if (job.asked()) return job.of_job() ? Ways::kJob : job.of_day() ? Ways::kDay : Ways::kPeriod;
  if (!options.campaign.plan.empty()) return Ways::kCampaign;
  const answer::Form& way = answer::way_of(options);
  return way == Ways::kBoard && options.live.in_place ? Ways::kInPlace : way;
}

// Rejects "--batch 1 4", where 4 became an argument of the command.
void refuse_blank_list(const CLI::App& command, const char* option, const std::string& extra) {
  if (!option_given(command, option) || !parse_int(extra)) return;
  const auto given = command.get_option(option)->results();
  throw UsageError(std::string("the values of ") + option + " are separated by commas", extra,
                   fmt::format("give {} {},{}", option, fmt::join(given, ","), extra));
}

// Completes a question about a model. MODEL is a program if a board profiles it.
void use_model(const Context& context, const CLI::App& command, TuneOptions& options) {
  const auto& given = options.live.command;
  if (given.size() > 1) {
    refuse_blank_list(command, "--batch", given[1]);
    throw UsageError("tune takes one model, but got another", given[1],
                     "a program after -- needs --device local or fake:BOARD");
  }
  if (!given.empty()) {
    refuse_without_effect(command, {"--model"}, "with MODEL", "give one of them");
    options.workload.model = given[0];
  }
  const bool rows = !options.sweep.empty() || !options.samples.empty();
  if (rows || options.workload.model.empty()) return;
  options.device = board_or_local(context, options.device);
}

void run(const Context& context, TuneOptions& options, const CLI::App& command) {
  options.question.seed = context.seed;
  options.use_replay();
  const answer::Form& way = way_of(options);
  const bool on_board = answer::way_of(options) == Ways::kBoard;
  if (!on_board) use_model(context, command, options);
  check_tune(context, command, options, way);
  if (on_board) return tune_live(context, options, command);
  if (way == Ways::kCampaign) return tune_on_boards(context, options);
  if (Ways::kJobs.has(way)) return tune_job(context, options);
  const answer::TuneReply reply =
      answer::answer_request(options, [&](const auto& line) { remark(context, line); });
  print(context, reply.caveats(), report::reply_result(reply, options.trace));
}

}  // namespace

void add_tune(CLI::App& app, Context& context) {
  const auto [command, options, add] =
      define_bare<TuneOptions>(app, context, answer::tune_parameters(), run);
  add.model("MODEL", options.live.command,
            "ONNX file or zoo:NAME; on a real or fake board the program, after --");
  add.model("--model", options.workload.model, "The same as MODEL");
  // MODEL is declared above, because a program may be given instead.
  answer::TuneRequest& request = options;
  add_parameters(command, answer::tune_parameters(), &request, "MODEL");
  command.get_option("--batch")->allow_extra_args(false);  // a program may follow
  add.output("--observations", options.observations,
             "Sweep file of known points: strategies als and auto read it first and add what they "
             "profile");
  add.flag("--trace", options.trace, "Print every profiled point, in order");
  add_strict(command, context);
  add_live_options(command, options.live);
  add_campaign_options(command, options.campaign);
  add_rows(command, answer::job_rows(), &options.job, "Jobs and days");
  add_output_option(command, context);
  ask<answer::tune_llm_parameters, answer::tuned_language, report::language_tune_result>(command,
                                                                                         context);
}

}  // namespace ridgewatt::cli
