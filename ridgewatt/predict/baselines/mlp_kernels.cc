#include "ridgewatt/predict/baselines/mlp_kernels.h"

#include <cmath>
#include <cstring>

namespace ridgewatt::predict::kernels {
namespace {

#define RIDGEWATT_INLINE inline __attribute__((always_inline))

// W floats in a vector register. The compiler splits vectors that the processor does not have.
template <int W>
struct Vector {
  typedef float type __attribute__((vector_size(W * sizeof(float)), aligned(4), may_alias));
};

// R rows x 2 vectors of C, held in registers over the whole depth.
template <int W, int R>
RIDGEWATT_INLINE void tile(const float* a, std::size_t a_row, std::size_t a_column, const float* b,
                           float* c, std::size_t depth, std::size_t columns, bool accumulate) {
  using V = typename Vector<W>::type;
  V low[R], high[R];
  for (int i = 0; i < R; ++i) {
    low[i] = accumulate ? *reinterpret_cast<const V*>(c + i * columns) : V{};
    high[i] = accumulate ? *reinterpret_cast<const V*>(c + i * columns + W) : V{};
  }
  for (std::size_t k = 0; k < depth; ++k) {
    const V b_low = *reinterpret_cast<const V*>(b + k * columns);
    const V b_high = *reinterpret_cast<const V*>(b + k * columns + W);
    const float* a_k = a + k * a_column;
    for (int i = 0; i < R; ++i) {
      const float factor = a_k[i * a_row];
      low[i] += factor * b_low;
      high[i] += factor * b_high;
    }
  }
  for (int i = 0; i < R; ++i) {
    *reinterpret_cast<V*>(c + i * columns) = low[i];
    *reinterpret_cast<V*>(c + i * columns + W) = high[i];
  }
}

template <int W>
RIDGEWATT_INLINE void multiply_body(const float* a, std::size_t a_row, std::size_t a_column,
                                    const float* b, float* c, std::size_t rows, std::size_t depth,
                                    std::size_t columns, bool accumulate) {
  constexpr int kRows = 6;
  for (std::size_t j = 0; j < columns; j += 2 * W) {
    std::size_t i = 0;
    for (; i + kRows <= rows; i += kRows) {
      tile<W, kRows>(a + i * a_row, a_row, a_column, b + j, c + i * columns + j, depth, columns,
                     accumulate);
    }
    for (; i + 2 <= rows; i += 2) {
      tile<W, 2>(a + i * a_row, a_row, a_column, b + j, c + i * columns + j, depth, columns,
                 accumulate);
    }
    for (; i < rows; ++i) {
      tile<W, 1>(a + i * a_row, a_row, a_column, b + j, c + i * columns + j, depth, columns,
                 accumulate);
    }
  }
}

RIDGEWATT_INLINE void rectify_body(float* __restrict y, const float* __restrict mask,
                                   std::size_t count) {
  if (mask == nullptr) {
    for (std::size_t i = 0; i < count; ++i) y[i] = y[i] > 0 ? y[i] : 0;
  } else {
    for (std::size_t i = 0; i < count; ++i) y[i] = (y[i] > 0 ? y[i] : 0) * mask[i];
  }
}

RIDGEWATT_INLINE void rectify_gradient_body(float* __restrict delta,
                                            const float* __restrict activation,
                                            const float* __restrict mask,
                                            float* __restrict bias_gradient, std::size_t rows,
                                            std::size_t columns) {
  for (std::size_t j = 0; j < columns; ++j) bias_gradient[j] = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    float* __restrict d = delta + i * columns;
    const float* __restrict a = activation + i * columns;
    for (std::size_t j = 0; j < columns; ++j) d[j] = a[j] > 0 ? d[j] : 0;
    if (mask != nullptr) {
      for (std::size_t j = 0; j < columns; ++j) d[j] *= mask[i * columns + j];
    }
    for (std::size_t j = 0; j < columns; ++j) bias_gradient[j] += d[j];
  }
}

RIDGEWATT_INLINE void output_unit_body(const float* activation, const float* weights, float bias,
                                       float* output, std::size_t rows, std::size_t columns) {
  constexpr std::size_t kLanes = 16;  // partial sums, the same for every vector width
  for (std::size_t i = 0; i < rows; ++i) {
    float sums[kLanes] = {};
    const float* a = activation + i * columns;
    for (std::size_t k = 0; k < columns; k += kLanes) {
      for (std::size_t l = 0; l < kLanes; ++l) sums[l] += a[k + l] * weights[k + l];
    }
    float sum = bias;
    for (std::size_t l = 0; l < kLanes; ++l) sum += sums[l];
    output[i] = sum;
  }
}

RIDGEWATT_INLINE void output_unit_gradient_body(const float* output_delta, const float* activation,
                                                const float* weights, float* __restrict delta,
                                                float* __restrict weight_gradient, std::size_t rows,
                                                std::size_t columns) {
  for (std::size_t k = 0; k < columns; ++k) weight_gradient[k] = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const float d = output_delta[i];
    const float* a = activation + i * columns;
    for (std::size_t k = 0; k < columns; ++k) {
      weight_gradient[k] += d * a[k];
      delta[i * columns + k] = d * weights[k];
    }
  }
}

RIDGEWATT_INLINE void adam_body(float* __restrict parameters, const float* __restrict gradient,
                                float* __restrict first, float* __restrict second,
                                std::size_t count, float rate, float beta1, float beta2,
                                float epsilon) {
  for (std::size_t i = 0; i < count; ++i) {
    first[i] = beta1 * first[i] + (1 - beta1) * gradient[i];
    second[i] = beta2 * second[i] + (1 - beta2) * gradient[i] * gradient[i];
    parameters[i] -= rate * first[i] / (std::sqrt(second[i]) + epsilon);
  }
}

// All kernels of one instruction set.
struct Kernels {
  decltype(&kernels::multiply) multiply;
  decltype(&kernels::rectify) rectify;
  decltype(&kernels::rectify_gradient) rectify_gradient;
  decltype(&kernels::output_unit) output_unit;
  decltype(&kernels::output_unit_gradient) output_unit_gradient;
  decltype(&kernels::adam_step) adam_step;
};

// The kernels of an instruction set: vectors of `width` floats, functions compiled for `target`.
#define RIDGEWATT_KERNELS(set, width, target)                                                     \
  struct set {                                                                                    \
    target static void multiply(const float* a, std::size_t a_row, std::size_t a_column,          \
                                const float* b, float* c, std::size_t rows, std::size_t depth,    \
                                std::size_t columns, bool accumulate) {                           \
      multiply_body<width>(a, a_row, a_column, b, c, rows, depth, columns, accumulate);           \
    }                                                                                             \
    target static void rectify(float* y, const float* mask, std::size_t count) {                  \
      rectify_body(y, mask, count);                                                               \
    }                                                                                             \
    target static void rectify_gradient(float* delta, const float* activation, const float* mask, \
                                        float* bias_gradient, std::size_t rows,                   \
                                        std::size_t columns) {                                    \
      rectify_gradient_body(delta, activation, mask, bias_gradient, rows, columns);               \
    }                                                                                             \
    target static void output_unit(const float* activation, const float* weights, float bias,     \
                                   float* output, std::size_t rows, std::size_t columns) {        \
      output_unit_body(activation, weights, bias, output, rows, columns);                         \
    }                                                                                             \
    target static void output_unit_gradient(const float* output_delta, const float* activation,   \
                                            const float* weights, float* delta,                   \
                                            float* weight_gradient, std::size_t rows,             \
                                            std::size_t columns) {                                \
      output_unit_gradient_body(output_delta, activation, weights, delta, weight_gradient, rows,  \
                                columns);                                                         \
    }                                                                                             \
    target static void adam_step(float* parameters, const float* gradient, float* first,          \
                                 float* second, std::size_t count, float rate, float beta1,       \
                                 float beta2, float epsilon) {                                    \
      adam_body(parameters, gradient, first, second, count, rate, beta1, beta2, epsilon);         \
    }                                                                                             \
    static Kernels all() {                                                                        \
      return {multiply, rectify, rectify_gradient, output_unit, output_unit_gradient, adam_step}; \
    }                                                                                             \
  };

RIDGEWATT_KERNELS(Plain, 4, )
#if defined(__x86_64__)
RIDGEWATT_KERNELS(Avx2, 8, __attribute__((target("avx2,fma"))))
RIDGEWATT_KERNELS(Avx512, 16, __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,fma"))))
#endif

Kernels choose() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    return Avx512::all();
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Avx2::all();
#endif
  return Plain::all();
}

const Kernels& chosen() {
  static const Kernels kernels = choose();
  return kernels;
}

}  // namespace

void multiply(const float* a, std::size_t a_row, std::size_t a_column, const float* b, float* c,
              std::size_t rows, std::size_t depth, std::size_t columns, bool accumulate) {
  chosen().multiply(a, a_row, a_column, b, c, rows, depth, columns, accumulate);
}
void rectify(float* y, const float* mask, std::size_t count) {
  chosen().rectify(y, mask, count);
}
void rectify_gradient(float* delta, const float* activation, const float* mask,
                      float* bias_gradient, std::size_t rows, std::size_t columns) {
  chosen().rectify_gradient(delta, activation, mask, bias_gradient, rows, columns);
}
void output_unit(const float* activation, const float* weights, float bias, float* output,
                 std::size_t rows, std::size_t columns) {
  chosen().output_unit(activation, weights, bias, output, rows, columns);
}
void output_unit_gradient(const float* output_delta, const float* activation, const float* weights,
                          float* delta, float* weight_gradient, std::size_t rows,
                          std::size_t columns) {
  chosen().output_unit_gradient(output_delta, activation, weights, delta, weight_gradient, rows,
                                columns);
}
void adam_step(float* parameters, const float* gradient, float* first, float* second,
               std::size_t count, float rate, float beta1, float beta2, float epsilon) {
  chosen().adam_step(parameters, gradient, first, second, count, rate, beta1, beta2, epsilon);
}

}  // namespace ridgewatt::predict::kernels
