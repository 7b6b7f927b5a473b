#include "ridgewatt/predict/workload_groups.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/predict/few_shot/stage_model.h"

namespace ridgewatt::predict {
namespace {

using T = StageTimeModel;

std::vector<OperatingPoint> grid_points() {
  std::vector<OperatingPoint> points;
  for (const int cores : {4, 8, 12}) {
    for (const double cpu : {0.7e9, 1.4e9, 2.1e9}) {
      for (const double gpu : {0.3e9, 0.6e9, 1.2e9}) {
        for (const double mem : {0.8e9, 1.6e9, 3.2e9})
          points.push_back({{cores, cpu, gpu, mem}, 16});
      }
    }
  }
  return points;
}

// Rows that follow the stage models exactly.
ModelledWorkload workload_of(const Eigen::VectorXd& time, const Eigen::VectorXd& power) {
  const auto points = grid_points();
  const FeatureMatrix x = FeatureSpace(points).features(points);
  Eigen::VectorXd log_time, log_power;
  StageTimeModel().evaluate(time, x, {}, log_time, nullptr);
  WorkPowerModel(time[T::kLevel]).evaluate(power, x, log_time, log_power, nullptr);
  ModelledWorkload workload{.kind = WorkloadKind::kTraining, .rows = {}};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    workload.rows.push_back({points[i], std::exp(log_time[row]), std::exp(log_power[row])});
  }
  return workload;
}

TEST(WorkloadGroups, SeparateWhatWaitsForLaunchesFromWhatComputes) {
  std::vector<ModelledWorkload> workloads;
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    Eigen::VectorXd time = StageTimeModel().prior_mean();
    Eigen::VectorXd power = WorkPowerModel(0).prior_mean();
    time[T::kCompute] = i % 2 == 0 ? -0.2 : -3;
    time[T::kLaunch] = i % 2 == 0 ? -3 : -0.2;
    time[T::kLevel] = -2 + random.normal();  // the scale must not affect the groups
    T::scale_to_top(time);
    workloads.push_back(workload_of(time, power));
  }
  const auto groups = group_workloads(workloads, 2);
  ASSERT_EQ(groups.size(), 2);
  for (const auto& group : groups) {
    EXPECT_EQ(group.kind, WorkloadKind::kTraining);
    EXPECT_EQ(group.batches, Batches::kOne);
    EXPECT_EQ(group.members, 20);
  }
  const bool first = groups[0].time.mean[T::kLaunch] > groups[0].time.mean[T::kCompute];
  const auto& launches = groups[first ? 0 : 1].time.mean;
  const auto& computes = groups[first ? 1 : 0].time.mean;
  EXPECT_GT(launches[T::kLaunch], launches[T::kCompute] + 1);
  EXPECT_GT(computes[T::kCompute], computes[T::kLaunch] + 1);
}

TEST(WorkloadGroups, FewWorkloadsMakeFewGroups) {
  const auto one = workload_of(StageTimeModel().prior_mean(), WorkPowerModel(0).prior_mean());
  EXPECT_TRUE(group_workloads(std::vector(9, one), 4).empty());
  EXPECT_EQ(group_workloads(std::vector(15, one), 4).size(), 1);
}

TEST(WorkloadGroups, TheShippedOnesCoverKindsAndBatches) {
  for (const auto kind : {WorkloadKind::kTraining, WorkloadKind::kInference}) {
    for (const auto batches : {Batches::kOne, Batches::kSeveral}) {
      int members = 0;
      for (const auto& group : workload_groups()) {
        if (group.kind == kind && group.batches == batches) members += group.members;
      }
      EXPECT_GE(members, 40);
    }
  }
}

TEST(WorkloadGroups, ARowThatIsMissingIsAnError) {
  const auto read = [](const std::string& rows) {
    const std::string text = "kind,batches,group,members,quantity,parameter,mean,factor\n" + rows;
    return read_workload_groups(CsvReader(text, "groups.csv"));
  };
  EXPECT_THROW(read(""), InputError);
  EXPECT_THROW(read("training,one,1,12,time,level,0,0\n"), InputError);    // parameters are missing
  EXPECT_THROW(read("training,one,1,12,power,level,0,0\n"), InputError);   // time must come first
  EXPECT_THROW(read("training,one,1,12,time,level,0,0 1\n"), InputError);  // too many factors
  EXPECT_THROW(read("training,one,1,12,time,level,0,x\n"), InputError);    // not a number
  EXPECT_THROW(read("training,many,1,12,time,level,0,0\n"), InputError);   // not a word
}

TEST(StageModels, SharesOfTheTopChangeNoValue) {
  Eigen::VectorXd parameters = StageTimeModel().prior_mean();
  parameters[T::kLoad] = 0.4;
  const auto points = grid_points();
  const FeatureMatrix x = FeatureSpace(points).features(points);
  Eigen::VectorXd before, after;
  StageTimeModel().evaluate(parameters, x, {}, before, nullptr);
  const double top = T::scale_to_top(parameters);
  StageTimeModel().evaluate(parameters, x, {}, after, nullptr);
  EXPECT_LT((before - after).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(top, before[before.size() - 1], 1e-12);  // the last point is the top
}

TEST(StageModels, AJointPriorHasTheSlopesOfItsDirections) {
  const StageTimeModel model;
  JointPrior prior{model.prior_mean(), Eigen::MatrixXd::Zero(model.size(), model.size())};
  for (Eigen::Index i = 1; i < model.size(); ++i) {
    for (Eigen::Index j = 1; j <= i; ++j)
      prior.factor(i, j) = 0.1 * static_cast<double>(i - j) + 0.2;
  }
  const CorrelatedModel joint(std::make_shared<StageTimeModel>(), prior);
  const auto points = grid_points();
  const FeatureMatrix x = FeatureSpace(points).features(points).topRows(20);
  Eigen::VectorXd at = Eigen::VectorXd::Constant(model.size(), 0.1), value, above, below;
  Eigen::MatrixXd slopes;
  joint.evaluate(at, x, {}, value, &slopes);
  for (Eigen::Index i = 0; i < at.size(); ++i) {
    Eigen::VectorXd moved = at;
    moved[i] += 1e-5;
    joint.evaluate(moved, x, {}, above, nullptr);
    moved[i] -= 2e-5;
    joint.evaluate(moved, x, {}, below, nullptr);
    EXPECT_LT((slopes.col(i) - (above - below) / 2e-5).cwiseAbs().maxCoeff(), 1e-6);
  }
}

}  // namespace
}  // namespace ridgewatt::predict
