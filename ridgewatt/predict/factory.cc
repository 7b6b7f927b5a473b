#include "ridgewatt/predict/factory.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/predict/auto_predictor.h"
#include "ridgewatt/predict/baselines/gp_predictor.h"
#include "ridgewatt/predict/baselines/linear_predictor.h"
#include "ridgewatt/predict/baselines/tree_predictor.h"
#include "ridgewatt/predict/conformal_predictor.h"

namespace ridgewatt::predict {

namespace {
constexpr char kTransfer[] = "powertrain";
}  // namespace

std::vector<std::string> predictor_methods() {
  return {"auto", "gp", "linear", "nn", kTransfer, "trees"};
}

bool takes_reference_model(const std::string& method) {
  return method == kTransfer;
}

namespace {

// Number of models that are trained to find the errors of a predictor's intervals. Cheap fits leave
// out single points of small samples. Networks train for seconds, so they use few models.
constexpr std::size_t kLinearFolds = 20, kGpFolds = 10, kTreeFolds = 10, kNetworkFolds = 5;

std::unique_ptr<Predictor> make_auto(const PredictorOptions& options) {
  AutoOptions auto_options;
  auto_options.space = options.space;
  auto_options.design_seed = options.design_seed;
  auto_options.seed = options.seed;
  auto_options.kind = options.kind;
  auto_options.groups = options.groups;
  auto predictor = std::make_unique<AutoPredictor>(std::move(auto_options));
  for (const auto& sweep : options.references) {
    predictor->add_reference(
        reference_from_rows(sweep.workload + " " + sweep.kind, sweep.observations));
  }
  for (const auto& prior : options.priors) predictor->add_reference(prior);
  return predictor;
}

// The model that powertrain starts from.
ReferenceModel reference_model(const PredictorOptions& options, const NnOptions& network) {
  if (options.reference_model) return *options.reference_model;
  if (options.references.empty()) {
    throw UsageError("--method powertrain needs the sweep of another workload", "",
                     "give --reference or --reference-model");
  }
  NnOptions reference = network;
  reference.rows_per_mode = options.reference_rows_per_mode;
  const Sweep& sweep = options.references.front();
  return train_reference(sweep.workload, sweep.observations, reference);
}

}  // namespace

std::unique_ptr<Predictor> make_predictor(const PredictorOptions& options) {
  NnOptions network = options.network;
  network.seed = options.seed;
  const std::string method = require_name("predictor", options.method, {predictor_methods()});
  if (method == "auto") return make_auto(options);
  const auto with_intervals = [&](std::unique_ptr<MeanPredictor> main,
                                  ConformalPredictor::Maker of_fold, std::size_t folds) {
    return std::make_unique<ConformalPredictor>(
        std::move(main), std::move(of_fold),
        ConformalOptions{folds, options.seed, network.threads});
  };
  if (method == "gp") {
    const auto make = [] { return std::make_unique<GpPredictor>(); };
    return with_intervals(make(), make, kGpFolds);
  }
  if (method == "linear") {
    const auto make = [] { return std::make_unique<LinearPredictor>(); };
    return with_intervals(make(), make, kLinearFolds);
  }
  if (method == "trees") {
    const auto make = [seed = options.seed] { return make_tree_predictor(seed); };
    return with_intervals(make(), make, kTreeFolds);
  }
  NnOptions of_fold = network;  // folds are trained in parallel and print nothing
  of_fold.threads = 1;
  of_fold.quiet = true;
  if (method == "nn") {
    const auto make = [of_fold] { return std::make_unique<NnPredictor>(of_fold); };
    return with_intervals(std::make_unique<NnPredictor>(network), make, kNetworkFolds);
  }
  const ReferenceModel reference = reference_model(options, network);  // powertrain
  const auto make = [=] { return std::make_unique<NnPredictor>(of_fold, reference); };
  return with_intervals(std::make_unique<NnPredictor>(network, reference), make, kNetworkFolds);
}

}  // namespace ridgewatt::predict
