// Vectors of 16 bytes; see vector_kernels_body.h. Compiled with the flags of its instruction set.
#define RIDGEWATT_VECTOR_BYTES 16
#define RIDGEWATT_VECTOR_ISA "baseline"
#define RIDGEWATT_VECTOR_NAME vector_kernels_baseline
#include "ridgewatt/measure/kernels/vector_kernels_body.h"
