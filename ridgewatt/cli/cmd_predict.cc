// ridgewatt predict: time, power and energy of all modes from a few profiled ones.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <tuple>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/predict_options.h"
#include "ridgewatt/cli/tune_options.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/prediction_report.h"

namespace ridgewatt::cli {
namespace {

struct Options {
  PredictOptions inputs;
  std::string output, train_reference;
  std::size_t suggest = 0;
};

// Modes before anything is known of their cost.
Table points_table(const std::vector<OperatingPoint>& points) {
  std::vector<PowerMode> modes;
  for (const auto& point : points) modes.push_back(point.mode);
  std::vector<Column> columns = knob_columns(modes);
  Table table(columns);
  for (const auto& mode : modes) table.add_row(knob_cells(mode, columns));
  return table;
}

// The next modes, in an order that a board follows with few changes: clocks from high to low.
void suggest(const Context& context, const Options& options) {
  PredictInputs inputs = read_inputs(context, options.inputs);
  auto* predictor = dynamic_cast<AutoPredictor*>(inputs.predictor.get());
  if (predictor == nullptr) throw UsageError("only the method auto chooses modes", "--suggest");
  const bool sampled = !inputs.samples.observations.empty();
  if (sampled) predictor->fit(inputs.samples.observations);
  std::vector<OperatingPoint> next;
  for (const auto index : predictor->suggest(inputs.points, options.suggest)) {
    next.push_back(inputs.points[index]);
  }
  std::sort(next.begin(), next.end(), [](const OperatingPoint& a, const OperatingPoint& b) {
    const auto key = [](const OperatingPoint& p) {
      return std::tuple(p.mode.mem_clock_hz, p.mode.gpu_clock_hz, p.mode.cpu_clock_hz,
                        p.mode.cpu_cores, p.batch);
    };
    return key(a) > key(b);
  });
  if (!sampled) return print(context, points_table(next));
  const auto predictions = predictor->predict(next, options.inputs.confidence);
  if (context.json())
    print(predictions_to_json(next, predictions));
  else
    print(context, prediction_table(next, predictions));
}

void train(const Context& context, const Options& options) {
  NnOptions network;
  network.seed = context.seed;
  const Sweep samples = read_samples(context, options.inputs);
  write_output(options.train_reference, write_reference_model(train_reference(
                                            samples.workload, samples.observations, network)));
}

void run(const Context& context, const Options& options) {
  if (!options.train_reference.empty()) return train(context, options);
  if (options.suggest > 0) return suggest(context, options);
  PredictInputs inputs = read_inputs(context, options.inputs);
  inputs.predictor->fit(inputs.samples.observations);
  const auto predictions = inputs.predictor->predict(inputs.points, options.inputs.confidence);
  const Table table = prediction_table(inputs.points, predictions);
  if (!options.output.empty()) {
    std::ostringstream text;
    if (context.json())
      text << dump_json(predictions_to_json(inputs.points, predictions)) << '\n';
    else
      table.print_csv(text);
    write_output(options.output, text.str());
  } else if (context.json()) {
    print(predictions_to_json(inputs.points, predictions));
  } else {
    print(context, table);
  }
  if (context.quiet) return;
  std::cerr << fmt::format("{} points predicted from {} samples by {}\n", inputs.points.size(),
                           inputs.samples.observations.size(), inputs.predictor->name());
  if (const auto* fitted = dynamic_cast<const AutoPredictor*>(inputs.predictor.get())) {
    for (const auto& candidate : fitted->summary().candidates) {
      std::cerr << fmt::format("  {}: {:.0f} % of time, {:.0f} % of power\n", candidate.name,
                               100 * candidate.time_weight, 100 * candidate.power_weight);
    }
  }
}

}  // namespace

void add_predict(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "predict", "Time, power and energy of all modes from a few profiled ones",
      "ridgewatt predict --samples samples.csv --device agx-orin -o predicted.csv\n"
      "  ridgewatt predict --samples samples.csv --reference resnet18.csv --query modes.csv\n"
      "  ridgewatt predict --samples samples.csv --device agx-orin --suggest 5");
  auto options = std::make_shared<Options>();
  options->inputs.add_to(*command);
  command->add_option("-o,--output", options->output,
                      "Write the predictions (CSV, or JSON with "
                      "--format json) to this file");
  command->add_option("--suggest", options->suggest,
                      "Instead of predicting, propose this many modes to profile next");
  command->add_option("--train-reference", options->train_reference,
                      "Train powertrain's reference networks on the samples and write them here");
  command->callback([&context, options] {
    if (options->inputs.samples.empty() && options->suggest == 0) {
      throw CLI::RequiredError("--samples");
    }
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
