#include "ridgewatt/report/result_report.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt::report {
namespace {

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
