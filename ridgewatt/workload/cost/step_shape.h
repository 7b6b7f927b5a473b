// What the extents of a step's tensors say about its kernel, and what could not be counted of a
// plan.
#pragma once

#include "ridgewatt/workload/execution_plan.h"
#include "ridgewatt/workload/infer.h"
#include "ridgewatt/workload/traffic.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// With few channels per group there is too little reuse for a matrix unit.
OpClass class_of(const ExecutionPlan& plan, const Step& step);
// Elements of the window of a convolution (its weights' extents after the channels) or pooling.
double window_of(const ExecutionPlan& plan, const Step& step);
// Columns of the matrix product that a contraction is, of one group.
double output_channels_of(const ExecutionPlan& plan, const Step& step);
// The innermost extent of the result; 0 if it is unknown or a scalar.
double row_length_of(const ExecutionPlan& plan, const Step& step);
// A softmax along an axis whose elements do not lie side by side.
bool is_strided(const ExecutionPlan& plan, const Step& step);
// Window elements for each place of the output, of a dense convolution with a window.
double unrolled_bytes(const ExecutionPlan& plan, const TensorSizes& sizes, const Step& step);
// A recurrent layer runs one kernel per step of each direction after one for all inputs.
int launches_of(const ExecutionPlan& plan, const Step& step);

CostCaveats caveats_of(const ExecutionPlan& plan, const InferSummary& shapes);

}  // namespace ridgewatt::workload
