// Fits the parameters of a runtime (runtime_twin.h) to measured times: public ones, or those of a
// user's own engines.
//
//   const std::vector<RuntimeRow> rows = load_runtime_rows({"vision.csv"}).rows;
//   const RuntimeTwin engine = fit_runtime(Runtime::kTensorRt, rows);
//
// A row is one measured time of a model in a runtime on a board. The parameters have priors, so
// that a few rows are enough. The loss is soft L1, so that large errors count less. Several rows of
// one model on one board also count less, because they share a part of their error.
// The accuracy is that of fits from which models, boards or precisions are left out
// (docs/methods/runtimes.md).
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
  std::string model;      // cross-validation leaves out all rows of a model: "yolo11n"
  std::string board;      // "orin-nano-8gb"
  std::string precision;  // "fp16"
  std::shared_ptr<const workload::WorkloadCost> cost;  // one minibatch in the row's runtime
  std::shared_ptr<const Twin> twin;                    // twin of the row's board in eager mode
  PowerMode mode;
  double time_s = 0;  // of a minibatch
  RunOptions run;     // caller of the engine, and whether it is a CUDA graph
  double weight = 1;  // below 1 if some settings of the measurement are unknown
  std::string label;  // "YOLO11n fp16 on orin-nano-8gb@super"
  std::string source;
  std::string remark = {};  // assumptions made to interpret the row
  Runtime runtime() const { return cost->runtime; }
  // True for small PyTorch networks whose input is in GPU memory. These rows only test the fit,
  // because a fit to them predicts the clock of least energy of other networks less well.
  bool judged_only() const { return !is_engine(cost->runtime) && run.input == InputPlace::kDevice; }
};

// Rows that are not used, and the reason.
struct LeftOutRow {
  std::string label;  // first row, and the number of other rows with this reason
  std::string reason;
};

struct RuntimeRows {
  std::vector<RuntimeRow> rows;
  std::vector<LeftOutRow> left_out;
};

// Loads public measurements from CSV files with the columns source, date, board, jetpack,
// power_mode, runtime, workload, precision, batch, sequence, metric, value, note. The columns
// input, what_is_timed and latency_ms may replace sequence, metric and value. Throws InputError if
// a column is missing or a value is not a positive number. `card_chip` selects the boards: modules
// if empty, otherwise discrete GPUs with this chip (Board::soc), such as "ga102". Rows of other
// boards are left out, because engines on another chip have other kernels.
RuntimeRows load_runtime_rows(const std::vector<std::string>& paths,
                              const std::string& card_chip = {});

struct RuntimeFitOptions {
  double time_scale = 0.08;  // larger errors of ln(modelled / measured) count less
  int max_iterations = 60;
  // Starting point, for example a fit to nearly the same rows. Null: the priors.
  const RuntimeTwin* start = nullptr;
  bool quiet = true;  // false: fit_runtimes() prints progress on standard error
};

// Fits the parameters of one runtime to the rows of that runtime. Without such rows, returns the
// priors.
RuntimeTwin fit_runtime(Runtime runtime, const std::vector<RuntimeRow>& rows,
                        const RuntimeFitOptions& options = {});
// Modelled time of a row with these parameters, in seconds.
double modelled_time_s(const RuntimeRow& row, const RuntimeTwin& runtime);

// Prediction of a row by a fit without some of the other rows.
struct LeftOutTime {
  double time_s = 0;    // 0: no row remained for the fit
  double variance = 0;  // variance of ln(time) due to the parameters' posterior
};
struct RuntimeRowScore {
  double fitted_s = 0;  // with the parameters fitted to all rows
  // Fitted without the row's model, without its board, without its precision.
  LeftOutTime model, board, precision;
  LeftOutTime model_and_board;  // fitted without the row's model and without its board
  RuntimeErrors errors;         // errors estimated from other models, for the interval of this row
};

struct RuntimeFit {
  RuntimeTwins twins;                   // in the order of kRuntimes
  std::vector<RuntimeRowScore> scores;  // one per row, in order
};
// Fits every runtime to all rows, and again without each model, board and precision. The error
// deviations are chosen such that 90 % of the left-out rows are within their 90 % intervals.
RuntimeFit fit_runtimes(const std::vector<RuntimeRow>& rows, const RuntimeFitOptions& options = {});

// Half-width of the 90 % interval of ln(time) for a row, predicted without the row's model.
double left_out_log_width(const RuntimeRowScore& score);

}  // namespace ridgewatt::twin
