#include "ridgewatt/report/analysis_report.h"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "ridgewatt/answer/analyze.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt::report {
namespace {

// The nodes of a model of 300,000 layers need 700 MB as JSON objects.
TEST(AnalysisReport, NodesAreCreatedWhileTheyAreWritten) {
  for (const std::optional<Runtime> runtime :
       {std::optional<Runtime>(), std::optional(Runtime::kTensorRt)}) {
    const answer::AnalyzeAnswer found(
        {.model = "zoo:lenet5",
         .cost = {.precision = workload::Precision::kFp16, .runtime = runtime}});
    const Result result = analysis_result(found.model, found.analysis, found.options, false);
    ASSERT_TRUE(result.streamed);
    EXPECT_TRUE(result.json.is_null());
    EXPECT_EQ(result.streamed->count, found.analysis.nodes.size());
    std::ostringstream text;
    result.streamed->write(text);
    EXPECT_EQ(text.str(), dump_json(result.streamed->whole()));
    const Json read = Json::parse(text.str());
    EXPECT_EQ(read["nodes"][0]["op"], "Conv");
    EXPECT_EQ(read.contains("launched"), runtime.has_value());
  }
}

TEST(AnalysisReport, OperatorsOfTheDocumentationAreThoseOfTheProgram) {
  std::ifstream file(testing::source_folder() / "docs" / "reference" / "operators.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), operators_markdown())
      << "run 'ridgewatt operators > docs/reference/operators.md'";
}

}  // namespace
}  // namespace ridgewatt::report
