// ridgewatt evaluate estimate: how far the twin is from measured sweeps, fitted and unseen.
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/evaluate/score_tables.h"

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
  const std::string provenance =
      command.shipped ? scored.summary.twin.provenance() : scored.summary.brief_report();
  if (context.json()) {
    return print(context, evaluate::named_tables_json(
                              {{"device", command.device}, {"provenance", provenance}}, tables));
  }
  if (!context.csv()) std::cout << escape_terminal(provenance) << "\n\n";
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
      "Fit the twin to sweeps and leave workloads, kinds and boards out in turn; errors, and what "
      "90 % intervals hold, with and without the rows that data quality suspects",
      "ridgewatt evaluate estimate --sweep resnet50.csv --sweep mobilenet_v3.csv --findings", run);
  add.text("--device", options.device, "Board whose twin is fitted");
  add.text("--sweep", options.sweeps,
           "FILE[,model=M][,workers=N][,loader-ms=X][,image=PIXELS][,device=BOARD], several times; "
           "of another board: judges how the twin carries over")
      ->required();
  auto* shipped =
      add.flag("--shipped", options.shipped, "Score the board file's twin, fit nothing");
  add.flag("--findings", options.findings,
           "Also: MAXN, energy over the GPU clock, tuning on the twin, race to halt");
  add.flag("--memory-levels", options.memory_levels,
           "Also: residuals by memory clock, and errors with numbers of its own for each")
      ->excludes(shipped);
}

}  // namespace ridgewatt::cli
