// Where a Jetson keeps its clocks: the paths differ by generation and JetPack release, so they are
// looked for and never assumed. Sensors and mode control share what is found here.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

inline constexpr const char* kCpuFolder = "/sys/devices/system/cpu";

// A group of cores that share a clock (/sys/devices/system/cpu/cpufreq/policyN). kHz.
struct CpuPolicy {
  std::string path;
  std::vector<int> cpus;  // related CPUs, online or not
};

// A devfreq device: available_frequencies, min_freq, max_freq, cur_freq, governor. Hz.
struct Devfreq {
  std::string name;
  std::string path;
};

// The memory clock. Paths that a layout does not have are empty.
struct EmcLayout {
  enum class Kind { kNone, kBpmp, kTegra210, kDevfreq };
  Kind kind = Kind::kNone;
  std::string current;         // Hz
  std::string rate;            // write: Hz
  std::string lock;            // write: 1 holds the rate
  std::string state;           // write: 1 on Tegra210
  std::string minimum;         // Hz
  std::string maximum;         // Hz
  std::string possible_rates;  // text "204000 665600 (kHz)", or Hz for devfreq
  std::string cap;             // nvpmodel's cap, Hz
  std::string load;            // average activity
};

struct JetsonLayout {
  int cpu_count = 0;  // present cores, online or not
  std::vector<CpuPolicy> cpu_policies;
  std::vector<Devfreq> gpus;  // the first one runs compute; Thor has gpu-gpc-0 and gpu-nvd-0
  std::string gpu_load;       // permille
  std::string tpc_mask;       // bit set: TPC off
  std::string gpu_power;      // power/control: "on" keeps the rail up, "auto" lets it gate
  EmcLayout emc;
  std::vector<Devfreq> other_devfreq;  // not the GPU and not the memory
};

JetsonLayout find_jetson_layout(const Sysfs& sysfs);

// Legal memory clocks in Hz, ascending; empty when the board does not say (often: needs root).
std::vector<double> emc_rates_hz(const Sysfs& sysfs, const EmcLayout& emc);
// True when these are all that there are; else emc_rates_hz has the lowest and the highest.
bool lists_emc_rates(const Sysfs& sysfs, const EmcLayout& emc);

}  // namespace ridgewatt::platform
