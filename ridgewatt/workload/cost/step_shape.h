// Derives properties of a step's kernel from the extents of its tensors, and lists what could not
// be counted in a plan.
#pragma once

#include "ridgewatt/workload/execution_plan.h"
#include "ridgewatt/workload/infer.h"
#include "ridgewatt/workload/traffic.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// Returns the class of a step. A convolution with few channels per group counts as kDepthwiseConv,
// because it has too little reuse for a matrix unit.
OpClass class_of(const ExecutionPlan& plan, const Step& step);
// Number of elements in the window of a convolution (the extents of its weights after the channels)
// or of a pooling; 1 otherwise.
double window_of(const ExecutionPlan& plan, const Step& step);
// Columns of the matrix product that a contraction performs, per group. 0: unknown or no
// contraction.
double output_channels_of(const ExecutionPlan& plan, const Step& step);
// Innermost extent of the result; 0 if it is unknown or the result is a scalar.
double row_length_of(const ExecutionPlan& plan, const Step& step);
// True for a softmax along an axis whose elements are not adjacent in memory.
bool is_strided(const ExecutionPlan& plan, const Step& step);
// Size of the unrolled (im2col) input of a dense convolution: the window's elements for each output
// position. 0 for other steps and 1x1 windows.
double unrolled_bytes(const ExecutionPlan& plan, const TensorSizes& sizes, const Step& step);
// Number of launches. A recurrent layer runs one kernel for all inputs, and then one per time step
// and direction.
int launches_of(const ExecutionPlan& plan, const Step& step);

CostCaveats caveats_of(const ExecutionPlan& plan, const InferSummary& shapes);

}  // namespace ridgewatt::workload
