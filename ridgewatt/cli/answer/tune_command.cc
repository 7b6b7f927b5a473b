#include "ridgewatt/cli/answer/tune_command.h"

#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/workload_options.h"
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
    {"--observations",
     Ways::kCampaign | Ways::kBoard | Ways::kTwin | Ways::kNoSearch | Ways::kForgets},
    {"--trace", Ways::kNoSearch | Ways::kEveryBoard | Ways::kEveryRuntime},
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

void check_answer_table(const Context& context, const TuneOptions& options) {
  answer::TuneAnswer none;
  if (!options.heat.file.empty()) none.outcome.best.emplace().hold.emplace();
  check_table_options(
      context,
      with_origin(context, options.trace ? report::trace_table(none) : report::tune_table(none),
                  none.source.origin));
}

void check_tune(const Context& context, const CLI::App& command, const TuneOptions& options,
                const answer::Form& way) {
  if (!options.observations.empty()) check_answer_table(context, options);
  const answer::TuneRequest& request = options;
  const auto forms = forms_of(request, way, answer::Surface::kCommandLine);
  check_rows(command, answer::job_rows());
  options.job.check();
  check_members(request, way);
  check_parameters(command, answer::tune_parameters(), &request, forms);
  for (const auto& [form, when, advice] : forms) {
    for (const auto& [name, idle_in] : kOwnOptions) {
      if (!idle_in.has(form)) continue;
      refuse_without_effect(command, {name}, when, advice.empty() ? "omit it" : advice);
    }
  }
  if (way != Ways::kCampaign) refuse_group(command, kCampaignGroup, "without --campaign");
  if (way != Ways::kInPlace) {
    refuse_group(command, kInPlaceGroup, "without a running program",
                 "give --in-place and --device local or fake:BOARD");
  }
  if (way != Ways::kBoard && way != Ways::kInPlace) {
    for (const char* group : {kLiveGroup, kMeasuringGroup}) {
      refuse_group(command, group, "without a real or fake board",
                   "give --device local or fake:BOARD");
    }
  }
}

}  // namespace ridgewatt::cli
