// ridgewatt evaluate estimate: errors of the twin on fitted sweeps and on held-out sweeps.
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateEstimate {
  std::string device = "agx-orin";
  std::vector<std::string> sweeps;
  bool shipped = false;
  bool findings = false;
  bool memory_levels = false;
};

void run(const Context& context, const EvaluateEstimate& command) {
  twin::CalibrateOptions options;
  options.seed = context.seed;
  options.quiet = context.quiet;
  const evaluate::ScoredTwin scored = evaluate::score_twin({.board = load_board(command.device),
                                                            .options = options,
                                                            .shipped = command.shipped,
                                                            .findings = command.findings,
                                                            .memory_levels = command.memory_levels},
                                                           command.sweeps);
  const auto tables = evaluate::estimate_tables(scored);
  const std::string ground =
      command.shipped ? scored.summary.twin.provenance() : scored.summary.brief_report();
  if (context.json()) {
    return print(context,
                 evaluate::named_tables_json({{"device", command.device},
                                              {"provenance", name_of(Provenance::kModelled)},
                                              {"ground", ground}},
                                             tables));
  }
  if (!context.csv()) std::cout << escape_terminal(ground) << "\n\n";
  for (const auto& [key, title, table] : tables) {
    const bool first = &table == &tables.front().table;
    if (!first) std::cout << '\n';
    if (!title.empty() && !context.csv()) std::cout << title << "\n\n";
    if (first)
      print(context, table);
    else
      print_aside(context, table);
  }
}

}  // namespace

void add_evaluate_estimate(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateEstimate>(
      evaluate, context, "estimate",
      "Errors of the twin on workloads, kinds and boards that are left out of the fit in turn, and "
      "the share of true values in its 90 % intervals, with and without flagged rows",
      "ridgewatt evaluate estimate --sweep resnet50.csv --sweep mobilenet_v3.csv --findings", run);
  add.board("--device", options.device, "Board whose twin is fitted");
  add.text("--sweep", options.sweeps,
           "FILE[,model=M][,workers=N][,loader-ms=X][,image=PIXELS][,device=BOARD]: "
           "sweep to fit to; a sweep of another board (device=BOARD) tests a scaled twin")
      ->required();
  auto* shipped =
      add.flag("--shipped", options.shipped, "Score the twin of the board file, without a fit");
  add.flag("--findings", options.findings,
           "Also score MAXN, energy as a function of the GPU clock, tuning on the twin, and race "
           "to halt");
  add.flag("--memory-levels", options.memory_levels,
           "Also print the residuals by memory clock, and the errors with separate parameters for "
           "each memory clock")
      ->excludes(shipped);
}

}  // namespace ridgewatt::cli
