#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/screen/blocks/block.h"
#include "ridgewatt/screen/graph.h"

namespace ridgewatt::screen {
namespace {

struct Trend {
  const char* name = "";
  std::vector<double> values = {};
  bool from_zero_to_one = false;
  double unit = 1;
};

bool has_values(const Trend& trend) {
  return std::any_of(trend.values.begin(), trend.values.end(),
                     [](double value) { return std::isfinite(value) && value != 0; });
}

// The series with values, most important first. If there is none, the CPU load.
std::vector<Trend> trends_of(const Scene& scene) {
  std::vector<Trend> all = {{"total W"},
                            {"GPU load", {}, true},
                            {"GPU MHz", {}, false, 1e6},
                            {"hottest C"},
                            {"CPU load", {}, true}};
  for (const auto& point : scene.history) {
    all[0].values.push_back(point.total_w);
    all[1].values.push_back(point.gpu_load);
    all[2].values.push_back(point.gpu_clock_hz > 0 ? point.gpu_clock_hz : std::nan(""));
    all[3].values.push_back(point.hottest_celsius);
    all[4].values.push_back(point.cpu_load);
  }
  const bool gpu_known = has_values(all[2]) || has_values(all[1]);
  std::vector<Trend> known;
  for (auto& trend : all) {
    const bool of_gpu = std::string_view(trend.name).starts_with("GPU");
    const bool some = of_gpu ? gpu_known : has_values(trend);
    if (some || (trend.name == all[4].name && known.empty())) known.push_back(std::move(trend));
  }
  if (known.size() > 4) known.pop_back();  // the loads already include the CPU load
  return known;
}

struct TrendRange {
  double low = 0, high = 1;
};

// Range of the visible values. It has a minimum size, so that noise is not magnified.
TrendRange range_of(const Trend& trend, std::size_t points) {
  if (trend.from_zero_to_one) return {0, 1};
  TrendRange range{std::numeric_limits<double>::infinity(),
                   -std::numeric_limits<double>::infinity()};
  const std::size_t shown = std::min(points, trend.values.size());
  for (std::size_t i = trend.values.size() - shown; i < trend.values.size(); ++i) {
    if (!std::isfinite(trend.values[i])) continue;
    range.low = std::min(range.low, trend.values[i]);
    range.high = std::max(range.high, trend.values[i]);
  }
  if (!(range.low <= range.high)) return {0, 1};
  const double least = 0.05 * std::max(std::abs(range.high), 1e-9);
  const double middle = (range.low + range.high) / 2;
  if (range.high - range.low < least) range = {middle - least / 2, middle + least / 2};
  return range;
}

std::string range_text(const Trend& trend, const TrendRange& range) {
  if (trend.from_zero_to_one) return "0 to 100 %";
  const auto text = [&](double value) { return fmt::format("{:.4g}", value / trend.unit); };
  return text(range.low) + " to " + text(range.high);
}

}  // namespace

std::size_t trend_count(const Scene& scene) {
  return trends_of(scene).size();
}

Block trend_block(const Scene& scene, std::size_t width, std::size_t rows) {
  static constexpr std::size_t kName = 10, kRange = 17;
  const bool ranges = width >= 50;
  const std::size_t labels = kName + (ranges ? kRange : 0);
  const std::size_t graph_width = width > labels ? width - labels : 0;
  const std::size_t points = graph_points(graph_width, scene.glyphs);
  Block block;
  block.title = title_line(
      "trend", fmt::format("{:.4g} s are shown", scene.look_s * static_cast<double>(points)),
      width);
  for (const auto& trend : trends_of(scene)) {
    const TrendRange range = range_of(trend, points);
    const auto drawn = graph(trend.values, range.low, range.high, graph_width, rows, scene.glyphs);
    for (std::size_t row = 0; row < rows; ++row) {
      Line line(left(row == 0 ? trend.name : "", kName));
      line.add(drawn[row], Tone::kGraph);
      if (ranges) line.add(right(row == 0 ? range_text(trend, range) : "", kRange), Tone::kDim);
      block.lines.push_back(line.fit(width));
    }
  }
  block.least = rows;
  return block;
}

}  // namespace ridgewatt::screen
