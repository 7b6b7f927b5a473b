#include "ridgewatt/predict/factory.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/baselines/linear_predictor.h"
#include "ridgewatt/predict/baselines/tree_predictor.h"

namespace ridgewatt::predict {

std::vector<std::string> predictor_methods() {
  return {"auto", "linear", "nn", "powertrain", "trees"};
}

std::unique_ptr<Predictor> make_predictor(const PredictorOptions& options) {
  NnOptions network = options.network;
  network.seed = options.seed;
  const std::string method = require_name("predictor", options.method, {predictor_methods()});
  if (method == "auto") {
    AutoOptions auto_options;
    auto_options.space = options.space;
    auto_options.design_seed = options.design_seed;
    auto_options.seed = options.seed;
    auto predictor = std::make_unique<AutoPredictor>(std::move(auto_options));
    for (const auto& sweep : options.references) {
      predictor->add_reference(
          reference_from_rows(sweep.workload + " " + sweep.kind, sweep.observations));
    }
    for (const auto& prior : options.priors) predictor->add_reference(prior);
    return predictor;
  }
  if (method == "linear") return std::make_unique<LinearPredictor>();
  if (method == "nn") return std::make_unique<NnPredictor>(network);
  if (method == "trees") return make_tree_predictor(options.seed);
  if (options.reference_model) {  // powertrain
    return std::make_unique<NnPredictor>(network, *options.reference_model);
  }
  if (options.references.empty()) {
    throw UsageError("powertrain starts from another workload's sweep", "--reference",
                     "give one, or --reference-model");
  }
  NnOptions reference = network;
  reference.rows_per_mode = options.reference_rows_per_mode;
  const Sweep& sweep = options.references.front();
  return std::make_unique<NnPredictor>(
      network, train_reference(sweep.workload, sweep.observations, reference));
}

}  // namespace ridgewatt::predict
