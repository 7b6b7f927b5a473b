// Results of `schedule`: plans of training and inference on one board, as JSON and as tables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/answer/schedule_run.h"
#include "ridgewatt/answer/serve.h"
#include "ridgewatt/answer/simulate.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::report {

// {"feasible":false,"nearest_miss":{...,"misses":"..."}} or {"feasible":true,...}, with mode,
// batch, training_minibatches_per_cycle, training_throughput, latency_ms, power_w and more.
Json plan_to_json(const schedule::Plan& plan);
// The documented JSON of `schedule plan`: plan_to_json() of the plan with bound, strategy,
// idle_power, seed, origin and the profiled points.
Json plan_to_json(const answer::PlanAnswer& found);
Result plan_result(const answer::PlanAnswer& found);
// One row per mode and batches: the cost of both programs alone, with native sharing including
// bounds, and with managed interleaving.
Table sharing_table(const answer::SharingAnswer& found);
// One row per quantity with its value, for the terminal.
Table plan_table(const schedule::Plan& plan);
// What the figures of each modelled program are based on, with the error of its twin.
Json twins_json(const std::vector<answer::ProgramGround>& grounds);
// What the figures of the programs are based on, without duplicates; one string each.
std::vector<std::string> ground_notes(const std::vector<answer::ProgramGround>& grounds);

using answer::PlannedServing;  // the key "serving" in the JSON of a plan

// Mode, rate and limits; the cost of each inference batch that is known in the mode; and the cost
// of each minibatch of the training round.
Json planned_to_json(const PlannedServing& planned);

// Reads the JSON of `schedule plan`. Throws InputError for another kind of result or an impossible
// number, and NoSolutionError if the result has no plan.
PlannedServing parse_planned(std::string_view text, const std::string& source);
PlannedServing read_planned(const std::string& path);

// One row per way of sharing the device.
Table simulation_table(const answer::SimulateAnswer& found);
// Without results, the table has only its columns. The JSON includes `figures`.
Result simulation_result(const answer::SimulateRequest& asked, const answer::SimulatedPlan& plan,
                         const answer::SimulateAnswer& found,
                         const std::vector<Figure>& figures = {});
// The figures of a simulation for files and pages.
std::string simulation_svg(const std::vector<Figure>& figures);
std::string simulation_html(const std::vector<Figure>& figures,
                            const answer::SimulateAnswer& found);
// The JSON of `schedule simulate`, with `figures` unless they are empty.
Json simulation_to_json(const answer::SimulateRequest& asked, const answer::SimulatedPlan& plan,
                        const answer::SimulateAnswer& found, const std::vector<Figure>& figures);
// The first six cycles, the distributions of latency, and the plans for other budgets.
std::vector<Figure> simulation_figures(const answer::SimulatedPlan& plan,
                                       const answer::SimulateAnswer& found);
// One row per trace of arrivals, and the sums over several traces.
Result arrivals_result(const answer::ArrivalsAnswer& found);
// A run of an executor: one row per quantity.
Result schedule_run_result(const answer::ScheduleRun& run);
// Includes remarks for tables.
Result sharing_result(const answer::SharingAnswer& found, OutputFormat format);
// How two programs affect each other: factor, times, switches and power, with 95 % intervals.
Table measured_sharing_table(const answer::MeasuredSharing& found);
// Power over time as CSV, and the spans in which each program used the device.
std::string power_to_csv(const schedule::Simulation& result, double bin_s);
std::string timeline_to_csv(const schedule::Simulation& result);

}  // namespace ridgewatt::report
