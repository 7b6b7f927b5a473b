// ridgewatt campaign run: one task of a campaign, on the board at hand.
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/campaign/task.h"
#include "ridgewatt/cli/campaign/campaign_commands.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {
namespace {

struct RunTaskCommand {
  DeviceOptions device;
  campaign::TaskOptions task;
  std::vector<std::string> points, calibration;
};

void run_task(const Context& context, RunTaskCommand& options) {
  auto& task = options.task;
  for (const auto& text : options.points) {
    task.points.push_back(campaign::parse_point_text(text));
  }
  for (const auto& text : options.calibration) {
    task.calibration.push_back(campaign::parse_point_text(text));
  }
  task.control.state_folder = options.device.state_folder;
  task.profile.quiet = context.quiet;
  const auto device = options.device.open(context);
  const auto done = campaign::run_task(device, task);
  if (context.json()) {
    print(context, Json{{"board", done.board},
                        {"serial", done.serial},
                        {"measured", done.measured},
                        {"skipped", done.skipped},
                        {"failed", done.failed},
                        {"failures", done.failures},
                        {"handed_in", done.handed_in.added}});
  } else {
    report::Table table({{"serial"}, {"measured"}, {"skipped"}, {"failed"}, {"handed_in"}});
    table.add_row({done.serial, std::int64_t{done.measured}, std::int64_t{done.skipped},
                   std::int64_t{done.failed}, static_cast<std::int64_t>(done.handed_in.added)});
    print(context, table);
  }
  if (done.failed > 0) {
    std::cout.flush();
    throw Error("points could not be measured", done.failures[0]);
  }
}

}  // namespace

void add_campaign_run(CLI::App& campaign, Context& context) {
  auto* command = add_command(
      campaign, context, "run", "One task of a campaign: engines call it on a board",
      "ridgewatt campaign run --campaign sweep7 --device fake:orin-nano --store points.db "
      "--point 0:cores=6,gpu=624.75,batch=1 -- ridgewatt fake-run zoo:lenet5 --device "
      "fake:orin-nano");
  auto options = std::make_shared<RunTaskCommand>();
  auto& task = options->task;
  task.profile.series.kind = name_of(WorkloadKind::kInference);
  add_device_options(*command, options->device);
  command->add_option("--campaign", task.campaign, "Name of the campaign")->required();
  command->add_option("--fingerprint", task.fingerprint,
                      "Of the campaign's plan, which no other plan of that name may have");
  command->add_option("--board-kind", task.board_kind,
                      "Kind of board that the points are for; without it that of --device");
  command->add_option("--store", task.store, "Store to hand in to: postgresql://.. or a file")
      ->required();
  const auto points = [&](const char* name, std::vector<std::string>& texts, const char* meaning) {
    command->add_option(name, texts, meaning)->allow_extra_args(false)->type_name("POINT");
  };
  points("--point", options->points, "LABEL:MODE,batch=N, a point to measure; may be repeated");
  points("--calibrate", options->calibration,
         "The same, measured first where this board's spool lacks it");
  command->add_option("--workload", task.profile.series.workload, "Name of the workload");
  command->add_option("--kind", task.profile.series.kind, "training, inference, ..")
      ->capture_default_str();
  quantity(
      command->add_option("--wait", task.wait_s, "Time to wait for a store that cannot be reached"),
      seconds().within(0, 86400))
      ->capture_default_str();
  quantity(
      command->add_option("--sampling-hz", task.profile.measure.rate_hz, "Power sampling rate"),
      hertz().within(1, 1000))
      ->capture_default_str();
  command->add_option("--spool", task.spool_folder,
                      "Folder of this board's spool ($XDG_STATE_HOME/ridgewatt/spool)");
  add_profile_options(*command, task.profile, task.control);
  command->add_option("COMMAND", task.profile.measure.command, "Program, after --")->required();
  command->callback([&context, options] { run_task(context, *options); });
}

}  // namespace ridgewatt::cli
