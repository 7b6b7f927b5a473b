#include "ridgewatt/twin/twin_roofline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/workload/deployed_workload.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::twin {
namespace {

using ::testing::HasSubstr;

Estimator estimator_of(const Board& board, const std::string& model, int batch) {
  return {load_twin(board), workload::DeployedWorkload(model).at(batch)};
}

// Time on the GPU, work, traffic and ceilings depend only on the clocks of GPU and memory. One mode
// for each pair of these clocks therefore represents all modes of a board, except presets that
// switch SMs off.
std::vector<PowerMode> distinct_modes(const Board& board) {
  std::vector<PowerMode> modes;
  std::set<std::pair<double, double>> seen;
  const KnobSpace space = knob_space(board);
  for (const auto& mode : space.modes()) {
    if (seen.emplace(mode.gpu_clock_hz, mode.mem_clock_hz).second) modes.push_back(mode);
  }
  for (const auto& preset : presets(board)) {
    if (sms_on(board, preset.mode) < board.sms) modes.push_back(preset.mode);
  }
  return modes;
}

std::vector<Board> all_boards_and_bsps() {
  std::vector<Board> boards;
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    for (const auto& bsp : board.bsps) boards.push_back(load_board(name + "@" + bsp.name));
  }
  return boards;
}

TEST(LayerPoint, DoesNotDependOnTheCpu) {
  const Board board = load_board("agx-orin");
  const Estimator estimator = estimator_of(board, "zoo:mobilenet_v3_large", 4);
  const KnobSpace space = knob_space(board);
  const PowerMode top = space.top();
  PowerMode slow = space[0];
  slow.gpu_clock_hz = top.gpu_clock_hz;
  slow.mem_clock_hz = top.mem_clock_hz;
  const auto fast_points = place_layers(board, estimator, top);
  const auto slow_points = place_layers(board, estimator, slow);
  for (std::size_t i = 0; i < fast_points.size(); ++i) {
    EXPECT_EQ(fast_points[i].gpu_s, slow_points[i].gpu_s);
    EXPECT_EQ(fast_points[i].ceiling_flop_per_s, slow_points[i].ceiling_flop_per_s);
    EXPECT_LT(fast_points[i].launch_s, slow_points[i].launch_s);
  }
}

// Covers every model of the zoo, inference and training, in every precision, in every mode of every
// BSP of every board.
// label: slow
TEST(Ceiling, NoLayerOfTheZooLiesAboveItInAnyMode) {
  const auto boards = all_boards_and_bsps();
  std::vector<std::vector<PowerMode>> modes;
  for (const auto& board : boards) modes.push_back(distinct_modes(board));
  std::vector<std::shared_ptr<const workload::WorkloadCost>> costs;
  for (const workload::ZooEntry& entry : workload::zoo()) {
    const workload::DeployedWorkload eager("zoo:" + std::string(entry.name));
    for (const auto kind : {WorkloadKind::kInference, WorkloadKind::kTraining}) {
      for (const workload::Precision precision :
           {workload::Precision::kFp32, workload::Precision::kFp16, workload::Precision::kInt8}) {
        const bool eight_bit = precision == workload::Precision::kInt8;
        if (kind == WorkloadKind::kTraining && eight_bit) continue;
        costs.push_back(
            eager
                .with({.kind = kind,
                       .precision = precision,
                       .runtime = eight_bit ? Runtime::kTensorRt : Runtime::kPytorchEager})
                .at(16));
      }
    }
  }
  std::vector<std::size_t> above(boards.size(), 0), placed(boards.size(), 0);
  parallel_for(boards.size(), [&](std::size_t b) {
    const Twin twin = load_twin(boards[b]);
    for (const auto& cost : costs) {
      const bool eight_bit =
          cost->arithmetic == workload::Precision::kInt8 || cost->work_int_op() > 0;
      if (eight_bit && !supports(boards[b], Arithmetic::kInt8)) continue;
      const Estimator estimator(twin, cost);
      for (const auto& mode : modes[b]) {
        for (const auto& point : place_layers(boards[b], estimator, mode)) {
          if (!point.has_place()) continue;
          ++placed[b];
          above[b] += point.flop_per_s() > point.ceiling_flop_per_s * (1 + 1e-12);
        }
      }
    }
  });
  for (std::size_t b = 0; b < boards.size(); ++b) {
    EXPECT_EQ(above[b], 0u) << boards[b].name << "@" << boards[b].bsp << " of " << placed[b];
    EXPECT_GT(placed[b], 1000u);
  }
}

// STREAM triad on AGX Orin boards: 176 to 189 GB/s of 204.7 (IISWC 2026 artifact).
TEST(Ceiling, BandwidthIsTheMeasuredTriad) {
  const Board orin = load_board("agx-orin");
  const PowerMode top = knob_space(orin).top();
  EXPECT_NEAR(bandwidth_ceiling(orin, top), 189e9, 1);
  EXPECT_EQ(bandwidth_ceiling_key(orin), "memory.triad_gb_per_s");
  EXPECT_THAT(find_fact(orin, "memory.triad_gb_per_s")->source, HasSubstr("176 to 189 GB/s"));
  PowerMode slow = top;
  slow.mem_clock_hz = 2133e6;
  EXPECT_NEAR(bandwidth_ceiling(orin, slow), 189e9 * 2133 / 3199, 1e3);
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    const PowerMode highest = knob_space(board).top();
    EXPECT_LE(bandwidth_ceiling(board, highest), peak_bandwidth(board, highest)) << name;
  }
}

TEST(Ceiling, IsTheUnitThatAClassRunsIn) {
  const Board orin = load_board("agx-orin");
  const Board nano = load_board("nano");
  const PowerMode top = knob_space(orin).top();
  const auto in = [](const Board& board, RoofClass roof, workload::Precision precision) {
    return roof_ceiling(board, knob_space(board).top(), roof, precision).arithmetic;
  };
  EXPECT_EQ(in(orin, RoofClass::kConvolution, workload::Precision::kFp32), Arithmetic::kTf32);
  EXPECT_EQ(in(orin, RoofClass::kProduct, workload::Precision::kFp32), Arithmetic::kFp32);
  EXPECT_EQ(in(orin, RoofClass::kDepthwise, workload::Precision::kFp16), Arithmetic::kFp32);
  EXPECT_EQ(in(orin, RoofClass::kProduct, workload::Precision::kBf16), Arithmetic::kBf16);
  EXPECT_EQ(in(nano, RoofClass::kConvolution, workload::Precision::kFp32), Arithmetic::kFp32);
  EXPECT_THROW(in(nano, RoofClass::kProduct, workload::Precision::kInt8), NotSupportedError);
  // 2 x 2048 cores x 1300.5 MHz, and four times that rate for TF32.
  EXPECT_NEAR(roof_ceiling(orin, top, RoofClass::kVector).flop_per_s, 5.327e12, 1e9);
  EXPECT_NEAR(roof_ceiling(orin, top, RoofClass::kConvolution).flop_per_s, 4 * 5.327e12, 4e9);
}

TEST(Ceiling, ReachedRoofsLieBelowInEveryPrecision) {
  for (const auto& board : all_boards_and_bsps()) {
    const Twin twin = load_twin(board);
    for (const auto& mode : distinct_modes(board)) {
      for (const RoofClass roof : kRoofClasses) {
        const roofline::EnergyRoofline reached =
            twin_roofline(twin, mode, roof, workload::Precision::kFp16);
        const RoofCeiling ceiling = roof_ceiling(board, mode, roof, workload::Precision::kFp16);
        EXPECT_LE(reached.peak_flop_per_s, ceiling.flop_per_s) << board.name;
        EXPECT_LE(reached.bandwidth_bytes_per_s, ceiling.bandwidth_bytes_per_s) << board.name;
      }
    }
  }
}

TEST(LayerPoint, KeepsThePowerCap) {
  const Board board = load_board("agx-orin");
  const PowerMode top = knob_space(board).top();
  const Estimator estimator = estimator_of(board, "zoo:resnet50", 16);
  const auto free = place_layers(board, estimator, top);
  const auto capped = place_layers(board, estimator, top, 30);
  double slowest = 1;
  for (std::size_t i = 0; i < free.size(); ++i) {
    EXPECT_LE(capped[i].power_w, 30 + 1e-9);
    EXPECT_GE(capped[i].gpu_s, free[i].gpu_s);
    slowest = std::max(slowest, capped[i].gpu_s / free[i].gpu_s);
    if (!capped[i].has_place()) continue;
    EXPECT_LE(capped[i].flop_per_s(), capped[i].ceiling_flop_per_s);
  }
  EXPECT_GT(slowest, 1.1);  // the power limit applies
  // What the cap adds to a kernel is also added to its part of the minibatch.
  const auto sum = [](const std::vector<LayerPoint>& points, double LayerPoint::*of) {
    double all_s = 0;
    for (const auto& point : points) all_s += point.*of;
    return all_s;
  };
  EXPECT_GE(sum(capped, &LayerPoint::time_s), sum(capped, &LayerPoint::gpu_s) * (1 - 1e-9));
  EXPECT_GT(sum(capped, &LayerPoint::time_s), sum(free, &LayerPoint::time_s));
  const auto layers = estimator.layers(top);
  for (std::size_t i = 0; i < free.size(); ++i) EXPECT_EQ(free[i].time_s, layers[i].time_s);
  const double static_w = twin_roofline(estimator.twin(), top).static_power_w;
  EXPECT_THROW(place_layers(board, estimator, top, static_w), UsageError);
}

TEST(RoofShare, SumsToOneOverTheClassesOfTheModel) {
  const Board board = load_board("agx-orin");
  const PowerMode top = knob_space(board).top();
  const auto share = [&](const char* model) {
    return roof_shares(place_layers(board, estimator_of(board, model, 4), top));
  };
  const auto bert = share("zoo:bert_base");
  EXPECT_NEAR(bert[0] + bert[1] + bert[2] + bert[3], 1, 1e-12);
  EXPECT_EQ(bert[static_cast<std::size_t>(RoofClass::kConvolution)], 0);
  EXPECT_GT(bert[static_cast<std::size_t>(RoofClass::kProduct)], 0.5);
  EXPECT_GT(share("zoo:resnet50")[static_cast<std::size_t>(RoofClass::kConvolution)], 0.3);
}

}  // namespace
}  // namespace ridgewatt::twin
