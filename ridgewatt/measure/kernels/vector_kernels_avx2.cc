// Vectors of 32 bytes; see vector_kernels_body.h. Compiled with the flags of its instruction set.
#define RIDGEWATT_VECTOR_BYTES 32
#define RIDGEWATT_VECTOR_ISA "avx2"
#define RIDGEWATT_VECTOR_NAME vector_kernels_avx2
#include "ridgewatt/measure/kernels/vector_kernels_body.h"
