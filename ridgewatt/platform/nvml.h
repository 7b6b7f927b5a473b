// Discrete NVIDIA GPUs through libnvidia-ml. The library is loaded at run time, so the same program
// works with and without a GPU.
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
  bool power = false;           // board power; a mean over 1 s on many Ampere and newer GPUs
  std::string unsupported;      // what the driver does not support, as text; or empty
};

class Nvml {
 public:
  // Throws NotSupportedError with the reason if there is no library, driver or GPU.
  static std::unique_ptr<Nvml> open(const std::string& library = "libnvidia-ml.so.1");
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const std::vector<NvmlDevice>& devices() const { return devices_; }
  // Empty if the driver does not support the quantity on this device.
  std::optional<double> energy_j(int device) const;  // a counter; take differences
  std::optional<double> power_w(int device) const;
  std::optional<double> gpu_clock_hz(int device) const;
  std::optional<double> mem_clock_hz(int device) const;
  std::optional<double> temperature_celsius(int device) const;
  std::optional<double> load(int device) const;  // fraction of time in which a kernel ran
  std::vector<std::string> throttle_reasons(int device) const;
  // Graphics clocks that the device supports at its highest memory clock, ascending.
  std::vector<double> supported_gpu_clocks_hz(int device) const;

  // Locks the graphics clock to [min, max]; needs root. The driver rounds to a supported clock, so
  // read it back. Throws NotSupportedError, PermissionError or IoError.
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
