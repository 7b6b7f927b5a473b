#include "ridgewatt/predict/few_shot/stage_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>

#include "ridgewatt/base/test_support.h"

namespace ridgewatt::predict {
namespace {

TEST(StageModel, ThePriorsAreThoseOfTheDocumentation) {
  std::ifstream file(testing::source_folder() / "docs/reference/priors.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const auto rows : {stage_time_priors(), work_power_priors()}) {
    for (const auto& row : rows) {
      const std::string line = fmt::format("| `{}` | {} | {:g} | {:g} | {} |\n", row.key, row.unit,
                                           row.mean, row.deviation, row.why);
      EXPECT_NE(page.find(line), std::string::npos) << line;
    }
  }
}

// At the top mode, the stages are shares of a minibatch: the prior's values add up to about one.
TEST(StageModel, ThePriorDescribesAWholeMinibatch) {
  const StageTimeModel model;
  const FeatureMatrix top = FeatureMatrix::Zero(1, kFeatures);
  Eigen::VectorXd value;
  model.evaluate(model.prior_mean(), top, Eigen::VectorXd::Zero(1), value, nullptr);
  EXPECT_NEAR(std::exp(value[0]), 1, 0.5);
}

TEST(StageModel, TheDerivativesAreThoseOfDifferences) {
  const StageTimeModel model;
  FeatureMatrix x(2, static_cast<int>(kFeatures));
  x << -0.3, -0.7, -1, -0.2, -2, 0, 0, -0.4, -1.2, -1;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(2);
  Eigen::VectorXd value, above, below;
  Eigen::MatrixXd jacobian;
  model.evaluate(model.prior_mean(), x, none, value, &jacobian);
  constexpr double kStep = 1e-5;
  for (Eigen::Index i = 0; i < model.size(); ++i) {
    Eigen::VectorXd moved = model.prior_mean();
    moved[i] += kStep;
    model.evaluate(moved, x, none, above, nullptr);
    moved[i] -= 2 * kStep;
    model.evaluate(moved, x, none, below, nullptr);
    EXPECT_NEAR((jacobian.col(i) - (above - below) / (2 * kStep)).norm(), 0, 1e-7) << i;
  }
}

}  // namespace
}  // namespace ridgewatt::predict
