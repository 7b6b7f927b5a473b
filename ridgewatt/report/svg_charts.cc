// Static bars, violins and timelines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/report/svg_frame.h"

namespace ridgewatt {
namespace {

constexpr int kOutlineSteps = 60;

// Names below a categorical axis, slanted when they would touch.
void draw_names(Svg& svg, const Frame& frame, const std::vector<std::string>& names) {
  const double step = frame.width() / static_cast<double>(std::max<std::size_t>(1, names.size()));
  double widest = 0;
  for (const auto& name : names) widest = std::max(widest, text_width(name, 11));
  const bool slant = widest > step - 6;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double x = frame.left + step * (static_cast<double>(i) + 0.5);
    svg.text({x + (slant ? 4 : 0), frame.bottom + (slant ? 14 : 18)}, names[i],
             {.size = 11,
              .anchor = slant ? Anchor::kEnd : Anchor::kMiddle,
              .rotate_deg = slant ? -30.0 : 0.0});
  }
}

double name_room(const std::vector<std::string>& names, double step) {
  double widest = 0;
  for (const auto& name : names) widest = std::max(widest, text_width(name, 11));
  return widest > step - 6 ? std::min(110.0, 22 + widest / 2) : 34;
}

void draw_violin(Svg& svg, const Scale& scale, const std::vector<double>& sample, double center,
                 double half_width, const std::string& color) {
  const auto [lo, hi] = std::minmax_element(sample.begin(), sample.end());
  std::vector<double> at;
  for (int i = 0; i <= kOutlineSteps; ++i) at.push_back(*lo + (*hi - *lo) * i / kOutlineSteps);
  const std::vector<double> density = kernel_density(sample, at);
  const double peak = *std::max_element(density.begin(), density.end());
  std::vector<SvgPoint> outline;
  for (std::size_t i = 0; i < at.size(); ++i) {
    outline.push_back({center + half_width * density[i] / peak, scale.pixel(at[i])});
  }
  for (std::size_t i = at.size(); i-- > 0;) {
    outline.push_back({center - half_width * density[i] / peak, scale.pixel(at[i])});
  }
  svg.polygon(outline, {.stroke = color, .width = 1.2, .fill = color, .opacity = 0.45});
}

}  // namespace

std::string svg_stacked_bars(const StackedBars& bars) {
  Svg svg(bars.width, bars.height);
  draw_title(svg, bars.title, bars.width);
  std::vector<LegendEntry> legend;
  for (std::size_t p = 0; p < bars.parts.size(); ++p) {
    legend.push_back({bars.parts[p], palette_color(p), Mark::kPoints, false});
  }
  Frame frame{.left = 66, .top = 34, .right = bars.width - 18, .bottom = bars.height};
  const double step =
      frame.width() / static_cast<double>(std::max<std::size_t>(1, bars.bars.size()));
  frame.bottom -= name_room(bars.bars, step);
  frame.top += draw_legend(&svg, legend, frame.left, frame.top - 4, frame.width());
  std::vector<double> totals(bars.bars.size(), 0.0);
  for (const auto& part : bars.values) {
    for (std::size_t b = 0; b < part.size(); ++b) totals[b] += std::max(0.0, part[b]);
  }
  const double top = totals.empty() ? 1 : *std::max_element(totals.begin(), totals.end());
  const Scale scale(0, top > 0 ? top * 1.05 : 1, false, frame.bottom, frame.top);
  draw_y_axis(svg, frame, scale, bars.value_label);
  for (std::size_t b = 0; b < bars.bars.size(); ++b) {
    double sum = 0;
    for (std::size_t p = 0; p < bars.parts.size(); ++p) {
      const double value = std::max(0.0, bars.values[p][b]);
      const double upper = scale.pixel(sum + value);
      svg.rectangle({frame.left + step * (static_cast<double>(b) + 0.15), upper}, 0.7 * step,
                    scale.pixel(sum) - upper,
                    {.fill = palette_color(p),
                     .title = fmt::format("{}, {}: {:.4g}", bars.bars[b], bars.parts[p], value)});
      sum += value;
    }
  }
  svg.line({frame.left, frame.bottom}, {frame.right, frame.bottom}, {.stroke = "currentColor"});
  draw_names(svg, frame, bars.bars);
  return svg.document(bars.title);
}

std::string svg_violins(const ViolinPlot& plot) {
  Svg svg(plot.width, plot.height);
  draw_title(svg, plot.title, plot.width);
  Frame frame{.left = 66, .top = 34, .right = plot.width - 18, .bottom = plot.height};
  const double step =
      frame.width() / static_cast<double>(std::max<std::size_t>(1, plot.names.size()));
  frame.bottom -= name_room(plot.names, step);
  std::vector<double> all;
  for (const auto& sample : plot.values) all.insert(all.end(), sample.begin(), sample.end());
  Range range = padded_range(all, plot.y.log);
  if (plot.y.lo) range.lo = *plot.y.lo;
  if (plot.y.hi) range.hi = *plot.y.hi;
  const Scale scale(range.lo, range.hi, plot.y.log, frame.bottom, frame.top);
  draw_y_axis(svg, frame, scale, plot.y.label);
  svg.begin_clip({frame.left, frame.top}, frame.width(), frame.height());
  for (std::size_t i = 0; i < plot.values.size(); ++i) {
    std::vector<double> sample;
    for (const double value : plot.values[i]) {
      if (scale.accepts(value)) sample.push_back(value);
    }
    if (sample.empty()) continue;
    const double center = frame.left + step * (static_cast<double>(i) + 0.5);
    draw_violin(svg, scale, sample, center, 0.4 * step, palette_color(i));
    const double lower = scale.pixel(quantile(sample, 0.25));
    const double upper = scale.pixel(quantile(sample, 0.75));
    svg.line({center, lower}, {center, upper}, {.stroke = "currentColor", .width = 3});
    svg.circle({center, scale.pixel(median(sample))}, 3.5,
               {.stroke = "currentColor",
                .width = 1.4,
                .fill = "#ffffff",
                .title = fmt::format("{}: median {:.4g}", plot.names[i], median(sample))});
  }
  svg.end_clip();
  svg.line({frame.left, frame.bottom}, {frame.right, frame.bottom}, {.stroke = "currentColor"});
  draw_names(svg, frame, plot.names);
  return svg.document(plot.title);
}

std::string svg_timeline(const Timeline& timeline) {
  Svg svg(timeline.width, timeline.height);
  draw_title(svg, timeline.title, timeline.width);
  std::vector<std::string> kinds;
  std::vector<double> times;
  for (const auto& span : timeline.spans) {
    if (std::find(kinds.begin(), kinds.end(), span.kind) == kinds.end()) kinds.push_back(span.kind);
    times.push_back(span.begin);
    times.push_back(span.end);
  }
  std::vector<LegendEntry> legend;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    if (!kinds[k].empty()) legend.push_back({kinds[k], palette_color(k), Mark::kPoints, false});
  }
  double label_width = 40;
  for (const auto& lane : timeline.lanes) label_width = std::max(label_width, text_width(lane, 11));
  Frame frame{.left = label_width + 20,
              .top = 34,
              .right = timeline.width - 18,
              .bottom = timeline.height - 50};
  frame.top += draw_legend(&svg, legend, frame.left, frame.top - 4, frame.width());
  const Range range = padded_range(times, false);
  const Scale scale(range.lo, range.hi, false, frame.left, frame.right);
  draw_x_axis(svg, frame, scale, timeline.time_label);
  const double step =
      frame.height() / static_cast<double>(std::max<std::size_t>(1, timeline.lanes.size()));
  for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
    svg.text({frame.left - 8, frame.top + step * (static_cast<double>(lane) + 0.5) + 4},
             timeline.lanes[lane], {.size = 11, .anchor = Anchor::kEnd});
  }
  for (const auto& span : timeline.spans) {
    const auto kind =
        static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), span.kind) - kinds.begin());
    const double begin = scale.pixel(span.begin);
    svg.rectangle(
        {begin, frame.top + step * (static_cast<double>(span.lane) + 0.18)},
        std::max(0.5, scale.pixel(span.end) - begin), 0.64 * step,
        {.fill = palette_color(kind),
         .title = fmt::format("{} {:.4g} to {:.4g}", span.label.empty() ? span.kind : span.label,
                              span.begin, span.end)});
  }
  return svg.document(timeline.title);
}

std::vector<double> kernel_density(const std::vector<double>& sample,
                                   const std::vector<double>& at) {
  const double n = static_cast<double>(sample.size());
  const double quartiles = (quantile(sample, 0.75) - quantile(sample, 0.25)) / 1.34;
  double spread = standard_deviation(sample);
  if (quartiles > 0) spread = std::min(spread, quartiles);
  const double bandwidth = spread > 0 ? 0.9 * spread * std::pow(n, -0.2) : 1;
  std::vector<double> density;
  for (const double x : at) {
    double sum = 0;
    for (const double value : sample) {
      const double z = (x - value) / bandwidth;
      sum += std::exp(-0.5 * z * z);
    }
    density.push_back(sum / (n * bandwidth * std::sqrt(2 * std::numbers::pi)));
  }
  return density;
}

}  // namespace ridgewatt
