#include "ridgewatt/answer/calibrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ridgewatt/answer/board/time_unit.h"
#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/roofline/microbench_board.h"
#include "ridgewatt/sweep/board_fit.h"
#include "ridgewatt/sweep/quality.h"
#include "ridgewatt/twin/carry.h"
#include "ridgewatt/twin/published_runs.h"

namespace ridgewatt::answer {
namespace {

// The last folder and the file name of a path. Board files do not contain the rest of the path.
std::string short_path(const std::string& path) {
  const auto last = path.find_last_of('/');
  const auto before =
      last == std::string::npos || last == 0 ? last : path.find_last_of('/', last - 1);
  return before == std::string::npos ? path : path.substr(before + 1);
}

std::string short_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const auto& path : paths) names.push_back(short_path(split(path, ',').front()));
  return fmt::format("{}", fmt::join(names, ", "));
}

// "17515 rows", or "17515 rows, 60 of them fake".
std::string counted_rows(const std::vector<twin::CalibrationRun>& runs) {
  std::size_t rows = 0, fake = 0;
  for (const auto& run : runs) {
    rows += run.observations.size();
    fake += run.provenance == Provenance::kFake ? run.observations.size() : 0;
  }
  if (fake == rows) return counted(rows, "fake row");
  return counted(rows, "row") + (fake > 0 ? fmt::format(", {} of them fake,", fake) : "");
}

std::string sweep_origin(const CalibrateQuestion& question,
                         const std::vector<twin::CalibrationRun>& home) {
  std::string files;
  for (const auto& sweep : question.sweeps) {
    files += (files.empty() ? "" : ", ") + short_path(split(sweep, ',').front());
    const std::string device = twin::parse_sweep_spec(sweep).device;
    if (!device.empty()) files += " on " + device;
  }
  return fmt::format("{}, {} of {}; ridgewatt calibrate --device {}", today_text(),
                     counted_rows(home), files, question.device);
}

// Throws if trusted rows of the sweeps of `board` state another board or have clocks of another.
void require_rows_of_board(const CalibrateQuestion& question, const Board& board) {
  for (const auto& spec : twin::parse_sweep_specs(question.sweeps)) {
    if (!spec.device.empty() && spec.device != board.name) continue;
    for (const auto& sweep : read_sweeps(spec.path)) {
      Sweep rows = trusted_rows(sweep, check_quality(sweep));
      fit_to_board(rows, board);
    }
  }
}

void require_plausible_times(const twin::Twin& start,
                             const std::vector<twin::CalibrationRun>& runs) {
  std::map<std::string, std::vector<double>> ratios;
  for (const auto& run : runs) {
    const twin::Estimator estimator(start, run.cost, run.options);
    for (const auto& row : run.observations) {
      const double modelled_s = estimator(row.point.mode).like(row).time_s;
      if (modelled_s > 0) ratios[run.workload].push_back(row.time_s / modelled_s);
    }
  }
  for (const auto& [workload, of_rows] : ratios) {
    if (const auto fault = time_unit_fault(of_rows, workload); !fault.empty()) {
      throw InputError(fault, "", "check the unit of time_ms, and the model (model=M)");
    }
  }
}

// The checks that a sweep must pass before the fit.
void check_rows(const CalibrateQuestion& question, const Board& board, const twin::Twin& start,
                const std::vector<twin::CalibrationRun>& home) {
  twin::check_calibration_rows(start, home);
  require_rows_of_board(question, board);
  require_plausible_times(start, home);
}

std::vector<FittedModel> fitted_models(const std::vector<twin::CalibrationRun>& runs) {
  std::vector<FittedModel> models;
  for (const auto& run : runs) {
    const auto same = [&](const FittedModel& one) {
      return one.workload == run.workload && one.model == run.cost->name &&
             one.runtime == run.cost->runtime && one.precision == run.cost->precision;
    };
    if (std::ranges::any_of(models, same)) continue;
    models.push_back({run.workload, run.cost->name, run.cost->runtime, run.cost->precision});
  }
  return models;
}

roofline::MicrobenchFile read_point_files(const std::vector<std::string>& paths) {
  roofline::MicrobenchFile all = roofline::read_microbench(paths.front());
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const auto file = roofline::read_microbench(paths[i]);
    if (file.target != all.target) {
      throw UsageError("the file mixes points of the CPU and of a GPU", paths[i],
                       "calibrate the CPU and the GPU separately");
    }
    all.points.insert(all.points.end(), file.points.begin(), file.points.end());
  }
  return all;
}

MeasuredRoofs measured_roofs(const CalibrateQuestion& question,
                             const roofline::MicrobenchFile& file,
                             const std::vector<roofline::MicrobenchFit>& fits) {
  MeasuredRoofs roofs;
  roofs.target = file.target;
  roofs.machine = file.machine;
  roofs.origin = fmt::format("{}, {} of {}; ridgewatt calibrate --microbench --device {}",
                             today_text(), counted(file.points.size(), "point"),
                             short_paths(question.microbench), question.device);
  for (const auto& fit : fits) roofs.modes.push_back(fit.ceilings);
  return roofs;
}

std::vector<twin::Evidence> load_evidence(const CalibrateQuestion& question, const Board& board) {
  std::vector<twin::Evidence> evidence;
  for (const auto& path : question.evidence) {
    const auto rows = path == "published" ? twin::published_evidence(board.name)
                                          : twin::parse_evidence(read_file(path), path);
    for (const auto& row : rows) {
      if (row.board == board.name) evidence.push_back(row);
    }
  }
  if (evidence.empty() && !question.evidence.empty()) {
    throw InputError("the evidence has no row of board " + board.name,
                     fmt::format("{}", fmt::join(question.evidence, ", ")),
                     "give evidence of this board, or another --device");
  }
  return evidence;
}

std::string board_origin(const CalibrateQuestion& question, const twin::BoardFit& fit,
                         const std::vector<twin::CalibrationRun>& home) {
  std::vector<std::string> parts;
  if (!fit.rows.empty()) {
    parts.push_back(
        fmt::format("{} ({})", counted(fit.rows.size(), "figure"), short_paths(question.evidence)));
  }
  if (!home.empty()) {
    parts.push_back(fmt::format("{} of {}", counted_rows(home), short_paths(question.sweeps)));
  }
  return fmt::format("{}, {}; ridgewatt calibrate --device {}", today_text(),
                     fmt::join(parts, " and "), question.device);
}

// The origin of a fitted runtime: its number of rows and their sources.
std::string runtime_origin(const std::vector<std::string>& paths,
                           const std::vector<twin::RuntimeRow>& rows, Runtime runtime) {
  std::size_t used = 0;
  std::set<std::string> sources;
  for (const auto& row : rows) {
    if (row.runtime() != runtime || row.judged_only()) continue;
    ++used;
    if (!row.source.empty()) sources.insert(row.source);
  }
  return fmt::format("{}, {} of {} ({}); ridgewatt calibrate --runtimes", today_text(),
                     counted(used, "row"), short_paths(paths), fmt::join(sources, ", "));
}

}  // namespace

std::string RoofCalibration::board_text() const {
  return board_toml_with_microbench(*board, roofs);
}

RoofCalibration calibrate_roofs(const CalibrateQuestion& question, RoofsOf of) {
  const roofline::MicrobenchFile file = read_point_files(question.microbench);
  RoofCalibration found;
  found.fits = roofline::fit_microbench_modes(file.points);
  if (of == RoofsOf::kBoard) {
    found.board = load_board(question.device);
    found.roofs = measured_roofs(question, file, found.fits);
    found.remarks = roofline::check_against_board(found.roofs, *found.board);
  }
  for (const auto& fit : found.fits) {
    for (const auto& notice : fit.notices) {
      found.remarks.push_back(describe(fit.mode) + ": " + notice);
    }
  }
  return found;
}

Board board_with_roofs(const CalibrateQuestion& question) {
  Board board = load_board(question.device);
  if (question.microbench.empty()) return board;
  const roofline::MicrobenchFile file = read_point_files(question.microbench);
  const MeasuredRoofs roofs =
      measured_roofs(question, file, roofline::fit_microbench_modes(file.points));
  const std::string bsp = board.bsp;
  board = parse_board(board_toml_with_microbench(board, roofs), board.source);
  board.bsp = bsp;
  return board;
}

std::string RuntimeCalibration::board_text() const {
  return board_toml_with_runtimes(board, tables);
}

RuntimeCalibration calibrate_runtimes(const CalibrateQuestion& question, bool quiet) {
  RuntimeCalibration found;
  found.board = load_board(question.device);
  twin::RuntimeRows rows =
      twin::load_runtime_rows(question.runtimes, found.board.discrete_gpu ? found.board.soc : "");
  if (rows.rows.empty()) {
    throw UsageError("no row of the file can be used", short_paths(question.runtimes),
                     rows.left_out.empty()
                         ? "it has no rows"
                         : rows.left_out.front().label + ": " + rows.left_out.front().reason);
  }
  twin::RuntimeFit fit = twin::fit_runtimes(rows.rows, {.quiet = quiet});
  for (auto& runtime : fit.twins) {
    if (!runtime.fitted()) continue;
    runtime.origin = runtime_origin(question.runtimes, rows.rows, runtime.runtime);
    found.tables[std::string(name_of(runtime.runtime))] = twin::runtime_table(runtime);
  }
  found.twins = std::move(fit.twins);
  found.left_out = std::move(rows.left_out);
  return found;
}

std::string BoardCalibration::board_text() const {
  TwinTable table = twin::twin_table(fit.twin, prior);
  if (has_roofs) table.texts["microbench"] = "taken into the fit";
  return board_toml_with_twin(board, table);
}

BoardCalibration calibrate_board(const CalibrateQuestion& question, const Board& board,
                                 std::uint64_t seed, bool quiet) {
  const auto evidence = load_evidence(question, board);
  const auto runs = twin::runs_at_home(
      twin::load_calibration_runs(twin::parse_sweep_specs(question.sweeps), board));
  Board unmeasured = board;  // without roofs, which are evidence, too
  unmeasured.microbench.reset();
  const bool own = evidence.empty() || board.name == twin::kReferenceBoard;
  BoardCalibration found;
  found.board = board;
  found.prior = own ? twin::load_twin(unmeasured) : twin::carried_twin(board);
  check_rows(question, board, found.prior, runs);
  twin::CalibrateOptions options;
  options.seed = seed;
  options.quiet = quiet;
  const auto measured = twin::microbench_observations(board);
  found.fit = twin::fit_board(found.prior, evidence, runs, options, measured);
  found.fit.twin.origin = board_origin(question, found.fit, runs);
  found.models = fitted_models(runs);
  found.has_figures = !evidence.empty();
  found.has_roofs = !measured.empty();
  return found;
}

std::string SweepCalibration::board_text() const {
  return board_toml_with_twin(board, twin::twin_table(summary.twin));
}

SweepCalibration calibrate_sweeps(const CalibrateQuestion& question, const Board& board,
                                  std::uint64_t seed, bool quiet) {
  twin::CalibrateOptions options;
  options.seed = seed;
  options.quiet = quiet;
  options.cross_validate = !question.no_validation;
  const auto runs = twin::load_calibration_runs(twin::parse_sweep_specs(question.sweeps), board);
  const auto home = twin::runs_at_home(runs);
  const twin::Twin start = twin::prior_twin(board);
  check_rows(question, board, start, home);
  SweepCalibration found{board, twin::calibrate(start, runs, options), fitted_models(home)};
  found.summary.twin.origin = sweep_origin(question, home);
  return found;
}

}  // namespace ridgewatt::answer
