// ridgewatt schedule simulate: latency, throughput and power of a plan under simulated arrivals.
#include "ridgewatt/answer/simulate.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/report/schedule_report.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::cli {
namespace {

struct SimulateOptions {
  answer::SimulateRequest asked;
  std::string power_csv, timeline_csv, arrivals_csv;
  FigureFiles figures;
};

// Writes the figures to separate files in a folder, or all to one file.
void write_figures(const FigureFiles& files, const std::vector<report::Figure>& figures,
                   const answer::SimulateAnswer& found) {
  constexpr const char* kNames[] = {"timeline.svg", "power.svg", "latency.svg", "throughput.svg"};
  for (const auto& folder : files.folders()) {
    make_folder(folder);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      write_output(folder + "/" + kNames[i], report::to_svg(figures[i]));
    }
  }
  files.write([&] { return report::simulation_svg(figures); },
              [&] { return report::simulation_html(figures, found); });
}

void check(const CLI::App& command, const SimulateOptions& options) {
  const answer::SimulateRequest& asked = options.asked;
  if (!asked.plan.empty()) {
    for (const auto& rows :
         {answer::program_rows(), answer::demand_rows(), answer::scheduled_model_rows(),
          answer::idle_power_rows(), answer::busy_share_rows()}) {
      refuse_rows(command, rows, "with PLAN", "the plan states it");
    }
  } else if (!asked.schedule.has_inference()) {
    refuse_without_effect(command,
                          {"--arrivals", "--arrivals-csv", "--full-batches", "--late-last"},
                          "without inference");
  }
  check_parameters(command, answer::simulate_parameters(), &asked);
}

void write_files(const SimulateOptions& options, const answer::SimulateAnswer& found) {
  if (!options.arrivals_csv.empty()) {
    write_output(options.arrivals_csv, schedule::write_arrivals_csv(found.arrivals));
  }
  const schedule::Simulation& first = found.results.front().second;
  if (!options.power_csv.empty()) {
    const double bin_s = options.asked.simulation.power_bin_s;
    write_output(options.power_csv, report::power_to_csv(first, bin_s));
  }
  if (!options.timeline_csv.empty()) {
    write_output(options.timeline_csv, report::timeline_to_csv(first));
  }
}

void run(const Context& context, SimulateOptions& options, const CLI::App& command) {
  constexpr std::size_t kSegments = 100'000;  // chosen: more would not help in a figure
  check(command, options);
  answer::SimulateRequest& asked = options.asked;
  asked.seed = context.seed;
  const answer::SimulatedPlan plan =
      asked.plan.empty() ? simulated_plan(asked.schedule, read_workloads(context, asked.schedule))
                         : answer::simulated_plan(report::read_planned(asked.plan));
  check_table_options(context, report::simulation_result(asked, plan, {}));
  const bool drawn = !options.figures.empty() || context.with_figures;
  if (drawn || !options.timeline_csv.empty()) asked.simulation.timeline_segments = kSegments;
  const answer::SimulateAnswer found = simulate_plan(asked, plan);
  write_files(options, found);
  std::vector<report::Figure> figures;
  if (drawn) figures = report::simulation_figures(plan, found);
  write_figures(options.figures, figures, found);
  if (!context.with_figures) figures.clear();
  print(context, report::simulation_result(asked, plan, found, figures));
}

}  // namespace

void add_schedule_simulate(CLI::App& schedule, Context& context) {
  const auto [command, options, add] = define<SimulateOptions, &SimulateOptions::asked>(
      schedule, context, answer::simulate_parameters(), run);
  add.output("--power-csv", options.power_csv, "Write power over time to this CSV");
  add.output("--timeline-csv", options.timeline_csv,
             "Write which program held the device at which time to this CSV");
  options.figures.add_to(
      command, "timeline, power, latency and throughput; a folder gets one SVG file per figure",
      FigureForms::kFilesOrFolder);
  add.output("--arrivals-csv", options.arrivals_csv,
             "Write the arrival times of the requests to this CSV");
}

}  // namespace ridgewatt::cli
