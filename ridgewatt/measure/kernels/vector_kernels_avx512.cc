// Vectors of 64 bytes; see vector_kernels_body.h. Compiled with the flags of its instruction set.
#define RIDGEWATT_VECTOR_BYTES 64
#define RIDGEWATT_VECTOR_ISA "avx512"
#define RIDGEWATT_VECTOR_NAME vector_kernels_avx512
#include "ridgewatt/measure/kernels/vector_kernels_body.h"
