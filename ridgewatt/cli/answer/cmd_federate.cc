// ridgewatt federate: modes of several boards for a round of federated learning.
#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/federated.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/answer/federated_tables.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/options/workload_options.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/report/job_text.h"
#include "ridgewatt/report/origin_columns.h"

namespace ridgewatt::cli {
namespace {

struct FederateCommand {
  std::string model;
  std::vector<std::string> boards;
  std::string board_file;
  bool front = false;
  bool batch_given = false;
  answer::FederatedQuestion question;
};

std::vector<answer::FederatedBoard> boards_of(const FederateCommand& command) {
  std::vector<answer::FederatedBoard> boards;
  if (!command.board_file.empty()) {
    boards = answer::parse_federated_boards(read_file(command.board_file), command.board_file);
  }
  for (const auto& text : command.boards) boards.push_back(answer::parse_federated_board(text));
  if (boards.empty()) {
    throw UsageError("a round needs boards", "federate",
                     "give --device NAME=DEVICE,samples=N for each, or --boards FILE");
  }
  return boards;
}

void print_federated(const Context& context, const FederateCommand& command,
                     const answer::FederatedAnswer& found) {
  const answer::Round& chosen = found.chosen();
  std::cout << (command.question.deadline_s ? "Least energy within the deadline: "
                                            : "Least energy: ")
            << report::job_text({chosen.time_s, chosen.energy_j}) << " per round\n\n";
  print_aside(context, federated_round_table(found));
  std::cout << '\n';
  if (command.front) {
    print_aside(context, federated_board_table(found));
    std::cout << "\nRounds that cost less than every faster one:\n\n";
    print(context, federated_front_table(found));
  } else {
    print(context, federated_board_table(found));
  }
  const std::string stragglers = straggler_text(found);
  if (!stragglers.empty()) std::cout << '\n' << escape_terminal(stragglers) << '\n';
}

void run(const Context& context, FederateCommand command) {
  command.question.boards = boards_of(command);
  std::shared_ptr<const workload::DeployedWorkload> workload;
  if (!command.model.empty()) {
    workload = std::make_shared<const workload::DeployedWorkload>(
        command.model, workload::DeployOptions{.kind = WorkloadKind::kTraining});
    if (!command.batch_given) command.question.batch = answer::usual_batch(*workload);
  }
  const answer::FederatedAnswer found = answer::federated_round(command.question, workload);
  if (found.caveats) say_caveats(context, *found.caveats);
  for (const auto& text : found.remarks) remark(context, text);
  if (context.json()) return print(context, federated_json(found));
  if (!context.csv()) return print_federated(context, command, found);
  std::vector<RowOrigin> origins;
  for (const auto& part : found.parts) origins.push_back(part.origin);
  print(context, command.front ? federated_front_table(found)
                               : report::with_origin(federated_board_table(found), origins));
}

}  // namespace

void add_federate(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "federate",
      "Modes of several boards that train one model in rounds: least energy, boards that wait",
      "ridgewatt federate zoo:resnet18 --device A=agx-orin,samples=5000 --device "
      "B=xavier-nx,samples=2000 --deadline 5min");
  auto options = std::make_shared<FederateCommand>();
  command->add_option("MODEL", options->model,
                      "ONNX file or zoo:NAME; not needed where every board has a sweep");
  command
      ->add_option("--device", options->boards,
                   "NAME=DEVICE,samples=N[,sweep=FILE][,upload=SECONDS][,upload-energy=JOULES]"
                   "[,idle=WATTS]: a board and its data, several times")
      ->allow_extra_args(false);
  input_file(command->add_option("--boards", options->board_file,
                                 "CSV file of boards: name, device, samples, and sweep, upload_s, "
                                 "upload_j, idle_w where wanted"));
  add_strict(*command, context);
  quantity(command->add_option("--batch", options->question.batch, "Minibatch size"),
           count().within(1, 1 << 20))
      ->capture_default_str();
  quantity(command->add_option("--epochs", options->question.epochs,
                               "Epochs that a board trains in a round"),
           number().positive().within(1e-6, 1e6))
      ->capture_default_str();
  quantity(command->add_option("--workers", options->question.workers, "Loader workers"),
           count().within(0, 1024))
      ->capture_default_str();
  quantity(command->add_option("--deadline", options->question.deadline_s,
                               "Time within which a round is to end"),
           seconds().positive());
  command->add_flag("--keep-outliers", options->question.keep_outliers,
                    "Use rows of sweeps that the quality check flags");
  command->add_flag("--front", options->front, "Also the energy of a round over its time");
  command->callback([&context, options, command] {
    if (options->model.empty()) {
      refuse_without_effect(*command, {"--workers", "--strict"}, "without a MODEL");
    }
    options->batch_given = command->count("--batch") > 0;
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
