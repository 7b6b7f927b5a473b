// Matrix products and contractions.
#include <algorithm>
#include <map>

#include "ridgewatt/workload/infer/infer_context.h"
#include "ridgewatt/workload/ops/einsum.h"
#include "ridgewatt/workload/ops/matmul_shape.h"

namespace ridgewatt::workload {

std::optional<Shape> matmul_shape(const OpContext& context, const Shape* a, const Shape* b) {
  if (a == nullptr || b == nullptr) return std::nullopt;
  if (a->empty() || b->empty()) context.fail("a scalar cannot be multiplied as a matrix");
  const bool vector_a = a->size() == 1;
  const bool vector_b = b->size() == 1;
  Shape left = *a;
  Shape right = *b;
  if (vector_a) left.insert(left.begin(), 1);
  if (vector_b) right.push_back(1);
  const std::int64_t inner_a = left.back();
  const std::int64_t inner_b = right[right.size() - 2];
  if (inner_a != inner_b && inner_a != kUnknownDim && inner_b != kUnknownDim) {
    context.fail("cannot multiply " + format_shape(*a) + " by " + format_shape(*b));
  }
  const std::int64_t rows = left[left.size() - 2];
  const std::int64_t columns = right.back();
  left.resize(left.size() - 2);
  right.resize(right.size() - 2);
  std::optional<Shape> out = broadcast(context, &left, &right);
  if (!vector_a) out->push_back(rows);
  if (!vector_b) out->push_back(columns);
  return out;
}

namespace {

void matmul(InferContext& c) {
  c.set(0, c.dtype(0), matmul_shape(c, c.shape(0), c.shape(1)));
}
void matmul_integer(InferContext& c) {
  c.set(0, DataType::kInt32, matmul_shape(c, c.shape(0), c.shape(1)));
}
void qlinear_matmul(InferContext& c) {
  c.set(0, c.dtype(7), matmul_shape(c, c.shape(0), c.shape(3)));
}

void gemm(InferContext& c) {
  const Shape* a = c.shape(0);
  const Shape* b = c.shape(1);
  Shape out = {kUnknownDim, kUnknownDim};
  std::int64_t inner_a = kUnknownDim;
  std::int64_t inner_b = kUnknownDim;
  if (a != nullptr) {
    // Up to opset 6, A is flattened.
    if (a->size() != 2 && c.opset() >= 7)
      c.fail("input A must have rank 2, but has " + std::to_string(a->size()));
    const bool transposed = c.node().integer("transA", 0) != 0;
    if (a->size() == 2) {
      out[0] = (*a)[transposed ? 1 : 0];
      inner_a = (*a)[transposed ? 0 : 1];
    } else if (!a->empty()) {
      out[0] = (*a)[0];
    }
  }
  if (b != nullptr) {
    if (b->size() != 2) c.fail("input B must have rank 2, but has " + std::to_string(b->size()));
    const bool transposed = c.node().integer("transB", 0) != 0;
    out[1] = (*b)[transposed ? 0 : 1];
    inner_b = (*b)[transposed ? 1 : 0];
  }
  if (inner_a != kUnknownDim && inner_b != kUnknownDim && inner_a != inner_b) {
    c.fail("the inner dimensions " + std::to_string(inner_a) + " and " + std::to_string(inner_b) +
           " differ");
  }
  c.set(0, c.dtype(0), std::move(out));
}

void einsum(InferContext& c) {
  const auto plan = plan_einsum(c);
  c.set(0, c.dtype(0), plan ? std::optional<Shape>(plan->output) : std::nullopt);
}

// Determinant of the last two axes.
void det(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  if (shape) {
    if (shape->size() < 2) c.fail("the input must have rank 2 or more");
    shape->resize(shape->size() - 2);
  }
  c.set(0, c.dtype(0), std::move(shape));
}

constexpr OpEntry kMatmulOps[] = {
    {.name = "MatMul", .shape = matmul},
    {.name = "MatMulInteger", .shape = matmul_integer},
    {.name = "QLinearMatMul", .shape = qlinear_matmul},
    {.name = "Gemm", .shape = gemm},
    {.name = "Einsum", .shape = einsum},
    {.name = "Det", .shape = det},
};

}  // namespace

std::span<const OpEntry> matmul_ops() {
  return kMatmulOps;
}

}  // namespace ridgewatt::workload
