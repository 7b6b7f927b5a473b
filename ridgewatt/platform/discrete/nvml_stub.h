// For tests only: what the stand-in for libnvidia-ml (nvml_stub.c) is set to answer.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// A result is an NVML code: 0 success, 3 not supported, 4 no permission, 9 no driver, 15 GPU lost.
struct NvmlStub {
  int init_result;
  unsigned devices;
  int power_result;
  int lock_result;
  unsigned locked_min_mhz, locked_max_mhz;  // what was asked for last
  unsigned long long throttle_mask;
  int initialized;  // nvmlInit calls less nvmlShutdown calls
  int energy_result;
  unsigned load_w;  // of the energy counter, which advances every 100 ms, as that of an H100
};

#ifdef __cplusplus
}
#endif
