// ridgewatt evaluate predictors: errors of prediction methods on a measured sweep, by sample size.
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/laboratory/part_options.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/evaluate/predictor_scores.h"
#include "ridgewatt/predict/twin_reference.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::cli {
namespace {

struct EvaluatePredictorsCommand {
  std::string sweep, workload, given, groups, budgets = "17:50";
  std::vector<std::string> references, methods = {"auto"};
  evaluate::EvaluationOptions evaluation;
  std::string twin;
  FigureFiles figures;
  std::vector<std::string> twin_sweeps;
  bool every_run = false, shuffle_references = false;
  PartOptions parts;
};

void run(const Context& context, EvaluatePredictorsCommand& options) {
  options.parts.refuse(!options.figures.empty(), "--figures");
  if (options.parts.printed_script(context)) return;
  evaluate::EvaluationOptions& evaluation = options.evaluation;
  const Sweep sweep = read_trusted_sweep(context, options.sweep, true, options.workload);
  for (const auto& path : options.references) {
    Sweep reference = read_trusted_sweep(context, path, evaluation.keep_outliers);
    if (options.shuffle_references)
      reference = evaluate::shuffle_costs(std::move(reference), context.seed);
    evaluation.predictor.references.push_back(std::move(reference));
  }
  if (!options.twin.empty()) {
    evaluation.predictor.priors.push_back(
        predict::unseen_twin_reference(options.twin, twin::parse_sweep_specs(options.twin_sweeps),
                                       twin::parse_sweep_spec(options.sweep)));
  }
  if (!options.groups.empty()) {
    evaluation.predictor.groups = predict::read_workload_groups(options.groups);
  }
  if (evaluation.sampling == evaluate::Sampling::kGiven) {
    if (options.given.empty())
      throw UsageError("--sampling=given needs a file of runs", "", "give --runs-file FILE");
    evaluation.given = evaluate::read_given_samples(options.given, sweep);
  }
  evaluation.budgets = evaluate::parse_budgets(options.budgets);
  evaluation.methods = options.methods;
  evaluation.seed = context.seed;
  evaluation.quiet = context.quiet;
  if (options.parts.splits()) {
    const auto question = evaluate::predictor_question(sweep, evaluation);
    const auto outcomes =
        options.parts.work(context, *question, evaluation.threads, "evaluating predictors");
    if (!outcomes) return;
    return print(context,
                 evaluate::predictor_table(
                     evaluate::predictor_scores(question->groups(), *outcomes), options.every_run));
  }
  const auto scores = evaluate::evaluate_predictors(sweep, evaluation);
  const report::Table table = evaluate::predictor_table(scores, options.every_run);
  print(context, table);
  if (options.figures.empty()) return;
  const auto front = evaluate::measured_front(
      sweep, evaluation.keep_outliers ? std::vector<bool>(sweep.observations.size(), false)
                                      : check_quality(sweep).flagged);
  const std::string title = "Predictors on " + sweep.workload + " " + sweep.kind;
  const auto figures =
      evaluate::predictor_figures(scores, front,
                                  {sweep.workload + " " + sweep.kind, "", Provenance::kPredicted,
                                   "compared with the replayed sweep"});
  write_scores(options.figures, title, figures, table);
}

}  // namespace

void add_evaluate_predictors(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluatePredictorsCommand>(
      evaluate, context, "predictors", "Score predictors on a measured sweep",
      "ridgewatt evaluate predictors --sweep mobilenet_v3.csv --methods auto,linear --runs 10\n"
      "  ridgewatt evaluate predictors --sweep mobilenet_v3.csv --reference resnet18.csv \\\n"
      "      --sampling given --runs-file transfer_mobilenet_v3.csv",
      run);
  evaluate::EvaluationOptions& evaluation = options.evaluation;
  add.input("--sweep", options.sweep, "Sweep CSV to score on")->required();
  add.text("--workload", options.workload, std::string("Which sweep of the file: ") + kSweepNames);
  add.inputs("--reference", options.references, "Sweep CSV of another workload");
  auto* twin = add.board("--device", options.twin,
                         "Board whose twin is a prior; it is fitted to the --twin-sweep files "
                         "without the scored workload");
  add.inputs("--twin-sweep", options.twin_sweeps, "Sweep CSV to which the twin is fitted")
      ->needs(twin);
  add.groups(options.groups);
  add.list("--methods", options.methods, "Predictors to score, separated by commas")
      ->capture_default_str();
  add.numbers("--sizes", evaluation.sizes, count().within(1, 1e6), "Numbers of profiled modes");
  add.number("--runs", evaluation.runs, count().within(1, 1e4), "Runs of each combination");
  add.choice(
      "--sampling", evaluation.sampling,
      "How samples are chosen: random; designed (by the predictor); budgets (half designed, half "
      "for the power budgets); given (by --runs-file)");
  add.input("--runs-file", options.given, "CSV of published runs, with a column sampled_modes");
  add.budgets(options.budgets);
  add.optional("--confidence", evaluation.confidence, share().within(0.5, 0.9999),
               "Required probability that an answer meets its power budget");
  add.number("--power-tolerance", evaluation.tolerance_w, watts(),
             "Power by which an answer may exceed its budget");
  add.number("--outlier", evaluation.outlier, share().within(-0.9, 10),
             "Disturb one sample of each run: multiply its time and power by 1 + X");
  add.number("--interval", evaluation.interval, share().within(0.01, 0.999),
             "Probability of the scored intervals");
  add.number("--reference-rows", evaluation.predictor.reference_rows_per_mode,
             count().within(1, 1e6), "Training rows per mode of powertrain's reference");
  add.threads(evaluation.threads);
  add.flag("--shuffle-reference", options.shuffle_references,
           "Shuffle the references' times and powers among the modes, to test the effect of a bad "
           "reference");
  add.flag("--keep-outliers", evaluation.keep_outliers,
           "Also use flagged rows as samples, references, optima and answers");
  options.figures.add_to(command, "errors over the number of profiled modes, and Pareto fronts");
  add.flag("--every-run", options.every_run, "Print one row per run, in place of medians");
  options.parts.add_to(command);
}

}  // namespace ridgewatt::cli
