#include "ridgewatt/answer/board/runtime_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/process.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/io/path.h"

namespace ridgewatt::answer {
namespace {

namespace fs = std::filesystem;

// Runtimes that calibrate_local() runs, and their packages in the folder of the runner.
struct RunnerPackage {
  Runtime runtime;
  std::string_view folder;   // in that of the runner; npm ci installs there
  std::string_view package;  // in node_modules of the folder
  const char* library = "";  // environment variable that names the library instead
};
constexpr RunnerPackage kRunnerPackages[] = {
    {Runtime::kOnnxRuntimeCpu, "", "onnxruntime-node"},
    {Runtime::kTfliteCpu, "tflite", "tfjs-tflite-node", "RIDGEWATT_TFLITE"}};

bool is_installed(const fs::path& runner, const RunnerPackage& package) {
  std::error_code failed;
  return environment_variable(package.library).has_value() ||
         fs::exists(runner / package.folder / "node_modules" / package.package, failed);
}

bool is_runner(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "run_onnx.js", failed) &&
         std::any_of(std::begin(kRunnerPackages), std::end(kRunnerPackages),
                     [&](const auto& one) { return is_installed(folder, one); });
}

using RunWords = std::vector<std::string>;
struct RunOutput {
  std::string output;
  std::string problem;  // empty: none
};

RunOutput failed_run(std::string problem) {
  return {"", std::move(problem)};
}

RunOutput output_of(RunWords words, const RunWords& options) {
  constexpr double kMostS = 120;
  const std::string program = words.front();
  ChildStart start;
  start.words = std::move(words);
  start.words.insert(start.words.end(), options.begin(), options.end());
  ChildTalk talk;
  talk.time_s = kMostS;
  talk.wanted = [&] {
    check_work();
    return true;
  };
  ChildResult result;
  try {
    result = run_child(std::move(start), talk);
  } catch (const NotFoundError&) {
    if (program != "node") return failed_run(fmt::format("{} cannot be started", program));
    return failed_run("node is not installed: install Node.js, and run npm ci in tools/runtimes");
  }
  if (result.end == ChildEnd::kTooLate)
    return failed_run(sentence("the run did not end within {:g} s", kMostS));
  if (result.end == ChildEnd::kExited && result.status == 0) return {result.output, ""};
  const auto lines = split(std::string(trim(result.errors)), '\n');
  return failed_run(escape_terminal(trim(lines.back())));
}

std::optional<double> time_in(RunOutput& said) {
  if (!said.problem.empty()) return std::nullopt;
  const Json found = Json::parse(said.output, nullptr, false);
  if (found.is_object() && found.contains("p10_ms") && found["p10_ms"].is_number() &&
      found["p10_ms"].get<double>() > 0) {
    return found["p10_ms"].get<double>() / 1e3;
  }
  said = failed_run("the run printed no time");
  return std::nullopt;
}

}  // namespace

std::string find_runner(const std::string& asked) {
  if (!asked.empty()) {
    if (is_runner(asked)) return asked;
    throw NotFoundError("no run_onnx.js with installed packages in the folder", asked,
                        "run npm ci in tools/runtimes");
  }
  std::vector<fs::path> places;
  if (const auto given = environment_variable("RIDGEWATT_RUNTIMES")) places.emplace_back(*given);
  places.emplace_back("tools/runtimes");
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) places.emplace_back(folder_of(program.string()) + "/../../tools/runtimes");
  const auto found = std::find_if(places.begin(), places.end(), is_runner);
  return found == places.end() ? "" : found->string();
}

bool has_package(const std::string& runner, Runtime runtime) {
  return std::any_of(std::begin(kRunnerPackages), std::end(kRunnerPackages), [&](const auto& one) {
    return one.runtime == runtime && is_installed(runner, one);
  });
}

std::vector<std::string> missing_packages(const std::string& runner) {
  std::vector<std::string> remarks;
  for (const auto& one : kRunnerPackages) {
    if (is_installed(runner, one)) continue;
    const fs::path folder = fs::path("tools/runtimes") / one.folder;
    remarks.push_back(
        fmt::format("{} was not measured, so its rates are assumed; run npm ci in {} to measure it",
                    library_of(one.runtime), folder.string()));
  }
  return remarks;
}

RunFolder::RunFolder() {
  std::string name = (fs::temp_directory_path() / "ridgewatt-runs-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw_errno(errno, "cannot create a temporary folder", name);
  path_ = name;
}

RunFolder::~RunFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string RunFolder::file_of(std::string_view model) const {
  return fmt::format("{}/{}.onnx", path_, model);
}

KnownModel known_model(const std::string& model, const std::string& dims, Runtime runtime) {
  workload::DeployOptions deploy;
  deploy.runtime = runtime;
  for (const auto& part : split(dims, ' ')) {
    const auto equals = part.find('=');
    if (trim(part).empty()) continue;
    const auto extent =
        equals == std::string::npos ? std::nullopt : parse_double(part.substr(equals + 1));
    if (!extent || !(*extent >= 1) || *extent != std::floor(*extent)) {
      throw InputError(fmt::format("column dims has '{}', but must be NAME=SIZE", part), model);
    }
    deploy.dims[part.substr(0, equals)] = static_cast<std::int64_t>(*extent);
  }
  return {model, dims, runtime, std::make_shared<const workload::DeployedWorkload>(model, deploy)};
}

std::optional<double> RuntimeRuns::time_s(const std::string& file, const KnownModel& model,
                                          int threads, int batch,
                                          std::vector<std::string>& remarks) const {
  RunWords dims;
  for (const auto& part : split(model.dims, ' ')) {
    if (!part.empty()) dims.insert(dims.end(), {"--dim", part});
  }
  RunWords words = {"node", runner_ + "/run_onnx.js", "--model", file};
  RunOutput said;
  if (model.runtime == Runtime::kTfliteCpu) {
    const std::string converted = file + ".tflite";
    words = {runner_ + "/tflite/run_tflite.py", "--model", converted};
    if (!fs::exists(converted)) {
      said = output_of({runner_ + "/tflite/to_tflite.py", file, "-o", converted}, dims);
    }
    dims.clear();  // the conversion has set them
  }
  words.insert(words.end(), {"--threads", std::to_string(threads), "--batch", std::to_string(batch),
                             "--runs", "5", "--seconds", "1"});
  if (said.problem.empty()) said = output_of(std::move(words), dims);
  if (const auto time_s = time_in(said)) return time_s;
  remarks.push_back(fmt::format("{} could not be measured in {}: {}", model.name,
                                library_of(model.runtime), said.problem));
  return std::nullopt;
}

}  // namespace ridgewatt::answer
