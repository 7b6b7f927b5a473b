// Discrete NVIDIA GPUs through libnvidia-ml, opened at run time: one program with and without a
// GPU. What a device does not support is said, never guessed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ridgewatt::platform {

struct NvmlDevice {
  int index = 0;
  std::string name;
  std::string uuid;
  bool energy_counter = false;  // total energy since the driver was loaded
  bool power = false;           // board power; an average over 1 s on many Ampere and newer GPUs
  std::string unsupported;      // what the driver refuses, in words; empty: all is there
};

class Nvml {
 public:
  // NotSupportedError says why there is none: the library, the driver or a GPU is not there.
  static std::unique_ptr<Nvml> open(const std::string& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const std::vector<NvmlDevice>& devices() const { return devices_; }
  // Nothing when the driver does not support the quantity on this device.
  std::optional<double> energy_j(int device) const;  // counter: take differences
  std::optional<double> power_w(int device) const;
  std::optional<double> gpu_clock_hz(int device) const;
  std::optional<double> mem_clock_hz(int device) const;
  std::optional<double> temperature_celsius(int device) const;
  std::optional<double> load(int device) const;  // fraction of time a kernel ran
  std::vector<std::string> throttle_reasons(int device) const;
  // Graphics clocks that the device supports at its highest memory clock, ascending.
  std::vector<double> supported_gpu_clocks_hz(int device) const;

  // Holds the graphics clock in [min, max]; needs root. Throws NotSupportedError,
  // PermissionError or IoError. The driver rounds to a supported clock: read it back.
  void lock_gpu_clock(int device, double min_hz, double max_hz);
  void reset_gpu_clock(int device);

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);
  void describe_devices();

  std::unique_ptr<Library> library_;
  std::vector<NvmlDevice> devices_;
};

}  // namespace ridgewatt::platform
