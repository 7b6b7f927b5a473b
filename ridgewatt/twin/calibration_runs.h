// Loads sweep files together with the models that they measured: the input of a calibration
// (calibrate.h).
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

// Measurements of one workload at one batch size.
struct CalibrationRun {
  std::string workload;  // cross-validation leaves out all runs of one workload together
  std::string board;     // Board of the measurement. Empty: the board whose twin is fitted.
  std::shared_ptr<const workload::WorkloadCost> cost;
  RunOptions options;
  // True: times are medians of timed minibatches, as in published sweeps. False: mean periods.
  bool medians = true;
  std::vector<Observation> observations;
  // Modelled and predicted rows are rejected, because a fit to them would only repeat their model.
  Provenance provenance = Provenance::kReplayed;
  // Rows that the data-quality check suspects; they are not fitted. Empty: none.
  std::vector<bool> flagged;

  bool is_flagged(std::size_t row) const { return !flagged.empty() && flagged[row]; }
};

// The settings of a measured sweep. Unset fields get the values of published_sweep().
struct SweepSpec {
  std::string path;
  std::string model;  // File or zoo:NAME. Empty: derived from the workload name in the sweep.
  std::optional<int> workers;
  std::optional<double> loader_ms;  // time of one worker for one sample at the highest CPU clock
  // Side of the images in pixels, if it differs from the model's input.
  std::optional<double> image_side;
  std::optional<Runtime> runtime;                // absent: PyTorch in eager mode
  std::optional<workload::Precision> precision;  // absent: FP32
  std::optional<InputPlace> input;               // absent: host memory
  // Board of the sweep. Rows of another board are not fitted; they test a scaled twin.
  std::string device;
};

// Parses "FILE[,model=M][,workers=N][,loader-ms=X][,image=PIXELS][,runtime=NAME][,precision=NAME]
// [,input=PLACE][,device=BOARD]". Throws UsageError for an unknown key or an invalid value.
SweepSpec parse_sweep_spec(const std::string& text);
std::vector<SweepSpec> parse_sweep_specs(const std::vector<std::string>& texts);

// Returns the known settings of a published sweep, given the name and kind of its workload: the
// model and, for YOLOv8n training, no loader workers and 320-pixel images (for the source see
// docs/methods/twin.md).
SweepSpec published_sweep(const std::string& workload, const std::string& kind);

// Returns one run per batch size. Rows that the data-quality check suspects are flagged. Throws
// InputError for modelled and predicted rows.
std::vector<CalibrationRun> load_calibration_runs(const SweepSpec& spec);
std::vector<CalibrationRun> load_calibration_runs(const std::vector<SweepSpec>& specs);
// Returns the runs on the board whose twin is fitted.
std::vector<CalibrationRun> runs_at_home(const std::vector<CalibrationRun>& runs);
// The status of a twin that is fitted to these runs: "fitted", or kFittedToFake if rows are fake.
std::string fitted_status(const std::vector<CalibrationRun>& runs);
// Throws InputError if the data-quality check flags all rows of a workload.
void require_trusted_rows(const std::vector<CalibrationRun>& runs);

}  // namespace ridgewatt::twin
