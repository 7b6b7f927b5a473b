// The rooflines of power modes with a model's layers, as figures and as one HTML page: the time
// roofline, the energy arch line and the power line of the papers (Williams et al. 2009; Choi et
// al. 2013, 2014). Layers are points, sized by their time on the GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/layers.h"
#include "ridgewatt/answer/roofline.h"
#include "ridgewatt/device/measured_roof.h"
#include "ridgewatt/measure/local_roofs.h"
#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/roofline/energy_roofline.h"
#include "ridgewatt/roofline/placed_kernels.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::report {

// The two roofs of a class of kernels: the ceiling, which no kernel exceeds, and the reached roof,
// to which the twin was fitted. A roof that was fitted to the points of microbenchmarks has no
// class; its name is "measured".
struct ClassRoof {
  std::string name;        // "convolution"
  std::string arithmetic;  // of the unit that computes it: "tf32"
  double ceiling_flop_per_s = 0;
  double ceiling_bandwidth_bytes_per_s = 0;
  roofline::EnergyRoofline reached = {};  // roof that kernels reach, within the power cap
  double share = 0;                       // of the model's time on the GPU; 0: no model
  // "data sheet", "published triad", "measured", or "measured, by clock" if it is scaled from the
  // clocks of another mode.
  std::string compute_from = "data sheet", bandwidth_from = "data sheet";
  // Measured ceilings with their intervals.
  std::optional<MeasuredValue> measured_flop_per_s = {}, measured_bytes_per_s = {};
  // True if no power was measured. `reached` then limits only time.
  bool time_only() const { return reached.energy_per_flop_with_static_j() <= 0; }
};

// The name of roofs that were fitted to microbenchmarks.
inline constexpr char kMeasuredRoof[] = "measured";

struct RooflineMode {
  std::string name;              // "MAXN", or a description of the mode
  std::vector<ClassRoof> roofs;  // sorted by time, longest first; never empty
};

// A layer in the first mode.
struct RooflineLayer {
  std::string name;
  std::string op;
  std::string roof;   // class of kernels, whose roofs apply
  std::string bound;  // what limits its time on the GPU: "compute", "memory", "launch"
  double work_flop = 0;
  double traffic_bytes = 0;  // modeled
  double counted_bytes = 0;  // size of the operands and results
  double gpu_s = 0;
  double launch_s = 0;  // CPU time of its launches, in parallel to the GPU
  double time_s = 0;    // part of the minibatch time
  double power_w = 0;   // power while it runs
  double ceiling_flop_per_s = 0, reached_flop_per_s = 0;  // at its intensity

  // False for layers without work or time, which cannot be drawn on a roofline.
  bool has_place() const { return work_flop > 0 && traffic_bytes > 0 && gpu_s > 0; }
  double intensity() const { return work_flop / traffic_bytes; }
};

// A measured point of a microbenchmark.
struct MeasuredPoint {
  std::string name;  // "intensity"
  double intensity = 0;
  double flop_per_s = 0;
  std::optional<double> power_w = {};
};

struct TimePart {
  std::string name;  // "GPU memory", "waiting for launches"
  double time_s = 0;
};

// Maximum number of modes in a figure. Of more modes, an even selection is drawn, with a note.
inline constexpr std::size_t kMostRoofs = 40;

struct RooflineReport {
  std::string title;  // "ResNet-50 on Jetson AGX Orin"
  FigureSource source;
  std::string intensity_label = "arithmetic intensity over modelled traffic (FLOP/byte)";
  std::vector<RooflineMode> modes = {};         // the layers belong to the first one
  std::vector<RooflineLayer> layers = {};       // empty: only roofs are drawn
  std::vector<answer::CacheLevel> levels = {};  // in the first mode, fastest first
  std::vector<MeasuredPoint> measured = {};     // microbenchmarks, in the first mode
  std::vector<TimePart> parts = {};             // of the minibatch in the first mode
  std::vector<std::string> ceilings = {};       // sources of the ceilings, one sentence each
  // Costs of the model in different modes, for the energy figures.
  std::vector<Observation> observations = {};
};

// Layers without has_place() are omitted.
Plot time_roofline_figure(const RooflineReport& report);
Plot energy_arch_figure(const RooflineReport& report);
Plot power_line_figure(const RooflineReport& report);
// The minibatch time as one bar: work on the GPU, waiting for launches, host, data loader.
StackedBars time_parts_figure(const RooflineReport& report);

// The layers in order of execution, for all formats.
Table roofline_layer_table(const std::vector<RooflineLayer>& layers);
// Default order: the layers with the longest GPU time first.
inline constexpr char kGpuOrder[] = "-gpu_ms";
Table time_parts_table(const std::vector<TimePart>& parts);
// Bandwidth of each cache level, and the ridge of each class at that bandwidth.
Table level_table(const RooflineReport& report);

// All figures for which the report has data.
std::vector<Figure> roofline_figures(const RooflineReport& report);
// All these figures below each other in one SVG document.
std::string roofline_svg(const RooflineReport& report);
// Adds figures and tables as sections of a page.
void add_roofline(HtmlReport& page, const RooflineReport& report);
std::string roofline_html(const RooflineReport& report);

// Measured layers and their roofs (answer/layers.h), for `ridgewatt layers`. One row per layer, in
// the order of the profile.
Table measured_layer_table(const answer::LayersAnswer& answer);
// Default order: by the gap to the roof; without roofs, by time.
std::string measured_layer_order(const answer::LayersAnswer& answer);
// JSON keys: layers, totals, gaps, times, mismatches, remarks, ceilings.
Json measured_layers_json(const answer::LayersAnswer& answer);
// Totals, gaps, run times, mismatches and remarks, one sentence each.
std::vector<std::string> measured_layers_lines(const answer::LayersAnswer& answer);
Result measured_layers_result(const answer::LayersAnswer& answer, OutputFormat format);
// The roofline with measured points, the time by cause, and the ten layers with the largest gaps.
std::string measured_layers_svg(const answer::LayersAnswer& answer);
std::string measured_layers_html(const answer::LayersAnswer& answer);

// The measured roofs of this machine with the layers of a model, for `roofline --device local`.
// Work and traffic of the layers are computed, so their times are lower bounds.
struct LocalRoofline {
  measure::LocalRoofs roofs;
  std::string model;            // as the user named it; empty: only roofs
  workload::WorkloadCost cost;  // of the model
  std::vector<roofline::PlacedKernel> layers = {};
  std::vector<answer::CacheLevel> levels = {};  // of the processor's caches
};

// One row per quantity: value, interval and unit.
Table local_roof_table(const LocalRoofline& local);
// One row per measured point.
Table local_point_table(const LocalRoofline& local);
// Bandwidth and ridge of each cache.
Table local_level_table(const LocalRoofline& local);
// The layers in order of execution.
Table local_layer_table(const LocalRoofline& local);
// Explanations, one sentence each: machine, least time and energy of the minibatch, why there is no
// power.
std::vector<std::string> local_lines(const LocalRoofline& local);
Json local_json(const LocalRoofline& local);
// The complete result; with a model, its layers.
Result local_result(const LocalRoofline& local);
std::string local_roofline_svg(const LocalRoofline& local);
std::string local_roofline_html(const LocalRoofline& local);

// Default order: the layers with the longest least time first.
inline constexpr char kLeastTimeOrder[] = "-least_ms";

}  // namespace ridgewatt::report
