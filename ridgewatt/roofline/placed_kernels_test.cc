#include "ridgewatt/roofline/placed_kernels.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt::roofline {
namespace {

workload::KernelCost kernel(workload::OpClass op_class, double flop, double bytes) {
  workload::KernelCost made;
  made.op_class = op_class;
  made.work_flop = flop, made.macs = flop / 2, made.read_bytes = bytes;
  return made;
}

// 100 GFLOP/s, 400 in FP16, 10 GB/s: the ridge is at 10 FLOP per byte.
MicrobenchFit machine() {
  MicrobenchFit fit;
  fit.ceilings.quantities[RoofQuantity::kFp32] = {100e9, 99e9, 101e9};
  fit.ceilings.quantities[RoofQuantity::kFp16] = {400e9, 399e9, 401e9};
  fit.ceilings.quantities[RoofQuantity::kBandwidth] = {10e9, 9e9, 11e9};
  fit.roofline = {100e9, 10e9, 1e-11, 1e-10, 5};
  return fit;
}

// Computed by hand: 1e9 FLOP over 1e7 bytes take 10 ms to compute and 1 ms to move; 1e7 FLOP over
// 1e7 bytes take 0.1 ms to compute and 1 ms to move.
TEST(PlacedKernels, TakeTheLongerOfComputingAndMoving) {
  workload::WorkloadCost cost;
  cost.kernels = {kernel(workload::OpClass::kConv, 1e9, 1e7),
                  kernel(workload::OpClass::kElementwise, 1e7, 1e7),
                  kernel(workload::OpClass::kElementwise, 0, 2e7)};
  const auto placed = place_kernels(cost, machine());
  ASSERT_EQ(placed.size(), 3U);
  EXPECT_DOUBLE_EQ(placed[0].least_s, 10e-3);
  EXPECT_TRUE(placed[0].compute_bound);
  EXPECT_DOUBLE_EQ(placed[0].intensity(), 100);
  EXPECT_DOUBLE_EQ(placed[0].attainable_flop_per_s, 100e9);
  EXPECT_DOUBLE_EQ(placed[1].least_s, 1e-3);
  EXPECT_FALSE(placed[1].compute_bound);
  EXPECT_DOUBLE_EQ(placed[1].attainable_flop_per_s, 10e9);
  EXPECT_FALSE(placed[2].has_place());
  EXPECT_DOUBLE_EQ(placed[2].least_s, 2e-3);
  EXPECT_FALSE(placed[0].least_j.has_value());
}

// 1e9 x 10 pJ + 1e7 x 100 pJ + 10 ms x 5 W = 10 + 1 + 50 mJ.
TEST(PlacedKernels, EnergyIsTheSumOfWorkTrafficAndTime) {
  workload::WorkloadCost cost;
  cost.kernels = {kernel(workload::OpClass::kGemm, 1e9, 1e7)};
  MicrobenchFit fit = machine();
  fit.energy.emplace();
  EXPECT_NEAR(*place_kernels(cost, fit).front().least_j, 61e-3, 1e-12);
}

TEST(PlacedKernels, PrecisionsHaveTheirOwnPeaksOrAreRefused) {
  workload::WorkloadCost cost;
  cost.arithmetic = workload::Precision::kFp16;
  cost.kernels = {kernel(workload::OpClass::kGemm, 1e9, 1e6),
                  kernel(workload::OpClass::kElementwise, 1e9, 1e6)};
  const auto placed = place_kernels(cost, machine());
  EXPECT_DOUBLE_EQ(placed[0].least_s, 2.5e-3);
  EXPECT_DOUBLE_EQ(placed[1].least_s, 10e-3);
  cost.arithmetic = workload::Precision::kInt8;
  EXPECT_THROW(place_kernels(cost, machine()), NotSupportedError);
}

}  // namespace
}  // namespace ridgewatt::roofline
