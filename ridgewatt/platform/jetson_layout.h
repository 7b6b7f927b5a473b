// Finds the files with the clocks of a Jetson. The paths of these files differ by generation and
// JetPack release. Sensors and mode control both use the result.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

inline constexpr const char* kCpuFolder = "/sys/devices/system/cpu";

// Cores that share a clock (/sys/devices/system/cpu/cpufreq/policyN). Files in kHz.
struct CpuPolicy {
  std::string path;
  std::vector<int> cpus;  // all CPUs of the policy, online or offline
};

// A devfreq device: available_frequencies, min_freq, max_freq, cur_freq, governor. Files in Hz.
struct Devfreq {
  std::string name;
  std::string path;
};

// The memory clock. A path is empty if the board does not have the file.
struct EmcLayout {
  enum class Kind { kNone, kBpmp, kTegra210, kDevfreq };
  Kind kind = Kind::kNone;
  std::string current;         // Hz
  std::string rate;            // for writing, Hz
  std::string lock;            // for writing; 1 holds the rate
  std::string state;           // for writing; 1 on Tegra210
  std::string minimum;         // Hz
  std::string maximum;         // Hz
  std::string possible_rates;  // text "204000 665600 (kHz)", or Hz for devfreq
  std::string cap;             // upper limit that nvpmodel sets, Hz
  std::string load;            // average activity
};

struct JetsonLayout {
  int cpu_count = 0;  // cores, online or offline
  std::vector<CpuPolicy> cpu_policies;
  std::vector<Devfreq> gpus;  // the first one runs compute; Thor has gpu-gpc-0 and gpu-nvd-0
  std::string gpu_load;       // permille
  std::string tpc_mask;       // a set bit turns a TPC off
  std::string gpu_power;  // power/control: "on" keeps the GPU powered, "auto" allows power gating
  EmcLayout emc;
  std::vector<Devfreq> other_devfreq;  // devices other than GPU and memory
};

JetsonLayout find_jetson_layout(const Sysfs& sysfs);

// Returns the number of SMs that the last preset left on. Clocks, governors and heat do not change
// it. Returns all SMs if the machine has no TPC mask.
int sms_left_on(const Sysfs& sysfs, const JetsonLayout& layout, const Board& board);

// Supported memory clocks in Hz, ascending; empty if the board does not report them (often without
// root).
std::vector<double> emc_rates_hz(const Sysfs& sysfs, const EmcLayout& emc);
// Whether emc_rates_hz has all supported clocks. If false, it has only the lowest and the highest.
bool lists_emc_rates(const Sysfs& sysfs, const EmcLayout& emc);

}  // namespace ridgewatt::platform
