// A calibration as tables: errors by workload, parameters with intervals, outliers.
#pragma once

#include "ridgewatt/report/table.h"
#include "ridgewatt/roofline/calibrate.h"
#include "ridgewatt/roofline/findings.h"
#include "ridgewatt/roofline/microbench_fit.h"

namespace ridgewatt {

// One row a workload and, with `by_batch`, a row a batch below; the mean, and all rows pooled.
// Errors in per cent; `trusted` columns leave out the rows that data quality suspects.
Table fit_table(const CalibrateSummary& summary, bool by_batch);
Table parameter_table(const Twin& twin);
Table outlier_table(const CalibrateSummary& summary);
Table findings_table(const std::vector<WorkloadFindings>& findings);
Table microbench_table(const std::vector<MicrobenchFit>& fits);

}  // namespace ridgewatt
