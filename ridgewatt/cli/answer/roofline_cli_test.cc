// Tests ridgewatt roofline: its page works in a browser.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ridgewatt/device/board.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/test_support.h"

namespace ridgewatt::cli {
namespace {

// The page as users see it: every chart is drawn, and selecting a layer marks it in the table and
// the roofs.
constexpr const char* kRooflineActions = R"(
window.addEventListener("load", () => setTimeout(() => {
  const faults = [];
  const check = (holds, what) => { if (!holds) faults.push(what); };
  const live = document.getElementById("options") !== null;
  const charts = Array.from(document.querySelectorAll("figure.chart")).map((c) => c.querySelector(live ? ".live" : ".still.wide"));
  check(charts.length === 7, "figures " + charts.length);
  // A chart of many points is one canvas: what it shows is known to its library alone.
  const shapes = (c) => (c.querySelector("canvas") ? echarts.getInstanceByDom(c).getZr().storage.getDisplayList(true) : []);
  check(charts.every((c) => c.querySelectorAll("svg *").length + shapes(c).length > 20), "drawn");
  const rows = document.querySelectorAll('table[data-table="1"] tbody tr');
  check(rows.length > 40, "layers " + rows.length);
  rows[0].click();
  if (document.getElementById("options")) {
    charts.forEach((c) => echarts.getInstanceByDom(c).getZr().animation.update());
  }
  const linked = charts.slice(0, 3).map((c) => c.querySelectorAll('[stroke="#E00000"], .selected').length +
    shapes(c).filter((shape) => shape.currentStates.includes("emphasis")).length);
  check(linked.every((count) => count >= 1), "linked " + linked);
  document.title = faults.length ? "FAULTS " + faults.join("; ") : "ALL WELL";
}, 300));
)";

// label: browser
TEST(RooflineCommand, PageOfAModelWorksInChromium) {
  const testing::TemporaryFolder folder;
  const std::string html = (folder.path() / "page.html").string();
  const std::string svg = (folder.path() / "page.svg").string();
  const auto result = testing::run_program(
      "roofline zoo:resnet18 --device agx-orin --modes maxn --format json --figures " + html +
      " --figures " + svg);
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_NE(read_file(svg).find("energy arch line"), std::string::npos);
  std::string page = read_file(html);
  // Every figure states workload, board, provenance, runtime and the kind of twin.
  for (const std::string& text : {page, read_file(svg)}) {
    EXPECT_NE(text.find("resnet18"), std::string::npos);
    for (const char* part : {"Jetson AGX Orin", "Modelled: ", "pytorch-eager", "fitted"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part;
    }
  }
  testing::expect_well_in_browser(page, kRooflineActions);
}

// Without --modes every board has roofs, although the presets of cards are power limits.
TEST(RooflineCommand, EveryBoardHasADefaultMode) {
  for (const auto& board : list_boards()) {
    const auto run = testing::run_program("roofline --quiet --format json --device " + board);
    ASSERT_EQ(run.status, 0) << run.output;
    const Json modes = Json::parse(run.output)["modes"];
    ASSERT_FALSE(modes.empty()) << board;
    EXPECT_GT(modes[0]["gpu_mhz"], 0) << board;
  }
  const auto all = testing::run_program("roofline --device h100-sxm --modes all --format csv");
  EXPECT_EQ(all.status, 0);
  EXPECT_NE(all.output.find("left out, because the clocks vary: 11 modes"), std::string::npos);
  for (const char* modes : {"presets", "limit=300", "200W"}) {
    const auto run =
        testing::run_program(std::string("roofline --device h100-sxm --modes ") + modes);
    EXPECT_EQ(run.status, 2);
    EXPECT_NE(run.output.find("a power limit or a governor is not known"), std::string::npos);
    EXPECT_NE(run.output.find("give maxn or clocks"), std::string::npos);
  }
}

// Layers are on the measured roofs. The attainable rate at an intensity is the smaller of the peak
// and bandwidth x intensity, and the minimum time is the work divided by this rate.
TEST(RooflineCommand, LocalMeasuresThisMachine) {
  const testing::TemporaryFolder folder;
  const std::string svg = (folder.path() / "local.svg").string();
  const std::string html = (folder.path() / "local.html").string();
  const auto result = testing::run_program(
      "roofline zoo:lenet5 --batch 4 --device local --target cpu --threads 1 --seconds 0.001 "
      "--footprint 16 --quiet --format json --figures " +
      svg + " --figures " + html);
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["provenance"], "measured");
  EXPECT_EQ(json["target"], "cpu");
  double peak = 0, bandwidth = 0;
  for (const auto& roof : json["roofs"]) {
    EXPECT_LE(roof["lo"].get<double>(), roof["value"].get<double>());
    EXPECT_GE(roof["hi"].get<double>(), roof["value"].get<double>());
    if (roof["key"] == "fp32_flop_per_s") peak = roof["value"].get<double>();
    if (roof["key"] == "bandwidth_bytes_per_s") bandwidth = roof["value"].get<double>();
  }
  ASSERT_GT(peak, 0);
  ASSERT_GT(bandwidth, 0);
  double total_ms = 0;
  std::size_t placed = 0;
  for (const auto& layer : json["layers"]) {
    total_ms += layer["least_ms"].get<double>();
    if (!layer["intensity"].is_number()) continue;
    ++placed;
    const double intensity = layer["intensity"].get<double>();
    const double roof = std::min(peak, bandwidth * intensity);
    EXPECT_NEAR(layer["attainable_gflop_per_s"].get<double>() / roof, 1, 1e-9);
    EXPECT_NEAR(layer["least_ms"].get<double>() * roof / layer["work_mflop"].get<double>(), 1,
                1e-9);
    EXPECT_EQ(layer["bound"], peak <= bandwidth * intensity ? "compute" : "memory");
  }
  EXPECT_GE(placed, 5U);
  EXPECT_NEAR(json["least_time_ms"].get<double>() / total_ms, 1, 1e-9);
  for (const auto& file : {svg, html}) {
    EXPECT_NE(read_file(file).find("by counts"), std::string::npos) << file;
    EXPECT_NE(read_file(file).find("Measured"), std::string::npos) << file;
  }
}

// CSV is a single table. With several modes, it must not silently contain only the first mode.
TEST(RooflineCommand, CsvOfLayersIsOfOneModeAndSaysSo) {
  const auto several =
      testing::run_program("roofline zoo:lenet5 --device agx-orin --modes presets --format csv");
  EXPECT_EQ(several.status, 2);
  EXPECT_NE(several.output.find("--modes names several"), std::string::npos) << several.output;
  const testing::TemporaryFolder folder;
  const std::string file = " -o " + (folder.path() / "layers.csv").string();
  const auto usual =
      testing::run_program("roofline zoo:lenet5 --device agx-orin --format csv" + file);
  EXPECT_EQ(usual.status, 0);
  EXPECT_NE(usual.output.find("layers are shown in mode"), std::string::npos) << usual.output;
  const auto one = testing::run_program(
      "roofline zoo:lenet5 --device agx-orin --modes maxn --format csv" + file);
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(one.output.find("layers are shown in mode"), std::string::npos) << one.output;
}

// The shares of GPU time are those of each mode, and ceilings count the enabled SMs.
TEST(RooflineCommand, RowsOfAModeDoNotDependOnTheOthers) {
  const auto rows_of = [](const std::string& modes) {
    const auto result = testing::run_program(
        "roofline zoo:resnet18 --device agx-orin --quiet --format json --modes " + modes);
    EXPECT_EQ(result.status, 0) << result.output;
    std::map<std::string, Json> rows;
    const Json json = Json::parse(result.output);
    for (const auto& row : json["modes"]) {
      if (row["preset"] == "MODE_15W") rows[row["roof"]] = row;
    }
    return rows;
  };
  const auto alone = rows_of("MODE_15W"), among = rows_of("presets");
  ASSERT_FALSE(among.empty());
  for (const auto& [roof, row] : among) {
    ASSERT_TRUE(alone.contains(roof)) << roof;
    EXPECT_EQ(row, alone.at(roof));
  }
  // 6 SMs x 128 cores x 2 x 420.75 MHz, as in `device show`.
  EXPECT_NEAR(among.at("vector")["ceiling_gflop_per_s"].get<double>(), 646.3, 0.1);
  const auto text = testing::run_program("roofline --device agx-orin --modes MODE_15W");
  EXPECT_NE(text.output.find("MODE_15W leaves 6 of 16 SMs on"), std::string::npos) << text.output;
}

TEST(RooflineCommand, LocalRefusesWhatBelongsToBoards) {
  const auto status = [](const std::string& options) {
    const auto result = testing::run_program("roofline " + options);
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
    return result.status;
  };
  EXPECT_EQ(status("--device local --modes maxn"), 2);
  EXPECT_EQ(status("--device local --power-cap 20"), 2);
  EXPECT_EQ(status("--device agx-orin --target cpu"), 2);
  EXPECT_EQ(status("--device agx-orin --seconds 1"), 2);
  EXPECT_EQ(status("--device local --target tpu"), 2);
  EXPECT_EQ(status("zoo:lenet5 --device local --precision int8"), 1);
  EXPECT_EQ(status("no_such.onnx --device local"), 1);
}

}  // namespace
}  // namespace ridgewatt::cli
