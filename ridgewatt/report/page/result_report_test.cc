#include "ridgewatt/report/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string result_page(const std::string& content) {
  HtmlReport report("test");
  add_result(report, "file", content);
  return report.html();
}

// The output of `predict` for samples without a batch: the tutorial's predicted.csv.
TEST(ResultReport, PredictionsWithoutABatchAreShown) {
  const std::string page = result_page(
      "cpu_cores,gpu_mhz,batch,time_ms,time_lo_ms,time_hi_ms,power_w,power_lo_w,power_hi_w\n"
      "4,306,,10,9,11,5,4,6\n4,408,,9,8,10,6,5,7\n4,510,,8,7,9,7,6,8\n");
  EXPECT_NE(page.find("3 operating points"), std::string::npos);
  EXPECT_NE(page.find("modelled"), std::string::npos);  // intervals, so not measured
}

TEST(ResultReport, FiguresAndTextSayWhereRowsComeFrom) {
  const std::string rows =
      "4,306,1,10,5,resnet18,training,agx-orin,fake\n"
      "4,408,1,9,6,resnet18,training,agx-orin,fake\n"
      "4,510,1,8,7,resnet18,training,agx-orin,fake\n";
  const std::string page = result_page(
      "cpu_cores,gpu_mhz,batch,time_ms,power_w,workload,kind,board,provenance\n" + rows);
  EXPECT_NE(page.find("resnet18 training on agx-orin. Fake; 3 operating points"),
            std::string::npos);
  EXPECT_NE(page.find("Time against power"), std::string::npos);
}

TEST(ResultReport, OfManyRowsAllAreListedAndCounted) {
  std::string text = "gpu_mhz,batch,time_ms,power_w\n";
  for (int i = 0; i < 5000; ++i) {
    text += std::to_string(300 + i % 50) + "," + std::to_string(1 + i / 50) + "," +
            std::to_string(10 + i % 7) + ",5\n";
  }
  const std::string page = result_page(text);
  EXPECT_NE(page.find("{\"rows\":5000,"), std::string::npos);
  EXPECT_EQ(page.find("5000 rows)"), std::string::npos);  // no row is omitted
  EXPECT_NE(page.find("5000 operating points"), std::string::npos);
}

// What `estimate` writes for a board whose power is not known, and such rows among others.
TEST(ResultReport, RowsWithoutPowerAreListedButNotDrawn) {
  const std::string header = "gpu_mhz,batch,time_ms,power_w,workload,kind,board,provenance\n";
  const std::string none = "306,1,10,,w,training,b,modelled\n408,1,9,,w,training,b,modelled\n";
  const std::string page = result_page(header + none);
  EXPECT_NE(page.find("The power of these rows is not known"), std::string::npos);
  EXPECT_NE(page.find("408"), std::string::npos);
  EXPECT_EQ(page.find("operating points"), std::string::npos);
  const std::string mixed = result_page(header + none +
                                        "510,1,8,7,\"w\",training,b,modelled\n"
                                        "612,1,7,9,w,training,b,modelled\n"
                                        "714,1,6,11,w,training,b,modelled\n");
  EXPECT_NE(mixed.find("The power of 2 of 5 rows is not known"), std::string::npos);
  EXPECT_NE(mixed.find("3 operating points"), std::string::npos);
  EXPECT_NE(mixed.find("Time against power"), std::string::npos);
  EXPECT_NE(mixed.find("408"), std::string::npos);
}

// A log of `govern`: in some steps no minibatch ends, so that their time is not known.
TEST(ResultReport, RowsWithoutTimeAreListedButNotDrawn) {
  const std::string page = result_page(
      "begin_s,gpu_mhz,time_ms,power_w\n0,306,,10\n60,408,9,12\n120,510,8,13\n180,612,7,14\n");
  EXPECT_NE(page.find("The time or power of 1 of 4 rows is not known"), std::string::npos);
  EXPECT_NE(page.find("3 operating points"), std::string::npos);
  EXPECT_NE(page.find("306"), std::string::npos);
}

Json point(const char* board, int batch, double time_ms, double power_w) {
  return {{"board", board},
          {"runtime", "tensorrt"},
          {"precision", "fp16"},
          {"batch", batch},
          {"time_ms", time_ms},
          {"power_w", power_w},
          {"preset", "MAXN"},
          {"twin", "fitted"},
          {"energy_j", time_ms * power_w / 1e3},
          {"mode", {{"cpu_cores", 12}, {"cpu_mhz", 2201.6}, {"gpu_mhz", 1300.5}}}};
}

std::string estimate_page(const Json& estimates) {
  return result_page(Json{
      {"schema", "ridgewatt.estimate/2"},
      {"model", "resnet50"},
      {"provenance", "modelled"},
      {"estimates",
       estimates}}.dump());
}

// 17.3 ms of one sample are more than 51 ms of 16.
TEST(ResultReport, EstimatesOfSeveralBatchesAreComparedPerSample) {
  const std::string page =
      estimate_page({point("agx-orin", 1, 17.3, 25.6), point("agx-orin", 16, 51, 51.4)});
  EXPECT_THAT(page, HasSubstr("Fastest of 2 points: 12 cores, CPU 2201.6, GPU 1300.5 MHz, "
                              "batch 16: 3.19 ms per sample and 51.4 W."));
  EXPECT_THAT(page, HasSubstr("It also needs the least energy: 0.164 J per sample."));
  EXPECT_THAT(page, HasSubstr("time per sample (ms)"));
  EXPECT_THAT(page, HasSubstr("MAXN, batch 16"));
}

TEST(ResultReport, EstimatesOfSeveralBoardsNameThem) {
  Json nano = point("nano", 1, 60, 4);
  nano["runtime"] = "pytorch-eager";
  nano["twin"] = "scaled";
  const std::string page = estimate_page({point("h100-sxm", 1, 6.5, 140), nano});
  EXPECT_THAT(page, HasSubstr("resnet50 on 2 boards. Modelled"));
  EXPECT_THAT(page, Not(HasSubstr("twin fitted")));
  EXPECT_THAT(page, HasSubstr("Fastest of 2 points: h100-sxm, tensorrt, 12 cores"));
  EXPECT_THAT(page, HasSubstr("Least energy: nano, pytorch-eager, 12 cores"));
  for (const char* heading : {">board<", ">runtime<", ">precision<"}) {
    EXPECT_THAT(page, HasSubstr(heading));
  }
}

TEST(ResultReport, TheRankingOfATuneIsATable) {
  for (const char* list : {"boards", "runtimes"}) {
    Json best = point("agx-orin", 1, 17.3, 25.6), other = point("nano", 1, 60, 4);
    other["runtime"] = "pytorch-eager";
    Json json = best;
    json.update({{"schema", "ridgewatt.tune/1"},
                 {"feasible", true},
                 {"minimize", "time"},
                 {"compared", Json::array()},
                 {list, {best, other}},
                 {"left_out", {"tx2: no mode"}}});
    const std::string page = result_page(json.dump());
    EXPECT_THAT(page, HasSubstr(", the best first"));
    EXPECT_THAT(page, HasSubstr("<td>nano</td><td>pytorch-eager</td>")) << list;
    EXPECT_THAT(page, HasSubstr("Run on agx-orin, tensorrt at 12 cores"));
    EXPECT_THAT(page, HasSubstr("Left out: tx2: no mode."));
  }
}

TEST(ResultReport, ClocksAreThoseOfTheBoard) {
  const std::string page = result_page(
      "cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w\n2201.6,1300.5,10501,10,5\n"
      "1113.6,420.75,10501,12,4\n");
  for (const char* clock : {">2201.6<", ">1300.5<", ">420.75<", ">10501<"}) {
    EXPECT_THAT(page, HasSubstr(clock));
  }
}

TEST(ResultReport, BrokenFilesAreNamed) {
  EXPECT_THROW(result_page(""), InputError);
  EXPECT_THROW(result_page("time_ms,power_w\n1,2,3\n"), InputError);
  EXPECT_THROW(result_page("{\"a\":"), InputError);
}

TEST(ResultReport, NumbersThatNoMachineHasAreRefused) {
  const std::string plain = R"({"schema": "ridgewatt.tune/1", "power_w": )";
  EXPECT_NO_THROW(result_page(plain + "21.5}"));
  for (const char* number : {"1e308", "-1e308", "5e-324", "1e31"}) {
    EXPECT_THROW(result_page(plain + number + "}"), InputError) << number;
  }
}

TEST(ResultReport, WhatIsNotAResultIsRefused) {
  for (const char* content :
       {"hello world", "hello\nworld\n", "time_ms,power_w\n", "name,city\nAda,London\n",
        "{\"hello\": \"world\"}", "[1, 2, 3]", "{\"schema\": \"other/1\", \"rows\": []}", "{}",
        "[]", "{\"schema\": 7}"}) {
    EXPECT_THROW(result_page(content), InputError) << content;
  }
}

}  // namespace
}  // namespace ridgewatt::report
