// Plans under simulated arrivals: tables, JSON and figures.
#include <fmt/format.h>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/report/answer/schedule_figures.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/schedule_report.h"
#include "ridgewatt/report/svg.h"

namespace ridgewatt::report {
namespace {

std::vector<Cell> sharing_row(const std::string& sharing, const schedule::Simulation& result) {
  const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  // Without requests there is no latency.
  const auto latency = [&](double latency_s) {
    return result.requests > 0 ? Cell(latency_s * 1e3) : Cell();
  };
  return {sharing,
          count(result.requests),
          latency(result.mean_latency_s),
          latency(result.p50_s),
          latency(result.p95_s),
          latency(result.p99_s),
          latency(result.worst_s),
          count(result.violations),
          count(result.unserved),
          count(result.longest_queue),
          result.training_throughput_hz,
          result.mean_power_w,
          result.peak_power_w,
          result.energy_j,
          result.busy_share};
}

const std::vector<Column> kSimulationColumns = {{"sharing"},
                                                {"requests"},
                                                {.name = "latency_mean_ms", .rank = 4},
                                                {.name = "latency_p50_ms", .rank = 3},
                                                {.name = "latency_p95_ms", .rank = 4},
                                                {"latency_p99_ms"},
                                                {"latency_worst_ms"},
                                                {"violations", "late"},
                                                {.name = "unserved", .rank = 2},
                                                {.name = "longest_queue", .rank = 5},
                                                {"training_throughput", "training (1/s)"},
                                                {.name = "power_mean_w", .rank = 1},
                                                {"power_peak_w"},
                                                {.name = "energy_j", .rank = 2},
                                                {.name = "busy_share", .rank = 5}};

}  // namespace

Table simulation_table(const answer::SimulateAnswer& found) {
  Table table(kSimulationColumns);
  for (const auto& [sharing, result] : found.results) table.add_row(sharing_row(sharing, result));
  return table;
}

std::string power_to_csv(const schedule::Simulation& result, double bin_s) {
  std::string text = "time_s,power_w\n";
  for (std::size_t i = 0; i < result.power_w.size(); ++i) {
    text += fmt::format("{},{}\n", static_cast<double>(i) * bin_s, result.power_w[i]);
  }
  return text;
}

std::string timeline_to_csv(const schedule::Simulation& result) {
  std::string text = "kind,start_s,end_s,requests,power_w\n";
  for (const auto& s : result.timeline) {
    text +=
        fmt::format("{},{},{},{},{}\n", name_of(s.kind), s.start_s, s.end_s, s.batch, s.power_w);
  }
  return text;
}

std::vector<Figure> simulation_figures(const answer::SimulatedPlan& plan,
                                       const answer::SimulateAnswer& found) {
  const RowOrigin& origin = plan.planned.origin;
  const FigureSource source(origin.workload, origin.board, origin.provenance,
                            "simulated from sweeps");
  const double until_s = 6 * plan.plan.cycle.period_s;
  std::vector<double> power_w, latency_s;
  for (int i = 0; i <= 20; ++i) power_w.push_back(10 + 2 * i);
  for (int i = 0; i <= 15; ++i) latency_s.push_back(0.5 + 0.1 * i);
  const schedule::PlanProblem& problem = plan.planned.problem;
  const schedule::Simulation& first = found.results.front().second;
  return {cycle_timeline(first, until_s, source),
          cycle_power(first, until_s, plan.plan.candidate.idle_power_w, source),
          latency_distribution(found.results, problem.max_latency_s, source),
          throughput_map(plan.others, problem, power_w, latency_s, source)};
}

Json simulation_to_json(const answer::SimulateRequest& asked, const answer::SimulatedPlan& plan,
                        const answer::SimulateAnswer& found, const std::vector<Figure>& figures) {
  Json json;
  json["plan"] = plan_to_json(plan.plan);
  json["arrivals"] = asked.arrivals;
  json["seed"] = asked.seed;
  add_origin(json, plan.planned.origin);
  json["idle_power"] = plan.planned.idle_source;
  json["interference"] =
      json_object({{"factor", found.interference}, {"source", found.interference_source}});
  if (!plan.grounds.empty()) json["twins"] = twins_json(plan.grounds);
  json["results"] = simulation_table(found).to_json();
  if (figures.empty()) return json;
  HtmlReport page("");
  for (const auto& figure : figures) page.figure(figure);
  json["figures"] = page.figures();
  return json;
}

Result simulation_result(const answer::SimulateRequest& asked, const answer::SimulatedPlan& plan,
                         const answer::SimulateAnswer& found, const std::vector<Figure>& figures) {
  Result result{simulation_table(found)};
  result.data = with_origin(result.table, {plan.planned.origin});
  if (found.results.empty()) return result;
  result.json = simulation_to_json(asked, plan, found, figures);
  result.notes = ground_notes(plan.grounds);
  result.notes.push_back("idle power: " + plan.planned.idle_source);
  const auto& ways = asked.sharing;
  const auto simulated = [&](schedule::Sharing way) { return contains(ways, way); };
  if (simulated(schedule::Sharing::kNative)) {
    result.notes.push_back(fmt::format("native: interference {:.3f}, {}", found.interference,
                                       found.interference_source));
  }
  if (simulated(schedule::Sharing::kNoInterference)) {
    result.notes.push_back(
        fmt::format("no-interference: {:.3f}, a driver that loses nothing when it switches",
                    found.ideal_interference));
  }
  return result;
}

namespace {
constexpr char kSimulationTitle[] = "A plan under simulated arrivals";
}  // namespace

std::string simulation_svg(const std::vector<Figure>& figures) {
  return to_svg(figures, kSimulationTitle);
}

std::string simulation_html(const std::vector<Figure>& figures,
                            const answer::SimulateAnswer& found) {
  HtmlReport page(kSimulationTitle);
  for (const auto& figure : figures) page.figure(figure);
  page.table("Ways of sharing", simulation_table(found));
  return page.html();
}

}  // namespace ridgewatt::report
