// Fits a board file to measurements: sweeps, published figures, microbenchmarks, or runs in several
// runtimes.
//
//   const SweepCalibration found = calibrate_sweeps(question, board);
//   found.board_text();  // the board file with the fitted twin
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/roofline/microbench_fit.h"
#include "ridgewatt/twin/board_fit.h"
#include "ridgewatt/twin/calibrate.h"
#include "ridgewatt/twin/cpu_twin.h"
#include "ridgewatt/twin/runtime_fit.h"

namespace ridgewatt::answer {

struct CalibrateQuestion {
  std::string device = "agx-orin";      // name or board file
  std::vector<std::string> sweeps;      // FILE[,model=M]... of each sweep
  std::vector<std::string> evidence;    // CSV files, or "published" for the built-in figures
  std::vector<std::string> microbench;  // CSV files of microbenchmark points
  std::vector<std::string> runtimes;    // CSV files of measured times in several runtimes
  bool no_validation = false;           // skips the cross-validation of calibrate_sweeps()
};

// Rooflines fitted to microbenchmarks.
struct RoofCalibration {
  std::optional<Board> board;  // absent for RoofsOf::kAnyMachine
  MeasuredRoofs roofs;
  std::vector<roofline::MicrobenchFit> fits;
  std::vector<std::string> remarks;

  std::string board_text() const;  // requires `board`
};
enum class RoofsOf { kAnyMachine, kBoard };
// Fits `question.microbench`, which must not be empty. kBoard also loads the board of the question
// and compares the fit with it. Throws UsageError if some files come from the CPU and others from a
// GPU.
RoofCalibration calibrate_roofs(const CalibrateQuestion& question, RoofsOf of);
// Returns the board of the question, with rooflines fitted to the microbenchmarks if the question
// has any.
Board board_with_roofs(const CalibrateQuestion& question);

// Fitted [runtime.NAME] tables of a board file.
struct RuntimeCalibration {
  Board board;
  twin::RuntimeTwins twins;
  std::map<std::string, TwinTable> tables;
  std::vector<twin::LeftOutRow> left_out;

  std::string board_text() const;
};
// Fits `question.runtimes`. Throws UsageError if no row can be used.
RuntimeCalibration calibrate_runtimes(const CalibrateQuestion& question, bool quiet);

// The model that the rows of a workload were compared with.
struct FittedModel {
  std::string workload;  // name and kind of the rows
  std::string model;
  Runtime runtime = Runtime::kPytorchEager;
  workload::Precision precision = workload::Precision::kFp32;
};

// A twin fitted to any mix of published figures, rooflines and sweeps. With published figures, the
// fit starts from the twin of a related board, because the board's own twin may have been fitted to
// the same figures. Otherwise it starts from the board's own twin.
struct BoardCalibration {
  Board board;
  twin::Twin prior;
  twin::BoardFit fit;
  std::vector<FittedModel> models;  // of the sweeps
  bool has_figures = false;         // uses published figures
  bool has_roofs = false;           // uses the board's microbenchmarks

  std::string board_text() const;
};
// Throws InputError for rows that do not belong to the board, and for times that cannot be in the
// unit of their column. calibrate_sweeps() throws the same errors.
BoardCalibration calibrate_board(const CalibrateQuestion& question, const Board& board,
                                 std::uint64_t seed, bool quiet);

// A twin fitted to sweeps of a board that has none yet.
struct SweepCalibration {
  Board board;
  twin::CalibrateSummary summary;
  std::vector<FittedModel> models;

  std::string board_text() const;
};
SweepCalibration calibrate_sweeps(const CalibrateQuestion& question, const Board& board,
                                  std::uint64_t seed, bool quiet);

// Parameters of calibrate_local(), which fits a board file to the CPU of this machine. It measures
// the peaks of threads and memory. It also measures the times of kCalibrationModels in ONNX Runtime
// and TensorFlow Lite, as far as these are found. It sets no clocks.
struct LocalCalibrateQuestion {
  double seconds_per_point = 0.3;
  // Folder that contains run_onnx.js and its packages (tools/runtimes). Empty: $RIDGEWATT_RUNTIMES,
  // ./tools/runtimes, or the folder next to the program's build. If none exists, no model runs.
  std::string runner;
  // CSV files of earlier runs, which replace running the models. Columns: model, cpu_cores, batch,
  // time_ms and optionally dims ("sequence=128") and runtime (default: onnxruntime-cpu).
  std::vector<std::string> runs;
  bool quiet = false;  // prints no progress
};

struct LocalRun {
  std::string model;
  std::string runtime;
  int threads = 1;
  int batch = 1;
  double time_s = 0;      // measured: a low quantile, since other programs only add time
  double prior_s = 0;     // estimate from measured peaks and default constants
  double modelled_s = 0;  // estimate from the fitted twin
};

struct LocalCalibration {
  Board board;  // with the fitted twin
  twin::CpuTwin prior, twin;
  std::vector<LocalRun> runs;
  std::vector<std::string> remarks;

  const std::string& board_text() const { return board.toml; }
};

// A model that is measured, with the values of its symbolic dimensions.
struct CalibrationModel {
  std::string_view name;  // in the zoo
  std::string_view dims;  // "sequence=128"; empty: none
  Runtime runtime = Runtime::kOnnxRuntimeCpu;
};
inline constexpr CalibrationModel kCalibrationModels[] = {
    {"resnet50", ""},
    {"mobilenet_v3_large", ""},
    {"bert_base", "sequence=128"},
    {"resnet50", "", Runtime::kTfliteCpu},
    {"mobilenet_v3_large", "", Runtime::kTfliteCpu}};

// Throws the errors of microbenchmarks, NotFoundError if `runner` is set and does not exist, and
// InputError for an invalid CSV file. If a model cannot run, the result has a remark.
LocalCalibration calibrate_local(const LocalCalibrateQuestion& question);
// Writes the board file to local_board_path() and returns that path. Every question about "local"
// reads it. Throws NotFoundError if the path is unknown, IoError if writing fails.
std::string keep_local_board(const LocalCalibration& found);

}  // namespace ridgewatt::answer
