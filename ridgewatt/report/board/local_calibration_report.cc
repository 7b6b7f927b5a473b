#include <cmath>

#include "ridgewatt/report/calibrate_report.h"
#include "ridgewatt/report/columns.h"

namespace ridgewatt::report {
namespace {

Table local_runs_table(const std::vector<answer::LocalRun>& runs) {
  Table table({column("workload"),
               column("runtime"),
               column("cpu_cores"),
               column("batch"),
               column("time_ms"),
               {.name = "prior_ms", .meaning = "only measured peaks and priors"},
               {.name = "modelled_ms", .meaning = "by the fitted twin"},
               {.name = "error_pct",
                .digits = 3,
                .meaning = "modelled divided by measured time, minus 1"}});
  for (const auto& run : runs) {
    table.add_row({run.model, run.runtime, run.threads, run.batch, run.time_s * 1e3,
                   run.prior_s * 1e3, run.modelled_s * 1e3,
                   100 * (run.modelled_s / run.time_s - 1)});
  }
  return table;
}

Table local_rates_table(const twin::CpuTwin& twin) {
  Table table({column("cpu_cores"),
               {.name = "gflop_per_s", .heading = "FP32 (GFLOP/s)"},
               {.name = "memory_gb_per_s", .heading = "memory (GB/s)"},
               {.name = "cache_gb_per_s", .heading = "cache, 8 MiB (GB/s)"}});
  int threads = 0;
  for (const auto& rates : twin.rates) {
    table.add_row({++threads, rates.flop_per_s / 1e9, rates.memory_bytes_per_s / 1e9,
                   rates.cache_bytes_per_s / 1e9});
  }
  return table;
}

}  // namespace

Result local_calibration_result(const answer::LocalCalibration& found) {
  Result result{.table = local_rates_table(found.twin)};
  result.add("Runs of models:", local_runs_table(found.runs));
  return result;
}

}  // namespace ridgewatt::report
