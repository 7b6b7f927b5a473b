#include "ridgewatt/report/roofline_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/report/html_report.h"
#include "ridgewatt/report/page/energy_figures.h"

namespace ridgewatt::report {
namespace {

using ::testing::HasSubstr;

roofline::EnergyRoofline roof(double gpu_share) {
  return {.peak_flop_per_s = 5e12 * gpu_share,
          .bandwidth_bytes_per_s = 2e11,
          .energy_per_flop_j = 5e-12,
          .energy_per_byte_j = 6e-11,
          .static_power_w = 10};
}

ClassRoof both_roofs(const char* name, double gpu_share) {
  ClassRoof both{name, "fp32", 6e12 * gpu_share, 2.2e11, roof(gpu_share)};
  return both;
}

RooflineLayer layer(const char* name, double flop, double bytes, double gpu_s) {
  RooflineLayer layer;
  layer.name = name;
  layer.op = "Conv";
  layer.roof = "convolution";
  layer.bound = "compute";
  layer.work_flop = flop;
  layer.traffic_bytes = bytes;
  layer.gpu_s = gpu_s;
  layer.time_s = 3 * gpu_s;  // launches take longer, but do not affect the position
  layer.launch_s = 3 * gpu_s;
  layer.power_w = 20;
  return layer;
}

RooflineReport sample_report() {
  RooflineReport report{.title = "model <x>",
                        .source = {"model <x>", "board", Provenance::kModelled, "by hand"}};
  report.modes = {{"MAXN", {both_roofs("convolution", 1)}},
                  {"half", {both_roofs("convolution", 0.5)}}};
  report.layers = {layer("a", 1e9, 1e6, 1e-3), layer("b", 1e6, 1e6, 1e-5),
                   layer("c", 0, 1e6, 1e-5)};
  report.parts = {{"GPU compute", 1.02e-3}, {"waiting for launches", 2.04e-3}};
  return report;
}

const Series& series_named(const Plot& plot, const std::string& name) {
  for (const auto& series : plot.series) {
    if (series.name == name) return series;
  }
  ADD_FAILURE() << "no series " << name;
  return plot.series.front();
}

TEST(RooflineReport, CeilingAndReachedRoofAreTwoNamedLines) {
  const Plot plot = time_roofline_figure(sample_report());
  ASSERT_EQ(plot.series.size(), 4u);  // a ceiling, two modes, the layers
  const Series& ceiling = series_named(plot, "MAXN, ceiling (fp32)");
  const Series& reached = series_named(plot, "MAXN, reached (convolution)");
  EXPECT_FALSE(ceiling.dashed);
  EXPECT_TRUE(reached.dashed);
  for (std::size_t i = 0; i < ceiling.x.size(); ++i) {
    EXPECT_NEAR(ceiling.y[i], std::min(ceiling.x[i] * 220, 6000.0), 1e-6 * ceiling.y[i]);
  }
  for (std::size_t i = 0; i < reached.x.size(); ++i) {
    EXPECT_NEAR(reached.y[i], std::min(reached.x[i] * 200, 5000.0), 1e-6 * reached.y[i]);
  }
}

TEST(RooflineReport, LayersLieWhereTheirTimeOnTheGpuPutsThem) {
  const Plot plot = time_roofline_figure(sample_report());
  const Series& layers = series_named(plot, "layers: convolution");
  EXPECT_EQ(layers.rows, (std::vector<int>{0, 1}));  // "c" has no work
  EXPECT_DOUBLE_EQ(layers.x[0], 1000);
  EXPECT_DOUBLE_EQ(layers.y[0], 1000);  // 1 GFLOP in 1 ms on the GPU
  EXPECT_GT(layers.radius[0], layers.radius[1]);
  ASSERT_EQ(plot.remarks.size(), 1u);  // the whole model
  EXPECT_DOUBLE_EQ(*plot.remarks[0].x, 1.001e9 / 3e6);
  const Table table = roofline_layer_table(sample_report().layers);
  const Json first = table.to_json()[0];
  EXPECT_DOUBLE_EQ(first["modelled_gflop_per_s"].get<double>(), layers.y[0]);
  EXPECT_DOUBLE_EQ(first["intensity"].get<double>(), layers.x[0]);
}

TEST(RooflineReport, TimeLostToLaunchesIsABarOfItsOwn) {
  const StackedBars bars = time_parts_figure(sample_report());
  EXPECT_EQ(bars.parts, (std::vector<std::string>{"GPU compute", "waiting for launches"}));
  EXPECT_DOUBLE_EQ(bars.values[1][0], 2.04);
}

TEST(RooflineReport, CachesAreFurtherSlopesOfTheTimeRoofline) {
  RooflineReport report = sample_report();
  report.levels = {{"L2", 1e12, "by hand"}};
  const Series slope = series_named(time_roofline_figure(report), "MAXN, ceiling (L2)");
  for (std::size_t i = 0; i < slope.x.size(); ++i) {
    EXPECT_NEAR(slope.y[i], std::min(slope.x[i] * 1000, 6000.0), 1e-6 * slope.y[i]);
  }
  const Json row = level_table(report).to_json()[0];
  EXPECT_DOUBLE_EQ(row["time_balance"].get<double>(), 6);
}

// For a machine without a power sensor, no energy or power is drawn.
TEST(RooflineReport, WithoutPowerOnlyTheTimeRooflineIsDrawn) {
  RooflineReport report = sample_report();
  report.layers.clear();
  report.parts.clear();
  EXPECT_EQ(roofline_figures(report).size(), 3u);
  ClassRoof timed = both_roofs(kMeasuredRoof, 1);
  timed.reached.energy_per_flop_j = timed.reached.energy_per_byte_j = 0;
  timed.reached.static_power_w = 0;
  report.modes = {{"as it is set", {timed}}};
  report.measured = {{"triad", 0.5, 1e11}, {"intensity", 100, 4e12, 20}};
  EXPECT_EQ(roofline_figures(report).size(), 1u);
  const Plot plot = time_roofline_figure(report);
  EXPECT_NO_FATAL_FAILURE(series_named(plot, "as it is set, measured"));
  const Series& points = series_named(plot, "microbenchmarks");
  EXPECT_EQ(points.x, (std::vector<double>{0.5, 100}));
  EXPECT_EQ(points.y, (std::vector<double>{100, 4000}));
}

TEST(RooflineReport, ArchAndPowerLinesHaveTheirKnownPoints) {
  RooflineReport report = sample_report();
  const Series arch = energy_arch_figure(report).series[0];
  const roofline::EnergyRoofline& first = report.modes[0].roofs[0].reached;
  EXPECT_NEAR(arch.y.back(), 1e-9 * first.peak_flop_per_j(), 0.05 * arch.y.back());
  const Series power = power_line_figure(report).series[0];
  EXPECT_NEAR(*std::max_element(power.y.begin(), power.y.end()), 10 + 5e12 * 5e-12 + 2e11 * 6e-11,
              1e-9);  // pi0 + pi_f + pi_m at the balance point
  EXPECT_THAT(roofline_svg(report), HasSubstr("power line"));
  const std::string page = roofline_html(report);
  EXPECT_THAT(page.find("model &lt;x&gt;"), ::testing::Ne(std::string::npos));
  EXPECT_EQ(page.find("model <x>"), std::string::npos);
}

TEST(RooflineReport, ThePowerLineEndsAtTheCap) {
  RooflineReport report = sample_report();
  report.modes[0].roofs[0].reached.power_cap_w = 30;
  const Series power = power_line_figure(report).series[0];
  EXPECT_NEAR(*std::max_element(power.y.begin(), power.y.end()), 30, 1e-9);
}

// Observations with energy = power x time and a minimum between the lowest and the highest GPU
// clock.
std::vector<Observation> valley() {
  std::vector<Observation> points;
  for (int cpu = 1; cpu <= 3; ++cpu) {
    for (int gpu = 1; gpu <= 7; ++gpu) {
      Observation o;
      o.point = {{4, cpu * 5e8, gpu * 1e8, 2e9, ""}, 2};
      o.time_s = 0.1 / gpu;
      o.power_w = 4 + gpu * gpu * 0.25 + cpu * 0.5;
      points.push_back(o);
    }
  }
  return points;
}

TEST(EnergyFigures, MarkTheMinimum) {
  const auto points = valley();
  const FigureSource source("net", "board", Provenance::kMeasured);
  const Plot plot = energy_over_gpu_clock(points, source);
  // E ~ (5.5 + g^2 / 4) / g at the highest CPU clock: the minimum is at g = sqrt(22) = 4.7, so g =
  // 5.
  ASSERT_EQ(plot.remarks.size(), 1u);
  EXPECT_EQ(*plot.remarks[0].x, 500);
  EXPECT_NEAR(*plot.remarks[0].y, 0.1 / 5 * (5.5 + 25 * 0.25) / 2 * 1e3, 1e-9);
  const HeatMap map = energy_topology(points, source).value();
  EXPECT_EQ(map.x.size(), 7u);
  EXPECT_EQ(map.y.size(), 3u);
  EXPECT_EQ(*map.remarks[0].y, 500);  // lowest CPU clock: E ~ (4.5 + g^2 / 4) / g, g = 4
  EXPECT_EQ(*map.remarks[0].x, 400);
  const Plot front = time_power_front(points, source);
  EXPECT_EQ(front.series[1].x.size(), 7u);  // lowest CPU clock wins at every GPU clock
  EXPECT_EQ(energy_figures(points, source).size(), 3u);
  EXPECT_TRUE(energy_figures({}, source).empty());
}

std::string page_of(const std::string& content) {
  HtmlReport report("r");
  add_result(report, "file", content);
  return report.html();
}

TEST(EnergyFigures, AFrontHasNoTopology) {
  std::vector<Observation> points;
  for (int i = 1; i <= 6; ++i) {
    points.push_back({{{4, 1e8 * i, 1e8 * i, 2e9, ""}, 1}, 1.0 / i, 1.0 * i});
  }
  EXPECT_EQ(energy_figures(points, {"net", "board", Provenance::kMeasured}).size(),
            1u);  // time and power
}

TEST(EnergyFigures, SayWhatIsNotDrawn) {
  std::vector<Observation> points;
  for (int i = 1; i <= 5000; ++i) points.push_back({{{4, 1e9, 1e6 * i, 2e9, ""}, 1}, 1.0 / i, 5});
  const Plot plot = time_power_front(points, {"net", "board", Provenance::kMeasured});
  ASSERT_LT(plot.series[0].x.size(), 5000u);
  EXPECT_THAT(plot.note, HasSubstr(std::to_string(plot.series[0].x.size()) + " of 5000 modes"));
}

TEST(ResultReport, TakesCsvAndJson) {
  std::string csv = "workload,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w\n";
  for (const auto& o : valley()) {
    csv += "net<b>,2,4," + std::to_string(o.point.mode.cpu_clock_hz / 1e6) + "," +
           std::to_string(o.point.mode.gpu_clock_hz / 1e6) + ",2000," +
           std::to_string(o.time_s * 1e3) + "," + std::to_string(o.power_w) + "\n";
  }
  EXPECT_THAT(page_of(csv).find("Energy over GPU clock"), ::testing::Ne(std::string::npos));
  EXPECT_EQ(page_of(csv).find("net<b>"), std::string::npos);
  const std::string scores = page_of("method,profiles,time_mape\nours,10,5\nours,20,4\nnn,10,9\n");
  EXPECT_THAT(scores.find("time_mape over profiles"), ::testing::Ne(std::string::npos));
  const std::string json = page_of(R"({"schema":"ridgewatt.analyze/1","total":{"macs":5},)"
                                   R"("nodes":[{"name":"<i>","mode":{"gpu_mhz":306}}]})");
  EXPECT_THAT(json, HasSubstr("<b>macs</b> 5"));
  EXPECT_THAT(json.find("mode.gpu_mhz"), ::testing::Ne(std::string::npos));
  EXPECT_THAT(json.find("&lt;i&gt;"), ::testing::Ne(std::string::npos));
  EXPECT_THROW(page_of(""), InputError);
  EXPECT_THROW(page_of("{\"a\":"), InputError);
  EXPECT_THROW(page_of("a,b\n1\n"), InputError);
  EXPECT_THROW(page_of("[" + std::string(100000, '[')), InputError);
  EXPECT_THROW(page_of(std::string(100000, '[') + std::string(100000, ']')), InputError);
  page_of(R"({"schema":"ridgewatt.analyze/1","nodes":)" + std::string(100000, '[') +
          std::string(100000, ']') + "}");
}

TEST(ResultReport, RowsTellWhoseTheyAre) {
  const std::string page = page_of(
      "workload,kind,board,provenance,runtime,twin,gpu_mhz,time_ms,power_w\n"
      "net,inference,nano,modelled,pytorch-eager,\"scaled, not validated\",306,10,5\n"
      "net,inference,nano,modelled,pytorch-eager,\"scaled, not validated\",408,8,6\n"
      "net,inference,nano,modelled,pytorch-eager,\"scaled, not validated\",510,7,8\n");
  EXPECT_THAT(page, HasSubstr("net inference on nano. Modelled: pytorch-eager, twin scaled, not "
                              "validated"));
}

}  // namespace
}  // namespace ridgewatt::report
