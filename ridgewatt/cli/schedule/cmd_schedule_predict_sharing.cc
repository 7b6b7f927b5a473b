// ridgewatt schedule predict-sharing: how two programs slow each other down, from measurements of
// each program alone.
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/report/schedule_report.h"

namespace ridgewatt::cli {
namespace {

struct PredictSharing {
  answer::ScheduleRequest schedule;
  double switching = schedule::kNativeSwitching;
};

void run(const Context& context, const PredictSharing& options, const CLI::App& command) {
  check_rows(command, answer::scheduled_model_rows());
  const schedule::ScheduleWorkloads workloads = read_workloads(context, options.schedule);
  const answer::SharingAnswer found =
      answer::predict_sharing(workloads, options.schedule.idle_power_w, options.switching);
  print(context, report::sharing_result(found, context.format));
}

}  // namespace

void add_schedule_predict_sharing(CLI::App& schedule, Context& context) {
  const auto [command, options, add] = define<PredictSharing>(
      schedule, context, "predict-sharing",
      "Predict how two programs slow each other down, from the measurements of each alone",
      "ridgewatt schedule predict-sharing --training zoo:resnet18 "
      "--inference zoo:mobilenet_v3_large --inference-batch 4 --device agx-orin",
      run);
  options.schedule.models.modes = "presets";
  add_rows(command, answer::program_rows(), &options.schedule);
  add_models(command, options.schedule);
  add_rows(command, answer::busy_share_rows(), &options.schedule);
  add_rows(command, answer::idle_power_rows(), &options.schedule);
  add.number(
      "--switching", options.switching, number().within(1, 100),
      "Factor by which switching lengthens the time in which both programs want the device; 1: "
      "no loss (default: from a published measurement on an NVIDIA GPU)");
}

}  // namespace ridgewatt::cli
