// The parameters of questions about all modes from a few profiles: `predict`, `suggest`, `pareto`.
#include "ridgewatt/answer/predict.h"
#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/answer/parameters/shared_rows.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/predict/factory.h"

namespace ridgewatt::answer {
namespace {

using Predicted = PredictRequest;
using Front = ParetoRequest;

constexpr Parameter kPredictRows[] = {
    {.name = "samples",
     .help = "Sweep CSV of the profiled modes",
     .access = access_as<&Predicted::samples>(Input::kSweep),
     .leads = true},
    sweep_name_row(access_as<&Predicted::workload>(Input::kText)),
    {.name = "reference",
     .help = "Sweep CSV of another workload to learn from",
     .access = access_as<&Predicted::references>(Input::kSweep),
     .python = "references"},
    {.name = "device",
     .help = "Board whose modes are predicted",
     .access = access_as<&Predicted::device>(Input::kBoard)},
    {.name = "model",
     .help = "Model file or zoo:NAME; with --device its twin is the prior",
     .access = access_as<&Predicted::model>(Input::kModel)},
    {.name = "query",
     .help = "CSV of the modes (and batches) to predict",
     .access = access_as<&Predicted::query>(Input::kPoints)},
    {.name = "method",
     .help = "Prediction method",
     .access = access_named<&predict::predictor_methods, &Predicted::method>()},
    {.name = "reference-model",
     .help = "Trained reference for powertrain (see predict --train-reference)",
     .access = access_as<&Predicted::reference_model>(Input::kFile)},
    {.name = "interval",
     .help = "Probability of the intervals",
     .access = access<&Predicted::interval>,
     .quantity = units::share().within(0.01, 0.999)},
    keep_outliers_row(access<&Predicted::keep_outliers>),
    seed_row(access<&Predicted::seed>),
};

constexpr Parameter count_row(std::string_view help, std::optional<Surface> only) {
  return {.name = "suggest",
          .help = help,
          .access = access<&SuggestRequest::count>,
          .quantity = units::count().within(1, 1e5),
          .python = "count",
          .only = only};
}

constexpr Parameter budgets_row(std::optional<Surface> only) {
  return {
      .name = "budgets",
      .help =
          "With --suggest, once some modes are profiled: propose modes that help to find the "
          "fastest mode within each of these power budgets, LEAST:MOST in W",
      .access =
          {.input = Input::kRange,
           .set =
               [](void* part, const Parameter&, const Given& given) {
                 const predict::PowerBudgets budgets{given.numbers.at(0), given.numbers.at(1), 1};
                 budgets.values_w();  // throws if the numbers are not valid budgets
                 static_cast<SuggestRequest*>(part)->budgets = budgets;
               }},
      .quantity = units::watts().positive(),
      .needs = {.name = "samples"},
      .example = "17:50",
      .only = only};
}

constexpr Parameter kProposeRows[] = {
    count_row("Instead of predicting, propose N modes to profile next", Surface::kCommandLine),
    budgets_row(Surface::kCommandLine)};
constexpr Parameter kSuggestRows[] = {count_row("Modes to profile next [5]", {}), budgets_row({})};

// Sets both costs from one argument.
constexpr Access kCosts = {
    .repeated = true,
    .set =
        [](void* part, const Parameter& row, const Given& given) {
          if (given.words.size() != 2) {
            throw UsageError("--x and --y must differ: choose two of time, power and energy");
          }
          static_cast<Front*>(part)->x = value_of<FrontCost>(row, given, 0);
          static_cast<Front*>(part)->y = value_of<FrontCost>(row, given, 1);
        },
    .choices = &names<FrontCost>};

constexpr Parameter kFrontRows[] = {
    {.name = "sweep",
     .help = "Compute the front of a measured sweep, in place of a prediction",
     .access = access_as<&Front::sweep>(Input::kSweep)},
    {.name = "x",
     .help = "First cost, per sample",
     .access = access<&Front::x>,
     .only = Surface::kCommandLine},
    {.name = "y",
     .help = "Second cost, per sample",
     .access = access<&Front::y>,
     .only = Surface::kCommandLine},
    {.name = "costs",
     .help = "Two costs, per sample; without them time and power",
     .access = kCosts,
     .only = Surface::kPython},
    {.name = "presets",
     .help = "Print each preset of --device with the mode that beats it in both costs, and by how "
             "much, instead of the front",
     .access = access<&Front::presets>,
     .only = Surface::kCommandLine},
};

}  // namespace

const ParameterTable& predict_parameters() {
  static const ParameterTable table = table_of<SuggestRequest>(
      "predict", {{kPredictRows, &member_part<&SuggestRequest::inputs>}, {kProposeRows, &whole}},
      "Time, power and energy of all modes from a few profiled ones",
      "ridgewatt predict --samples samples.csv --device agx-orin -o predicted.csv\n"
      "  ridgewatt predict --samples samples.csv --reference resnet18.csv --query modes.csv\n"
      "  ridgewatt predict --samples samples.csv --device agx-orin --suggest 5\n"
      "  ridgewatt predict --samples samples.csv --device agx-orin --suggest 5 --budgets 17:50\n"
      "  ridgewatt predict --device agx-orin --advise --minibatch-time 250");
  return table;
}

const ParameterTable& suggest_parameters() {
  static const ParameterTable table = table_of<SuggestRequest>(
      "suggest", {{kPredictRows, &member_part<&SuggestRequest::inputs>}, {kSuggestRows, &whole}});
  return table;
}

const ParameterTable& pareto_parameters() {
  static const ParameterTable table = table_of<Front>(
      "pareto", {{kPredictRows, &member_part<&Front::inputs>}, {kFrontRows, &whole}},
      "The modes that no other mode beats in both of two costs",
      "ridgewatt pareto sweep.csv --x time --y power\n"
      "  ridgewatt pareto --samples samples.csv --device agx-orin --x time --y energy\n"
      "  ridgewatt pareto --sweep sweep.csv --device agx-orin --presets");
  return table;
}

}  // namespace ridgewatt::answer
