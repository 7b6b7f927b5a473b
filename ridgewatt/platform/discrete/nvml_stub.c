/* For tests only: a stand-in for libnvidia-ml with one kind of GPU, steered through `nvml_stub`.
 * Signatures and units are NVML's (docs.nvidia.com/deploy/nvml-api): mW, mJ, MHz, degrees, percent.
 */
#include "ridgewatt/platform/discrete/nvml_stub.h"

#include <string.h>
#include <time.h>

struct NvmlStub nvml_stub = {.devices = 1};

typedef void* Device;
struct Utilization {
  unsigned gpu, memory;
};

static int text(char* out, unsigned size, const char* value) {
  if (strlen(value) >= size) return 7; /* insufficient size */
  strcpy(out, value);
  return 0;
}

const char* nvmlErrorString(int result) {
  switch (result) {
    case 4:
      return "Insufficient Permissions";
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    default:
      return NULL;
  }
}

int nvmlInit_v2(void) {
  if (nvml_stub.init_result == 0) ++nvml_stub.initialized;
  return nvml_stub.init_result;
}
int nvmlShutdown(void) {
  --nvml_stub.initialized;
  return 0;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = nvml_stub.devices;
  return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  static int devices[64];
  if (index >= nvml_stub.devices) return 2; /* invalid argument */
  *device = &devices[index];
  return 0;
}
int nvmlDeviceGetName(Device device, char* name, unsigned size) {
  (void)device;
  return text(name, size, "Stub GPU");
}
int nvmlDeviceGetUUID(Device device, char* uuid, unsigned size) {
  (void)device;
  return text(uuid, size, "GPU-0000");
}
int nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatt) {
  (void)device;
  *milliwatt = 23456;
  return nvml_stub.power_result;
}
int nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* millijoule) {
  (void)device;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const unsigned long long tenths = now.tv_sec * 10ULL + now.tv_nsec / 100000000ULL;
  *millijoule = 5000000500ULL + tenths * nvml_stub.load_w * 100ULL;
  return nvml_stub.energy_result;
}
int nvmlDeviceGetClockInfo(Device device, int type, unsigned* mhz) {
  (void)device;
  *mhz = type == 0 ? 1410 : 1593; /* graphics, memory */
  return 0;
}
int nvmlDeviceGetTemperature(Device device, int sensor, unsigned* celsius) {
  (void)device;
  (void)sensor;
  *celsius = 61;
  return 0;
}
int nvmlDeviceGetUtilizationRates(Device device, struct Utilization* utilization) {
  (void)device;
  utilization->gpu = 37;
  utilization->memory = 90;
  return 0;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* mask) {
  (void)device;
  *mask = nvml_stub.throttle_mask;
  return 0;
}
int nvmlDeviceGetSupportedMemoryClocks(Device device, unsigned* count, unsigned* mhz) {
  (void)device;
  *count = 2;
  mhz[0] = 810;
  mhz[1] = 1593;
  return 0;
}
int nvmlDeviceGetSupportedGraphicsClocks(Device device, unsigned memory_mhz, unsigned* count,
                                         unsigned* mhz) {
  (void)device;
  *count = 3;
  mhz[0] = 1410;
  mhz[1] = 765;
  mhz[2] = memory_mhz == 1593 ? 210 : 345;
  return 0;
}
int nvmlDeviceSetGpuLockedClocks(Device device, unsigned min_mhz, unsigned max_mhz) {
  (void)device;
  nvml_stub.locked_min_mhz = min_mhz;
  nvml_stub.locked_max_mhz = max_mhz;
  return nvml_stub.lock_result;
}
int nvmlDeviceResetGpuLockedClocks(Device device) {
  (void)device;
  nvml_stub.locked_min_mhz = nvml_stub.locked_max_mhz = 0;
  return 0;
}
