// ridgewatt pareto: the modes that no other mode beats, measured or predicted.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/predict_options.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/predict/pareto.h"

namespace ridgewatt::cli {
namespace {

struct ParetoCommand {
  PredictOptions inputs;
  std::string sweep, x = "time", y = "power";
};

// A cost per sample, as objectives are; power is not divided.
double cost(const std::string& name, const OperatingPoint& point, const Prediction& p) {
  const double samples = std::max(point.batch, 1);
  if (name == "time") return p.time_s.mean / samples;
  if (name == "energy") return p.energy_j.mean / samples;
  return p.power_w.mean;
}

void run(const Context& context, const ParetoCommand& options) {
  std::vector<OperatingPoint> points;
  std::vector<Prediction> values;
  RowOrigin known, predicted;  // of points that the rows hold, and of others
  std::unique_ptr<Predictor> predictor;
  if (!options.sweep.empty()) {
    const Sweep sweep = read_trusted_sweep(context, options.sweep, options.inputs.keep_outliers,
                                           options.inputs.workload);
    points = sweep.points();
    for (const auto& row : sweep.observations) values.push_back(exactly(row));
    known = predicted = sweep.origin();
  } else {
    PredictInputs inputs = read_inputs(context, options.inputs);
    inputs.predictor->fit(inputs.samples.observations);
    values = inputs.predictor->predict(inputs.points, options.inputs.confidence);
    use_measured(inputs.points, inputs.samples.observations, values);
    points = std::move(inputs.points);
    known = predicted = inputs.origin;
    known.provenance = inputs.samples.provenance;
    predictor = std::move(inputs.predictor);
  }
  std::vector<double> first, second;
  for (std::size_t i = 0; i < points.size(); ++i) {
    first.push_back(cost(options.x, points[i], values[i]));
    second.push_back(cost(options.y, points[i], values[i]));
  }
  std::vector<OperatingPoint> front_points;
  std::vector<Prediction> front_values;
  std::vector<RowOrigin> origins;
  for (const auto index : pareto_front(first, second)) {
    front_points.push_back(points[index]);
    front_values.push_back(values[index]);
    const Estimate& time = values[index].time_s;
    origins.push_back(time.lo == time.hi ? known : predicted);  // exactly() has no width
  }
  print_predictions(context, predictor.get(), front_points, front_values, origins);
  remark(context, describe(predicted));
}

void check(const CLI::App& command, const ParetoCommand& options) {
  if (options.sweep.empty()) return;
  refuse_without_effect(command,
                        {"--device", "--model", "--query", "--method", "--reference",
                         "--reference-model", "--interval"},
                        "with --sweep", "its rows are taken as they are");
}

}  // namespace

void add_pareto(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "pareto", "The modes that no other mode beats in both of two costs",
                  "ridgewatt pareto --sweep sweep.csv --x time --y power\n"
                  "  ridgewatt pareto --samples samples.csv --device agx-orin --x time --y energy");
  auto options = std::make_shared<ParetoCommand>();
  options->inputs.add_to(*command, context);
  command->get_option("--samples")->required(false);
  auto* sweep = input_file(
      command->add_option("--sweep", options->sweep, "Front of a measured sweep instead"));
  sweep->excludes(command->get_option("--samples"));
  const auto costs = CLI::IsMember({"time", "power", "energy"});
  command->add_option("--x", options->x, "First cost, per sample")
      ->check(costs)
      ->capture_default_str();
  command->add_option("--y", options->y, "Second cost, per sample")
      ->check(costs)
      ->capture_default_str();
  command->callback([&context, options, command] {
    check(*command, *options);
    if (options->sweep.empty() && options->inputs.samples.empty()) {
      throw CLI::RequiredError("--samples or --sweep");
    }
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
