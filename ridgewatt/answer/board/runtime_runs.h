// Runs models in ONNX Runtime and TensorFlow Lite on this machine, for calibrate_local().
//
//   const RuntimeRuns runtime(find_runner(""));  // tools/runtimes
//   const auto time_s = runtime.time_s("a.onnx", known_model("a.onnx", "", runtime), 2, 1,
//   remarks);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/device/runtime.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::answer {

// The folder of run_onnx.js with the packages of at least one runtime; empty: there is none. Throws
// NotFoundError if `asked` is not such a folder.
std::string find_runner(const std::string& asked);
// Whether the packages of the runtime are installed in the folder of the runner.
bool has_package(const std::string& runner, Runtime runtime);
// One line for each runtime whose packages are not installed there.
std::vector<std::string> missing_packages(const std::string& runner);

// A temporary folder.
class RunFolder {
 public:
  RunFolder();
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string file_of(std::string_view model) const;

 private:
  std::string path_;
};

// A model that runs in a runtime, and its cost.
struct KnownModel {
  std::string name;
  std::string dims;
  Runtime runtime;
  std::shared_ptr<const workload::DeployedWorkload> workload;
};
// `dims`: "NAME=SIZE", separated by spaces.
KnownModel known_model(const std::string& model, const std::string& dims, Runtime runtime);

class RuntimeRuns {
 public:
  explicit RuntimeRuns(std::string runner) : runner_(std::move(runner)) {}

  // The 10 % quantile of the times of a run. Adds a remark and returns nothing if the model cannot
  // run.
  std::optional<double> time_s(const std::string& file, const KnownModel& model, int threads,
                               int batch, std::vector<std::string>& remarks) const;

 private:
  std::string runner_;
};

}  // namespace ridgewatt::answer
