// Options of the commands that talk to a real or fake board.
#pragma once

#include <string>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/platform/local_device.h"

namespace ridgewatt::cli {

struct DeviceOptions {
  std::string device = "local";
  std::string sysroot;
  std::string state_folder;

  platform::LocalDevice open(const Context& context) const {
    return platform::open_local_device(device, sysroot, context.seed);
  }
};

inline void add_device_options(CLI::App& command, DeviceOptions& options) {
  command.add_option("--device", options.device, "local, or fake:BOARD for a fake board")
      ->capture_default_str();
  command.add_option("--sysroot", options.sysroot, "Root of a recorded or fake board's tree");
  command.add_option("--state-dir", options.state_folder, "Folder of the mode journal");
}

// --cpu-cores, --cpu-mhz, --gpu-mhz, --mem-mhz and --governor.
struct ModeOptions {
  int cpu_cores = 0;
  double cpu_mhz = 0;
  double gpu_mhz = 0;
  double mem_mhz = 0;
  std::string governor;
  std::string gpu_governor;  // of `mode apply`

  PowerMode mode() const {
    return {cpu_cores, hz_of_mhz(cpu_mhz), hz_of_mhz(gpu_mhz), hz_of_mhz(mem_mhz), governor};
  }
  bool given() const { return mode() != PowerMode{} || !gpu_governor.empty(); }
};

inline void add_mode_options(CLI::App& command, ModeOptions& options) {
  quantity(command.add_option("--cpu-cores", options.cpu_cores, "CPU cores online"),
           count().within(1, 1024));
  quantity(command.add_option("--cpu-mhz", options.cpu_mhz, "CPU clock"), megahertz().positive());
  quantity(command.add_option("--gpu-mhz", options.gpu_mhz, "GPU clock"), megahertz().positive());
  quantity(command.add_option("--mem-mhz", options.mem_mhz, "Memory clock"),
           megahertz().positive());
  command.add_option("--governor", options.governor, "DVFS governor instead of fixed clocks");
}

}  // namespace ridgewatt::cli
