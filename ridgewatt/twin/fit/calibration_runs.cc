#include "ridgewatt/twin/calibration_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/sweep/points.h"
#include "ridgewatt/sweep/quality.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/workload/deployed_workload.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::twin {
namespace {

// The value in a text such as "image=320". `where` is the full text, for error messages.
double number_of(std::string_view text, const std::string& where, double least, double most) {
  const auto value = parse_double(text);
  if (!value || !(*value >= least && *value <= most)) {
    throw UsageError(fmt::format("must be a number from {} to {}", least, most), where,
                     "for example image=320");
  }
  return *value;
}

// The sweeps of a program name their model "resnet50"; answers about a model name it
// "zoo:resnet50".
std::string model_of(const std::string& workload) {
  return workload::is_zoo_name(workload) ? workload : "zoo:" + workload;
}

void require_rows_of_a_board(const Sweep& sweep) {
  if (sweep.provenance != Provenance::kModelled && sweep.provenance != Provenance::kPredicted)
    return;
  throw InputError(
      fmt::format("the rows of {} are {}: a fit to them would only repeat another model",
                  sweep.workload, name_of(sweep.provenance)),
      sweep.source, "give rows that were measured on the board");
}

}  // namespace

SweepSpec parse_sweep_spec(const std::string& text) {
  const auto parts = split(text, ',');
  SweepSpec spec;
  spec.path = parts.front();
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto equals = parts[i].find('=');
    const std::string key = parts[i].substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : parts[i].substr(equals + 1);
    if (key == "model") {
      if (value.empty())
        throw UsageError("model= needs a name or a file", parts[i],
                         "for example model=zoo:resnet50");
      spec.model = value;
    } else if (key == "workers") {
      spec.workers = static_cast<int>(number_of(value, parts[i], 0, 1024));
    } else if (key == "loader-ms") {
      spec.loader_ms = number_of(value, parts[i], 0, 1e6);
    } else if (key == "image") {
      spec.image_side = number_of(value, parts[i], 1, 1e5);
    } else if (key == "device") {
      spec.device = load_board(value).name;
    } else if (key == "runtime") {
      spec.runtime = parse_word<Runtime>(value, "runtime");
    } else if (key == "precision") {
      spec.precision = parse_word<workload::Precision>(value, "precision");
    } else if (key == "input") {
      spec.input = parse_word<InputPlace>(value, "place of the input");
    } else {
      throw UsageError("unknown key in --sweep", key,
                       hint_for(key, {{"model", "workers", "loader-ms", "image", "runtime",
                                       "precision", "input", "device"}}));
    }
  }
  return spec;
}

std::vector<SweepSpec> parse_sweep_specs(const std::vector<std::string>& texts) {
  std::vector<SweepSpec> specs;
  for (const auto& text : texts) specs.push_back(parse_sweep_spec(text));
  return specs;
}

SweepSpec published_sweep(const std::string& workload, const std::string& kind) {
  SweepSpec spec;
  if (workload == "mobilenet_v3") {
    spec.model = "zoo:mobilenet_v3_large";
  } else if (workload == "inception_v1_triton") {
    // Version 1 of Triton's sample model inception_graphdef is TensorFlow's Inception v3, which the
    // project of this sweep downloads (github.com/iloudaros/LoudVA, fetch_models.sh).
    spec.model = "zoo:inception_v3";
    // TensorFlow runs a graph from C++, kernel by kernel, as TorchScript does.
    spec.runtime = Runtime::kTorchscript;
  } else {
    spec.model = model_of(workload);
  }
  if (workload == "yolov8n" && find_word<WorkloadKind>(kind) == WorkloadKind::kTraining) {
    spec.workers = 0;
    spec.image_side = 320;
  }
  return spec;
}

std::vector<CalibrationRun> load_calibration_runs(const SweepSpec& given) {
  std::vector<CalibrationRun> runs;
  for (const auto& sweep : read_sweeps(given.path)) {
    require_rows_of_a_board(sweep);
    require_batches(sweep);
    SweepSpec spec = published_sweep(sweep.workload, sweep.kind);
    if (!given.model.empty()) spec.model = given.model;
    if (given.workers) spec.workers = given.workers;
    if (given.image_side) spec.image_side = given.image_side;
    if (given.runtime) spec.runtime = given.runtime;
    spec.precision = given.precision;
    spec.input = given.input;
    spec.loader_ms = given.loader_ms;
    spec.device = given.device;
    const auto kind = find_word<WorkloadKind>(sweep.kind);
    if (!kind) {
      throw InputError("a twin can only be fitted to inference or training",
                       sweep.source + ": " + sweep.kind);
    }
    const QualityReport quality = check_quality(sweep);
    const workload::DeployedWorkload deployed(
        spec.model, {.kind = *kind,
                     .precision = spec.precision.value_or(workload::Precision::kFp32),
                     .runtime = spec.runtime.value_or(Runtime::kPytorchEager)});
    const double side = spec.image_side ? deployed.image_side() : 0;
    for (const int batch : sweep.batches()) {
      CalibrationRun run;
      run.workload = sweep.workload + " " + sweep.kind;
      if (!spec.device.empty()) run.workload = spec.device + ": " + run.workload;
      run.board = spec.device;
      run.provenance = sweep.provenance;
      run.cost = deployed.at(batch);
      if (spec.image_side) {
        run.cost = std::make_shared<const workload::WorkloadCost>(
            workload::scale_image(*run.cost, std::pow(*spec.image_side / side, 2)));
      }
      run.options.loader_workers = spec.workers.value_or(RunOptions{}.loader_workers);
      run.options.input = spec.input.value_or(InputPlace::kHost);
      if (spec.loader_ms) run.options.loader_s_per_sample = *spec.loader_ms * 1e-3;
      for (std::size_t row = 0; row < sweep.observations.size(); ++row) {
        if (sweep.observations[row].point.batch != batch) continue;
        run.observations.push_back(sweep.observations[row]);
        run.flagged.push_back(quality.flagged[row]);
      }
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

std::vector<CalibrationRun> load_calibration_runs(const std::vector<SweepSpec>& specs) {
  std::vector<CalibrationRun> runs;
  for (const auto& spec : specs) {
    for (auto& run : load_calibration_runs(spec)) runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<CalibrationRun> runs_at_home(const std::vector<CalibrationRun>& runs) {
  std::vector<CalibrationRun> home;
  for (const auto& run : runs) {
    if (run.board.empty()) home.push_back(run);
  }
  return home;
}

std::string fitted_status(const std::vector<CalibrationRun>& runs) {
  const bool fake = std::any_of(runs.begin(), runs.end(), [](const auto& run) {
    return run.board.empty() && run.provenance == Provenance::kFake;
  });
  return fake ? kFittedToFake : kFitted;
}

void require_trusted_rows(const std::vector<CalibrationRun>& runs) {
  std::map<std::string, std::size_t> trusted;
  for (const auto& run : runs) {
    const auto flagged = std::count(run.flagged.begin(), run.flagged.end(), true);
    trusted[run.workload] += run.observations.size() - static_cast<std::size_t>(flagged);
  }
  for (const auto& [workload, rows] : trusted) {
    if (rows > 0) continue;
    throw InputError("the quality check flags every row of workload " + workload, "",
                     "`ridgewatt sweep check FILE` prints the reasons");
  }
}

}  // namespace ridgewatt::twin
