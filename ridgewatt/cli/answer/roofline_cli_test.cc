// ridgewatt roofline: its page works in a browser.
#include <gtest/gtest.h>

#include "ridgewatt/io/file.h"
#include "ridgewatt/report/test_support.h"

namespace ridgewatt::cli {
namespace {

// The page that users get: every chart drawn, and a layer selected in table and roofs.
constexpr const char* kRooflineActions = R"(
window.addEventListener("load", () => setTimeout(() => {
  const faults = [];
  const check = (holds, what) => { if (!holds) faults.push(what); };
  const live = document.getElementById("options") !== null;
  const charts = Array.from(document.querySelectorAll("figure.chart")).map((c) => c.querySelector(live ? ".live" : ".still.wide"));
  check(charts.length === 7, "figures " + charts.length);
  check(charts.every((c) => c.querySelectorAll("svg *").length > 20), "drawn");
  const rows = document.querySelectorAll('table[data-table="1"] tbody tr');
  check(rows.length > 40, "layers " + rows.length);
  rows[0].click();
  if (document.getElementById("options")) {
    charts.forEach((c) => echarts.getInstanceByDom(c).getZr().animation.update());
  }
  const linked = charts.slice(0, 3).map((c) => c.querySelectorAll('[stroke="#E00000"], .selected').length);
  check(linked.every((count) => count >= 1), "linked " + linked);
  document.title = faults.length ? "FAULTS " + faults.join("; ") : "ALL WELL";
}, 300));
)";

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
  // Every figure says workload, board, provenance, runtime and the twin's kind.
  for (const std::string& text : {page, read_file(svg)}) {
    EXPECT_NE(text.find("resnet18"), std::string::npos);
    for (const char* part : {"Jetson AGX Orin", "Modelled: ", "pytorch-eager", "fitted"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part;
    }
  }
  testing::expect_well_in_browser(page, kRooflineActions);
}

}  // namespace
}  // namespace ridgewatt::cli
