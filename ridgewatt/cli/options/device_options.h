// Options of commands that use a real or fake board.
#pragma once

#include <string>

#include "ridgewatt/cli/options/option_adder.h"
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
  const OptionAdder add(command);
  add.named("--device", options.device, "local, or fake:BOARD for a fake board");
  add.sysroot(options.sysroot);
  add.state_folder(options.state_folder);
}

// --cpu-cores, --cpu-mhz, --gpu-mhz, --mem-mhz and --governor. 0 or empty: not given.
struct ModeOptions {
  int cpu_cores = 0;
  double cpu_mhz = 0;
  double gpu_mhz = 0;
  double mem_mhz = 0;
  std::string governor;
  std::string gpu_governor;  // only for `mode apply`

  PowerMode mode() const {
    return {cpu_cores, hz_of_mhz(cpu_mhz), hz_of_mhz(gpu_mhz), hz_of_mhz(mem_mhz), governor};
  }
  bool given() const { return mode() != PowerMode{} || !gpu_governor.empty(); }
};

inline void add_mode_options(CLI::App& command, ModeOptions& options) {
  const OptionAdder add(command);
  add.optional("--cpu-cores", options.cpu_cores, count().within(1, 1024), "CPU cores online");
  add.optional("--cpu-mhz", options.cpu_mhz, megahertz().positive(), "CPU clock");
  add.optional("--gpu-mhz", options.gpu_mhz, megahertz().positive(), "GPU clock");
  add.optional("--mem-mhz", options.mem_mhz, megahertz().positive(), "Memory clock");
  add.text("--governor", options.governor, "DVFS governor of the CPU, in place of fixed clocks");
}

}  // namespace ridgewatt::cli
