// Dense float kernels of the neural baselines, compiled for the processor that runs them: AVX-512,
// AVX2 with FMA, or plain vectors (NEON on Arm). Every element is summed in a fixed order with
// fused multiply-adds if the processor has them, so vector width and threads do not change results.
#pragma once

#include <cstddef>

namespace ridgewatt::predict::kernels {

// C[rows x columns] = A[rows x depth] B[depth x columns], or C += if `accumulate`. A is addressed
// as a[i * a_row + k * a_column], so a transpose is free. B and C are row-major with dense columns;
// `columns` must be a multiple of 32.
void multiply(const float* a, std::size_t a_row, std::size_t a_column, const float* b, float* c,
              std::size_t rows, std::size_t depth, std::size_t columns, bool accumulate);

// One step of Adam (Kingma and Ba 2015) on `count` parameters; `rate` is the bias-corrected step.
void adam_step(float* parameters, const float* gradient, float* first, float* second,
               std::size_t count, float rate, float beta1, float beta2, float epsilon);

// y = max(y, 0), times `mask` if it is not null (for dropout).
void rectify(float* y, const float* mask, std::size_t count);

// Gradient of rectify: sets delta to 0 where `activation` is 0 and multiplies it by `mask`; writes
// its column sums to `bias_gradient`.
void rectify_gradient(float* delta, const float* activation, const float* mask,
                      float* bias_gradient, std::size_t rows, std::size_t columns);

// The output unit: output[i] = activation[i] . weights + bias.
void output_unit(const float* activation, const float* weights, float bias, float* output,
                 std::size_t rows, std::size_t columns);
// Gradient of output_unit: delta[i] = output_delta[i] weights, weight_gradient = sum of
// output_delta[i] activation[i].
void output_unit_gradient(const float* output_delta, const float* activation, const float* weights,
                          float* delta, float* weight_gradient, std::size_t rows,
                          std::size_t columns);

}  // namespace ridgewatt::predict::kernels
