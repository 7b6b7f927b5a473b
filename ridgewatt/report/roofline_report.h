// The rooflines of power modes and where a model and its layers lie, as figures and as one HTML
// page: the time roofline, the energy arch line and the power line of the papers (Williams et al.
// 2009; Choi et al. 2013, 2014), with layers as points sized by their time on the GPU.
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

// The two roofs of a class of kernels: what none passes and what the twin was fitted to. A roof
// that microbenchmarks fitted to their own points has no class: its name is "measured".
struct ClassRoof {
  std::string name;        // "convolution"
  std::string arithmetic;  // of the unit that it runs in: "tf32"
  double ceiling_flop_per_s = 0;
  double ceiling_bandwidth_bytes_per_s = 0;
  roofline::EnergyRoofline reached = {};  // within the power cap
  double share = 0;                       // of the model's time on the GPU; 0: no model
  // "data sheet", "published triad", "measured", or "measured, by clock" where it is carried from
  // another mode.
  std::string compute_from = "data sheet", bandwidth_from = "data sheet";
  std::optional<MeasuredValue> measured_flop_per_s = {},
                               measured_bytes_per_s = {};  // with their intervals
  // No power was measured: `reached` is a roof of time alone.
  bool time_only() const { return reached.energy_per_flop_with_static_j() <= 0; }
};

// Roofs that were fitted to microbenchmarks: their name.
inline constexpr char kMeasuredRoof[] = "measured";

struct RooflineMode {
  std::string name;              // "MAXN", or the mode described
  std::vector<ClassRoof> roofs;  // the one that takes most time first; never empty
};

// A layer as it runs in the first of the modes.
struct RooflineLayer {
  std::string name;
  std::string op;
  std::string roof;   // the class whose roofs it lies under
  std::string bound;  // "compute", "memory", "launch": what its time on the GPU goes to
  double work_flop = 0;
  double traffic_bytes = 0;  // modelled
  double counted_bytes = 0;  // operands read and results written
  double gpu_s = 0;
  double launch_s = 0;  // CPU time of its launches, while the GPU works
  double time_s = 0;    // its share of the minibatch
  double power_w = 0;   // while it runs
  double ceiling_flop_per_s = 0, reached_flop_per_s = 0;  // at its intensity

  // Layers without work or time have no place on a roofline.
  bool has_place() const { return work_flop > 0 && traffic_bytes > 0 && gpu_s > 0; }
  double intensity() const { return work_flop / traffic_bytes; }
};

// A point of a microbenchmark, as it was measured.
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

// Lines of more modes cover each other; an even choice of them is drawn, and the figure says so.
inline constexpr std::size_t kMostRoofs = 40;

struct RooflineReport {
  std::string title;  // "ResNet-50 on Jetson AGX Orin"
  FigureSource source;
  std::string intensity_label = "arithmetic intensity over modelled traffic (FLOP/byte)";
  std::vector<RooflineMode> modes = {};         // the first is the one that the layers run in
  std::vector<RooflineLayer> layers = {};       // may be empty: roofs alone
  std::vector<answer::CacheLevel> levels = {};  // in the first mode, fastest first
  std::vector<MeasuredPoint> measured = {};     // microbenchmarks, in the first mode
  std::vector<TimePart> parts = {};             // of the minibatch in the first mode
  std::vector<std::string> ceilings = {};       // where they come from, a sentence each
  std::vector<Observation> observations = {};   // of the model over modes, for the energy figures
};

// Layers without a place are left out of the figures.
Plot time_roofline_figure(const RooflineReport& report);
Plot energy_arch_figure(const RooflineReport& report);
Plot power_line_figure(const RooflineReport& report);
// The minibatch's time as one bar: work on the GPU, waiting for launches, host, loader.
StackedBars time_parts_figure(const RooflineReport& report);

// The layers in order of execution, as text, JSON, CSV and pages have them.
Table roofline_layer_table(const std::vector<RooflineLayer>& layers);
// How people find what takes the GPU longest.
inline constexpr char kGpuOrder[] = "-gpu_ms";
Table time_parts_table(const std::vector<TimePart>& parts);
// Bandwidth of each level and the ridge of each class there.
Table level_table(const RooflineReport& report);

// All figures that the report can fill.
std::vector<Figure> roofline_figures(const RooflineReport& report);
// The same in one SVG document below each other.
std::string roofline_svg(const RooflineReport& report);
// Figures and tables, as sections of a page.
void add_roofline(HtmlReport& page, const RooflineReport& report);
std::string roofline_html(const RooflineReport& report);

// Measured layers and their roof (answer/layers.h): `ridgewatt layers`.
// A row for each layer, in the order of the profile.
Table measured_layer_table(const answer::LayersAnswer& answer);
// How people find what is worth work: by the gap, without roofs by time.
std::string measured_layer_order(const answer::LayersAnswer& answer);
// layers, totals, gaps, times, mismatches, remarks, ceilings.
Json measured_layers_json(const answer::LayersAnswer& answer);
// Totals, gaps, run times, mismatches and remarks, a sentence each.
std::vector<std::string> measured_layers_lines(const answer::LayersAnswer& answer);
Result measured_layers_result(const answer::LayersAnswer& answer, OutputFormat format);
// The roofline with the measured points, where the time goes, the ten layers worth work.
std::string measured_layers_svg(const answer::LayersAnswer& answer);
std::string measured_layers_html(const answer::LayersAnswer& answer);

// The measured roofs of this machine and a model's layers on them: `roofline --device local`. What
// stands under the roofs is counted, not measured: the least that a layer can take.
struct LocalRoofline {
  measure::LocalRoofs roofs;
  std::string model;            // as it was named; empty: roofs alone
  workload::WorkloadCost cost;  // of the model
  std::vector<roofline::PlacedKernel> layers = {};
  std::vector<answer::CacheLevel> levels = {};  // caches
};

// A row for each quantity: value, interval and unit.
Table local_roof_table(const LocalRoofline& local);
// A row for each point that was measured.
Table local_point_table(const LocalRoofline& local);
// Caches: bandwidth and ridge of each.
Table local_level_table(const LocalRoofline& local);
// The layers in order of execution.
Table local_layer_table(const LocalRoofline& local);
// What the numbers are, a sentence each: machine, least time and energy of the minibatch, why there
// is no power.
std::vector<std::string> local_lines(const LocalRoofline& local);
Json local_json(const LocalRoofline& local);
// The whole; of a model its layers.
Result local_result(const LocalRoofline& local);
std::string local_roofline_svg(const LocalRoofline& local);
std::string local_roofline_html(const LocalRoofline& local);

// How people find what takes longest.
inline constexpr char kLeastTimeOrder[] = "-least_ms";

}  // namespace ridgewatt::report
