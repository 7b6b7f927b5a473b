// ridgewatt federate: modes of several boards for a round of federated learning.
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/federated.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/report/job_report.h"

namespace ridgewatt::cli {
namespace {

struct FederateCommand {
  std::string model;
  std::vector<std::string> boards;
  std::string board_file;
  bool front = false;
  answer::FederatedQuestion question;
};

void run(const Context& context, FederateCommand& command, const CLI::App& app) {
  if (command.model.empty()) {
    refuse_without_effect(app, {"--workers", "--strict"}, "without a MODEL");
  }
  command.question.boards = answer::federated_boards(command.board_file, command.boards);
  std::shared_ptr<const workload::DeployedWorkload> workload;
  if (!command.model.empty()) {
    workload = std::make_shared<const workload::DeployedWorkload>(
        command.model, workload::DeployOptions{.kind = WorkloadKind::kTraining});
    if (!option_given(app, "--batch")) command.question.batch = answer::usual_batch(*workload);
  }
  const answer::FederatedAnswer found = answer::federated_round(command.question, workload);
  if (found.caveats) say_caveats(context, *found.caveats);
  for (const auto& text : found.remarks) remark(context, text);
  print(context, report::federated_result(found, command.front));
}

}  // namespace

void add_federate(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<FederateCommand>(
      app, context, "federate",
      "Power modes of least energy for boards that train one model in rounds (federated learning)",
      "ridgewatt federate zoo:resnet18 --device A=agx-orin,samples=5000 --device "
      "B=xavier-nx,samples=2000 --deadline 5min",
      run);
  auto& asked = options.question;
  add.model("MODEL", options.model, "ONNX file or zoo:NAME; not needed if every board has a sweep");
  add.repeated("--device", options.boards,
               "NAME=DEVICE,samples=N[,sweep=FILE][,upload=SECONDS][,upload-energy=JOULES]"
               "[,idle=WATTS]: a board and its data; once per board");
  add.input("--boards", options.board_file,
            "CSV file of boards with columns name, device, samples; optional: sweep, upload_s, "
            "upload_j, idle_w");
  add_strict(command, context);
  add.batch(asked.batch);
  add.number("--epochs", asked.epochs, number().positive().within(1e-6, 1e6),
             "Epochs that each board trains per round");
  add.number("--workers", asked.workers, count().within(0, 1024), "Loader workers");
  add.optional("--deadline", asked.deadline_s, seconds().positive(), "Time limit of a round");
  add.flag("--keep-outliers", asked.keep_outliers,
           "Also use the rows of sweeps that the quality check flags");
  add.flag("--front", options.front, "Also print how the energy of a round depends on its time");
}

}  // namespace ridgewatt::cli
