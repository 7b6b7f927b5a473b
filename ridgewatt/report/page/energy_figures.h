// Figures of operating points, measured or modelled: energy over the GPU clock, energy over CPU and
// GPU clock (the energy topology), and the trade of time against power.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/report/figure.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::report {

// Energy per sample over the GPU clock at the highest of all other knobs, one line per batch, each
// with its minimum marked.
Plot energy_over_gpu_clock(std::span<const Observation> observations, const FigureSource& source);

// Energy per sample over CPU and GPU clock at the highest core count and memory clock, of the batch
// with the least; optimum and highest clocks marked. nullopt when fewer than 2 x 2 clocks occur.
std::optional<HeatMap> energy_topology(std::span<const Observation> observations,
                                       const FigureSource& source);

// Power over time per sample of every point and the front of those that no other beats in both.
Plot time_power_front(std::span<const Observation> observations, const FigureSource& source);

// Those of the three that the points can fill.
std::vector<Figure> energy_figures(std::span<const Observation> observations,
                                   const FigureSource& source);

}  // namespace ridgewatt::report
