#include "ridgewatt/cli/workload_options.h"
#include "ridgewatt/cli/vocabulary.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/option_rules.h"

namespace ridgewatt::cli {

void WorkloadOptions::add_to(CLI::App& command) {
  command.add_option("MODEL", model, "ONNX file or zoo:NAME")->required();
  quantity(command.add_option("--batch", batches, "Minibatch sizes (default 1; 16 for training)"),
           count().within(1, 1 << 20))
      ->delimiter(',');
  command.add_flag("--training", training, "A training step instead of inference");
  command.add_option(
      "--precision", precision,
      "fp32, fp16, bf16, int8 or mixed (all but fp32 by peak ratios, not validated)");
  command.add_option("--optimizer", optimizer, "sgd, momentum or adam");
  command.add_option("--dim", dims, "NAME=VALUE binds a symbolic dimension")->delimiter(',');
  quantity(command.add_option("--workers", workers, "Loader workers; 0: loading does not overlap"),
           count().within(0, 1024));
  quantity(command.add_option(
               "--loader-ms", loader_ms,
               "Milliseconds of one loader worker for one sample at the highest CPU clock"),
           milliseconds());
}

void check_workload_options(const CLI::App& command, const WorkloadOptions& options) {
  if (!options.training) {
    refuse_without_effect(command, {"--optimizer"}, "without --training");
  }
}

EagerOptions WorkloadOptions::eager() const {
  EagerOptions options;
  options.training = training;
  options.precision = precision;
  options.optimizer = optimizer;
  for (const auto& dim : dims) {
    const auto equals = dim.find('=');
    const auto value =
        equals == std::string::npos ? std::nullopt : parse_int(dim.substr(equals + 1));
    if (!value || *value < 1) throw UsageError("--dim needs NAME=VALUE", dim);
    options.dims[dim.substr(0, equals)] = *value;
  }
  return options;
}

RunOptions WorkloadOptions::run() const {
  RunOptions options;
  options.loader_workers = workers;
  if (loader_ms) options.loader_s_per_sample = *loader_ms * 1e-3;
  return options;
}

std::unique_ptr<TwinModel> WorkloadOptions::on(const Twin& twin, EagerModel& eager_model) const {
  const EagerOptions base = eager();
  return std::make_unique<TwinModel>(
      twin,
      [base, &eager_model](int batch) {
        EagerOptions options = base;
        options.batch = batch;
        return eager_model.cost(options);
      },
      run(), training ? 16 : 1);
}

}  // namespace ridgewatt::cli
