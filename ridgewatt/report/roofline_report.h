// The rooflines of power modes and where a model and its layers lie, as figures and as one HTML
// page: the time roofline, the energy arch line and the power line of the papers (Williams et al.
// 2009; Choi et al. 2013), with layers as points sized by their time.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/roofline/energy_roofline.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt {

struct RooflineMode {
  std::string name;  // "MAXN", or the mode described
  EnergyRoofline roofline;
};

// A layer, or a whole model, as it runs in the first of the modes.
struct RooflineLayer {
  std::string name;
  std::string op;
  std::string bound;  // "compute", "memory", "launch": what its time goes to
  double work_flop = 0;
  double traffic_bytes = 0;
  double time_s = 0;
  double energy_j = 0;
};

struct RooflineReport {
  std::string title;  // "ResNet-50 on Jetson AGX Orin"
  FigureSource source;
  std::vector<RooflineMode> modes = {};        // the first is the one that the layers run in
  std::vector<RooflineLayer> layers = {};      // may be empty: roofs alone
  std::vector<Observation> observations = {};  // of the model over modes, for the energy figures
  bool mark_whole = true;                      // the whole model among the layers
};

// Layers without work or time have no place on a roofline and are left out of the figures.
Plot time_roofline_figure(const RooflineReport& report);
Plot energy_arch_figure(const RooflineReport& report);
Plot power_line_figure(const RooflineReport& report);

// All figures that the report can fill.
std::vector<Figure> roofline_figures(const RooflineReport& report);
// The same in one SVG document below each other.
std::string roofline_svg(const RooflineReport& report);
// Figures, balance points and the table of layers, as sections of a page.
void add_roofline(HtmlReport& page, const RooflineReport& report);
// The page: balance points of the modes, figures, and the table of layers linked with them.
std::string roofline_html(const RooflineReport& report);

}  // namespace ridgewatt
