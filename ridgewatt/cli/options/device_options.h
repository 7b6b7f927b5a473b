// Options of commands that use a real or fake board.
#pragma once

#include <cmath>
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
  add.words("--device", options.device, {answer::live_boards},
            "local, or fake:BOARD for a fake board")
      ->capture_default_str();
  add.sysroot(options.sysroot);
  add.state_folder(options.state_folder);
}

// --cpu-cores, --cpu-mhz, --gpu-mhz, --mem-mhz and --governor. 0 or empty: not given.
struct ModeOptions {
  int cpu_cores = 0;
  double cpu_hz = 0, gpu_hz = 0, mem_hz = 0;
  std::string governor;
  std::string gpu_governor;  // only for `mode apply`

  PowerMode mode() const {
    return {cpu_cores, std::round(cpu_hz), std::round(gpu_hz), std::round(mem_hz), governor};
  }
  bool given() const { return mode() != PowerMode{} || !gpu_governor.empty(); }
};

inline void add_mode_options(CLI::App& command, ModeOptions& options) {
  const OptionAdder add(command);
  add.optional("--cpu-cores", options.cpu_cores, count().within(1, 1024), "CPU cores online");
  add.optional("--cpu-mhz", options.cpu_hz, megahertz().positive(), "CPU clock");
  add.optional("--gpu-mhz", options.gpu_hz, megahertz().positive(), "GPU clock");
  add.optional("--mem-mhz", options.mem_hz, megahertz().positive(), "Memory clock");
  add.text("--governor", options.governor, "DVFS governor of the CPU, in place of fixed clocks");
}

}  // namespace ridgewatt::cli
