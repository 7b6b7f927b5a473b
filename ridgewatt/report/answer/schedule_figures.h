// Figures of schedules.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/report/figure.h"
#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::report {

// The program that used the device, until `until_s`: one lane each for inference, training and mode
// changes.
Timeline cycle_timeline(const schedule::Simulation& simulation, double until_s,
                        const FigureSource& source);
// Power over the same time, as steps.
Plot cycle_power(const schedule::Simulation& simulation, double until_s, double idle_power_w,
                 const FigureSource& source);
// The share of requests with at most a given latency, one line per way of sharing, and the latency
// bound (infinite: none).
Plot latency_distribution(
    const std::vector<std::pair<std::string, schedule::Simulation>>& simulations,
    double max_latency_s, const FigureSource& source);
// Training throughput of the best plan for each power budget and latency bound.
HeatMap throughput_map(const schedule::PlanTable& table, const schedule::PlanProblem& problem,
                       const std::vector<double>& power_w, const std::vector<double>& latency_s,
                       const FigureSource& source);

}  // namespace ridgewatt::report
