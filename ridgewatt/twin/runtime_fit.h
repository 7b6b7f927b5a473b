// Fits what runtimes change of a twin to measured rows: public ones, or a user's own engines.
//
//   const std::vector<RuntimeRow> rows = load_runtime_rows({"vision.csv"}).rows;
//   const RuntimeTwin engine = fit_runtime(Runtime::kTensorRt, rows);
//
// A row is one time of a model in a runtime on a board. Parameters have priors (runtime_twin.h), so
// that a handful of rows is enough; large errors count less (soft L1), and so does each of many
// rows of one model on one board, which share a part of their errors. Leaving models, boards and
// precisions out says how far the result can be trusted (docs/methods/runtimes.md).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/runtime_twin.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::twin {

struct RuntimeRow {
  std::string model;                                   // what is left out as one: "yolo11n"
  std::string board;                                   // "orin-nano-8gb"
  std::string precision;                               // "fp16"
  std::shared_ptr<const workload::WorkloadCost> cost;  // of one minibatch in its runtime
  std::shared_ptr<const Twin> twin;                    // of its board, in eager mode
  PowerMode mode;
  double time_s = 0;  // of a minibatch
  RunOptions run;     // what called it, and whether as a CUDA graph
  double weight = 1;  // below 1: what was run is not fully known
  std::string label;  // "YOLO11n fp16 on orin-nano-8gb@super"
  std::string source;
  std::string remark = {};  // what was assumed to read it
  Runtime runtime() const { return cost->runtime; }
  // Small networks of PyTorch whose input lies on the GPU: with a fit to them, clocks of least
  // energy of swept networks were missed by more than a step in a third of the groups.
  bool judged_only() const { return !is_engine(cost->runtime) && run.input == InputPlace::kDevice; }
};

// Rows that are not used, and why.
struct LeftOutRow {
  std::string label;  // of the first row; with the number of further ones of the same reason
  std::string reason;
};

struct RuntimeRows {
  std::vector<RuntimeRow> rows;
  std::vector<LeftOutRow> left_out;
};

// Public measurements in the columns source, date, board, jetpack, power_mode, runtime, workload,
// precision, batch, sequence, metric, value, note; or with input, what_is_timed and latency_ms in
// place of sequence, metric and value. InputError where a column is missing or a value is not a
// positive number.
RuntimeRows load_runtime_rows(const std::vector<std::string>& paths);

struct RuntimeFitOptions {
  double time_scale = 0.08;  // of ln(modelled / measured), where errors begin to count less
  int max_iterations = 60;
  const RuntimeTwin* start = nullptr;  // a fit to nearly the same rows, from which it is short
};

// The parameters of one runtime from those of `rows` that are its own; priors where there are none.
RuntimeTwin fit_runtime(Runtime runtime, const std::vector<RuntimeRow>& rows,
                        const RuntimeFitOptions& options = {});
// Time of a row with these parameters, in seconds.
double modelled_time_s(const RuntimeRow& row, const RuntimeTwin& runtime);

// A row as it is predicted without some of the others.
struct LeftOutTime {
  double time_s = 0;    // 0: nothing else is left to fit
  double variance = 0;  // of its logarithm, by the parameters' posterior
};
struct RuntimeRowScore {
  double fitted_s = 0;                  // by the parameters fitted to all rows
  LeftOutTime model, board, precision;  // fitted without the row's model; board; precision
  LeftOutTime model_and_board;          // without both
  RuntimeErrors errors;                 // learned from other models alone: the row's own interval
};

struct RuntimeFit {
  RuntimeTwins twins;                   // in the order of kRuntimes
  std::vector<RuntimeRowScore> scores;  // one per row
};
// Fits every runtime, and again without each model, board and precision in turn; the deviations of
// the errors are those with which 90 % of what was left out lies within its interval.
RuntimeFit fit_runtimes(const std::vector<RuntimeRow>& rows, const RuntimeFitOptions& options = {});

// Half-width of the 90 % interval of ln(time) of a row that was left out by its model.
double left_out_log_width(const RuntimeRowScore& score);

}  // namespace ridgewatt::twin
