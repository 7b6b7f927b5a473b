// ridgewatt evaluate references: reproduces PowerTrain's table of references and baselines.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/evaluate/predictor_scores.h"
#include "ridgewatt/evaluate/reference_scores.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateReferences {
  std::vector<std::string> sweeps;
  std::string device = "agx-orin";
  std::string budgets = "17:50";
  evaluate::ReferenceOptions scores;
};

void run(const Context& context, EvaluateReferences& options) {
  std::vector<Sweep> sweeps;
  for (const auto& path : options.sweeps) sweeps.push_back(read_trusted_sweep(context, path, true));
  options.scores.budgets = evaluate::parse_budgets(options.budgets);
  options.scores.seed = context.seed;
  options.scores.quiet = context.quiet;
  print(context, evaluate::reference_score_table(evaluate::score_references(
                     sweeps, load_board(options.device), options.scores)));
}

}  // namespace

void add_evaluate_references(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateReferences>(
      evaluate, context, "references",
      "Score PowerTrain on each pair of workloads. Baselines: random modes, MAXN, the vendor's "
      "presets, and networks trained on all modes",
      "ridgewatt evaluate references --sweep resnet18.csv --sweep mobilenet_v3.csv --sweep "
      "yolov8n.csv",
      run);
  evaluate::ReferenceOptions& scores = options.scores;
  add.inputs("--sweep", options.sweeps, "Sweep CSV, two or more times")->required();
  add.board("--device", options.device, "Board whose presets are scored")->capture_default_str();
  add.number("--profiles", scores.modes, count().within(2, 1e6),
             "Number of profiled modes of each workload");
  add.number("--runs", scores.runs, count().within(1, 1e4),
             "Number of random draws of these modes");
  add.number("--reference-modes", scores.reference_modes, count().within(0, 1e6),
             "Number of modes of the reference, drawn at random (0: all)");
  add.number("--reference-rows", scores.reference_rows, count().within(1, 1e6),
             "Training rows per mode of the reference");
  add.budgets(options.budgets);
  add.number("--threads", scores.threads, count().within(0, 1024), "Threads; 0: all");
}

}  // namespace ridgewatt::cli
