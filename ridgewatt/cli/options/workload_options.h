// The options with which a command names a workload and how it is run on a twin.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/twin/twin_model.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::cli {

// "sequence=128" of --dim: a name and its extent; 0 is one, too, of a cache that is empty.
std::pair<std::string, std::int64_t> parse_dim(const std::string& text);
// Adds --dim; dims_of() reads the texts.
void add_dims(CLI::App& command, std::vector<std::string>& dims);
std::map<std::string, std::int64_t> dims_of(const std::vector<std::string>& texts);
// Adds --precision; the text is parsed here.
void add_precision(CLI::App& command, workload::Precision& precision);
// Adds --runtime; the text is parsed here. Where `all` is asked for, "all" sets it.
void add_runtime(CLI::App& command, Runtime& runtime, bool* all = nullptr);
// Adds --strict, which say_caveats() obeys.
void add_strict(CLI::App& command, Context& context);
// Says what the cost of a model leaves out and what it rests on: one remark for each, but for JSON,
// where keys say it (add_caveats). With --strict throws NotSupportedError when something is not
// counted.
void say_caveats(const Context& context, const workload::CostCaveats& caveats);
// The second half of that alone, for what prints its result first.
void refuse_uncounted(const Context& context, const workload::CostCaveats& caveats);

struct WorkloadOptions {
  std::string model;
  std::vector<int> batches;
  WorkloadKind kind = WorkloadKind::kInference;
  workload::Precision precision = workload::Precision::kFp32;
  Runtime runtime = Runtime::kPytorchEager;
  workload::Optimizer optimizer = workload::Optimizer::kSgd;
  std::vector<std::string> dims;  // NAME=VALUE
  int workers = 4;
  std::optional<double> loader_ms;
  bool python_caller = false;

  // Adds MODEL and the options to `command`.
  // With `all_runtimes` the answer may compare them.
  void add_to(CLI::App& command, Context& context, bool* all_runtimes = nullptr);
  workload::DeployOptions deploy() const;
  twin::RunOptions run() const;
  std::shared_ptr<const workload::DeployedWorkload> workload() const;
};

// UsageError for options of the workload that this one does not follow.
void check_workload_options(const CLI::App& command, const WorkloadOptions& options);

}  // namespace ridgewatt::cli
