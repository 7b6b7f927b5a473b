// ridgewatt campaign run: one task of a campaign, on this machine.
#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/task.h"
#include "ridgewatt/cli/options/device_options.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/profile_options.h"
#include "ridgewatt/report/campaign_report.h"

namespace ridgewatt::cli {
namespace {

struct RunTaskCommand {
  DeviceOptions device;
  campaign::TaskOptions task;
  std::vector<std::string> points, calibration;
};

void run_task(const Context& context, RunTaskCommand& options) {
  check_table_options(context, report::task_result({}));
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
  print(context, report::task_result(done));
  if (done.failed > 0) {
    std::cout.flush();
    throw Error("some points could not be measured", done.failures[0]);
  }
}

}  // namespace

void add_campaign_run(CLI::App& campaign, Context& context) {
  const auto [command, options, add] = define<RunTaskCommand>(
      campaign, context, "run", "Run one task of a campaign on a board; the executor calls this",
      "ridgewatt campaign run --campaign sweep7 --device fake:orin-nano --store points.db "
      "--point 0:cores=6,gpu=624.75,batch=1 -- ridgewatt fake-run zoo:lenet5 --device "
      "fake:orin-nano",
      run_task);
  auto& task = options.task;
  add_device_options(command, options.device);
  add.text("--campaign", task.campaign, "Name of the campaign")->required();
  add.text("--fingerprint", task.fingerprint,
           "Fingerprint of the campaign's plan; a plan of the same name with another fingerprint "
           "is refused");
  add.board("--board-kind", task.board_kind,
            "Kind of board that the points are for [that of --device]");
  add.text("--store", task.store, "Store to write the points to: postgresql://.. or a file")
      ->required();
  const auto points = [&add = add](const char* name, std::vector<std::string>& texts,
                                   const char* meaning) {
    add.text(name, texts, meaning)->allow_extra_args(false)->type_name("POINT");
  };
  points("--point", options.points, "Point to measure, LABEL:MODE,batch=N");
  points("--calibrate", options.calibration,
         "Calibration point, measured first if this board's spool does not have it");
  add_series(add, task.profile.series);
  add.number("--wait", task.wait_s, seconds().within(0, 86400),
             "Time to wait if the store cannot be reached");
  add.sampling(task.profile.measure.rate_hz);
  add.text("--spool", task.spool_folder,
           "Folder for points of this board that are not yet in the store "
           "($XDG_STATE_HOME/ridgewatt/spool)");
  add_profile_options(command, task.profile, task.control);
  add.text("COMMAND", task.profile.measure.command, "Program, after --")->required();
}

}  // namespace ridgewatt::cli
