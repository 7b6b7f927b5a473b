// The question before any profiling: what does a model cost in these modes, according to a twin?
//
//   const auto model = std::make_shared<const DeployedWorkload>("zoo:resnet50");
//   const EstimateAnswer found = estimate_on_board({.modes = "maxn"}, model, "agx-orin");
//   std::cout << found.rows.front().estimate.total.period_s;
//
// Throws the errors of reading boards, modes and twins.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/held.h"
#include "ridgewatt/answer/workload_question.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/twin/memory_footprint.h"
#include "ridgewatt/twin/minibatch_cost.h"
#include "ridgewatt/workload/deployed_workload.h"

#pragma GCC visibility push(default)

namespace ridgewatt::twin {
class TwinModel;
}  // namespace ridgewatt::twin

namespace ridgewatt::answer {

struct EstimateQuestion {
  std::string modes = {};         // see select_modes; empty: presets, or MAXN of several boards
  std::vector<int> batches = {};  // empty: usual_batch
  twin::RunOptions run = {};      // loading of data
  // For the cost of a job; absent: not asked.
  std::optional<double> dataset_size = {};
  double epochs = 1;
  // For estimate(); the functions below take a workload and a board.
  WorkloadQuestion workload = {};
  std::string device = {};  // a name or board file; "all"
  HeatQuestion heat = {};   // of one board and runtime
  bool per_layer = false;   // for output: also the layers of the first row

  double job_samples() const { return dataset_size.value_or(0) * epochs; }
};

// What the rows of a board, runtime and batch share.
struct EstimateSetting {
  std::string board;
  Runtime runtime = Runtime::kPytorchEager;
  workload::Precision precision = workload::Precision::kFp32;
  int batch = 1;
  twin::TwinFitError fit;
  twin::MemoryFootprint memory = {};
  std::string twin = {};                     // "fitted" or "scaled, not validated"
  std::vector<std::string> widened_by = {};  // why the interval is wider than for fitted workloads
};

struct EstimateRow {
  std::shared_ptr<const EstimateSetting> setting;
  PowerMode mode;
  twin::Breakdown estimate;
  twin::EstimateError error{};
  std::vector<std::string> widened_by = {};  // in this mode, in addition to the setting's
  std::string preset = {};                   // name of the board's preset with this mode, if any
  double python_call_s = 0;  // additional time of a Python caller; 0: included already, or PyTorch
};

// A change that makes a minibatch faster if it waits for launches, and its effect.
struct Remedy {
  std::string what;         // "onnxruntime", "batch 8"
  double s_per_sample = 0;  // with the change
  double times_faster = 1;  // than now, per sample
};

struct EstimateAnswer {
  enum class Over { kModes, kBoards, kRuntimes };  // what the rows compare
  struct LeftOut {
    std::string name, reason;  // of a board, or of a runtime: "tensorrt int8"
  };
  Over over = Over::kModes;
  std::shared_ptr<const workload::DeployedWorkload> workload;  // of the question
  std::string device;                                          // of the question; empty: all boards
  std::optional<workload::Precision> precision;  // absent: the usual ones of each runtime
  double job_samples = 0;                        // of the question
  std::vector<EstimateRow> rows;
  std::shared_ptr<const twin::TwinModel> model;  // on the board of the first row; none without rows
  std::vector<LeftOut> left_out;                 // boards or runtimes without rows
  std::vector<HeldRow> held;     // of each row, if thermal constants are given (add_holds)
  std::vector<Remedy> remedies;  // of the first row of one board, if it waits for launches

  bool fits_memory() const;  // whether any row does
  // The origin of a row.
  RowOrigin origin(const EstimateRow& row) const;
  // Throws NotSupportedError if no board or no runtime can run the model.
  void check() const;
};

// The batch that the model file fixes, if above 1. Computes the cost of the model.
std::optional<int> fixed_batch(const workload::DeployedWorkload& workload);
// The default batch: the fixed one, otherwise 1, or 16 for training.
int usual_batch(const workload::DeployedWorkload& workload);

// Estimates on the question's board or on all boards, in its runtime or in all. `workload` is that
// of question.workload.
EstimateAnswer estimate(const EstimateQuestion& question,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload);

// `device`: a name or board file. One row per mode and batch, in the order asked.
EstimateAnswer estimate_on_board(const EstimateQuestion& question,
                                 const std::shared_ptr<const workload::DeployedWorkload>& workload,
                                 const std::string& device);
// The same as a sweep, for functions that plan with sweeps; default: all modes. Batches that do not
// fit the board's memory are left out; NotSupportedError when none fits.
Sweep estimate_sweep(const EstimateQuestion& question,
                     const std::shared_ptr<const workload::DeployedWorkload>& workload,
                     const std::string& device);
// All boards, sorted by time per sample; those with too little memory come last. No rows: no board
// can run the model.
EstimateAnswer estimate_over_boards(
    const EstimateQuestion& question,
    const std::shared_ptr<const workload::DeployedWorkload>& workload);

// All runtimes on one board, sorted by time per sample, in `precisions` or by default in the usual
// precisions of each.
EstimateAnswer estimate_over_runtimes(
    const EstimateQuestion& question,
    const std::shared_ptr<const workload::DeployedWorkload>& workload, const std::string& device,
    const std::vector<workload::Precision>& precisions = {});

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
