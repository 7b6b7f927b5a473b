// Static bars, violins and timelines: one row per name, with the name on the left.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/report/chart/svg_frame.h"
#include "ridgewatt/report/chart/violin.h"

namespace ridgewatt::report {
namespace {

constexpr double kAxisRoom = 46;  // space below the frame

Frame row_frame(const Sheet& sheet, const std::vector<std::string>& names, double width) {
  return {.left = 12 + name_room(names, width) + 10,
          .top = sheet.top + 4,
          .right = width - 22,
          .bottom = sheet.bottom - kAxisRoom};
}

// The vertical center of row `i` of `count`.
double row_at(const Frame& frame, std::size_t i, std::size_t count) {
  return frame.top + frame.height() * (static_cast<double>(i) + 0.5) /
                         static_cast<double>(std::max<std::size_t>(1, count));
}

void draw_names(Svg& svg, const Frame& frame, const std::vector<std::string>& names, double width) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    svg.text({frame.left - 8, row_at(frame, i, names.size()) + 4},
             shortened(names[i], kTickSize, name_room(names, width)),
             {.size = kTickSize, .anchor = Anchor::kEnd});
  }
  svg.line({frame.left, frame.top}, {frame.left, frame.bottom},
           {.stroke = "currentColor", .opacity = 0.7});
}

void draw_violin(Svg& svg, const Scale& scale, const Violin& violin, double center,
                 double half_height, const std::string& name, const std::string& color) {
  std::vector<SvgPoint> outline;
  for (const auto& [value, density] : violin.outline) {
    outline.push_back({scale.pixel(value), center - half_height * density});
  }
  svg.polygon(outline, {.stroke = color, .width = 1.2, .fill = color, .opacity = 0.5});
  svg.line({scale.pixel(violin.lower), center}, {scale.pixel(violin.upper), center},
           {.stroke = "currentColor", .width = 3});
  svg.circle({scale.pixel(violin.middle), center}, 3.5,
             {.stroke = "currentColor",
              .width = 1.4,
              .fill = "#ffffff",
              .title = fmt::format("{}: median {:.4g}", name, violin.middle)});
}

}  // namespace

Range violin_range(const ViolinPlot& plot) {
  std::vector<double> all;
  for (const auto& sample : plot.values) all.insert(all.end(), sample.begin(), sample.end());
  Range range = padded_range(all, plot.value.log);
  if (plot.value.lo) range.lo = *plot.value.lo;
  if (plot.value.hi) range.hi = *plot.value.hi;
  return range;
}

std::optional<Violin> violin_of(const std::vector<double>& values, const Scale& scale) {
  constexpr int kOutlineSteps = 40;
  std::vector<double> sample;
  for (const double value : values) {
    if (scale.accepts(value)) sample.push_back(value);
  }
  if (sample.empty()) return std::nullopt;
  const auto [lo, hi] = std::minmax_element(sample.begin(), sample.end());
  std::vector<double> at;
  for (int i = 0; i <= kOutlineSteps; ++i) at.push_back(*lo + (*hi - *lo) * i / kOutlineSteps);
  const std::vector<double> density = kernel_density(sample, at);
  const double peak = *std::max_element(density.begin(), density.end());
  Violin violin{{}, quantile(sample, 0.25), median(sample), quantile(sample, 0.75)};
  for (std::size_t i = 0; i < at.size(); ++i) violin.outline.emplace_back(at[i], density[i] / peak);
  for (std::size_t i = at.size(); i-- > 0;) violin.outline.emplace_back(at[i], -density[i] / peak);
  return violin;
}

double bars_top(const StackedBars& bars) {
  double top = 0;
  for (std::size_t b = 0; b < bars.bars.size(); ++b) {
    double sum = 0;
    for (const auto& part : bars.values) sum += std::max(0.0, part[b]);
    top = std::max(top, sum);
  }
  return top > 0 ? top * 1.04 : 1;
}

std::vector<std::string> timeline_kinds(const Timeline& timeline) {
  std::vector<std::string> kinds;
  for (const auto& span : timeline.spans) {
    if (!contains(kinds, span.kind)) kinds.push_back(span.kind);
  }
  return kinds;
}

std::string draw_figure(const StackedBars& bars, const SvgOptions& options) {
  Sheet sheet = begin_sheet(figure_head(bars), figure_legend(bars), chart_height(bars), options);
  const Frame frame = row_frame(sheet, bars.bars, options.width);
  const Scale scale(0, bars_top(bars), false, frame.left, frame.right);
  draw_x_axis(sheet.svg, frame, scale, bars.value_label);
  const double step =
      frame.height() / static_cast<double>(std::max<std::size_t>(1, bars.bars.size()));
  for (std::size_t b = 0; b < bars.bars.size(); ++b) {
    double sum = 0;
    for (std::size_t p = 0; p < bars.parts.size(); ++p) {
      const double value = std::max(0.0, bars.values[p][b]);
      const double begin = scale.pixel(sum);
      sheet.svg.rectangle(
          {begin, row_at(frame, b, bars.bars.size()) - 0.36 * step},
          scale.pixel(sum + value) - begin, 0.72 * step,
          {.fill = palette_color(p),
           .title = fmt::format("{}, {}: {:.4g}", bars.bars[b], bars.parts[p], value)});
      sum += value;
    }
  }
  draw_names(sheet.svg, frame, bars.bars, options.width);
  return sheet.svg.document(bars.title + ". " + bars.source.line());
}

std::string draw_figure(const ViolinPlot& plot, const SvgOptions& options) {
  Sheet sheet = begin_sheet(figure_head(plot), {}, chart_height(plot), options);
  const Frame frame = row_frame(sheet, plot.names, options.width);
  const Range range = violin_range(plot);
  const Scale scale(range.lo, range.hi, plot.value.log, frame.left, frame.right);
  draw_x_axis(sheet.svg, frame, scale, plot.value.label);
  const std::size_t count = plot.names.size();
  const double step = frame.height() / static_cast<double>(std::max<std::size_t>(1, count));
  sheet.svg.begin_clip({frame.left, frame.top}, frame.width(), frame.height());
  for (std::size_t i = 0; i < plot.values.size(); ++i) {
    if (const auto violin = violin_of(plot.values[i], scale)) {
      draw_violin(sheet.svg, scale, *violin, row_at(frame, i, count), 0.42 * step, plot.names[i],
                  palette_color(i));
    }
  }
  sheet.svg.end_clip();
  draw_names(sheet.svg, frame, plot.names, options.width);
  return sheet.svg.document(plot.title + ". " + plot.source.line());
}

std::string draw_figure(const Timeline& timeline, const SvgOptions& options) {
  Sheet sheet =
      begin_sheet(figure_head(timeline), figure_legend(timeline), chart_height(timeline), options);
  const Frame frame = row_frame(sheet, timeline.lanes, options.width);
  std::vector<double> times;
  for (const auto& span : timeline.spans) times.insert(times.end(), {span.begin, span.end});
  const Range range = padded_range(times, false);
  const Scale scale(range.lo, range.hi, false, frame.left, frame.right);
  draw_x_axis(sheet.svg, frame, scale, timeline.time_label);
  const std::size_t count = timeline.lanes.size();
  const double step = frame.height() / static_cast<double>(std::max<std::size_t>(1, count));
  const auto kinds = timeline_kinds(timeline);
  for (const auto& span : timeline.spans) {
    const auto kind =
        static_cast<std::size_t>(std::find(kinds.begin(), kinds.end(), span.kind) - kinds.begin());
    const double begin = scale.pixel(span.begin);
    sheet.svg.rectangle(
        {begin, row_at(frame, span.lane, count) - 0.32 * step},
        std::max(0.5, scale.pixel(span.end) - begin), 0.64 * step,
        {.fill = palette_color(kind),
         .title = fmt::format("{} {:.4g} to {:.4g}", span.label.empty() ? span.kind : span.label,
                              span.begin, span.end)});
  }
  draw_names(sheet.svg, frame, timeline.lanes, options.width);
  return sheet.svg.document(timeline.title + ". " + timeline.source.line());
}

double chart_height(const Figure& figure) {
  struct Height {
    double operator()(const Plot& plot) const { return plot.height - 30; }
    double operator()(const HeatMap& map) const { return map.height - 30; }
    double operator()(const StackedBars& bars) const { return rows(bars.bars.size(), 26); }
    double operator()(const ViolinPlot& plot) const { return rows(plot.names.size(), 44); }
    double operator()(const Timeline& timeline) const { return rows(timeline.lanes.size(), 44); }
    static double rows(std::size_t count, double each) {
      return std::max(120.0, each * static_cast<double>(count) + kAxisRoom + 8);
    }
  };
  return std::visit(Height{}, figure);
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

}  // namespace ridgewatt::report
