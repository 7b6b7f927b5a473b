// The inner loops of the processor's microbenchmarks, one set for each width of vector register.
// They use the compiler's vector types and are compiled once per set of flags. The widest set that
// the processor supports is chosen at run time.
#pragma once

#include <cstddef>

namespace ridgewatt::measure {

struct VectorKernels {
  const char* isa;  // "baseline", "avx2", "avx512"
  int width_bytes;
  // Independent chains of fused multiply-adds, `rounds` of kFmaPerRound vector operations.
  float (*fma_fp32)(std::size_t rounds);
  double (*fma_fp64)(std::size_t rounds);
  // a[i] = b[i] + s c[i]: 2 FLOP and 24 bytes per element (32 if a store first reads its line).
  void (*triad)(double* a, const double* b, const double* c, double s, std::size_t count);
  // Reads `count` floats and does `fma` multiply-adds with each float or, if fma is 0, one
  // multiply-add with every group of `group` floats. `count` must be a multiple of kIntensityBlock.
  float (*intensity)(const float* data, std::size_t count, int fma, int group);
};

// Two units with a latency of four cycles need eight chains.
inline constexpr int kFmaChains = 12;
static_assert(kFmaChains + 2 <= 16, "chains and two operands must fit into the registers of AVX2");
inline constexpr int kFmaPerRound = kFmaChains * 8;  // each chain is 8 deep
inline constexpr std::size_t kIntensityBlock = 1024;

// The widest set that this processor supports.
const VectorKernels& vector_kernels();

}  // namespace ridgewatt::measure
