// ridgewatt evaluate references: PowerTrain's table of references with its baselines.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/predict_options.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/evaluate/reference_scores.h"
#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateReferences {
  std::vector<std::string> sweeps;
  std::string device = "agx-orin";
  std::string budgets = "17:50";
  evaluate::ReferenceOptions scores;
};

void run(const Context& context, EvaluateReferences options) {
  std::vector<Sweep> sweeps;
  for (const auto& path : options.sweeps) sweeps.push_back(read_trusted_sweep(context, path, true));
  options.scores.budgets = parse_budgets(options.budgets);
  options.scores.seed = context.seed;
  options.scores.quiet = context.quiet;
  print(context, evaluate::reference_score_table(evaluate::score_references(
                     sweeps, load_board(options.device), options.scores)));
}

}  // namespace

void add_evaluate_references(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "references",
      "PowerTrain from each workload to each other, with networks on all modes, random modes, MAXN "
      "and the vendor's presets",
      "ridgewatt evaluate references --sweep resnet18.csv --sweep mobilenet_v3.csv --sweep "
      "yolov8n.csv");
  auto options = std::make_shared<EvaluateReferences>();
  evaluate::ReferenceOptions& scores = options->scores;
  input_file(command->add_option("--sweep", options->sweeps, "Sweep CSV, two or more times"))
      ->required()
      ->allow_extra_args(false);
  command->add_option("--device", options->device, "Board whose presets are scored")
      ->capture_default_str();
  quantity(command->add_option("--profiles", scores.modes, "Profiled modes of each workload"),
           count().within(2, 1e6))
      ->capture_default_str();
  quantity(command->add_option("--runs", scores.runs, "Draws of these modes"),
           count().within(1, 1e4))
      ->capture_default_str();
  quantity(command->add_option("--reference-modes", scores.reference_modes,
                               "Modes of the reference, at random; 0: all"),
           count().within(0, 1e6))
      ->capture_default_str();
  quantity(command->add_option("--reference-rows", scores.reference_rows,
                               "Training rows of each mode of the reference"),
           count().within(1, 1e6))
      ->capture_default_str();
  command
      ->add_option("--budgets", options->budgets,
                   "Budgets of power that answers are scored at, LEAST:MOST in W, 1 W apart")
      ->capture_default_str();
  quantity(command->add_option("--threads", scores.threads, "Threads; 0: all"),
           count().within(0, 1024))
      ->capture_default_str();
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
