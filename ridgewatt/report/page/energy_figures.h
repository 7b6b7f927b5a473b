// Figures of measured or modeled operating points: energy over the GPU clock, energy over CPU and
// GPU clock (the energy topology), and power against time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/report/figure.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::report {

// Energy per sample over the GPU clock, with all other knobs at their highest level. One line per
// batch, each with its minimum marked.
Plot energy_over_gpu_clock(std::span<const Observation> observations, const FigureSource& source);

// Energy per sample over CPU and GPU clock at the highest core count and memory clock, for the
// batch with the least energy. The optimum and the highest clocks are marked. Empty with fewer than
// 2 x 2 clocks.
std::optional<HeatMap> energy_topology(std::span<const Observation> observations,
                                       const FigureSource& source);

// Power over time per sample of every point, and the Pareto front.
Plot time_power_front(std::span<const Observation> observations, const FigureSource& source);

// Returns each of the three figures above that has enough points.
std::vector<Figure> energy_figures(std::span<const Observation> observations,
                                   const FigureSource& source);

}  // namespace ridgewatt::report
