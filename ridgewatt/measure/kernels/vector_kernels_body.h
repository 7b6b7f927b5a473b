// The definitions of the loops, included once by each vector_kernels_*.cc, which sets
// RIDGEWATT_VECTOR_BYTES and the name of the set. Do not include standard headers here, because
// their inline functions would be compiled with instructions that other processors lack.
#include "ridgewatt/measure/kernels/vector_kernels.h"

namespace ridgewatt::measure {
namespace {

constexpr int kBytes = RIDGEWATT_VECTOR_BYTES;
typedef float Float __attribute__((vector_size(kBytes)));
typedef double Double __attribute__((vector_size(kBytes)));
typedef int Bits __attribute__((vector_size(kBytes)));

// Hides a value in a register from the optimizer.
#if defined(__x86_64__)
#define RIDGEWATT_OPAQUE(value) __asm__ volatile("" : "+x"(value))
#else
#define RIDGEWATT_OPAQUE(value) __asm__ volatile("" : "+w"(value))
#endif

template <typename Vector, typename Scalar>
Scalar fma_chains(std::size_t rounds) {
  Vector chains[kFmaChains];
  for (int j = 0; j < kFmaChains; ++j) chains[j] = Vector{} + static_cast<Scalar>(j);
  Vector factor = Vector{} + static_cast<Scalar>(0.5);
  Vector term = Vector{} + static_cast<Scalar>(1);
  RIDGEWATT_OPAQUE(factor);
  RIDGEWATT_OPAQUE(term);
  for (std::size_t i = 0; i < rounds; ++i) {
    for (int depth = 0; depth < 8; ++depth) {
#pragma GCC unroll 12
      for (int j = 0; j < kFmaChains; ++j) chains[j] = chains[j] * factor + term;
    }
  }
  Vector sum = {};
  for (const Vector& chain : chains) sum += chain;
  return sum[0];
}

float fma_fp32(std::size_t rounds) {
  return fma_chains<Float, float>(rounds);
}
double fma_fp64(std::size_t rounds) {
  return fma_chains<Double, double>(rounds);
}

void triad(double* a, const double* b, const double* c, double s, std::size_t count) {
  constexpr std::size_t kStep = kBytes / sizeof(double);
  const Double factor = Double{} + s;
  for (std::size_t i = 0; i + kStep <= count; i += kStep) {
    *reinterpret_cast<Double*>(a + i) =
        *reinterpret_cast<const Double*>(b + i) + factor * *reinterpret_cast<const Double*>(c + i);
  }
}

float intensity(const float* data, std::size_t count, int fma, int group) {
  constexpr std::size_t kStep = kBytes / sizeof(float);
  constexpr int kChains = 8;
  Float chains[kChains] = {};
  Float term = Float{} + 1.0F;
  RIDGEWATT_OPAQUE(term);
  if (fma > 0) {
    for (std::size_t i = 0; i < count; i += kStep * kChains) {
      Float words[kChains];
#pragma GCC unroll 8
      for (int j = 0; j < kChains; ++j) {
        words[j] = *reinterpret_cast<const Float*>(data + i + static_cast<std::size_t>(j) * kStep);
      }
      for (int m = 0; m < fma; ++m) {
#pragma GCC unroll 8
        for (int j = 0; j < kChains; ++j) chains[j] = chains[j] * words[j] + term;
      }
    }
  } else {
    // Whole vectors of a group are combined by exclusive or, which does not count as FLOP.
    const auto vectors = static_cast<std::size_t>(group);
    for (std::size_t i = 0; i < count; i += kStep * vectors) {
      Bits joined = {};
      for (std::size_t v = 0; v < vectors; ++v) {
        joined ^= *reinterpret_cast<const Bits*>(data + i + v * kStep);
      }
      chains[0] = reinterpret_cast<Float>(joined) * term + chains[0];
    }
  }
  Float sum = {};
  for (int j = 0; j < kChains; ++j) sum += chains[j];
  return sum[0];
}

constexpr VectorKernels kKernels = {
    RIDGEWATT_VECTOR_ISA, kBytes, fma_fp32, fma_fp64, triad, intensity};

}  // namespace

const VectorKernels& RIDGEWATT_VECTOR_NAME() {
  return kKernels;
}

}  // namespace ridgewatt::measure
