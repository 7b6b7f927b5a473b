#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/report/chart/svg_frame.h"

namespace ridgewatt::report {
namespace {

constexpr std::size_t kManyPoints = 1000;  // chosen: fewer points show their values on hover
constexpr double kPointRadius = 3.5;       // pixels

class PlotWriter {
 public:
  PlotWriter(const Plot& plot, Svg& svg, const Frame& frame, Range x, Range y)
      : plot_(plot),
        svg_(svg),
        frame_(frame),
        x_(x.lo, x.hi, plot.x.log, frame.left, frame.right),
        y_(y.lo, y.hi, plot.y.log, frame.bottom, frame.top),
        placer_(frame) {}

  void write() {
    draw_x_axis(svg_, frame_, x_, plot_.x.label);
    draw_y_axis(svg_, frame_, y_, plot_.y.label);
    svg_.begin_clip({frame_.left, frame_.top}, frame_.width(), frame_.height());
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      if (plot_.series[i].mark == Mark::kBand) band(plot_.series[i], i);
    }
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      const Series& series = plot_.series[i];
      if (series.mark != Mark::kBand && series.mark != Mark::kPoints) line(series, i);
      if (series.mark == Mark::kPoints || series.mark == Mark::kLinePoints) points(series, i);
    }
    svg_.end_clip();
    for (const auto& remark : plot_.remarks) mark(remark);
  }

 private:
  bool accepts(double x, double y) const { return x_.accepts(x) && y_.accepts(y); }
  SvgPoint at(double x, double y) const { return {x_.pixel(x), y_.pixel(y)}; }

  void band(const Series& series, std::size_t index) {
    std::vector<SvgPoint> edge;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (accepts(series.x[i], series.y[i]) && y_.accepts(series.y_hi[i])) {
        edge.push_back(at(series.x[i], series.y[i]));
      }
    }
    for (std::size_t i = series.x.size(); i-- > 0;) {
      if (accepts(series.x[i], series.y[i]) && y_.accepts(series.y_hi[i])) {
        edge.push_back(at(series.x[i], series.y_hi[i]));
      }
    }
    svg_.polygon(edge, {.fill = series_color(series, index), .opacity = 0.2});
  }

  void line(const Series& series, std::size_t index) {
    const SvgStyle style{.stroke = series_color(series, index),
                         .width = 1.8,
                         .dash = series.dashed ? "6 4" : "",
                         .title = series.name};
    std::vector<SvgPoint> run;
    const auto flush = [&] {
      if (run.size() > 1) svg_.polyline(run, style);
      if (!plot_.remarks.empty()) placer_.keep_off(run);
      run.clear();
    };
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!accepts(series.x[i], series.y[i])) {
        flush();
        continue;
      }
      const SvgPoint point = at(series.x[i], series.y[i]);
      if (series.mark == Mark::kSteps && !run.empty()) run.push_back({point.x, run.back().y});
      run.push_back(point);
    }
    flush();
  }

  void cloud(const Series& series, const std::string& color) {
    std::vector<SvgPoint> centers;
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (accepts(series.x[i], series.y[i])) centers.push_back(at(series.x[i], series.y[i]));
    }
    const double radius = series.radius.empty() ? kPointRadius : series.radius.front();
    svg_.dots(centers, {.stroke = color, .width = 2 * radius, .opacity = 0.85});
  }

  void points(const Series& series, std::size_t index) {
    const std::string color = series_color(series, index);
    if (is_cloud(series)) return cloud(series, color);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      if (!accepts(series.x[i], series.y[i])) continue;
      const double radius = series.radius.empty() ? kPointRadius : series.radius[i];
      SvgStyle style{.fill = color, .opacity = 0.85};
      if (radius >= 3) style.stroke = "#ffffff", style.width = 0.6;
      if (!series.rows.empty()) style.row = series.rows[i];
      if (!series.labels.empty()) style.title = series.labels[i];
      svg_.circle(at(series.x[i], series.y[i]), radius, style);
    }
  }

  void mark(const Remark& remark) {
    const SvgStyle style{.stroke = "currentColor", .width = 1.2, .opacity = 0.7, .dash = "3 3"};
    if (remark.x && remark.y && accepts(*remark.x, *remark.y)) {
      const SvgPoint point = at(*remark.x, *remark.y);
      svg_.circle(point, 6, {.stroke = "currentColor", .width = 1.6});
      if (!remark.text.empty()) write_next_to(point, remark.text, 9);
    } else if (remark.x && !remark.y && x_.accepts(*remark.x)) {
      const double x = x_.pixel(*remark.x);
      svg_.line({x, frame_.top}, {x, frame_.bottom}, style);
      write_next_to({x, frame_.bottom - 14}, remark.text, 5);
    } else if (remark.y && !remark.x && y_.accepts(*remark.y)) {
      const double y = y_.pixel(*remark.y);
      svg_.line({frame_.left, y}, {frame_.right, y}, style);
      write_next_to({frame_.left + 4, y}, remark.text, 6);
    }
  }

  void write_next_to(SvgPoint point, const std::string& text, double distance) {
    const auto place = placer_.next_to(point, text, kTickSize, distance);
    svg_.text(place.at, text, {.size = kTickSize, .anchor = place.anchor});
  }

  const Plot& plot_;
  Svg& svg_;
  Frame frame_;
  Scale x_;
  Scale y_;
  LabelPlacer placer_;
};

}  // namespace

bool is_cloud(const Series& series) {
  const auto& sizes = series.radius;
  return series.mark == Mark::kPoints && series.x.size() > kManyPoints && series.rows.empty() &&
         series.labels.empty() && std::all_of(sizes.begin(), sizes.end(), [&](double size) {
           return size == sizes.front();
         });
}

std::string series_color(const Series& series, std::size_t index) {
  return series.color.empty() ? palette_color(index) : series.color;
}

Range plot_range(const Plot& plot, bool x) {
  const Axis& axis = x ? plot.x : plot.y;
  std::vector<double> values;
  for (const auto& series : plot.series) {
    const auto& own = x ? series.x : series.y;
    values.insert(values.end(), own.begin(), own.end());
    if (!x) values.insert(values.end(), series.y_hi.begin(), series.y_hi.end());
  }
  for (const auto& remark : plot.remarks) {
    const auto& value = x ? remark.x : remark.y;
    if (value) values.push_back(*value);
  }
  Range range = padded_range(values, axis.log);
  if (axis.lo && (!axis.log || *axis.lo > 0)) range.lo = *axis.lo;
  if (axis.hi && *axis.hi > range.lo) range.hi = *axis.hi;
  return range;
}

std::string draw_figure(const Plot& plot, const SvgOptions& options) {
  Sheet sheet = begin_sheet(figure_head(plot), figure_legend(plot), plot.height - 30, options);
  const Range x = plot_range(plot, true);
  const Range y = plot_range(plot, false);
  Frame frame{
      .left = 0, .top = sheet.top + 26, .right = options.width - 18, .bottom = sheet.bottom - 46};
  const Scale scale(y.lo, y.hi, plot.y.log, frame.bottom, frame.top);
  frame.left = left_of(y_ticks(scale, frame.height()));
  PlotWriter(plot, sheet.svg, frame, x, y).write();
  return sheet.svg.document(plot.title + ". " + plot.source.line());
}

}  // namespace ridgewatt::report
