// A calibration as tables: errors by workload, parameters with intervals, outliers.
#pragma once

#include <vector>

#include <string>
#include "ridgewatt/answer/calibrate.h"
#include "ridgewatt/answer/soak.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/roofline/microbench_fit.h"
#include "ridgewatt/thermal/hold.h"
#include "ridgewatt/twin/board_fit.h"
#include "ridgewatt/twin/calibrate.h"
#include "ridgewatt/twin/runtime_fit.h"

namespace ridgewatt::report {

// One row per workload and, with `by_batch`, one row per batch below; the mean, and all rows
// pooled. Errors in per cent; `trusted` columns leave out the rows that data quality suspects.
Table fit_table(const twin::CalibrateSummary& summary, bool by_batch);
Table parameter_table(const twin::Twin& twin);
Table outlier_table(const twin::CalibrateSummary& summary);
// Runtimes: fitted parameters, and public rows that the fit left out.
Table runtime_parameter_table(const twin::RuntimeTwins& runtimes);
Table runtime_left_out_table(const std::vector<twin::LeftOutRow>& rows);
Table microbench_table(const std::vector<roofline::MicrobenchFit>& fits);

// What each kind of calibration prints; `device`: as the user named the board.
Result runtime_fit_result(const answer::RuntimeCalibration& found, const std::string& device);
Result board_fit_result(const answer::BoardCalibration& found, const std::string& device);
// `parameters`: also for people.
Result calibrate_result(const twin::CalibrateSummary& summary, const std::string& device,
                        bool parameters);

// What was measured of this machine, and its runs: as they were, by priors and by the fitted twin.
Result local_calibration_result(const answer::LocalCalibration& found);

// Thermal constants with 90 % intervals, and for how long powers are held (one row per answer).
Table thermal_fit_table(const thermal::ThermalFit& fit);
Result thermal_fit_result(const answer::FittedTrace& found);
Table hold_table(const std::vector<thermal::HoldAnswer>& answers);

// One row per figure: as it was published, as the twin of a relative has it, and as the fitted one.
Table evidence_table(const twin::BoardFit& fit);
// One row per parameter: value and 90 % interval before and after, and whether the evidence or the
// prior decides it.
Table board_parameter_table(const twin::Twin& twin, const twin::Twin& prior);

}  // namespace ridgewatt::report
