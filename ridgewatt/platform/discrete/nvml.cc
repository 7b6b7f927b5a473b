#include "ridgewatt/platform/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/io/shared_library.h"

namespace ridgewatt::platform {

// Types of the fields of Nvml::Library. They must not be in an anonymous namespace.
namespace nvml_interface {
struct OpaqueDevice;
struct Utilization {
  unsigned gpu;
  unsigned memory;
};
}  // namespace nvml_interface

namespace {

constexpr const char* kCheckDriver = "check with `nvidia-smi` that the driver works";

// The used parts of NVML's binary interface (docs.nvidia.com/deploy/nvml-api).
using Device = nvml_interface::OpaqueDevice*;
using nvml_interface::Utilization;
using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kNotSupported = 3;
constexpr Result kNoPermission = 4;
constexpr int kClockGraphics = 0;
constexpr int kClockMemory = 2;
constexpr int kTemperatureGpu = 0;
constexpr unsigned kMaxDevices = 64;

}  // namespace

struct Nvml::Library {
  void* handle = nullptr;
  std::vector<Device> devices;

  const char* (*error_string)(Result) = nullptr;
  Result (*init)() = nullptr;
  Result (*shutdown)() = nullptr;
  Result (*get_count)(unsigned*) = nullptr;
  Result (*get_handle)(unsigned, Device*) = nullptr;
  Result (*get_name)(Device, char*, unsigned) = nullptr;
  Result (*get_uuid)(Device, char*, unsigned) = nullptr;
  Result (*get_energy)(Device, unsigned long long*) = nullptr;
  Result (*get_power)(Device, unsigned*) = nullptr;
  Result (*get_clock)(Device, int, unsigned*) = nullptr;
  Result (*get_temperature)(Device, int, unsigned*) = nullptr;
  Result (*get_utilization)(Device, Utilization*) = nullptr;
  Result (*get_throttle)(Device, unsigned long long*) = nullptr;
  Result (*get_memory_clocks)(Device, unsigned*, unsigned*) = nullptr;
  Result (*get_graphics_clocks)(Device, unsigned, unsigned*, unsigned*) = nullptr;
  Result (*lock_clocks)(Device, unsigned, unsigned) = nullptr;
  Result (*reset_clocks)(Device) = nullptr;

  template <typename Function>
  void load(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(handle, name));
  }

  // The error message of NVML.
  std::string text_of(Result result) const {
    const char* text = error_string != nullptr ? error_string(result) : nullptr;
    return text != nullptr ? text : fmt::format("NVML error {}", result);
  }

  ~Library() {
    if (shutdown != nullptr) shutdown();
    if (handle != nullptr) ::dlclose(handle);
  }

  // Reads one value of a device. Empty if `function` is missing or returns an error.
  template <typename Value, typename Function, typename... Arguments>
  std::optional<double> ask(int device, Function function, Arguments... arguments) const {
    Value value{};
    if (function == nullptr) return std::nullopt;
    const Device handle_of_device = devices.at(static_cast<std::size_t>(device));
    if (function(handle_of_device, arguments..., &value) != kSuccess) return std::nullopt;
    return static_cast<double>(value);
  }
};

std::unique_ptr<Nvml> Nvml::open(const std::string& path) {
  auto library = std::make_unique<Library>();
  library->handle = open_library(path);
  if (library->handle == nullptr) throw NotSupportedError(no_library(path));
  auto& l = *library;
  l.load(l.error_string, "nvmlErrorString");
  l.load(l.init, "nvmlInit_v2");
  l.load(l.get_count, "nvmlDeviceGetCount_v2");
  l.load(l.get_handle, "nvmlDeviceGetHandleByIndex_v2");
  l.load(l.get_name, "nvmlDeviceGetName");
  l.load(l.get_uuid, "nvmlDeviceGetUUID");
  l.load(l.get_energy, "nvmlDeviceGetTotalEnergyConsumption");
  l.load(l.get_power, "nvmlDeviceGetPowerUsage");
  l.load(l.get_clock, "nvmlDeviceGetClockInfo");
  l.load(l.get_temperature, "nvmlDeviceGetTemperature");
  l.load(l.get_utilization, "nvmlDeviceGetUtilizationRates");
  l.load(l.get_throttle, "nvmlDeviceGetCurrentClocksThrottleReasons");
  l.load(l.get_memory_clocks, "nvmlDeviceGetSupportedMemoryClocks");
  l.load(l.get_graphics_clocks, "nvmlDeviceGetSupportedGraphicsClocks");
  l.load(l.lock_clocks, "nvmlDeviceSetGpuLockedClocks");
  l.load(l.reset_clocks, "nvmlDeviceResetGpuLockedClocks");
  if (l.init == nullptr || l.get_count == nullptr || l.get_handle == nullptr) {
    throw NotSupportedError(path + " lacks functions that every version of NVML has", "",
                            kCheckDriver);
  }
  if (const Result result = l.init(); result != kSuccess) {
    throw NotSupportedError(
        fmt::format("the NVIDIA driver does not answer ({})", l.text_of(result)), "", kCheckDriver);
  }
  l.load(l.shutdown, "nvmlShutdown");
  unsigned count = 0;
  if (l.get_count(&count) != kSuccess || count == 0) {
    throw NotSupportedError("the NVIDIA driver finds no GPU", "", kCheckDriver);
  }
  for (unsigned i = 0; i < std::min(count, kMaxDevices); ++i) {
    Device device = nullptr;
    if (l.get_handle(i, &device) == kSuccess) l.devices.push_back(device);
  }
  if (l.devices.empty())
    throw NotSupportedError("the NVIDIA driver denies access to every GPU", "", kCheckDriver);
  return std::unique_ptr<Nvml>(new Nvml(std::move(library)));
}

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {
  describe_devices();
}

Nvml::~Nvml() = default;

void Nvml::describe_devices() {
  for (std::size_t i = 0; i < library_->devices.size(); ++i) {
    NvmlDevice device;
    device.index = static_cast<int>(i);
    char text[96] = "";
    const auto ask = [&](auto function) {
      if (function == nullptr || function(library_->devices[i], text, sizeof text) != kSuccess) {
        return std::string();
      }
      text[sizeof text - 1] = '\0';
      return std::string(text);
    };
    device.name = ask(library_->get_name);
    device.uuid = ask(library_->get_uuid);
    device.energy_counter = energy_j(device.index).has_value();
    device.power = power_w(device.index).has_value();
    const auto refuse = [&](bool there, const char* what) {
      if (!there)
        device.unsupported += (device.unsupported.empty() ? "" : ", ") + std::string(what);
    };
    refuse(device.energy_counter, "energy counter");
    refuse(device.power, "power");
    refuse(gpu_clock_hz(device.index).has_value(), "clocks");
    refuse(temperature_celsius(device.index).has_value(), "temperature");
    refuse(load(device.index).has_value(), "utilization");
    devices_.push_back(std::move(device));
  }
}

std::optional<double> Nvml::energy_j(int device) const {
  const auto millijoule = library_->ask<unsigned long long>(device, library_->get_energy);
  return millijoule ? std::optional(*millijoule / 1e3) : std::nullopt;
}

std::optional<double> Nvml::power_w(int device) const {
  const auto milliwatt = library_->ask<unsigned>(device, library_->get_power);
  return milliwatt ? std::optional(*milliwatt / 1e3) : std::nullopt;
}

std::optional<double> Nvml::gpu_clock_hz(int device) const {
  const auto mhz = library_->ask<unsigned>(device, library_->get_clock, kClockGraphics);
  return mhz ? std::optional(hz_of_mhz(*mhz)) : std::nullopt;
}

std::optional<double> Nvml::mem_clock_hz(int device) const {
  const auto mhz = library_->ask<unsigned>(device, library_->get_clock, kClockMemory);
  return mhz ? std::optional(hz_of_mhz(*mhz)) : std::nullopt;
}

std::optional<double> Nvml::temperature_celsius(int device) const {
  return library_->ask<unsigned>(device, library_->get_temperature, kTemperatureGpu);
}

std::optional<double> Nvml::load(int device) const {
  Utilization value{};
  const auto function = library_->get_utilization;
  if (function == nullptr) return std::nullopt;
  const Device handle = library_->devices.at(static_cast<std::size_t>(device));
  if (function(handle, &value) != kSuccess) return std::nullopt;
  return value.gpu / 100.0;
}

std::vector<std::string> Nvml::throttle_reasons(int device) const {
  static constexpr std::pair<unsigned long long, const char*> kReasons[] = {
      {0x04, "power cap"},
      {0x08, "hardware slowdown"},
      {0x20, "thermal (software)"},
      {0x40, "thermal (hardware)"},
      {0x80, "external power brake"}};
  std::vector<std::string> reasons;
  unsigned long long mask = 0;
  const auto function = library_->get_throttle;
  const Device handle = library_->devices.at(static_cast<std::size_t>(device));
  if (function == nullptr || function(handle, &mask) != kSuccess) return reasons;
  for (const auto& [bit, name] : kReasons) {
    if ((mask & bit) != 0) reasons.emplace_back(name);
  }
  return reasons;
}

std::vector<double> Nvml::supported_gpu_clocks_hz(int device) const {
  static constexpr unsigned kMaxClocks = 1024;
  const Device handle = library_->devices.at(static_cast<std::size_t>(device));
  if (library_->get_memory_clocks == nullptr || library_->get_graphics_clocks == nullptr) return {};
  std::vector<unsigned> memory(kMaxClocks);
  unsigned count = kMaxClocks;
  if (library_->get_memory_clocks(handle, &count, memory.data()) != kSuccess || count == 0)
    return {};
  const unsigned top =
      *std::max_element(memory.begin(), memory.begin() + std::min(count, kMaxClocks));
  std::vector<unsigned> graphics(kMaxClocks);
  count = kMaxClocks;
  if (library_->get_graphics_clocks(handle, top, &count, graphics.data()) != kSuccess) return {};
  std::vector<double> clocks;
  for (unsigned i = 0; i < std::min(count, kMaxClocks); ++i)
    clocks.push_back(hz_of_mhz(graphics[i]));
  std::sort(clocks.begin(), clocks.end());
  return clocks;
}

void Nvml::lock_gpu_clock(int device, double min_hz, double max_hz) {
  const std::string& name = devices_.at(static_cast<std::size_t>(device)).name;
  const Device handle = library_->devices.at(static_cast<std::size_t>(device));
  const Result result =
      library_->lock_clocks == nullptr
          ? kNotSupported
          : library_->lock_clocks(handle, static_cast<unsigned>(std::lround(mhz_of_hz(min_hz))),
                                  static_cast<unsigned>(std::lround(mhz_of_hz(max_hz))));
  if (result == kSuccess) return;
  if (result == kNotSupported)
    throw NotSupportedError("the clock of the GPU cannot be locked", name,
                            "this GPU does not support it");
  if (result == kNoPermission) {
    throw PermissionError("the clock of the GPU cannot be locked", name, "run as root");
  }
  throw IoError("the clock of the GPU cannot be locked", name, library_->text_of(result));
}

void Nvml::reset_gpu_clock(int device) {
  const Device handle = library_->devices.at(static_cast<std::size_t>(device));
  if (library_->reset_clocks != nullptr) library_->reset_clocks(handle);
}

}  // namespace ridgewatt::platform
