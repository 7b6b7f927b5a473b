// Schedules as figures.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/report/figure.h"
#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::report {

// Who held the device when: a lane each for inference, training and mode changes, from the start to
// `until_s`.
Timeline cycle_timeline(const schedule::Simulation& simulation, double until_s,
                        const FigureSource& source);
// Power over the same time, as steps.
Plot cycle_power(const schedule::Simulation& simulation, double until_s, double idle_power_w,
                 const FigureSource& source);
// Share of requests that took at most so long, one line a way of sharing, and the bound (infinite:
// none).
Plot latency_distribution(
    const std::vector<std::pair<std::string, schedule::Simulation>>& simulations,
    double max_latency_s, const FigureSource& source);
// Training throughput of the best plan against power budget and latency bound.
HeatMap throughput_map(const schedule::PlanTable& table, const schedule::PlanProblem& problem,
                       const std::vector<double>& power_w, const std::vector<double>& latency_s,
                       const FigureSource& source);

}  // namespace ridgewatt::report
