#include "ridgewatt/measure/kernels/vector_kernels.h"

namespace ridgewatt::measure {

const VectorKernels& vector_kernels_baseline();
#if defined(__x86_64__)
const VectorKernels& vector_kernels_avx2();
const VectorKernels& vector_kernels_avx512();
#endif

const VectorKernels& vector_kernels() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return vector_kernels_avx512();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return vector_kernels_avx2();
#endif
  return vector_kernels_baseline();
}

}  // namespace ridgewatt::measure
