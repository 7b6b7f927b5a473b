#include "ridgewatt/twin/published_runs.h"
#include "ridgewatt/workload/deployed_workload.h"

#include <fmt/format.h>

#include <limits>

namespace ridgewatt::twin {
namespace {

constexpr int kBatch = 16;

// Each time is that of an epoch divided by the number of its minibatches. PowerTrain: Prashanthi,
// Taluri, Pradhan and Simmhan, arXiv 2407.13944: minutes per epoch, and power. SIGMETRICS 2023:
// Prashanthi, Kesanapalli and Simmhan, arXiv 2509.20160: seconds per epoch.
constexpr PublishedRun kRuns[] = {
    // 68.7 minutes of 4,375 minibatches of 16. The sequence length is not published; 384 is usual
    // for SQuAD. Loading text takes almost no time.
    {"agx-orin", "BERT training", "zoo:bert_base", 384, 942, 57, false, "PowerTrain"},
    // 0.4 minutes of 2,250 minibatches.
    {"agx-orin", "LSTM training", "zoo:lstm", 0, 10.7, 0, false, "PowerTrain"},
    // 8.47 minutes of 3,125 minibatches.
    {"agx-xavier", "ResNet-18 training", "zoo:resnet18", 0, 162.6, 36.4, true, "PowerTrain"},
    // 349 s of 3,125 minibatches of CIFAR-10: another network and older software.
    {"agx-xavier", "ResNet-18 training (2023)", "zoo:resnet18_cifar", 0, 111.7, 31, true,
     "SIGMETRICS 2023"},
    // MobileNet: 298 s less 13 s of stall, 1,443 minibatches. LeNet: 38.4 s of 3,750.
    {"agx-xavier", "MobileNet training", "zoo:mobilenet_v3_gld", 0, 197.5, 0, false,
     "SIGMETRICS 2023"},
    {"agx-xavier", "LeNet training", "zoo:lenet5", 0, 10.24, 0, false, "SIGMETRICS 2023"},
    // 576 s less 21 s of stall, 1,443 minibatches.
    {"xavier-nx", "MobileNet training", "zoo:mobilenet_v3_gld", 0, 384.6, 0, false,
     "SIGMETRICS 2023"},
};

}  // namespace

std::span<const PublishedRun> published_runs() {
  return kRuns;
}

std::vector<CalibrationRun> published_calibration_runs() {
  std::vector<CalibrationRun> runs;
  for (const auto& published : kRuns) {
    workload::DeployOptions options{.kind = WorkloadKind::kTraining};
    if (published.sequence > 0) options.dims["sequence"] = published.sequence;
    CalibrationRun run;
    run.workload = fmt::format("{}: {}", published.board, published.name);
    run.board = published.board;
    run.medians = false;
    run.cost = workload::DeployedWorkload(std::string(published.model), options).at(kBatch);
    if (!published.loading) run.options.loader_s_per_sample = 0;
    Observation seen;
    seen.point.batch = kBatch;
    seen.time_s = published.time_ms * 1e-3;
    seen.power_w =
        published.power_w > 0 ? published.power_w : std::numeric_limits<double>::quiet_NaN();
    run.observations = {seen};
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<CalibrationRun> load_calibration_runs(const std::vector<SweepSpec>& specs,
                                                  const Board& board) {
  auto runs = load_calibration_runs(specs);
  for (auto& run : runs) {
    if (run.board == board.name) run.board.clear();
  }
  if (board.name != kReferenceBoard) return runs;
  for (auto& run : published_calibration_runs()) runs.push_back(std::move(run));
  return runs;
}

}  // namespace ridgewatt::twin
