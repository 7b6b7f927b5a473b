#include "ridgewatt/cli/options/workload_options.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::cli {

std::pair<std::string, std::int64_t> parse_dim(const std::string& text) {
  const auto equals = text.rfind('=');
  const auto value =
      equals == std::string::npos ? std::nullopt : parse_int(text.substr(equals + 1));
  if (!value || *value < 0 || equals == 0) {
    throw UsageError("--dim needs NAME=VALUE", text, "for example --dim sequence=128");
  }
  return {text.substr(0, equals), *value};
}

void add_dims(CLI::App& command, std::vector<std::string>& dims) {
  command.add_option("--dim", dims, "NAME=VALUE binds a symbolic dimension")->delimiter(',');
}

std::map<std::string, std::int64_t> dims_of(const std::vector<std::string>& texts) {
  std::map<std::string, std::int64_t> dims;
  for (const auto& text : texts) {
    const auto [name, extent] = parse_dim(text);
    dims[name] = extent;
  }
  return dims;
}

void add_precision(CLI::App& command, workload::Precision& precision) {
  choice(command, "--precision", precision,
         "What MODEL computes in: " + joined_names<workload::Precision>() +
             " (all but fp32 by peak ratios, not validated)")
      ->capture_default_str();
}

void add_runtime(CLI::App& command, Runtime& runtime, bool* all) {
  const auto set = [&runtime, all](const std::string& text) {
    const bool every = all != nullptr && same_word(text, "all");
    if (all != nullptr) *all = every;
    if (!every) runtime = parse_word<Runtime>(text, "runtime");
  };
  command
      .add_option_function<std::string>("--runtime", set,
                                        "What runs MODEL: " + joined_names<Runtime>() +
                                            (all != nullptr ? ", or all to compare them" : ""))
      ->default_function([&runtime] { return std::string(name_of(runtime)); })
      ->capture_default_str();
}

void add_strict(CLI::App& command, Context& context) {
  command.add_flag("--strict", context.strict, "Exit with 1 when something could not be counted");
}

void say_caveats(const Context& context, const workload::CostCaveats& caveats) {
  if (!context.json()) {
    for (const auto& line : caveats.lines()) remark(context, line);
  }
  refuse_uncounted(context, caveats);
}

void refuse_uncounted(const Context& context, const workload::CostCaveats& caveats) {
  if (!context.strict || caveats.uncounted.empty()) return;
  const workload::Uncounted& first = caveats.uncounted.front();
  const std::size_t more = caveats.uncounted.size() - 1;
  throw NotSupportedError(
      "the model has operators that are not counted",
      first.full_name() + (more > 0 ? " and " + std::to_string(more) + " more" : ""),
      "leave --strict out to see what the others cost");
}

void WorkloadOptions::add_to(CLI::App& command, Context& context, bool* all_runtimes) {
  command.add_option("MODEL", model, "ONNX file or zoo:NAME")->required();
  quantity(command.add_option("--batch", batches, "Minibatch sizes (default 1; 16 for training)"),
           count().within(1, 1 << 20))
      ->delimiter(',');
  add_training(command, kind);
  add_precision(command, precision);
  add_runtime(command, runtime, all_runtimes);
  add_strict(command, context);
  choice(command, "--optimizer", optimizer, "sgd, momentum or adam");
  add_dims(command, dims);
  quantity(command.add_option("--workers", workers, "Loader workers; 0: loading does not overlap"),
           count().within(0, 1024));
  quantity(command.add_option("--loader-time", loader_ms,
                              "Time of one loader worker for one sample at the highest CPU clock"),
           milliseconds());
  command.add_flag("--python-caller", python_caller,
                   "A Python program calls the engine of tensorrt or onnxruntime, not a C++ one");
}

void check_workload_options(const CLI::App& command, const WorkloadOptions& options) {
  const bool every = command.count("--runtime") > 0 &&
                     same_word(command.get_option("--runtime")->as<std::string>(), "all");
  const bool pytorch = !is_engine(options.runtime) && !every;
  if (pytorch) {
    refuse_without_effect(command, {"--python-caller"}, "without an engine's --runtime",
                          "the launches of PyTorch are Python's already");
  }
  if (options.kind != WorkloadKind::kTraining) {
    refuse_without_effect(command, {"--optimizer"}, "without --training");
  }
}

workload::DeployOptions WorkloadOptions::deploy() const {
  workload::DeployOptions options;
  options.kind = kind;
  options.precision = precision;
  options.runtime = runtime;
  options.optimizer = optimizer;
  options.dims = dims_of(dims);
  return options;
}

twin::RunOptions WorkloadOptions::run() const {
  twin::RunOptions options;
  options.loader_workers = workers;
  options.python_caller = python_caller;
  if (loader_ms) options.loader_s_per_sample = *loader_ms * 1e-3;
  return options;
}

std::shared_ptr<const workload::DeployedWorkload> WorkloadOptions::workload() const {
  return std::make_shared<const workload::DeployedWorkload>(model, deploy());
}

}  // namespace ridgewatt::cli
