#include "ridgewatt/report/analysis_report.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ridgewatt/base/test_support.h"

namespace ridgewatt::report {
namespace {

TEST(AnalysisReport, OperatorsOfTheDocumentationAreThoseOfTheProgram) {
  std::ifstream file(testing::source_folder() / "docs" / "reference" / "operators.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), operators_markdown())
      << "run 'ridgewatt operators > docs/reference/operators.md'";
}

}  // namespace
}  // namespace ridgewatt::report
