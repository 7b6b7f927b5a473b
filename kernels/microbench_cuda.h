/* The C interface between the program and the shared library of CUDA kernels. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  double work_flop;     /* of one launch */
  double traffic_bytes; /* of one launch */
  double time_s;        /* fastest launch */
  double median_time_s;
  int repetitions;
} ridgewatt_cuda_point;

/* 0 and the name, or 1 when there is no such device. */
int ridgewatt_cuda_device_name(int device, char* name, int size);

/* Runs a kernel for `seconds`. fma and group: see "intensity". 0 success, 1 failure, 2 not
   supported by this device; `error` then says why. */
int ridgewatt_cuda_run(int device, const char* kernel, int fma, int group, size_t footprint_bytes,
                       double seconds, ridgewatt_cuda_point* point, char* error, int error_size);

#ifdef __cplusplus
}
#endif
