// A plan of training and inference on one board, as JSON and as a table for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/answer/arrivals.h"
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
// The contract of `schedule plan --format json`: the same with bound, strategy, idle_power, seed,
// origin and what was profiled.
Json plan_to_json(const answer::PlanAnswer& found);
Result plan_result(const answer::PlanAnswer& found);
// A row per mode and batches: what both programs take alone, at the same time with bounds, and in
// turns.
Table sharing_table(const answer::SharingAnswer& found);
// Quantity and value, one per row, for people.
Table plan_table(const schedule::Plan& plan);

using answer::PlannedServing;  // the part "serving" of the JSON of a plan

// Mode, rate and limits; of each batch of the inference known at the mode, and of each minibatch of
// the training round, what it takes and draws.
Json planned_to_json(const PlannedServing& planned);

// From a result of `schedule plan --format json`. InputError: not such a result, or a number that
// cannot be. NoSolutionError: it found no plan.
PlannedServing parse_planned(std::string_view text, const std::string& source);
PlannedServing read_planned(const std::string& path);

// A row per way of sharing the device.
Table simulation_table(const answer::SimulateAnswer& found);
// Without results: its columns alone. JSON has the figures that are wanted.
Result simulation_result(const answer::SimulateRequest& asked, const answer::SimulatedPlan& plan,
                         const answer::SimulateAnswer& found,
                         const std::vector<Figure>& figures = {});
// Its figures, for files and pages.
std::string simulation_svg(const std::vector<Figure>& figures);
std::string simulation_html(const std::vector<Figure>& figures,
                            const answer::SimulateAnswer& found);
// As in the JSON of `schedule simulate`, with figures where they are wanted.
Json simulation_to_json(const answer::SimulateRequest& asked, const answer::SimulatedPlan& plan,
                        const answer::SimulateAnswer& found, const std::vector<Figure>& figures);
// The first six cycles, the distributions of latency, and the plans for other budgets.
std::vector<Figure> simulation_figures(const answer::SimulatedPlan& plan,
                                       const answer::SimulateAnswer& found);
// One row per trace of arrivals, and the sums of several traces.
Result arrivals_result(const answer::ArrivalsAnswer& found);
// A run of an executor: one row per quantity.
Result schedule_run_result(const answer::ScheduleRun& run);
// With remarks for people.
Result sharing_result(const answer::SharingAnswer& found, OutputFormat format);
// What two programs do to each other: factor, times, switches and power, with 95 % intervals.
Table measured_sharing_table(const answer::MeasuredSharing& found);
// Power over time, and who held the device when.
std::string power_to_csv(const schedule::Simulation& result, double bin_s);
std::string timeline_to_csv(const schedule::Simulation& result);

}  // namespace ridgewatt::report
