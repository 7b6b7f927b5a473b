// Fits a board file to evidence: sweeps, published figures, microbenchmarks, or times in runtimes.
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
  std::string device = "agx-orin";
  std::vector<std::string> sweeps;      // FILE[,model=M]..
  std::vector<std::string> evidence;    // CSV files, or "published"
  std::vector<std::string> microbench;  // CSV files
  std::vector<std::string> runtimes;    // CSV files
  bool no_validation = false;
};

// Roofs from microbenchmarks.
struct RoofCalibration {
  std::optional<Board> board;  // empty: any machine
  MeasuredRoofs roofs;
  std::vector<roofline::MicrobenchFit> fits;
  std::vector<std::string> remarks;

  std::string board_text() const;  // needs `board`
};
enum class RoofsOf { kAnyMachine, kBoard };
// UsageError if the files are of different targets.
RoofCalibration calibrate_roofs(const CalibrateQuestion& question, RoofsOf of);
// The board with the roofs of the question, if there are any.
Board board_with_roofs(const CalibrateQuestion& question);

// The [runtime.NAME] tables of a board file.
struct RuntimeCalibration {
  Board board;
  twin::RuntimeTwins twins;
  std::map<std::string, TwinTable> tables;
  std::vector<twin::LeftOutRow> left_out;

  std::string board_text() const;
};
// UsageError without usable rows.
RuntimeCalibration calibrate_runtimes(const CalibrateQuestion& question);

// Any mix of figures, roofs and sweeps. With figures the fit starts from the twin of a related
// board, because the board's own twin may have been fitted to them; with sweeps from its own.
struct BoardCalibration {
  Board board;
  twin::Twin prior;
  twin::BoardFit fit;
  bool has_figures = false;
  bool has_roofs = false;

  std::string board_text() const;
};
BoardCalibration calibrate_board(const CalibrateQuestion& question, const Board& board,
                                 std::uint64_t seed);

// Sweeps of a board without a twin.
struct SweepCalibration {
  Board board;
  twin::CalibrateSummary summary;

  std::string board_text() const;
};
SweepCalibration calibrate_sweeps(const CalibrateQuestion& question, const Board& board,
                                  std::uint64_t seed, bool quiet);

// This machine's processor as a board: what its threads and memory reach and, where ONNX Runtime is
// found, how long three known models take in it. Sets no clocks.
struct LocalCalibrateQuestion {
  double seconds_per_point = 0.3;
  // The folder of run_onnx.js with its packages (tools/runtimes). Empty: $RIDGEWATT_RUNTIMES,
  // ./tools/runtimes, or next to the program's build; without one no model runs.
  std::string runner;
  // CSV files of runs, in place of running models: model, cpu_cores, batch, time_ms and, optional,
  // dims ("sequence=128").
  std::vector<std::string> runs;
  bool quiet = false;
};

struct LocalRun {
  std::string model;
  int threads = 1;
  int batch = 1;
  double time_s = 0;      // measured: a low quantile, since other programs only add to it
  double prior_s = 0;     // modelled by measured peaks and priors
  double modelled_s = 0;  // and by the fitted twin
};

struct LocalCalibration {
  Board board;  // with its twin
  twin::CpuTwin prior, twin;
  std::vector<LocalRun> runs;
  std::vector<std::string> remarks;

  const std::string& board_text() const { return board.toml; }
};

// The models that run where ONNX Runtime is found, with their open extents.
struct CalibrationModel {
  std::string_view name;  // of the zoo
  std::string_view dims;  // "sequence=128", or empty
};
inline constexpr CalibrationModel kCalibrationModels[] = {
    {"resnet50", ""}, {"mobilenet_v3_large", ""}, {"bert_base", "sequence=128"}};

// Throws the errors of microbenchmarks; NotFoundError for a runner that was named and is not there,
// InputError for a wrong CSV file. A model that cannot run is a remark.
LocalCalibration calibrate_local(const LocalCalibrateQuestion& question);
// Writes the board to local_board_path(), from where every question about "local" reads it, and
// returns the path. NotFoundError without a folder, IoError.
std::string keep_local_board(const LocalCalibration& found);

}  // namespace ridgewatt::answer
