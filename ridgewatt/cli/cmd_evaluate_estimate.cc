// ridgewatt evaluate estimate: how far the twin is from measured sweeps, fitted and unseen.
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/cli/evaluate_commands.h"
#include "ridgewatt/report/calibrate_report.h"
#include "ridgewatt/roofline/calibration_runs.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateEstimate {
  std::string device = "agx-orin";
  std::vector<std::string> sweeps;
  bool shipped = false;
  bool findings = false;
};

void run(const Context& context, const EvaluateEstimate& command) {
  const Board board = load_board(command.device);
  std::vector<SweepSpec> specs;
  for (const auto& sweep : command.sweeps) specs.push_back(parse_sweep_spec(sweep));
  const auto runs = load_calibration_runs(specs);
  CalibrateSummary summary;
  if (command.shipped) {
    summary.twin = load_twin(board);
    summarize_scores(runs, summary);
  } else {
    CalibrateOptions options;
    options.seed = context.seed;
    summary = calibrate(prior_twin(board), runs, options);
  }
  const auto findings =
      command.findings ? find_findings(summary.twin, runs) : std::vector<WorkloadFindings>();
  if (context.json()) {
    Json json;
    json["device"] = command.device;
    json["provenance"] = command.shipped ? summary.twin.provenance() : summary.brief_report();
    json["fit"] = fit_table(summary, true).to_json();
    if (command.findings) json["findings"] = findings_table(findings).to_json();
    return print(json);
  }
  if (!context.csv()) {
    std::cout << (command.shipped ? summary.twin.provenance() : summary.brief_report()) << "\n\n";
  }
  print(context, fit_table(summary, true));
  if (command.findings) {
    std::cout << '\n';
    print(context, findings_table(findings));
  }
}

}  // namespace

void add_evaluate_estimate(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "estimate",
      "Fit the twin to sweeps and leave each workload out in turn; errors with and without the "
      "rows "
      "that data quality suspects",
      "ridgewatt evaluate estimate --sweep resnet50.csv --sweep mobilenet_v3.csv --findings");
  auto options = std::make_shared<EvaluateEstimate>();
  command->add_option("--device", options->device, "Board whose twin is fitted");
  command
      ->add_option("--sweep", options->sweeps,
                   "FILE[,model=M][,workers=N][,loader-ms=X][,image=PIXELS], several times")
      ->required();
  command->add_flag("--shipped", options->shipped, "Score the board file's twin, fit nothing");
  command->add_flag("--findings", options->findings,
                    "Also: MAXN, energy over the GPU clock, tuning on the twin");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
