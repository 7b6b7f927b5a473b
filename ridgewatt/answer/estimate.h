// Estimates time, power and energy of a model in given power modes from a twin, without profiling.
//
//   const auto model = std::make_shared<const DeployedWorkload>("zoo:resnet50");
//   const EstimateAnswer found = estimate_on_board({.modes = "maxn"}, model, "agx-orin");
//   std::cout << found.rows.front().estimate.total.period_s;
//
// Every function here throws the errors of reading boards, modes and twins.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/held.h"
#include "ridgewatt/answer/workload_question.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/predict/predictor.h"
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
  // See select_modes(). Empty: the presets; MAXN if boards or runtimes are compared.
  std::string modes = {};
  std::vector<int> batches = {};  // empty: usual_batch()
  twin::RunOptions run = {};      // how the workload is fed and called
  // Samples per epoch and epochs of a job. Absent: no cost of a job.
  std::optional<double> dataset_size = {};
  double epochs = 1;
  // Only estimate() reads `workload`, `device` and `heat`. The other functions have arguments for
  // the workload and the board.
  WorkloadQuestion workload = {};
  std::string device = {};  // name, board file or "all"
  HeatQuestion heat = {};   // thermal limits; only for one board and one runtime
  bool per_layer = false;   // whether reports also list the layers of the first row

  double job_samples() const { return dataset_size.value_or(0) * epochs; }
};

// Properties that all rows with the same board, runtime, precision and batch share.
struct EstimateSetting {
  std::string board;
  Runtime runtime = Runtime::kPytorchEager;
  workload::Precision precision = workload::Precision::kFp32;
  int batch = 1;
  twin::TwinFitError fit;
  twin::MemoryFootprint memory = {};
  std::string twin = {};                     // "fitted" or "scaled, not validated"
  std::vector<std::string> widened_by = {};  // why intervals are wider than for fitted workloads
};

struct EstimateRow {
  std::shared_ptr<const EstimateSetting> setting;
  PowerMode mode;
  twin::Breakdown estimate;
  twin::EstimateError error{};
  std::vector<std::string> widened_by = {};  // additional reasons in this mode
  std::string preset = {};                   // the board's preset with this mode; empty: none
  // Additional time per minibatch if Python calls the engine. 0 in PyTorch, and if `estimate`
  // already includes it.
  double python_call_s = 0;
};

// Returns time, power and energy with intervals of this probability, cut at the physical limits
// (twin::bounded()). Every command states these values. It is unknown whether the calling program
// is Python, so the upper end of the time includes `python_call_s`.
predict::Prediction stated_cost(const twin::MinibatchCost& cost, const twin::EstimateError& error,
                                double python_call_s, double interval);

// The rows of an answer. If they are the modes of one board, a row is computed each time it is
// read. Thus 90,000 rows need only the memory of their modes.
class EstimateRows {
 public:
  class Source;
  class Iterator;

  EstimateRows() = default;
  explicit EstimateRows(std::shared_ptr<const Source> source);

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  EstimateRow operator[](std::size_t i) const;  // i < size()
  EstimateRow front() const { return (*this)[0]; }
  // Return the mode and the preset of row `i` without computing the row.
  const PowerMode& mode(std::size_t i) const;
  const std::string& preset(std::size_t i) const;
  Iterator begin() const;
  Iterator end() const;

 private:
  std::shared_ptr<const Source> source_;  // null: no rows
};

// An input iterator. The rows must outlive it.
class EstimateRows::Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = EstimateRow;
  using difference_type = std::ptrdiff_t;
  struct Pointer {
    EstimateRow row;
    const EstimateRow* operator->() const { return &row; }
  };
  using pointer = Pointer;
  using reference = EstimateRow;

  Iterator(const EstimateRows* rows, std::size_t number) : rows_(rows), number_(number) {}
  EstimateRow operator*() const { return (*rows_)[number_]; }
  Pointer operator->() const { return {**this}; }
  Iterator& operator++() {
    ++number_;
    return *this;
  }
  Iterator operator++(int) { return {rows_, number_++}; }
  bool operator==(const Iterator&) const = default;

 private:
  const EstimateRows* rows_;
  std::size_t number_;
};

inline EstimateRows::Iterator EstimateRows::begin() const {
  return {this, 0};
}
inline EstimateRows::Iterator EstimateRows::end() const {
  return {this, size()};
}

// A change that shortens a minibatch whose time is dominated by kernel launches, and its effect.
struct Remedy {
  std::string what;         // "onnxruntime" or "batch 8"
  double s_per_sample = 0;  // with the change
  double times_faster = 1;  // time per sample now, divided by the time with the change
};

struct EstimateAnswer {
  enum class Over { kModes, kBoards, kRuntimes };  // what the rows compare
  struct LeftOut {
    std::string name, reason;  // of a board or runtime ("tensorrt int8")
  };
  Over over = Over::kModes;
  std::shared_ptr<const workload::DeployedWorkload> workload;  // of the question
  std::string device;                                          // of the question; empty: all boards
  std::optional<workload::Precision> precision;  // absent: the usual precisions of each runtime
  double job_samples = 0;                        // of the question
  EstimateRows rows;
  // Of the board and runtime of the first row; null without rows.
  std::shared_ptr<const twin::TwinModel> model;
  std::vector<LeftOut> left_out;  // boards or runtimes without rows
  // One for each row if thermal constants are given (add_holds()), otherwise empty.
  std::vector<HeldRow> held;
  // Changes that shorten the first row, if kernel launches dominate its time. Only with
  // Over::kModes.
  std::vector<Remedy> remedies;

  bool fits_memory() const;  // whether at least one row fits the memory of its board
  RowOrigin origin(const EstimateRow& row) const;
  // Throws NotSupportedError if no board or no runtime can run the model.
  void check() const;
};

// Returns the batch that the model file fixes if it is above 1, and 1 if the model has no batch.
// Otherwise absent. Computes the cost of the model to find it.
std::optional<int> fixed_batch(const workload::DeployedWorkload& workload);
// Returns the default batch: fixed_batch(), otherwise 1 for inference and 16 for training.
int usual_batch(const workload::DeployedWorkload& workload);
// Returns the largest of batch/2, batch/4 .. whose minibatch fits the board's memory. 0: none fits,
// or the model fixes its batch.
int smaller_batch_that_fits(const twin::TwinModel& model,
                            const workload::DeployedWorkload& workload, int batch);

// Answers the question for its board, for all boards, or for all runtimes. `workload` must
// be the workload of question.workload. Throws UsageError if both boards and runtimes are
// "all".
EstimateAnswer estimate(const EstimateQuestion& question,
                        const std::shared_ptr<const workload::DeployedWorkload>& workload);

// `device`: name or board file. Returns a row for each mode and batch, in the order of the
// question.
EstimateAnswer estimate_on_board(const EstimateQuestion& question,
                                 const std::shared_ptr<const workload::DeployedWorkload>& workload,
                                 const std::string& device);
// Returns the estimates as a sweep, for functions that plan with sweeps. Default: all modes. Leaves
// out batches that do not fit the board's memory; throws NotSupportedError if none fits.
Sweep estimate_sweep(const EstimateQuestion& question,
                     const std::shared_ptr<const workload::DeployedWorkload>& workload,
                     const std::string& device);
// Estimates on all boards. Rows are sorted by time per sample, with rows that exceed the memory of
// their board last. There are no rows if no board can run the model.
EstimateAnswer estimate_over_boards(
    const EstimateQuestion& question,
    const std::shared_ptr<const workload::DeployedWorkload>& workload);

// Estimates in all runtimes on one board, with rows sorted like those of estimate_over_boards().
// Empty `precisions`: the usual precisions of each runtime. Throws UsageError if the model has no
// kernels.
EstimateAnswer estimate_over_runtimes(
    const EstimateQuestion& question,
    const std::shared_ptr<const workload::DeployedWorkload>& workload, const std::string& device,
    const std::vector<workload::Precision>& precisions = {});

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
