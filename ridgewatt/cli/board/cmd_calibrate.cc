// ridgewatt calibrate: fit a board's twin to sweeps, or energy rooflines to microbenchmarks.
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/report/calibrate_report.h"

namespace ridgewatt::cli {
namespace {

struct CalibrateCommand {
  answer::CalibrateQuestion question;
  std::string runner;
  double seconds = 0.3;
  std::string output;
  bool parameters = false;
};

// Writes the board file. If the file is not standard output, also prints the result.
template <class Found>
void finish(const Context& context, const CalibrateCommand& command, const Found& found,
            const report::Result& result) {
  check_table_options(context, result);
  if (!command.output.empty()) {
    write_output(command.output, found.board_text());
    if (command.output == "-") return;
  }
  print(context, result);
}

void calibrate_microbench(const Context& context, const CalibrateCommand& command,
                          const CLI::App& app) {
  refuse_without_effect(app, {"--no-validation", "--parameters"}, "with --microbench",
                        "they belong to sweeps (--sweep)");
  const bool of_board = app.count("--device") > 0;
  if (!command.output.empty() && !of_board) {
    throw UsageError("--output needs a board, because it writes a board file", "",
                     "give --device NAME or a board file, or omit -o to print the roofs");
  }
  const auto found = answer::calibrate_roofs(
      command.question, of_board ? answer::RoofsOf::kBoard : answer::RoofsOf::kAnyMachine);
  for (const auto& line : found.remarks) remark(context, line);
  finish(context, command, found, {report::microbench_table(found.fits)});
}

void calibrate_runtimes(const Context& context, const CalibrateCommand& command,
                        const CLI::App& app) {
  refuse_without_effect(app, {"--no-validation", "--parameters"}, "with --runtimes",
                        "models, boards and precisions are always left out in turn");
  const auto found = answer::calibrate_runtimes(command.question, context.quiet);
  for (const auto& row : found.left_out) {
    remark(context, fmt::format("not used: {}: {}", row.label, row.reason));
  }
  finish(context, command, found, report::runtime_fit_result(found, command.question.device));
}

void calibrate_local(const Context& context, const CalibrateCommand& command, const CLI::App& app) {
  refuse_without_effect(
      app, {"--sweep", "--evidence", "--microbench", "--no-validation", "--parameters"},
      "with --device local", "the machine is measured now; give runs of models with --runtimes");
  check_table_options(context, report::local_calibration_result({}));
  const auto found = answer::calibrate_local({.seconds_per_point = command.seconds,
                                              .runner = command.runner,
                                              .runs = command.question.runtimes,
                                              .quiet = context.quiet});
  for (const auto& line : found.remarks) remark(context, line);
  finish(context, command, found, report::local_calibration_result(found));
  if (!command.output.empty()) return;
  remark(context, "--device local now means this machine's processor, described by " +
                      answer::keep_local_board(found));
}

void run(const Context& context, const CalibrateCommand& command, const CLI::App& app) {
  const answer::CalibrateQuestion& question = command.question;
  if (question.device == "local") return calibrate_local(context, command, app);
  refuse_without_effect(app, {"--runner", "--seconds"}, "without --device local");
  const bool fits = !question.sweeps.empty() || !question.evidence.empty();
  const bool roofs = !question.microbench.empty();
  if (question.runtimes.empty() ? !fits && !roofs : fits || roofs) {
    throw UsageError(
        "calibrate needs data for the fit", "",
        "give --sweep FILE, --evidence FILE or --microbench FILE, or only --runtimes FILE");
  }
  if (!question.runtimes.empty()) return calibrate_runtimes(context, command, app);
  if (!fits) return calibrate_microbench(context, command, app);
  const Board board = answer::board_with_roofs(question);
  const bool has_twin = !board.twin.numbers.empty() && board.name != twin::kReferenceBoard;
  // These fits start from another twin and fit time and power together: under the power limit of
  // a discrete GPU, time depends on power.
  if (!question.evidence.empty() || roofs || has_twin || board.discrete_gpu) {
    refuse_without_effect(app, {"--no-validation"}, "on this fit",
                          "it starts from an existing twin, and no workload is left out in turn");
    const auto found = answer::calibrate_board(question, board, context.seed, context.quiet);
    if (!found.fit.search.converged) {
      remark(context, "the fit did not converge; its last iteration is used");
    }
    return finish(context, command, found, report::board_fit_result(found, question.device));
  }
  const auto found = answer::calibrate_sweeps(question, board, context.seed, context.quiet);
  for (const auto& notice : found.summary.notices) remark(context, notice);
  finish(context, command, found,
         report::calibrate_result(found, question.device, command.parameters));
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<CalibrateCommand>(
      app, context, "calibrate", "Fit a board's twin to sweeps, microbenchmarks or runtimes",
      "ridgewatt calibrate --device agx-orin --sweep a.csv --sweep b.csv,model=b.onnx "
      "-o board.toml\n  ridgewatt calibrate --device local -o here.toml",
      run);
  auto& asked = options.question;
  add.words(
      "--device", asked.device, {answer::boards, answer::local_board},
      "Board or board file whose twin is fitted; local: measure this machine's processor now");
  add.repeated(
      "--sweep", asked.sweeps,
      "FILE[,model=M][,workers=N][,loader-ms=X][,image=PIXELS][,runtime=NAME]"
      "[,precision=NAME][,input=PLACE][,device=BOARD]: sweep to fit to; a "
      "sweep of another board (device=BOARD) is used only for the intervals of scaled twins");
  add.repeated("--evidence", asked.evidence,
               "'published', or a CSV file of single measured values of the board");
  add.inputs("--microbench", asked.microbench,
             "CSV that `microbench` wrote; its roofs are written to the board file");
  add.inputs("--runtimes", asked.runtimes,
             "CSV of times measured in runtimes, in the format that `evaluate runtimes` reads");
  add.text("--runner", options.runner,
           "With --device local: folder of run_onnx.js and its packages [tools/runtimes]");
  add.number("--seconds", options.seconds, seconds().within(0.01, 10),
             "With --device local: seconds per microbenchmark");
  add.output("-o,--output", options.output,
             "Board file to write, with the fitted values; default with --device local: the file "
             "that other commands read for --device local");
  add.flag("--no-validation", asked.no_validation,
           "Skip the validation that leaves out one workload at a time");
  add.flag("--parameters", options.parameters, "Also print the parameters");
}

}  // namespace ridgewatt::cli
