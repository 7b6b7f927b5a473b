// Compares estimates of runtimes with public measurements: the published targets.
#include "ridgewatt/evaluate/runtime_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::evaluate {
namespace {

class PublicRuntimes : public ::testing::Test {
 protected:
  void SetUp() override {
    RIDGEWATT_REQUIRE_SHARED();
    for (const auto& path : paths()) {
      if (!std::filesystem::exists(path)) GTEST_SKIP() << "skipped: no " << path;
    }
  }
  static std::vector<std::string> paths() {
    const auto data = testing::shared_folder() / "data";
    return {data / "runtimes" / "vision.csv", data / "public" / "trtutils.csv",
            data / "public" / "operators.csv"};
  }
  // Computed once: holds out each model, board and precision in turn.
  static const RuntimeScores& scores() {
    static const RuntimeScores all = score_runtimes(paths());
    return all;
  }
  static const RuntimeGroup& group(const std::string& name) {
    const auto& groups = scores().groups;
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const RuntimeGroup& g) { return g.name == name; });
    if (found == groups.end()) throw NotFoundError("no group", name);
    return *found;
  }
};

// A single test, because the fits take long.
// label: slow
TEST_F(PublicRuntimes, ModelsThatWereLeftOutArePredictedWithinIntervals) {
  const RuntimeGroup& engines = group("TensorRT and ONNX Runtime");
  const RuntimeGroup& pytorch = group("PyTorch");
  const RuntimeGroup& mlperf = group("MLPerf, one query at a time");
  EXPECT_LE(engines.model, 0.12);
  EXPECT_LE(pytorch.model, 0.20);
  EXPECT_LE(mlperf.model, 0.25);
  // The file has 9 and 3 rows of engines, and 3 and 3 rows of PyTorch.
  EXPECT_GE(engines.rows, 12U);
  EXPECT_GE(pytorch.rows, 6U);
  EXPECT_GE(mlperf.rows, 6U);
  for (const RuntimeGroup* each : {&engines, &pytorch, &mlperf}) {
    EXPECT_LE(each->fitted, each->model) << each->name;
  }
  std::size_t judged = 0;
  std::size_t within = 0;
  for (std::size_t i = 0; i < scores().rows.rows.size(); ++i) {
    if (scores().fit.scores[i].model.time_s == 0) continue;
    ++judged;
    within += scores().is_within(i).value() ? 1 : 0;
  }
  EXPECT_EQ(judged, scores().predicted);
  EXPECT_EQ(within, scores().within);
  std::size_t grouped = 0;
  for (const auto& each : scores().groups) grouped += each.rows;
  EXPECT_EQ(grouped, scores().rows.rows.size());
  ASSERT_GE(judged, 20U);
  const double share = static_cast<double>(within) / static_cast<double>(judged);
  EXPECT_GE(share, 0.85) << within << " of " << judged;
  EXPECT_LE(share, 0.95) << within << " of " << judged;

  // The reference board's tables name these rows as their origin.
  const auto shipped = twin::load_runtime_twins(load_board("agx-orin"));
  ASSERT_EQ(shipped.size(), scores().fit.twins.size());
  for (std::size_t r = 0; r < shipped.size(); ++r) {
    const twin::RuntimeTwin& fitted = scores().fit.twins[r];
    const auto runtime = name_of(shipped[r].runtime);
    if (is_on_cpu(shipped[r].runtime)) continue;  // has its own parameters
    EXPECT_EQ(shipped[r].fitted(), fitted.fitted()) << runtime;
    EXPECT_EQ(shipped[r].boards, fitted.boards) << runtime;
    EXPECT_EQ(shipped[r].precisions, fitted.precisions) << runtime;
    for (std::size_t i = 0; i < twin::kRuntimeParamCount; ++i) {
      EXPECT_NEAR(std::log(shipped[r].values[i] / fitted.values[i]), 0, 0.02)
          << runtime << ' ' << twin::runtime_parameters()[i].key;
    }
    if (!fitted.fitted()) continue;
    EXPECT_NEAR(shipped[r].errors.time, fitted.errors.time, 0.01) << runtime;
    EXPECT_NEAR(shipped[r].errors.board, fitted.errors.board, 0.01) << runtime;
    EXPECT_NEAR(shipped[r].errors.precision, fitted.errors.precision, 0.01) << runtime;
  }
}

// label: slow
TEST_F(PublicRuntimes, EveryRowIsUsedOrLeftOutWithAReason) {
  const twin::RuntimeRows rows = twin::load_runtime_rows(paths());
  for (const auto& row : rows.left_out) EXPECT_FALSE(row.reason.empty()) << row.label;
  EXPECT_GE(rows.rows.size(), 178U);
  for (const auto& row : rows.rows) {
    EXPECT_GT(row.time_s, 0) << row.label;
    EXPECT_LT(row.time_s, 10) << row.label;
    EXPECT_FALSE(row.source.empty()) << row.label;
  }
}

TEST(RuntimeScoring, AFileWithoutUsableRowsIsRefused) {
  const testing::TemporaryFolder folder;
  const std::string header =
      "source,date,board,jetpack,power_mode,runtime,workload,precision,batch,sequence,metric,"
      "value,note\n";
  EXPECT_THROW(score_runtimes({folder.write("none.csv", header)}), UsageError);
  EXPECT_THROW(score_runtimes({folder.write("empty.csv", "")}), InputError);
}

TEST(RuntimeScoring, RefusalsNameTheReasonOfARow) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.write(
      "other.csv",
      "source,date,board,jetpack,power_mode,runtime,workload,precision,batch,sequence,metric,"
      "value,note\n"
      "lab,2024,raspberry-pi,,,tensorrt,resnet50,fp16,1,,latency_ms,3,\n");
  const twin::RuntimeRows rows = twin::load_runtime_rows({path});
  ASSERT_EQ(rows.left_out.size(), 1U);
  try {
    score_runtimes({path});
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(rows.left_out[0].reason), std::string::npos) << text;
  }
}

TEST(RuntimeScoring, ARowWithoutAPredictionIsNeitherWithinNorOutside) {
  twin::RuntimeRow row;
  row.cost = std::make_shared<const workload::WorkloadCost>();
  row.time_s = 1e-3;
  RuntimeScores scores;
  scores.rows.rows = {row, row};
  scores.fit.scores.resize(2);
  scores.fit.scores[1].model.time_s = 1e-3;  // the measured time
  scores.count_within();
  EXPECT_EQ(scores.predicted, 1U);
  EXPECT_EQ(scores.within, 1U);
  const Json table = runtime_score_table(scores).to_json();
  EXPECT_TRUE(table.at(0).at("within").is_null()) << table.dump();
  EXPECT_EQ(table.at(1).at("within"), "yes");
}

TEST(RuntimeFacts, AllHold) {
  const std::vector<RuntimeFact> facts = check_runtime_facts();
  ASSERT_FALSE(facts.empty());
  for (const auto& fact : facts) {
    EXPECT_TRUE(fact.holds()) << fact.fact << ": published " << fact.published << ", found "
                              << fact.found;
    EXPECT_FALSE(fact.source.empty()) << fact.fact;
    EXPECT_GT(fact.tolerance, 0) << fact.fact;
  }
}

TEST(RuntimeFacts, HoldWithinTheirTolerance) {
  RuntimeFact fact;
  fact.published = 10;
  fact.tolerance = 0.1;
  for (const double found : {9.1, 10.0, 10.9}) {
    fact.found = found;
    EXPECT_TRUE(fact.holds()) << found;
  }
  for (const double found : {8.9, 11.1, 0.0, std::nan("")}) {
    fact.found = found;
    EXPECT_FALSE(fact.holds()) << found;
  }
}

}  // namespace
}  // namespace ridgewatt::evaluate
