// The available fake boards, with the tables that were published for each board and release
// (docs/methods/fake_board.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/device/board_names.h"
#include "ridgewatt/platform/fake_board.h"

namespace ridgewatt::platform {
namespace {

// first, first + step, .. up to last; always includes last.
std::vector<double> steps(double first, double step, double last) {
  std::vector<double> values;
  for (double value = first; value < last - 1; value += step) values.push_back(value);
  values.push_back(last);
  return values;
}

FakeBoardSpec agx_orin(bool jetpack6) {
  FakeBoardSpec spec;
  spec.name = jetpack6 ? "agx-orin-jp6" : "agx-orin-jp5";
  spec.board = "agx-orin";
  spec.model = jetpack6 ? "NVIDIA Jetson AGX Orin Developer Kit" : "Jetson AGX Orin";
  spec.compatible = {"nvidia,p3737-0000+p3701-0005", "nvidia,p3701-0005", "nvidia,tegra234"};
  spec.release = jetpack6 ? "# R36 (release), REVISION: 4.3, GCID: 1, BOARD: generic, EABI: "
                            "aarch64, DATE: Wed Jan  8 01:49:37 UTC 2025"
                          : "# R35 (release), REVISION: 4.1, GCID: 1, BOARD: t186ref, EABI: "
                            "aarch64, DATE: Tue Aug  1 19:57:35 UTC 2023";
  spec.cpu_policies = {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}};
  spec.cpu_khz = steps(115200, 76800, 2201600);
  spec.cpu_floor_khz = 729600;
  spec.gpu_node = jetpack6 ? "gpu" : "ga10b";
  spec.gpu_devfreq = jetpack6 ? "/sys/devices/platform/bus@0/17000000.gpu/devfreq/17000000.gpu"
                              : "/sys/devices/17000000.ga10b/devfreq/17000000.ga10b";
  spec.gpu_folder = jetpack6 ? "/sys/devices/platform/gpu.0" : "/sys/devices/gpu.0";
  spec.gpu_hz = steps(306e6, 102e6, 1300.5e6);
  spec.emc = "bpmp";
  spec.emc_cap =
      jetpack6 ? "/sys/kernel/nvpmodel_clk_cap/emc" : "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap";
  spec.emc_hz = {204e6, 665.6e6, 2133e6, 3199e6};
  spec.sensors = {{"ina3221", "1-0040", {"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"}, 2000},
                  {"ina3221", "1-0041", {"NC", "VDDQ_VDD2_1V8AO", "NC"}, 2000}};
  if (jetpack6) {
    spec.zones = {"cpu-thermal", "tj-thermal", "soc0-thermal", "soc1-thermal", "soc2-thermal"};
    spec.off_zones = {"gpu-thermal", "cv0-thermal", "cv1-thermal", "cv2-thermal"};
  } else {
    spec.zones = {"CPU-therm", "Tboard_tegra", "SOC0-therm", "SOC1-therm", "SOC2-therm"};
    spec.off_zones = {"GPU-therm", "CV0-therm", "CV1-therm", "CV2-therm"};
  }
  spec.memory_bytes = 62800.0 * 1048576;
  spec.presets = {{0, "MAXN", 12, -1, -1, 0, 0},
                  {1, "MODE_15W", 4, 1113600, 408e6, 2133e6, 248},
                  {2, "MODE_30W", 8, 1728000, 612e6, 0, 240},
                  {3, "MODE_50W", 12, 1497600, 816e6, 0, 0}};
  spec.default_preset = 0;
  spec.legacy = !jetpack6;
  return spec;
}

FakeBoardSpec orin_nano() {
  FakeBoardSpec spec = agx_orin(true);
  spec.name = spec.board = "orin-nano";
  spec.model = "NVIDIA Jetson Orin Nano Engineering Reference Developer Kit Super";
  spec.compatible = {"nvidia,p3768-0000+p3767-0005-super", "nvidia,p3767-0005", "nvidia,tegra234"};
  spec.cpu_policies = {{0, 1, 2, 3}, {4, 5}};
  spec.cpu_khz = steps(115200, 76800, 1728000);
  spec.gpu_hz = steps(306e6, 102e6, 1020e6);
  spec.sensors = {{"ina3221", "1-0040", {"VDD_IN", "VDD_CPU_GPU_CV", "VDD_SOC"}, 5000}};
  spec.memory_bytes = 7620.0 * 1048576;
  spec.presets = {{0, "15W", 6, 1497600, 612e6, 2133e6, 240},
                  {1, "25W", 6, 1344000, 918e6, 3199e6, 240},
                  {2, "MAXN_SUPER", 6, -1, -1, -1, 240}};
  spec.default_preset = 2;
  return spec;
}

FakeBoardSpec xavier_nx(bool jetpack5) {
  FakeBoardSpec spec;
  spec.name = jetpack5 ? "xavier-nx-jp5" : "xavier-nx-jp4";
  spec.board = "xavier-nx";
  spec.model = "NVIDIA Jetson Xavier NX Developer Kit";
  spec.compatible = {"nvidia,p3449-0000+p3668-0000", "nvidia,p3509-0000+p3668-0000",
                     "nvidia,tegra194"};
  spec.release = jetpack5 ? "# R35 (release), REVISION: 4.1, GCID: 1, BOARD: t186ref, EABI: "
                            "aarch64, DATE: Tue Aug  1 19:57:35 UTC 2023"
                          : "# R32 (release), REVISION: 5.1, GCID: 1, BOARD: t186ref, EABI: "
                            "aarch64, DATE: Fri Feb 19 16:50:29 UTC 2021";
  spec.cpu_policies = {{0, 1}, {2, 3}, {4, 5}};
  spec.cpu_khz = steps(115200, 76800, 1907200);
  spec.cpu_floor_khz = 1190400;
  spec.gpu_node = "gv11b";
  spec.gpu_devfreq = "/sys/devices/17000000.gv11b/devfreq/17000000.gv11b";
  spec.gpu_folder = "/sys/devices/gpu.0";
  spec.gpu_hz = {114.75e6, 204e6,    306e6,    408e6,    510e6,     599.25e6,  701.25e6, 752.25e6,
                 803.25e6, 854.25e6, 905.25e6, 956.25e6, 1007.25e6, 1058.25e6, 1109.25e6};
  spec.emc = "bpmp";
  spec.emc_cap = "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap";
  spec.emc_hz = {204e6, 408e6, 665.6e6, 800e6, 1065.6e6, 1331.2e6, 1600e6, 1866e6};
  spec.sensors = {
      {jetpack5 ? "ina3221" : "ina3221x", "7-0040", {"VDD_IN", "VDD_CPU_GPU_CV", "VDD_SOC"}, 5000}};
  spec.zones = {"AO-therm", "GPU-therm", "PMIC-Die", "AUX-therm", "CPU-therm"};
  spec.memory_bytes = 7772.0 * 1048576;
  spec.presets = {{0, "MODE_15W_2CORE", 2, -1, 1109.25e6, 1600e6, 1},
                  {2, "MODE_15W_6CORE", 6, 1420800, 1109.25e6, 1600e6, 1},
                  {3, "MODE_10W_2CORE", 2, 1497600, 803.25e6, 1600e6, 1},
                  {8, "MODE_20W_6CORE", 6, 1420800, 1109.25e6, 1866e6, 1}};
  spec.default_preset = 8;
  spec.legacy = true;
  return spec;
}

// The AGX Xavier has two sensor chips with the older driver, and no rail for the whole module.
FakeBoardSpec agx_xavier() {
  FakeBoardSpec spec = xavier_nx(false);
  spec.name = spec.board = "agx-xavier";
  spec.model = "Jetson-AGX";
  spec.compatible = {"nvidia,p2822-0000+p2888-0001", "nvidia,tegra194"};
  spec.cpu_policies = {{0, 1}, {2, 3}, {4, 5}, {6, 7}};
  spec.cpu_khz = steps(115200, 76800, 2265600);
  // The floor of a real board is 1.2 GHz, also the limit of its slow presets.
  spec.cpu_floor_khz = 0;
  spec.gpu_hz = {114.75e6, 216.75e6, 318.75e6,  420.75e6, 522.75e6,  624.75e6,  675.75e6,
                 828.75e6, 905.25e6, 1032.75e6, 1198.5e6, 1236.75e6, 1338.75e6, 1377e6};
  spec.emc_hz = {204e6, 408e6, 665.6e6, 800e6, 1065.6e6, 1331.2e6, 1600e6, 1866e6, 2133e6};
  spec.sensors = {{"ina3221x", "1-0040", {"GPU", "CPU", "SOC"}, 5000},
                  {"ina3221x", "1-0041", {"CV", "VDDRQ", "SYS5V"}, 5000}};
  spec.memory_bytes = 31927.0 * 1048576;
  spec.presets = {{0, "MAXN", 8, -1, -1, 0, 0},
                  {1, "MODE_10W", 2, 1200000, 520e6, 1065.6e6, 5},
                  {2, "MODE_15W", 4, 1200000, 670e6, 1331.2e6, 0},
                  {3, "MODE_30W_ALL", 8, 1200000, 900e6, 1600e6, 0},
                  {4, "MODE_30W_6CORE", 6, 1450000, 900e6, 1600e6, 0},
                  {5, "MODE_30W_4CORE", 4, 1780000, 900e6, 1600e6, 0},
                  {6, "MODE_30W_2CORE", 2, 2100000, 900e6, 1600e6, 0}};
  spec.default_preset = 0;
  return spec;
}

FakeBoardSpec nano() {
  FakeBoardSpec spec;
  spec.name = spec.board = "nano";
  spec.model = "NVIDIA Jetson Nano Developer Kit";
  spec.compatible = {"nvidia,p3450-0000", "nvidia,p3448-0000", "nvidia,tegra210"};
  spec.release =
      "# R32 (release), REVISION: 5.0, GCID: 1, BOARD: t210ref, EABI: aarch64, DATE: Fri Jan 15 "
      "22:55:35 UTC 2021";
  spec.cpu_policies = {{0, 1, 2, 3}};
  spec.cpu_khz = {102000, 204000,  307200,  403200,  518400,  614400,  710400, 825600,
                  921600, 1036800, 1132800, 1224000, 1326000, 1428000, 1479000};
  spec.gpu_node = "gpu";
  spec.gpu_devfreq = "/sys/devices/57000000.gpu/devfreq/57000000.gpu";
  spec.gpu_folder = "/sys/devices/gpu.0";
  spec.gpu_hz = steps(76.8e6, 76.8e6, 921.6e6);
  spec.emc = "tegra210";
  spec.emc_cap = "/sys/kernel/nvpmodel_emc_cap/emc_iso_cap";
  spec.emc_hz = {204e6, 408e6, 665.6e6, 800e6, 1065.6e6, 1331.2e6, 1600e6};
  spec.sensors = {{"ina3221x", "6-0040", {"POM_5V_IN", "POM_5V_GPU", "POM_5V_CPU"}, 5000}};
  spec.zones = {"AO-therm", "CPU-therm", "GPU-therm", "PLL-therm", "PMIC-Die"};
  spec.memory_bytes = 3964.0 * 1048576;
  spec.presets = {{0, "MAXN", 4, -1, -1, 0, -1}, {1, "5W", 2, 918000, 640e6, 1600e6, -1}};
  spec.default_preset = 0;
  spec.legacy = true;
  return spec;
}

FakeBoardSpec thor() {
  FakeBoardSpec spec;
  spec.name = spec.board = "thor";
  spec.model = "NVIDIA Jetson AGX Thor Developer Kit";
  spec.compatible = {"nvidia,p4071-0000+p3834-0008", "nvidia,p3834-0008", "nvidia,tegra264"};
  spec.release =
      "# R38 (release), REVISION: 4.0, GCID: 1, BOARD: generic, EABI: aarch64, DATE: Wed Dec 31 "
      "00:15:19 UTC 2025";
  spec.cpu_policies = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}};
  spec.cpu_khz = steps(972000, 108600, 2601000);
  spec.cpu_floor_khz = 972000;
  spec.gpu_devfreq = "/sys/devices/platform/0000:01:00.0/devfreq/gpu-gpc-0";
  spec.gpu_hz = steps(315e6, 63e6, 1575e6);
  spec.emc = "bwmgr";
  spec.emc_hz = {665.6e6, 2750e6, 4266e6};
  spec.sensors = {{"ina3221", "2-0040", {"VDD_GPU", "VDD_CPU_SOC_MSS", "VIN_SYS_5V0"}, 2000},
                  {"ina238", "2-0044", {"VIN"}, 2000}};
  spec.zones = {"cpu-thermal", "tj-thermal", "soc012-thermal", "soc345-thermal", "gpu-thermal"};
  spec.memory_bytes = 125772.0 * 1048576;
  spec.presets = {{0, "MAXN", 14, -1, -1, 0, -1}, {1, "120W", 14, -1, 1386e6, 0, -1}};
  spec.default_preset = 1;
  return spec;
}

std::vector<FakeBoardSpec> all_specs() {
  return {agx_orin(false),  agx_orin(true),  orin_nano(), agx_xavier(),
          xavier_nx(false), xavier_nx(true), nano(),      thor()};
}

}  // namespace

std::vector<std::string> fake_board_names() {
  std::vector<std::string> names;
  for (const auto& spec : all_specs()) names.push_back(spec.name);
  return names;
}

FakeBoardSpec fake_board_spec(const std::string& name) {
  auto specs = all_specs();
  for (const auto& spec : specs) {
    if (spec.name == name) return spec;  // avoids reading the files of all boards
  }
  NameSet set;
  for (const auto& spec : specs) set.names.push_back(spec.name);
  for (auto spec = specs.rbegin(); spec != specs.rend(); ++spec) {  // newest first
    set.synonyms.push_back({spec->board, spec->name});
    for (const auto& [word, board] : board_names().synonyms) {
      if (board == spec->board) set.synonyms.push_back({word, spec->name});
    }
  }
  const auto meant = find_meant(name, set);
  if (!meant) throw NotFoundError("there is no fake board of this name", name, hint_for(name, set));
  return *std::find_if(specs.begin(), specs.end(),
                       [&](const auto& spec) { return spec.name == *meant; });
}

}  // namespace ridgewatt::platform
