// ridgewatt evaluate predictors: methods x sample sizes x runs on a measured sweep.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/laboratory/part_options.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/predict_options.h"
#include "ridgewatt/cli/options/sweep_names.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/evaluate/predictor_scores.h"
#include "ridgewatt/predict/twin_reference.h"
#include "ridgewatt/report/evaluation_figures.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::cli {
namespace {

struct EvaluatePredictorsCommand {
  std::string sweep, workload, given, budgets = "17:50";
  std::vector<std::string> references, methods = {"auto"};
  evaluate::EvaluationOptions evaluation;
  std::string twin;
  FigureFiles figures;
  std::vector<std::string> twin_sweeps;
  bool every_run = false, shuffle_references = false;
  PartOptions parts;
};

using Getter = std::function<double(const evaluate::RunScore&)>;
struct Figure {
  std::string name;
  Getter get;
};

std::vector<Figure> figures() {
  std::vector<Figure> result;
  const auto add_quantity = [&](const std::string& name,
                                evaluate::QuantityScore evaluate::RunScore::*quantity) {
    result.push_back(
        {name + "_mape_pct", [=](const evaluate::RunScore& s) { return (s.*quantity).mape_pct; }});
    result.push_back({name + "_trusted_mape_pct",
                      [=](const evaluate::RunScore& s) { return (s.*quantity).trusted_mape_pct; }});
    result.push_back({name + "_coverage_pct",
                      [=](const evaluate::RunScore& s) { return (s.*quantity).coverage_pct; }});
    result.push_back({name + "_trusted_coverage_pct", [=](const evaluate::RunScore& s) {
                        return (s.*quantity).trusted_coverage_pct;
                      }});
    result.push_back({name + "_width_ratio",
                      [=](const evaluate::RunScore& s) { return (s.*quantity).width_ratio; }});
  };
  add_quantity("time", &evaluate::RunScore::time);
  add_quantity("power", &evaluate::RunScore::power);
  add_quantity("energy", &evaluate::RunScore::energy);
  result.push_back(
      {"penalty_pct", [](const evaluate::RunScore& s) { return s.budget.penalty_pct; }});
  result.push_back({"over_pct", [](const evaluate::RunScore& s) { return s.budget.over_pct; }});
  result.push_back(
      {"over_by_1w_pct", [](const evaluate::RunScore& s) { return s.budget.over_by_1w_pct; }});
  result.push_back({"area_w", [](const evaluate::RunScore& s) { return s.budget.area_w; }});
  result.push_back(
      {"flagged_samples_pct", [](const evaluate::RunScore& s) { return s.flagged_samples_pct; }});
  return result;
}

// Errors first, then what they cost, then coverage; the rest where there is room.
int rank_of(const std::string& figure) {
  if (figure == "time_mape_pct" || figure == "power_mape_pct") return 0;
  if (figure == "energy_mape_pct" || figure == "penalty_pct" || figure == "over_pct") return 1;
  if (figure == "time_coverage_pct" || figure == "power_coverage_pct") return 2;
  return figure == "area_w" || figure == "over_by_1w_pct" ? 3 : 5;
}

// Median over the runs that have a figure, and quartiles of the two errors; coverage and shares are
// means.
report::Table summary_table(const std::vector<evaluate::RunScore>& scores) {
  std::vector<report::Column> columns = {{"method"}, {"modes"}, {"runs"}};
  const auto all = figures();
  for (const auto& figure : all) {
    columns.push_back({.name = figure.name, .digits = 3, .rank = rank_of(figure.name)});
    if (figure.name == "time_mape_pct" || figure.name == "power_mape_pct") {
      for (const char* quartile : {"_q1_pct", "_q3_pct"}) {
        columns.push_back({.name = figure.name.substr(0, figure.name.find("_pct")) + quartile,
                           .digits = 3,
                           .rank = 4});
      }
    }
  }
  report::Table table(columns);
  for (std::size_t begin = 0; begin < scores.size();) {
    std::size_t end = begin;
    while (end < scores.size() && scores[end].method == scores[begin].method &&
           scores[end].size == scores[begin].size) {
      ++end;
    }
    std::vector<report::Cell> row = {scores[begin].method, std::int64_t{scores[begin].size},
                                     static_cast<std::int64_t>(end - begin)};
    for (const auto& figure : all) {
      const bool error = figure.name.find("mape") != std::string::npos;  // every run has one
      std::vector<double> values;
      for (std::size_t i = begin; i < end; ++i) {
        const double value = figure.get(scores[i]);
        if (error || !std::isnan(value)) values.push_back(value);
      }
      if (values.empty()) {
        row.push_back(report::known_cell(std::numeric_limits<double>::quiet_NaN()));
        continue;
      }
      row.push_back(report::known_cell(error || figure.name == "penalty_pct" ? median(values)
                                                                             : mean(values)));
      if (figure.name == "time_mape_pct" || figure.name == "power_mape_pct") {
        row.emplace_back(quantile(values, 0.25));
        row.emplace_back(quantile(values, 0.75));
      }
    }
    table.add_row(std::move(row));
    begin = end;
  }
  return table;
}

report::Table run_table(const std::vector<evaluate::RunScore>& scores) {
  std::vector<report::Column> columns = {{"method"}, {"modes"}, {"run"}};
  const auto all = figures();
  for (const auto& figure : all) {
    columns.push_back({.name = figure.name, .digits = 3, .rank = rank_of(figure.name)});
  }
  report::Table table(columns);
  for (const auto& score : scores) {
    std::vector<report::Cell> row = {score.method, std::int64_t{score.size},
                                     std::int64_t{score.run}};
    for (const auto& figure : all) row.push_back(report::known_cell(figure.get(score)));
    table.add_row(std::move(row));
  }
  return table;
}

report::Table table_of(const std::vector<evaluate::RunScore>& scores, bool every_run) {
  return every_run ? run_table(scores) : summary_table(scores);
}

void run(const Context& context, EvaluatePredictorsCommand options) {
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
    std::vector<twin::SweepSpec> specs;
    for (const auto& text : options.twin_sweeps) specs.push_back(twin::parse_sweep_spec(text));
    evaluation.predictor.priors.push_back(
        predict::unseen_twin_reference(options.twin, specs, twin::parse_sweep_spec(options.sweep)));
  }
  if (evaluation.sampling == evaluate::Sampling::kGiven) {
    if (options.given.empty()) throw UsageError("given samples need --runs-file", "--sampling");
    evaluation.given = evaluate::read_given_samples(options.given, sweep);
  }
  evaluation.budgets = parse_budgets(options.budgets);
  evaluation.methods = options.methods;
  evaluation.seed = context.seed;
  evaluation.quiet = context.quiet;
  if (options.parts.splits()) {
    const auto question = evaluate::predictor_question(sweep, evaluation);
    const auto outcomes =
        options.parts.work(context, *question, evaluation.threads, "evaluating predictors");
    if (outcomes) print_predictor_scores(context, question->groups(), *outcomes, options.every_run);
    return;
  }
  const auto scores = evaluate::evaluate_predictors(sweep, evaluation);
  const report::Table table = table_of(scores, options.every_run);
  print(context, table);
  if (options.figures.empty()) return;
  const auto front = evaluate::measured_front(
      sweep, evaluation.keep_outliers ? std::vector<bool>(sweep.observations.size(), false)
                                      : check_quality(sweep).flagged);
  const std::string title = "Predictors on " + sweep.workload + " " + sweep.kind;
  const auto figures =
      report::predictor_figures(scores, front,
                                {sweep.workload + " " + sweep.kind, "", Provenance::kPredicted,
                                 "compared with the replayed sweep"});
  write_scores(options.figures, title, figures, table);
}

}  // namespace

void print_predictor_scores(const Context& context,
                            const std::vector<evaluate::OutcomeGroup>& groups,
                            const evaluate::Outcomes& outcomes, bool every_run) {
  print(context, table_of(evaluate::predictor_scores(groups, outcomes), every_run));
}

void add_evaluate_predictors(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "predictors", "Score predictors on a measured sweep",
      "ridgewatt evaluate predictors --sweep mobilenet_v3.csv --methods auto,linear --runs 10\n"
      "  ridgewatt evaluate predictors --sweep mobilenet_v3.csv --reference resnet18.csv \\\n"
      "      --sampling given --runs-file transfer_mobilenet_v3.csv");
  auto options = std::make_shared<EvaluatePredictorsCommand>();
  evaluate::EvaluationOptions& evaluation = options->evaluation;
  input_file(command->add_option("--sweep", options->sweep, "Sweep CSV that is scored"))
      ->required();
  command->add_option("--workload", options->workload,
                      std::string("Which sweep of the file: ") + kSweepNames);
  input_file(
      command->add_option("--reference", options->references, "Sweep CSV of another workload"))
      ->allow_extra_args(false);
  auto* twin = command->add_option(
      "--device", options->twin,
      "Board whose twin, fitted to the --twin-sweep files without the scored workload, is a prior");
  input_file(command->add_option("--twin-sweep", options->twin_sweeps,
                                 "Sweep CSV to which the twin is fitted"))
      ->allow_extra_args(false)
      ->needs(twin);
  command->add_option("--methods", options->methods, "Predictors, separated by commas")
      ->delimiter(',')
      ->capture_default_str();
  quantity(command->add_option("--sizes", evaluation.sizes, "Numbers of profiled modes"),
           count().within(1, 1e6))
      ->delimiter(',')
      ->capture_default_str();
  quantity(command->add_option("--runs", evaluation.runs, "Runs of each"), count().within(1, 1e4))
      ->capture_default_str();
  listed_choice(*command, "--sampling", evaluation.sampling,
                "random, designed, half designed and half for the budgets of power, or given by "
                "--runs-file")
      ->capture_default_str();
  input_file(command->add_option("--runs-file", options->given,
                                 "Log of published runs with sampled_modes"));
  command
      ->add_option("--budgets", options->budgets,
                   "Budgets of power that answers are scored at, LEAST:MOST in W, 1 W apart")
      ->capture_default_str();
  quantity(command->add_option("--confidence", evaluation.confidence,
                               "Probability with which answers are to keep their power budget"),
           share().within(0.5, 0.9999));
  quantity(command->add_option("--power-tolerance", evaluation.tolerance_w,
                               "What an answer may be over its power budget"),
           watts())
      ->capture_default_str();
  quantity(
      command->add_option("--interval", evaluation.interval, "Probability of the scored intervals"),
      share().within(0.01, 0.999))
      ->capture_default_str();
  quantity(command->add_option("--reference-rows", evaluation.predictor.reference_rows_per_mode,
                               "Training rows per mode of powertrain's reference"),
           count().within(1, 1e6))
      ->capture_default_str();
  quantity(command->add_option("--threads", evaluation.threads, "Threads; 0: all"),
           count().within(0, 1024))
      ->capture_default_str();
  command->add_flag(
      "--shuffle-reference", options->shuffle_references,
      "Shuffle the references' costs among the modes, to see whether a bad reference harms");
  command->add_flag("--keep-outliers", evaluation.keep_outliers,
                    "Rows that the quality check flags count as sample, reference, optimum and "
                    "answer");
  options->figures.add_to(*command, "errors over profiled modes and Pareto fronts");
  command->add_flag("--every-run", options->every_run, "One line per run instead of medians");
  options->parts.add_to(*command);
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
