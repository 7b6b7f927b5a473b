// From a sweep file and a model to what a calibration is made of.
//
//   SweepSpec spec = parse_sweep_spec("yolov8n.csv,model=zoo:yolov8n,workers=0,image=320");
//   std::vector<CalibrationRun> runs = load_calibration_runs(spec);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/workload/training_cost.h"

namespace ridgewatt::twin {

// One workload at one batch size with what was measured.
struct CalibrationRun {
  std::string workload;  // what is left out as one in cross-validation
  std::string board;     // where it ran; empty: on the board that is fitted
  std::shared_ptr<const workload::WorkloadCost> cost;
  RunOptions options;
  bool medians = true;  // times are what sweeps show (MinibatchCost::like); else periods
  std::vector<Observation> observations;
  std::vector<bool> flagged;  // by data quality; empty: none. Flagged rows are not fitted

  bool is_flagged(std::size_t row) const { return !flagged.empty() && flagged[row]; }
};

// How a sweep was made. What is not said is taken from published_sweep().
struct SweepSpec {
  std::string path;
  std::string model;  // file or zoo:NAME; empty: by the sweep's workload name
  std::optional<int> workers;
  std::optional<double> loader_ms;   // of one worker for one sample at the highest CPU clock
  std::optional<double> image_side;  // pixels, when the workload ran on images of another size
  std::optional<Runtime> runtime;    // nothing: PyTorch in eager mode
  std::optional<workload::Precision> precision;  // nothing: FP32
  std::optional<InputPlace> input;               // nothing: on the host
  std::string device;  // another board: judges how a twin carries over, is not fitted
};

// "FILE[,model=M][,workers=N][,loader-ms=X][,image=PIXELS][,runtime=NAME][,precision=NAME]
// [,input=PLACE][,device=BOARD]".
// UsageError on anything else.
SweepSpec parse_sweep_spec(const std::string& text);

// What is known of the runs behind the published sweeps, by workload name and kind: the model, and
// for YOLOv8n training no loader workers and 320-pixel images (docs/methods/twin.md says how that
// is known).
SweepSpec published_sweep(const std::string& workload, const std::string& kind);

// One run per batch size; rows that data quality suspects are flagged.
std::vector<CalibrationRun> load_calibration_runs(const SweepSpec& spec);
std::vector<CalibrationRun> load_calibration_runs(const std::vector<SweepSpec>& specs);
// Those on the board that is fitted.
std::vector<CalibrationRun> runs_at_home(const std::vector<CalibrationRun>& runs);
// InputError where the quality check flags all rows of a workload.
void require_trusted_rows(const std::vector<CalibrationRun>& runs);

}  // namespace ridgewatt::twin
