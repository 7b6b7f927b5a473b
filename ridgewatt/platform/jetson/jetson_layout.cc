#include "ridgewatt/platform/jetson_layout.h"

#include <algorithm>

#include "ridgewatt/base/text.h"

namespace ridgewatt::platform {
namespace {

constexpr const char* kDevfreqFolder = "/sys/class/devfreq";

bool numbered(const std::string& name, const std::string& prefix) {
  return name.size() > prefix.size() && name.rfind(prefix, 0) == 0 &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

void find_cpus(const Sysfs& sysfs, JetsonLayout& layout) {
  for (const auto& name : sysfs.list(kCpuFolder)) {
    if (numbered(name, "cpu")) ++layout.cpu_count;
  }
  const std::string folder = std::string(kCpuFolder) + "/cpufreq";
  for (const auto& name : sysfs.list(folder)) {
    if (!numbered(name, "policy")) continue;
    CpuPolicy policy;
    policy.path = folder + "/" + name;
    policy.cpus = cpu_list(sysfs.text(policy.path + "/related_cpus").value_or(""));
    if (policy.cpus.empty()) policy.cpus = cpu_list(name.substr(6));
    layout.cpu_policies.push_back(std::move(policy));
  }
}

bool is_gpu(const Sysfs& sysfs, const std::string& entry) {
  static constexpr const char* kNodes[] = {"gv11b", "gp10b", "ga10b", "gb10b", "gpu", "gm20b"};
  const std::string path = std::string(kDevfreqFolder) + "/" + entry;
  if (const auto node = sysfs.text(path + "/device/of_node/name")) {
    for (const char* name : kNodes) {
      if (*node == name) return true;
    }
    return node->find("gpu") != std::string::npos;
  }
  // Entries of Thor (gpu-gpc-0) have no device-tree node, and a recorded tree may lack it as well.
  if (entry.rfind("gpu-", 0) == 0) return true;
  const auto dot = entry.rfind('.');
  if (dot == std::string::npos) return false;
  return std::any_of(std::begin(kNodes), std::end(kNodes),
                     [&](const char* name) { return entry.substr(dot + 1) == name; });
}

void find_gpu(const Sysfs& sysfs, JetsonLayout& layout) {
  for (const auto& entry : sysfs.list(kDevfreqFolder)) {
    Devfreq device{entry, std::string(kDevfreqFolder) + "/" + entry};
    if (!sysfs.exists(device.path + "/cur_freq")) continue;
    if (entry == "bwmgr") continue;
    (is_gpu(sysfs, entry) ? layout.gpus : layout.other_devfreq).push_back(std::move(device));
  }
  if (layout.gpus.empty()) {  // no class folder: use the paths from nvpmodel's files
    for (const char* path : {"/sys/devices/platform/17000000.gpu/devfreq_dev",
                             "/sys/devices/17000000.ga10b/devfreq/17000000.ga10b",
                             "/sys/devices/17000000.gv11b/devfreq/17000000.gv11b",
                             "/sys/devices/17000000.gp10b/devfreq/17000000.gp10b",
                             "/sys/devices/57000000.gpu/devfreq/57000000.gpu"}) {
      if (layout.gpus.empty() && sysfs.exists(std::string(path) + "/cur_freq")) {
        layout.gpus.push_back({"gpu", path});
      }
    }
  }
  std::vector<std::string> folders = {"/sys/devices/platform/gpu.0", "/sys/devices/gpu.0"};
  if (!layout.gpus.empty()) folders.push_back(layout.gpus[0].path + "/device");
  for (const auto& folder : folders) {
    const auto take = [&](std::string& slot, const char* name) {
      if (slot.empty() && sysfs.exists(folder + name)) slot = folder + name;
    };
    take(layout.gpu_load, "/load");
    take(layout.tpc_mask, "/tpc_pg_mask");
    take(layout.gpu_power, "/power/control");
  }
}

void find_emc(const Sysfs& sysfs, EmcLayout& emc) {
  const std::string bpmp = "/sys/kernel/debug/bpmp/debug/clk/emc";
  const std::string tegra210 = "/sys/kernel/debug/clk/override.emc";
  const std::string bandwidth_manager = std::string(kDevfreqFolder) + "/bwmgr";
  if (sysfs.exists(bpmp + "/rate")) {
    emc.kind = EmcLayout::Kind::kBpmp;
    emc.current = emc.rate = bpmp + "/rate";
    emc.lock = bpmp + "/mrq_rate_locked";
    emc.minimum = bpmp + "/min_rate";
    emc.maximum = bpmp + "/max_rate";
    emc.possible_rates = "/sys/kernel/debug/bpmp/debug/emc/possible_rates";
  } else if (sysfs.exists(bandwidth_manager + "/cur_freq")) {
    emc.kind = EmcLayout::Kind::kDevfreq;
    emc.current = bandwidth_manager + "/cur_freq";
    emc.minimum = bandwidth_manager + "/min_freq";
    emc.maximum = bandwidth_manager + "/max_freq";
    emc.possible_rates = bandwidth_manager + "/available_frequencies";
  } else if (sysfs.exists(tegra210 + "/clk_rate")) {
    emc.kind = EmcLayout::Kind::kTegra210;
    emc.current = tegra210 + "/clk_rate";
    emc.rate = tegra210 + "/clk_update_rate";
    emc.state = tegra210 + "/clk_state";
    emc.minimum = "/sys/kernel/debug/tegra_bwmgr/emc_min_rate";
    emc.maximum = "/sys/kernel/debug/tegra_bwmgr/emc_max_rate";
    emc.possible_rates = tegra210 + "/clk_possible_rates";
  }
  for (const char* cap :
       {"/sys/kernel/nvpmodel_clk_cap/emc", "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap"}) {
    if (emc.cap.empty() && sysfs.exists(cap)) emc.cap = cap;
  }
  for (const char* load :
       {"/sys/kernel/debug/bpmp/debug/actmon/mc_all_avg_activity",
        "/sys/kernel/debug/cactmon/mc_all", "/sys/kernel/actmon_avg_activity/mc_all"}) {
    if (emc.load.empty() && sysfs.exists(load)) emc.load = load;
  }
}

}  // namespace

JetsonLayout find_jetson_layout(const Sysfs& sysfs) {
  JetsonLayout layout;
  find_cpus(sysfs, layout);
  find_gpu(sysfs, layout);
  find_emc(sysfs, layout.emc);
  return layout;
}

int sms_left_on(const Sysfs& sysfs, const JetsonLayout& layout, const Board& board) {
  const auto mask = layout.tpc_mask.empty() ? std::nullopt : sysfs.number(layout.tpc_mask);
  return mask ? sms_for_tpc_mask(board, static_cast<unsigned>(*mask)) : board.sms;
}

std::vector<double> emc_rates_hz(const Sysfs& sysfs, const EmcLayout& emc) {
  std::vector<double> rates;
  if (!emc.possible_rates.empty()) {
    rates = sysfs.numbers(emc.possible_rates);
    const std::string text = sysfs.text(emc.possible_rates).value_or("");
    if (text.find("kHz") != std::string::npos) {
      for (double& rate : rates) rate *= 1e3;
    }
  }
  if (rates.empty()) {
    for (const auto& path : {emc.minimum, emc.maximum}) {
      const auto rate = path.empty() ? std::nullopt : sysfs.number(path);
      if (rate && *rate > 0) rates.push_back(*rate);
    }
  }
  std::sort(rates.begin(), rates.end());
  rates.erase(std::unique(rates.begin(), rates.end()), rates.end());
  return rates;
}

bool lists_emc_rates(const Sysfs& sysfs, const EmcLayout& emc) {
  return !emc.possible_rates.empty() && !sysfs.numbers(emc.possible_rates).empty();
}

}  // namespace ridgewatt::platform
