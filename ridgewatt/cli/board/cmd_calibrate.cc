// ridgewatt calibrate: fit a board's twin to sweeps, or energy rooflines to microbenchmarks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ctime>
#include <map>
#include <optional>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/report/calibrate_report.h"
#include "ridgewatt/roofline/microbench_board.h"
#include "ridgewatt/twin/board_fit.h"
#include "ridgewatt/twin/carry.h"
#include "ridgewatt/twin/published_runs.h"
#include "ridgewatt/twin/runtime_fit.h"

namespace ridgewatt::cli {
namespace {

struct CalibrateCommand {
  std::string device = "agx-orin";
  std::vector<std::string> sweeps;
  std::vector<std::string> evidence;
  std::vector<std::string> microbench;
  std::string runtimes;
  std::string output;
  bool no_validation = false;
  bool parameters = false;
};

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

// A file and the folder that it lies in: where the user keeps them is nobody's business.
std::string short_path(const std::string& path) {
  const auto last = path.find_last_of('/');
  const auto before =
      last == std::string::npos || last == 0 ? last : path.find_last_of('/', last - 1);
  return before == std::string::npos ? path : path.substr(before + 1);
}

std::string origin(const CalibrateCommand& command, const twin::CalibrateSummary& summary) {
  std::string files;
  std::size_t rows = 0;
  for (const auto& sweep : command.sweeps) {
    files += (files.empty() ? "" : ", ") + short_path(split(sweep, ',').front());
    const std::string device = twin::parse_sweep_spec(sweep).device;
    if (!device.empty()) files += " on " + device;
  }
  for (const auto& fit : summary.workloads) rows += fit.rows;
  return fmt::format("{}, {} rows of {}; ridgewatt calibrate --device {}", today(), rows, files,
                     command.device);
}

roofline::MicrobenchFile read_point_files(const std::vector<std::string>& paths) {
  roofline::MicrobenchFile all = roofline::read_microbench(paths.front());
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const auto file = roofline::read_microbench(paths[i]);
    if (file.target != all.target) {
      throw UsageError("the points are of the processor and of a GPU", paths[i],
                       "calibrate each by itself");
    }
    all.points.insert(all.points.end(), file.points.begin(), file.points.end());
  }
  return all;
}

MeasuredRoofs measured_roofs(const CalibrateCommand& command, const roofline::MicrobenchFile& file,
                             const std::vector<roofline::MicrobenchFit>& fits) {
  std::vector<std::string> files;
  for (const auto& path : command.microbench) files.push_back(short_path(path));
  MeasuredRoofs roofs;
  roofs.target = file.target;
  roofs.machine = file.machine;
  roofs.origin = fmt::format("{}, {} points of {}; ridgewatt calibrate --microbench --device {}",
                             today(), file.points.size(), fmt::join(files, ", "), command.device);
  for (const auto& fit : fits) roofs.modes.push_back(fit.ceilings);
  return roofs;
}

// The board with the roofs of --microbench, for a fit that joins them with other evidence.
Board board_with_roofs(const CalibrateCommand& command) {
  Board board = load_board(command.device);
  if (command.microbench.empty()) return board;
  const roofline::MicrobenchFile file = read_point_files(command.microbench);
  const MeasuredRoofs roofs =
      measured_roofs(command, file, roofline::fit_microbench_modes(file.points));
  const std::string bsp = board.bsp;
  board = parse_board(board_toml_with_microbench(board, roofs), board.source);
  board.bsp = bsp;
  return board;
}

// Roofs, measured: printed, and put into a board file.
void calibrate_microbench(const Context& context, const CalibrateCommand& command,
                          const CLI::App& app) {
  refuse_without_effect(app, {"--no-validation", "--parameters"}, "with --microbench",
                        "they belong to sweeps (--sweep)");
  const bool of_board = app.count("--device") > 0;
  if (!command.output.empty() && !of_board) {
    throw UsageError("no board to write the roofs for", "--output " + command.output,
                     "give --device NAME or a board file; without -o the roofs of any machine are "
                     "printed");
  }
  const roofline::MicrobenchFile file = read_point_files(command.microbench);
  const auto fits = roofline::fit_microbench_modes(file.points);
  std::optional<Board> board;
  MeasuredRoofs roofs;
  std::vector<std::string> remarks;
  if (of_board) {
    board = load_board(command.device);
    roofs = measured_roofs(command, file, fits);
    remarks = roofline::check_against_board(roofs, *board);
  }
  for (const auto& fit : fits) {
    for (const auto& notice : fit.notices) remarks.push_back(describe(fit.mode) + ": " + notice);
  }
  for (const auto& line : remarks) remark(context, line);
  if (!command.output.empty()) {
    write_output(command.output, board_toml_with_microbench(*board, roofs));
    if (command.output == "-") return;
  }
  print(context, report::microbench_table(fits));
}

// The [runtime.NAME] tables of a board file, from public rows or a user's own.
void calibrate_runtimes(const Context& context, const CalibrateCommand& command,
                        const CLI::App& app) {
  refuse_without_effect(app, {"--no-validation", "--parameters"}, "with --runtimes",
                        "models, boards and precisions are always left out in turn");
  const Board board = load_board(command.device);
  const twin::RuntimeRows rows = twin::load_runtime_rows(command.runtimes);
  if (rows.rows.empty()) throw UsageError("no row of the file can be used", command.runtimes);
  twin::RuntimeFit fit = twin::fit_runtimes(rows.rows);
  std::map<std::string, TwinTable> tables;
  for (auto& runtime : fit.twins) {
    if (!runtime.fitted()) continue;
    std::size_t used = 0;
    std::set<std::string> sources;
    for (const auto& row : rows.rows) {
      if (row.runtime() != runtime.runtime) continue;
      ++used;
      if (!row.source.empty()) sources.insert(row.source);
    }
    runtime.origin = fmt::format("{}, {} rows of {} ({}); ridgewatt calibrate --runtimes", today(),
                                 used, short_path(command.runtimes), fmt::join(sources, ", "));
    tables[std::string(name_of(runtime.runtime))] = twin::runtime_table(runtime);
  }
  for (const auto& row : rows.left_out) {
    remark(context, fmt::format("not used: {}: {}", row.label, row.reason));
  }
  if (!command.output.empty()) {
    write_output(command.output, board_toml_with_runtimes(board, tables));
    if (command.output == "-") return;
  }
  const report::Table parameters = report::runtime_parameter_table(fit.twins);
  if (!context.json()) return print(context, parameters);
  print(context, Json{{"device", command.device},
                      {"parameters", parameters.to_json()},
                      {"left_out", report::runtime_left_out_table(rows.left_out).to_json()}});
}

std::vector<twin::Evidence> load_evidence(const CalibrateCommand& command, const Board& board) {
  std::vector<twin::Evidence> evidence;
  for (const auto& path : command.evidence) {
    const auto rows = path == "published" ? twin::published_evidence(board.name)
                                          : twin::parse_evidence(read_file(path), path);
    for (const auto& row : rows) {
      if (row.board == board.name) evidence.push_back(row);
    }
  }
  if (evidence.empty() && !command.evidence.empty()) {
    throw InputError("no figure of this board: " + board.name,
                     fmt::format("{}", fmt::join(command.evidence, ", ")));
  }
  return evidence;
}

std::string board_origin(const CalibrateCommand& command, const twin::BoardFit& fit,
                         std::size_t sweep_rows) {
  std::vector<std::string> parts;
  if (!fit.rows.empty()) {
    std::vector<std::string> files;
    for (const auto& path : command.evidence) files.push_back(short_path(path));
    parts.push_back(fmt::format("{} figures ({})", fit.rows.size(), fmt::join(files, ", ")));
  }
  if (sweep_rows > 0) {
    std::vector<std::string> files;
    for (const auto& sweep : command.sweeps) files.push_back(short_path(split(sweep, ',').front()));
    parts.push_back(fmt::format("{} rows of {}", sweep_rows, fmt::join(files, ", ")));
  }
  return fmt::format("{}, {}; ridgewatt calibrate --device {}", today(), fmt::join(parts, " and "),
                     command.device);
}

// Any mix of figures, roofs and sweeps, from the twin that there is: with figures the relative's,
// as a board's own twin may have been fitted to them; with sweeps alone its own.
void calibrate_board(const Context& context, const CalibrateCommand& command, const Board& board) {
  const auto evidence = load_evidence(command, board);
  std::vector<twin::SweepSpec> specs;
  for (const auto& sweep : command.sweeps) specs.push_back(twin::parse_sweep_spec(sweep));
  const auto runs = twin::runs_at_home(twin::load_calibration_runs(specs, board));
  Board unmeasured = board;  // its roofs are evidence, too
  unmeasured.microbench.reset();
  const bool own = evidence.empty() || board.name == twin::kReferenceBoard;
  const twin::Twin prior = own ? twin::load_twin(unmeasured) : twin::carried_twin(board);
  twin::check_calibration_rows(prior, runs);
  twin::CalibrateOptions options;
  options.seed = context.seed;
  const auto measured = twin::microbench_observations(board);
  twin::BoardFit fit = twin::fit_board(prior, evidence, runs, options, measured);
  std::size_t sweep_rows = 0;
  for (const auto& run : runs) sweep_rows += run.observations.size();
  fit.twin.origin = board_origin(command, fit, sweep_rows);
  if (!fit.search.converged) remark(context, "the fit did not converge: its last step is used");
  if (!command.output.empty()) {
    TwinTable table = twin::twin_table(fit.twin, prior);
    if (!measured.empty()) table.texts["microbench"] = "taken into the fit";
    write_output(command.output, board_toml_with_twin(board, table));
    if (command.output == "-") return;
  }
  const report::Table figures = report::evidence_table(fit);
  const report::Table parameters = report::board_parameter_table(fit.twin, prior);
  if (context.json()) {
    return print(context, Json{{"device", command.device},
                               {"converged", fit.search.converged},
                               {"figures", figures.to_json()},
                               {"parameters", parameters.to_json()}});
  }
  if (context.csv()) return print(context, parameters);
  print(context, evidence.empty() ? parameters : figures);
  if (evidence.empty()) return;
  std::cout << "\nWhat the evidence tells of the parameters:\n\n";
  print_aside(context, parameters);
}

void print_summary(const Context& context, const CalibrateCommand& command,
                   const twin::CalibrateSummary& summary) {
  if (context.json()) {
    Json json;
    json["device"] = command.device;
    json["summary"] = summary.brief_report();
    json["converged"] = summary.search.converged;
    json["fit"] = report::fit_table(summary, true).to_json();
    json["parameters"] = report::parameter_table(summary.twin).to_json();
    json["outliers"] = report::outlier_table(summary).to_json();
    json["notices"] = summary.notices;
    return print(context, json);
  }
  if (context.csv()) return print(context, report::parameter_table(summary.twin));
  std::cout << summary.brief_report() << "\n\n";
  print(context, report::fit_table(summary, true));
  if (command.parameters) {
    std::cout << '\n';
    print_aside(context, report::parameter_table(summary.twin));
  }
  std::cout << "\nRows that the twin explains worst:\n\n";
  print_aside(context, report::outlier_table(summary));
}

void run(const Context& context, const CalibrateCommand& command, const CLI::App& app) {
  const bool fits = !command.sweeps.empty() || !command.evidence.empty();
  const bool roofs = !command.microbench.empty();
  if (command.runtimes.empty() ? !fits && !roofs : fits || roofs) {
    throw UsageError("calibrate needs sweeps, figures and microbenchmarks, or rows of runtimes", "",
                     "--sweep FILE..., --evidence FILE, --microbench FILE; or --runtimes FILE");
  }
  if (!command.runtimes.empty()) return calibrate_runtimes(context, command, app);
  if (!fits) return calibrate_microbench(context, command, app);
  const Board board = board_with_roofs(command);
  const bool has_twin = !board.twin.numbers.empty() && board.name != twin::kReferenceBoard;
  if (!command.evidence.empty() || roofs || has_twin) {
    refuse_without_effect(app, {"--no-validation"}, "here",
                          "a board that starts from another twin is not left out of it");
    return calibrate_board(context, command, board);
  }
  std::vector<twin::SweepSpec> specs;
  for (const auto& sweep : command.sweeps) specs.push_back(twin::parse_sweep_spec(sweep));
  twin::CalibrateOptions options;
  options.seed = context.seed;
  options.quiet = context.quiet;
  options.cross_validate = !command.no_validation;
  twin::CalibrateSummary summary =
      twin::calibrate(twin::prior_twin(board), twin::load_calibration_runs(specs, board), options);
  summary.twin.origin = origin(command, summary);
  for (const auto& notice : summary.notices) remark(context, notice);
  if (!command.output.empty()) {
    write_output(command.output, board_toml_with_twin(board, twin::twin_table(summary.twin)));
    if (command.output == "-") return;
  }
  print_summary(context, command, summary);
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "calibrate", "Fit a board's twin to sweeps, microbenchmarks or runtimes",
      "ridgewatt calibrate --device agx-orin --sweep a.csv --sweep b.csv,model=b.onnx "
      "-o board.toml");
  auto options = std::make_shared<CalibrateCommand>();
  command->add_option("--device", options->device, "Board or board file that is fitted");
  command
      ->add_option(
          "--sweep", options->sweeps,
          "FILE[,model=M][,workers=N][,loader-ms=X][,image=PIXELS][,runtime=NAME][,device=BOARD], "
          "several times; of another board: for the intervals of scaled twins alone")
      ->allow_extra_args(false);
  command
      ->add_option("--evidence", options->evidence,
                   "'published', or a CSV file of single figures of the board, several times")
      ->allow_extra_args(false);
  input_file(
      command
          ->add_option("--microbench", options->microbench,
                       "CSV of `microbench`, several times: its roofs go into the board file")
          ->allow_extra_args(false));
  input_file(command->add_option("--runtimes", options->runtimes,
                                 "CSV of measured times in runtimes, as evaluate runtimes reads"));
  output_file(
      command->add_option("-o,--output", options->output, "Board file with what was fitted"));
  command->add_flag("--no-validation", options->no_validation, "Skip leave-one-workload-out");
  command->add_flag("--parameters", options->parameters, "Also print the parameters");
  command->callback([&context, options, command] { run(context, *options, *command); });
}

}  // namespace ridgewatt::cli
