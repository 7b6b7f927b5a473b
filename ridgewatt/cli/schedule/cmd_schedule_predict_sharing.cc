// ridgewatt schedule predict-sharing: what two programs do to each other, from what each does
// alone.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/serve.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/schedule/schedule_commands.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/schedule_report.h"

namespace ridgewatt::cli {
namespace {

struct PredictSharing {
  answer::ScheduleRequest schedule;
  double switching = schedule::kNativeSwitching;
};

void run(const Context& context, const PredictSharing& options) {
  const schedule::ScheduleWorkloads workloads = read_workloads(context, options.schedule);
  const answer::SharingAnswer found =
      answer::predict_sharing(workloads, options.schedule.idle_power_w, options.switching);
  report::Table table = report::sharing_table(found);
  if (context.csv() || context.json()) {
    return print(context, report::with_origin(table, {found.origin}));
  }
  remark(context, fmt::format("a: {}; b: {}", found.programs[0], found.programs[1]));
  remark(context, "idle power: " + found.idle_source);
  const bool known = std::all_of(found.rows.begin(), found.rows.end(),
                                 [](const auto& row) { return row.forecast.busy_known; });
  if (!known) {
    remark(context,
           "how much of its time each keeps the device busy is not known: taken as all of it, the "
           "slowest that can be; say it with --busy-share");
  }
  print(context, table);
}

}  // namespace

void add_schedule_predict_sharing(CLI::App& schedule, Context& context) {
  auto* command =
      add_command(schedule, context, "predict-sharing",
                  "What two programs would do to each other, from what each does alone",
                  "ridgewatt schedule predict-sharing --training zoo:resnet18 "
                  "--inference zoo:mobilenet_v3_large --inference-batch 4 --device agx-orin");
  auto options = std::make_shared<PredictSharing>();
  options->schedule.models.modes = "presets";
  add_rows(*command, answer::program_rows(), &options->schedule);
  add_models(*command, options->schedule);
  add_rows(*command, answer::busy_share_rows(), &options->schedule);
  add_rows(*command, answer::idle_power_rows(), &options->schedule);
  quantity(command->add_option("--switching", options->switching,
                               "What time that both want takes, over ideal sharing: 1 loses "
                               "nothing (default: of a published pair on an NVIDIA GPU)"),
           number().within(1, 100))
      ->capture_default_str();
  command->callback([&context, options, command] {
    check_rows(*command, answer::scheduled_model_rows());
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
