// For tests only: the answers of the replacement for libnvidia-ml (nvml_stub.c).
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Results are NVML codes: 0 success, 3 not supported, 4 no permission, 9 no driver, 15 GPU lost.
struct NvmlStub {
  int init_result;
  unsigned devices;
  int power_result;
  int lock_result;
  unsigned locked_min_mhz, locked_max_mhz;  // last requested range
  unsigned long long throttle_mask;
  int initialized;  // nvmlInit calls minus nvmlShutdown calls
  int energy_result;
  // Power for the energy counter. The counter advances every 100 ms, as on an H100.
  unsigned load_w;
};

#ifdef __cplusplus
}
#endif
