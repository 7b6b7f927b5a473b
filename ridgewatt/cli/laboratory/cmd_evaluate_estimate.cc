// ridgewatt evaluate estimate: how far the twin is from measured sweeps, fitted and unseen.
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/report/calibrate_report.h"
#include "ridgewatt/sweep/mode_list.h"
#include "ridgewatt/twin/published_runs.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateEstimate {
  std::string device = "agx-orin";
  std::vector<std::string> sweeps;
  bool shipped = false;
  bool findings = false;
  bool memory_levels = false;
};

struct NamedTable {
  std::string key;    // in JSON
  std::string title;  // above it, for people
  report::Table table;
};

// Details with trusted rows, of the twin that is fitted to all workloads and, where there are some,
// of those that did not see the workload; counts also with the rows that data quality suspects.
void add_findings(const twin::CalibrateSummary& summary,
                  const std::vector<twin::CalibrationRun>& runs, std::vector<NamedTable>& tables) {
  std::vector<report::CountedFindings> counted;
  for (const bool all_rows : {false, true}) {
    const std::string rows = all_rows ? "all" : "trusted";
    const auto fitted = evaluate::find_findings(summary.twin, runs, all_rows);
    const auto unseen = evaluate::find_unseen_findings(summary, runs, all_rows);
    counted.push_back({"fitted", rows, evaluate::count_findings(fitted)});
    if (!unseen.empty()) counted.push_back({"unseen", rows, evaluate::count_findings(unseen)});
    const auto neighbors = evaluate::find_neighbor_findings(runs, all_rows);
    counted.push_back({"none: the row's neighbors", rows, evaluate::count_findings(neighbors)});
    if (all_rows) continue;
    tables.push_back({"findings", "Fitted to all workloads, looked up in trusted rows:",
                      report::findings_table(fitted)});
    if (unseen.empty()) continue;
    tables.push_back(
        {"unseen_findings", "Fitted without the workload:", report::findings_table(unseen)});
  }
  tables.push_back({"findings_count", "Counted:", report::findings_count_table(counted)});
}

// MAXN's profile and three of candidates; and how far is looked for more.
constexpr std::size_t kUsualProfiles = 4;
constexpr int kMostProfiles = 12;

// Tuning that profiles, on trusted rows.
void add_verified(const twin::CalibrateSummary& summary,
                  const std::vector<twin::CalibrationRun>& runs, std::vector<NamedTable>& tables) {
  const auto fitted = evaluate::find_verified_tuning(summary.twin, runs, kMostProfiles);
  const auto unseen = evaluate::find_unseen_verified_tuning(summary, runs, kMostProfiles);
  std::vector<report::CountedVerified> counted = {{"fitted", evaluate::count_verified(fitted)}};
  if (!unseen.empty()) {
    counted.push_back({"unseen", evaluate::count_verified(unseen)});
    tables.push_back({"unseen_verified",
                      "Tuning with four profiles, MAXN's counted, fitted without the workload:",
                      report::verified_table(unseen, kUsualProfiles)});
  }
  tables.push_back({"verified_count", "Tuning with profiles, counted over trusted rows:",
                    report::verified_count_table(counted)});
}

// Where the twins that did not see a workload are off by memory clock, and whether numbers of its
// own for each clock would help.
void add_memory_levels(const twin::Twin& start, const twin::CalibrateSummary& summary,
                       const std::vector<twin::CalibrationRun>& runs,
                       const twin::CalibrateOptions& options, std::vector<NamedTable>& tables) {
  const auto scores = evaluate::score_memory_levels(start, runs, summary.left_out, options);
  tables.push_back({"memory_levels", "By memory clock, fitted without the workload:",
                    report::memory_level_table(scores)});
  tables.push_back({"memory_forms",
                    "Errors without the workload where each memory clock has nothing of its own, "
                    "factors, terms or a twin:",
                    report::memory_form_table(evaluate::mean_over_levels(scores))});
}

void run(const Context& context, const EvaluateEstimate& command) {
  const Board board = load_board(command.device);
  std::vector<twin::SweepSpec> specs;
  for (const auto& sweep : command.sweeps) specs.push_back(twin::parse_sweep_spec(sweep));
  const auto all = twin::load_calibration_runs(specs, board);
  const auto runs = twin::runs_at_home(all);
  twin::require_trusted_rows(runs);
  twin::CalibrateOptions options;
  options.seed = context.seed;
  options.quiet = context.quiet;
  options.coverage = true;
  const twin::Twin start = twin::prior_twin(board);
  twin::CalibrateSummary summary;
  if (command.shipped) {
    summary.twin = twin::load_twin(board);
    twin::summarize_scores(runs, summary);
    summary.coverage = twin::coverage_as_it_is(summary.twin, all);
  } else {
    summary = twin::calibrate(start, all, options);
  }
  std::vector<NamedTable> tables = {{"fit", "", report::fit_table(summary, true)}};
  if (!summary.coverage.empty()) {
    tables.push_back({"coverage",
                      command.shipped ? "Rows within the 90 % intervals of the board file:"
                                      : "Rows of what is left out within its 90 % intervals:",
                      report::coverage_table(summary.coverage)});
  }
  if (command.findings) {
    add_findings(summary, runs, tables);
    add_verified(summary, runs, tables);
    tables.push_back(
        {"race_to_halt", "eta B_eps / B_tau by class of kernels, 90 % interval:",
         report::race_to_halt_table(summary.twin, select_modes(board, "presets"), context.seed)});
  }
  if (command.memory_levels) add_memory_levels(start, summary, runs, options, tables);
  const std::string provenance =
      command.shipped ? summary.twin.provenance() : summary.brief_report();
  if (context.json()) {
    Json json;
    json["device"] = command.device;
    json["provenance"] = provenance;
    for (const auto& [key, title, table] : tables) json[key] = table.to_json();
    return print(context, json);
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
  auto* command = add_command(
      evaluate, context, "estimate",
      "Fit the twin to sweeps and leave workloads, kinds and boards out in turn; errors, and what "
      "90 % intervals hold, with and without the rows that data quality suspects",
      "ridgewatt evaluate estimate --sweep resnet50.csv --sweep mobilenet_v3.csv --findings");
  auto options = std::make_shared<EvaluateEstimate>();
  command->add_option("--device", options->device, "Board whose twin is fitted");
  command
      ->add_option(
          "--sweep", options->sweeps,
          "FILE[,model=M][,workers=N][,loader-ms=X][,image=PIXELS][,device=BOARD], several "
          "times; of another board: judges how the twin carries over")
      ->required();
  auto* shipped =
      command->add_flag("--shipped", options->shipped, "Score the board file's twin, fit nothing");
  command->add_flag("--findings", options->findings,
                    "Also: MAXN, energy over the GPU clock, tuning on the twin, race to halt");
  command
      ->add_flag("--memory-levels", options->memory_levels,
                 "Also: residuals by memory clock, and errors with numbers of its own for each")
      ->excludes(shipped);
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
