// ridgewatt schedule simulate: what a plan does under real arrivals.
#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/answer/simulate.h"
#include "ridgewatt/cli/options/figure_files.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/parameters.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/cli/schedule/schedule_commands.h"
#include "ridgewatt/cli/schedule/schedule_options.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/schedule_report.h"

namespace ridgewatt::cli {
namespace {

struct SimulateOptions {
  answer::SimulateRequest asked;
  std::string power_csv, timeline_csv, arrivals_csv;
  FigureFiles figures;
};

// As files of their own in a folder, or all in one file.
void write_figures(const FigureFiles& files, const std::vector<ridgewatt::report::Figure>& figures,
                   const report::Table& results) {
  constexpr const char* kNames[] = {"timeline.svg", "power.svg", "latency.svg", "throughput.svg"};
  for (const auto& folder : files.folders()) {
    make_folder(folder);
    for (std::size_t i = 0; i < figures.size(); ++i) {
      write_output(folder + "/" + kNames[i], report::to_svg(figures[i]));
    }
  }
  constexpr char kTitle[] = "A plan under simulated arrivals";
  const auto page_of = [&] {
    report::HtmlReport page(kTitle);
    for (const auto& figure : figures) page.figure(figure);
    page.table("Ways of sharing", results);
    return page.html();
  };
  files.write([&] { return report::to_svg(figures, kTitle); }, page_of);
}

void check(const CLI::App& command, const SimulateOptions& options) {
  const answer::SimulateRequest& asked = options.asked;
  check_parameters(command, answer::simulate_parameters(), &asked);
  if (!asked.plan.empty()) {
    for (const auto& rows :
         {answer::program_rows(), answer::demand_rows(), answer::scheduled_model_rows(),
          answer::idle_power_rows(), answer::busy_share_rows()}) {
      refuse_rows(command, rows, "with PLAN", "the plan says it");
    }
  } else if (!asked.schedule.has_inference()) {
    refuse_without_effect(command,
                          {"--arrivals", "--arrivals-csv", "--full-batches", "--late-last"},
                          "without inference");
  }
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

void run(const Context& context, SimulateOptions options) {
  constexpr std::size_t kSegments = 100'000;  // chosen: what a figure or a file can show
  answer::SimulateRequest& asked = options.asked;
  asked.seed = context.seed;
  const answer::SimulatedPlan plan =
      asked.plan.empty() ? simulated_plan(asked.schedule, read_workloads(context, asked.schedule))
                         : answer::simulated_plan(report::read_planned(asked.plan));
  const RowOrigin& origin = plan.planned.origin;
  check_table_options(context, with_origin(context, report::simulation_table({}), origin));
  const bool drawn = !options.figures.empty() || context.with_figures;
  if (drawn || !options.timeline_csv.empty()) asked.simulation.timeline_segments = kSegments;
  const answer::SimulateAnswer found = simulate_plan(asked, plan);
  write_files(options, found);
  const report::Table table = report::simulation_table(found);
  const auto figures =
      drawn ? report::simulation_figures(plan, found) : std::vector<report::Figure>{};
  if (!options.figures.empty()) write_figures(options.figures, figures, table);
  if (context.json()) {
    const bool wanted = context.with_figures;
    return print(context,
                 report::simulation_to_json(asked, plan, found,
                                            wanted ? figures : std::vector<report::Figure>{}));
  }
  print(context, with_origin(context, table, origin));
  remark(context, fmt::format("idle power: {}", plan.planned.idle_source));
  const auto& ways = asked.sharing;
  if (std::find(ways.begin(), ways.end(), schedule::Sharing::kNative) != ways.end()) {
    remark(context, fmt::format("native: interference {:.3f}, {}", found.interference,
                                found.interference_source));
  }
}

}  // namespace

void add_schedule_simulate(CLI::App& schedule, Context& context) {
  auto* command =
      add_command(schedule, context, "simulate", "Simulate the plan under real arrivals",
                  "ridgewatt schedule simulate --training-sweep T.csv --inference-sweep I.csv "
                  "--arrival-rate 60 --max-latency 500 "
                  "--max-power 30 --arrivals poisson --duration 3600\n"
                  "  ridgewatt schedule simulate plan.json --arrivals bursty");
  auto options = std::make_shared<SimulateOptions>();
  add_parameters(*command, answer::simulate_parameters(), &options->asked);
  output_file(command->add_option("--power-csv", options->power_csv, "Write power over time"));
  output_file(command->add_option("--timeline-csv", options->timeline_csv,
                                  "Write who held the device when"));
  options->figures.add_to(*command,
                          "timeline, power, latency and throughput, "
                          "or one SVG file of each into this folder",
                          FigureForms::kFilesOrFolder);
  output_file(
      command->add_option("--arrivals-csv", options->arrivals_csv, "Write the arrivals used"));
  command->callback([&context, options, command] {
    check(*command, *options);
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
