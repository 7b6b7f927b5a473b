// A twin with known parameters generates the figures. The fit must recover the parameters on which
// the figures depend, and leave the other parameters at their priors.
#include "ridgewatt/twin/board_fit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/twin/carry.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::twin {
namespace {

using P = TwinParam;

constexpr char kHeader[] =
    "board,name,quantity,form,model,kind,batch,mode,against_batch,against_mode,loading,factor,"
    "value,log_sd,source\n";

std::vector<Evidence> evidence_of(const std::string& rows) {
  return parse_evidence(kHeader + rows, "own.csv");
}

class KnownBoard : public ::testing::Test {
 protected:
  void SetUp() override {
    truth_.values[static_cast<std::size_t>(P::kBasePower)] *= 1.6;
    truth_.values[static_cast<std::size_t>(P::kConvRate)] *= 0.6;
    truth_.values[static_cast<std::size_t>(P::kMemoryBandwidthShare)] *= 0.9;
  }

  // Time and power of two networks at four GPU clocks, and idle power, from the true twin.
  std::vector<Evidence> figures() const {
    std::string rows;
    for (const char* model : {"zoo:resnet18", "zoo:vgg11"}) {
      for (const char* gpu : {"306", "510", "803.25", "1109.25"}) {
        for (const char* quantity : {"time_s", "power_w"}) {
          rows += fmt::format("xavier-nx,f,{},value,{},inference,16,gpu={},,,,1,1,0.03,made\n",
                              quantity, model, gpu);
        }
      }
    }
    rows += "xavier-nx,idle,idle_power_w,value,,,,gpu=306,,,,1,1,0.03,made\n";
    auto made = evidence_of(rows);
    for (auto& row : made) row.value = modelled(row, truth_);
    return made;
  }

  Twin prior_ = carried_twin(load_board("xavier-nx"));
  Twin truth_ = prior_;
};

TEST_F(KnownBoard, FiguresAreMetAndWhatTheyTellOfIsFound) {
  const BoardFit fit = fit_board(prior_, figures(), {});
  EXPECT_TRUE(fit.search.converged);
  for (const auto& row : fit.rows) {
    EXPECT_NEAR(std::log(row.fitted / row.evidence.value), 0, 3 * 0.03) << row.evidence.name;
  }
  for (const P param : {P::kBasePower, P::kConvRate}) {
    EXPECT_TRUE(is_identified(fit.twin, prior_, param));
    const double off = std::log(fit.twin[param] / truth_[param]);
    EXPECT_LT(std::abs(off), 3 * fit.twin.log_sd[static_cast<std::size_t>(param)]);
    EXPECT_LT(std::abs(off), std::abs(std::log(prior_[param] / truth_[param])));
  }
}

// A twin that is fitted to rows states the error on these rows; figures alone give none.
TEST_F(KnownBoard, RowsTellTheErrorOfTheFit) {
  CalibrationRun run;
  run.workload = "resnet18 inference";
  run.cost = workload::DeployedWorkload("zoo:resnet18", {}).at(16);
  run.provenance = Provenance::kFake;
  const Estimator estimator(truth_, run.cost, run.options);
  for (const double gpu_hz : {306e6, 510e6, 803.25e6, 1109.25e6}) {
    Observation seen;
    seen.point = {{0, 0, gpu_hz, 0, ""}, 16};
    const TimePower at = estimator(seen.point.mode).timed();
    seen.time_s = at.time_s;
    seen.power_w = at.power_w;
    run.observations.push_back(seen);
  }
  const Twin twin = fit_board(prior_, {}, {run}).twin;
  EXPECT_EQ(twin.status, kFittedToFake);
  ASSERT_TRUE(twin.fit.time_mape && twin.fit.power_mape);
  const auto scores = score_twin(twin, {run});
  EXPECT_DOUBLE_EQ(*twin.fit.time_mape, scores.at(0).score.time);
  EXPECT_GT(*twin.fit.time_mape, 0);
  EXPECT_NE(twin.provenance().find("fitted to fake rows); fit error"), std::string::npos);
  EXPECT_EQ(on_runtime(twin, Runtime::kTensorRt, WorkloadKind::kInference).status, kFittedToFake);
  EXPECT_FALSE(fit_board(prior_, figures(), {}).twin.fit.time_mape);
}

TEST(Evidence, NamesItsLoading) {
  const auto loading = [](const std::string& text) {
    return evidence_of("nano,f,time_s,value,zoo:lenet5,training,16,,,," + text + ",1,1,0.1,made\n")
        .front()
        .options;
  };
  EXPECT_EQ(loading("").loader_workers, 4);
  EXPECT_EQ(loading("0").loader_workers, 0);
  EXPECT_EQ(loading("2").loader_workers, 2);
  EXPECT_EQ(loading("no").loader_s_per_sample, 0);
  for (const char* wrong : {"-1", "1.5", "yes", "1025", "99999999999999999999"}) {
    EXPECT_THROW(loading(wrong), InputError) << wrong;
  }
}

TEST_F(KnownBoard, WhatNothingTellsOfKeepsItsPrior) {
  const BoardFit fit = fit_board(prior_, figures(), {});
  // The figures are of inference without depthwise convolutions, on all cores.
  for (const P param : {P::kDepthwiseRate, P::kCoreWait, P::kLaunchOptimizerRatio}) {
    const auto i = static_cast<std::size_t>(param);
    EXPECT_FALSE(is_identified(fit.twin, prior_, param)) << twin_parameters()[i].key;
    EXPECT_NEAR(std::log(fit.twin.values[i] / prior_.values[i]), 0, 0.5 * prior_.log_sd[i])
        << twin_parameters()[i].key;
    EXPECT_NEAR(fit.twin.log_sd[i], prior_.log_sd[i], 0.1 * prior_.log_sd[i]);
  }
}

TEST_F(KnownBoard, WithoutEvidenceThePriorStays) {
  const BoardFit fit = fit_board(prior_, {}, {});
  for (std::size_t i = 0; i < kTwinParamCount; ++i) {
    EXPECT_NEAR(std::log(fit.twin.values[i] / prior_.values[i]), 0, 1e-6);
    EXPECT_NEAR(fit.twin.log_sd[i] / prior_.log_sd[i], 1, 0.01) << twin_parameters()[i].key;
  }
}

TEST_F(KnownBoard, OneWrongFigurePullsLittle) {
  auto wrong = figures();
  const BoardFit right = fit_board(prior_, wrong, {});
  wrong.front().value *= 5;
  const BoardFit fit = fit_board(prior_, wrong, {});
  for (std::size_t i = 1; i < fit.rows.size(); ++i) {
    EXPECT_NEAR(std::log(fit.rows[i].fitted / right.rows[i].fitted), 0, 0.1);
  }
}

TEST_F(KnownBoard, ThreadsChangeNothing) {
  CalibrateOptions one, three;
  one.threads = 1;
  three.threads = 3;
  const auto made = figures();
  EXPECT_EQ(fit_board(prior_, made, {}, one).twin.values,
            fit_board(prior_, made, {}, three).twin.values);
}

TEST_F(KnownBoard, AMeasuredParameterIsEvidence) {
  const double share = 0.9 * prior_[P::kMemoryBandwidthShare];
  const BoardFit fit =
      fit_board(prior_, {}, {}, {}, {{P::kMemoryBandwidthShare, share, 0.005, "points"}});
  EXPECT_NEAR(fit.twin[P::kMemoryBandwidthShare] / share, 1, 0.05);
  EXPECT_TRUE(is_identified(fit.twin, prior_, P::kMemoryBandwidthShare));
}

TEST(Evidence, ARatioOfAPointWithItselfIsOneAndADifferenceIsNone) {
  const auto rows = evidence_of(
      "nano,r,energy_j,ratio,zoo:alexnet,inference,8,gpu=614.4,8,gpu=614.4,,1,1,0.1,s\n"
      "nano,d,power_w,difference,zoo:alexnet,inference,8,gpu=614.4,8,gpu=614.4,,1,1,0.1,s\n"
      "nano,n,time_s,value,zoo:alexnet,inference,8,gpu=614.4,,,,400,1,0.1,s\n"
      "nano,m,time_s,value,zoo:alexnet,inference,8,gpu=614.4,,,,1,1,0.1,s\n");
  const Twin twin = load_twin(load_board("nano"));
  EXPECT_DOUBLE_EQ(modelled(rows[0], twin), 1);
  EXPECT_TRUE(std::isnan(modelled(rows[1], twin)));
  EXPECT_DOUBLE_EQ(modelled(rows[2], twin), 400 * modelled(rows[3], twin));
}

TEST(Evidence, OfBadRowsIsRefusedWithTheirLine) {
  for (const char* row : {"nano,a,volts,value,zoo:alexnet,inference,8,,,,,1,1,0.1,s\n",
                          "nano,a,time_s,mean,zoo:alexnet,inference,8,,,,,1,1,0.1,s\n",
                          "nano,a,time_s,value,,inference,8,,,,,1,1,0.1,s\n",
                          "nano,a,idle_power_w,value,zoo:alexnet,inference,8,,,,,1,1,0.1,s\n",
                          "nano,a,time_s,value,zoo:alexnet,inference,0,,,,,1,1,0.1,s\n",
                          "nano,a,time_s,value,zoo:alexnet,inference,8.5,,,,,1,1,0.1,s\n",
                          "nano,a,time_s,value,zoo:alexnet,inference,8,,,,,1,-1,0.1,s\n",
                          "nano,a,time_s,value,zoo:alexnet,inference,8,,,,,1,nan,0.1,s\n",
                          "nano,a,time_s,value,zoo:alexnet,inference,8,,,,,1,1,0,s\n",
                          "nano,a,time_s,ratio,zoo:alexnet,inference,8,,,,,1,1,0.1,s\n"}) {
    try {
      evidence_of(row);
      ADD_FAILURE() << row;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("own.csv line 2"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Evidence, ThatIsPublishedHasSourcesAndClocksOfItsBoards) {
  for (const char* name : {"agx-xavier", "xavier-nx", "nano", "orin-nx-16gb", "orin-nano-8gb"}) {
    const auto rows = published_evidence(name);
    EXPECT_FALSE(rows.empty()) << name;
    const Board board = load_board(name);
    for (const auto& row : rows) {
      EXPECT_FALSE(row.source.empty()) << row.name;
      EXPECT_LE(row.at.mode.gpu_clock_hz, board.find_bsp().levels[Knob::kGpuClock].back());
    }
  }
}

// The shipped twins must fit the published figures better than twins that are only scaled.
TEST(Evidence, TheShippedTwinsMeetMostOfIt) {
  for (const char* name : {"agx-xavier", "xavier-nx", "nano", "orin-nx-16gb", "orin-nano-8gb"}) {
    const Board board = load_board(name);
    const Twin twin = load_twin(board);
    EXPECT_FALSE(twin.scaled) << name;
    const Twin carried = carried_twin(board);
    double before = 0, after = 0;
    for (const auto& row : published_evidence(name)) {
      const auto off = [&](const Twin& of) {
        const double value = modelled(row, of);
        return std::isfinite(value) ? std::abs(std::log(value / row.value)) / row.log_sd : 10;
      };
      before += off(carried);
      after += off(twin);
    }
    EXPECT_LT(after, 0.7 * before) << name;
  }
}

}  // namespace
}  // namespace ridgewatt::twin
