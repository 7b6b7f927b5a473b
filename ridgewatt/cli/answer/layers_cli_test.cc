// Tests ridgewatt layers: profiles of the given engines from the command line, and rejected input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/test_support.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;

std::string stem(const std::string& precision) {
  return (testing::shared_folder() / "data/traces/tensorrt/resnet18_a100_").string() + precision;
}

#define REQUIRE_ENGINE()                                        \
  RIDGEWATT_REQUIRE_SHARED();                                   \
  if (!std::filesystem::exists(stem("fp16") + ".profile.json")) \
  GTEST_SKIP() << "skipped: no recorded engines"

TEST(LayersCommand, JoinsProfileLayersTimesAndModel) {
  REQUIRE_ENGINE();
  const auto result = testing::run_program(
      "layers --quiet --format json --profile " + stem("fp16") + ".profile.json --layers " +
      stem("fp16") + ".graph.json --times " + stem("fp16") + ".timing.json --model " +
      (testing::shared_folder() / "onnx/models/resnet18.onnx").string());
  ASSERT_EQ(result.status, 0) << result.output.substr(0, 400);
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["provenance"], "measured");
  EXPECT_EQ(json["runtime"], "tensorrt");
  EXPECT_EQ(json["batch"], 32);
  ASSERT_EQ(json["layers"].size(), 36U);
  double sum_ms = 0, macs = 0;
  for (const auto& layer : json["layers"]) {
    for (const char* key : {"name", "time_ms", "flops", "bytes", "onnx_nodes", "kind"}) {
      EXPECT_TRUE(layer.contains(key)) << key;
    }
    sum_ms += layer["time_ms"].get<double>();
    if (layer["macs"].is_number()) macs += layer["macs"].get<double>();
  }
  EXPECT_NEAR(sum_ms, 1.016832, 1e-6);  // the sum of the file's timeMs
  EXPECT_NEAR(json["totals"]["time_ms"].get<double>(), 1.016832, 1e-6);
  EXPECT_EQ(macs, 32.0 * 1814073344);  // torchvision's ResNet-18
  EXPECT_EQ(json["totals"]["macs"].get<double>(), macs);
  EXPECT_EQ(json["totals"]["model_macs"].get<double>(), macs);
  EXPECT_GT(json["times"]["runs"], 1000);
}

TEST(LayersCommand, WritesAPageAndAFigure) {
  REQUIRE_ENGINE();
  const testing::TemporaryFolder folder;
  const std::string page = (folder.path() / "layers.html").string();
  const std::string figure = (folder.path() / "layers.svg").string();
  const auto result = testing::run_program(
      "layers --profile " + stem("fp32") + ".profile.json --layers " + stem("fp32") +
      ".graph.json --device agx-orin --figures " + page + " --figures " + figure);
  ASSERT_EQ(result.status, 0) << result.output.substr(0, 400);
  const std::string html = read_file(page);
  for (const char* part : {"Layers to optimize", "where the time goes", "roofline", "Conv_0"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
  EXPECT_THAT(read_file(figure), HasSubstr("ceiling (tf32)"));
  EXPECT_THAT(result.output, HasSubstr("modelled"));  // the provenance of the energy
}

// Checks that both charts are drawn, and that selecting a layer marks it in the table and in the
// roofline.
constexpr const char* kLayersActions = R"(
window.addEventListener("load", () => setTimeout(() => {
  const faults = [];
  const check = (holds, what) => { if (!holds) faults.push(what); };
  const live = document.getElementById("options") !== null;
  const charts = Array.from(document.querySelectorAll("figure.chart")).map((c) => c.querySelector(live ? ".live" : ".still.wide"));
  check(charts.length === 2, "figures " + charts.length);
  check(charts.every((c) => c.querySelectorAll("svg *").length > 20), "drawn");
  const rows = document.querySelectorAll('table[data-table="1"] tbody tr');
  check(rows.length === 2, "layers " + rows.length);
  rows[0].click();
  if (live) charts.forEach((c) => echarts.getInstanceByDom(c).getZr().animation.update());
  const linked = charts[0].querySelectorAll('[stroke="#E00000"], .selected').length;
  check(linked >= 1, "linked " + linked);
  document.title = faults.length ? "FAULTS " + faults.join("; ") : "ALL WELL";
}, 300));
)";

// label: browser
TEST(LayersCommand, PageOfMeasuredLayersWorksInChromium) {
  const testing::TemporaryFolder folder;
  const std::string profile = folder.write(
      "p.json", R"([{"count": 1}, {"name": "<b>a</b>", "timeMs": 1}, {"name": "c", "timeMs": 1}])");
  const std::string layer = R"(", "LayerType": "gemm", "ParameterType": "MatrixMultiply",
    "Inputs": [{"Name": "x", "Dimensions": [64, 64], "Format/Datatype": "FP16"}],
    "Outputs": [{"Name": "y", "Dimensions": [64, 64], "Format/Datatype": "FP16"}]})";
  const std::string layers = folder.write(
      "l.json", R"({"Layers": [{"Name": "<b>a</b>)" + layer + R"(, {"Name": "c)" + layer + "]}");
  const std::string page = (folder.path() / "page.html").string();
  const auto result = testing::run_program("layers --profile " + profile + " --layers " + layers +
                                           " --device agx-orin --figures " + page);
  ASSERT_EQ(result.status, 0) << result.output;
  testing::expect_well_in_browser(read_file(page), kLayersActions);
}

TEST(LayersCommand, AnUnknownPrecisionIsNull) {
  const testing::TemporaryFolder folder;
  const std::string profile =
      folder.write("p.json", R"([{"count": 3}, {"name": "a", "timeMs": 3, "averageMs": 1}])");
  const auto result = testing::run_program("layers --format json --profile " + profile);
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(Json::parse(result.output)["layers"][0]["precision"].is_null()) << result.output;
}

TEST(LayersCommand, RefusesWhatSaysNothing) {
  const testing::TemporaryFolder folder;
  const std::string profile =
      folder.write("p.json", R"([{"count": 3}, {"name": "a", "timeMs": 3, "averageMs": 1}])");
  for (const auto& [more, word] : std::vector<std::pair<std::string, std::string>>{
           {" --mode maxn", "--mode"},
           {" --dim a=1", "--dim"},
           {" --power-channel x", "--power-channel"},
           {" --runs 2", "--runs"},
           {" --device agx-orin --mode presets", "--mode"}}) {
    const auto result = testing::run_program("layers --profile " + profile + more);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr(word));
  }
  EXPECT_EQ(testing::run_program("layers --profile " + profile).status, 0);
  EXPECT_EQ(testing::run_program("layers").status, 2);
}

}  // namespace
}  // namespace ridgewatt::cli
