// Results of calibration: errors by workload, parameters with intervals, outliers.
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

// One row per workload, the mean over workloads, and all rows pooled. With `by_batch` also
// one row per batch of a workload. Errors are in percent; `trusted` columns exclude flagged
// rows.
Table fit_table(const twin::CalibrateSummary& summary, bool by_batch);
Table parameter_table(const twin::Twin& twin);
Table outlier_table(const twin::CalibrateSummary& summary);
// Tables for runtimes: fitted parameters, and public rows that were not used in the fit.
Table runtime_parameter_table(const twin::RuntimeTwins& runtimes);
Table runtime_left_out_table(const std::vector<twin::LeftOutRow>& rows);
Table microbench_table(const std::vector<roofline::MicrobenchFit>& fits);

// The results of `calibrate`, by kind; `device` is the name that the user gave.
Result runtime_fit_result(const answer::RuntimeCalibration& found, const std::string& device);
Result board_fit_result(const answer::BoardCalibration& found, const std::string& device);
// `parameters`: include the parameters in tables.
Result calibrate_result(const answer::SweepCalibration& found, const std::string& device,
                        bool parameters);

// The measurements of this machine, and the errors of its runs before and after the fit.
Result local_calibration_result(const answer::LocalCalibration& found);

// Thermal constants with 90 % intervals, and how long given powers can be held (one row per
// answer).
Table thermal_fit_table(const thermal::ThermalFit& fit);
Result thermal_fit_result(const answer::FittedTrace& found);
Table hold_table(const std::vector<thermal::HoldAnswer>& answers);

// One row per published figure, with its value in the related board's twin and the fitted twin.
Table evidence_table(const twin::BoardFit& fit);
// One row per parameter: value and 90 % interval before and after the fit, and whether the evidence
// or the prior determines the value.
Table board_parameter_table(const twin::Twin& twin, const twin::Twin& prior);

}  // namespace ridgewatt::report
