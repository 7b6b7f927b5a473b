// The inner loops of the processor's microbenchmarks, one set for each width of vector register.
// They are written with the compiler's vector types and compiled several times with different
// flags; the widest that this processor has is chosen at run time.
#pragma once

#include <cstddef>

namespace ridgewatt::measure {

struct VectorKernels {
  const char* isa;  // "baseline", "avx2", "avx512"
  int width_bytes;
  // Chains of independent fused multiply-adds, `rounds` of kFmaPerRound vector operations.
  float (*fma_fp32)(std::size_t rounds);
  double (*fma_fp64)(std::size_t rounds);
  // a[i] = b[i] + s c[i]: 2 FLOP and 24 bytes an element (32 moved, where a store reads its line).
  void (*triad)(double* a, const double* b, const double* c, double s, std::size_t count);
  // Reads `count` floats and does `fma` multiply-adds with each (fma >= 1), or one with every
  // `group` floats (fma = 0). count is a multiple of kIntensityBlock.
  float (*intensity)(const float* data, std::size_t count, int fma, int group);
};

inline constexpr int kFmaPerRound = 16 * 8;  // 16 chains, 8 deep
inline constexpr std::size_t kIntensityBlock = 1024;

// The widest set that this processor can run.
const VectorKernels& vector_kernels();

}  // namespace ridgewatt::measure
