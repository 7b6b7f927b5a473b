// Fake boards: a tree of kernel files like those of a Jetson, for tests and for trying the program
// without a board.
//
// Paths, labels, units, tables and presets of each generation are those of real boards, and all
// reads and writes are file operations. FakeSysfs (fake_sysfs.h) adds behavior that a plain file
// lacks: it rejects or rounds a write, or fails a read. Other programs (cat) get the same values,
// but not the errors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ridgewatt::platform {

struct FakePreset {
  int id = 0;
  const char* name = "";
  int cores = 0;
  double cpu_max_khz = -1;  // -1: no limit
  double gpu_max_hz = -1;
  double emc_max_hz = 0;  // 0 or -1: no cap
  int tpc_mask = 0;
};

struct FakeSensorChip {
  const char* driver = "";   // ina3221 (hwmon), ina3221x (IIO), ina238 (hwmon)
  const char* address = "";  // "1-0040"
  std::vector<const char*> labels;
  int shunt_uohm = 5000;
};

struct FakeBoardSpec {
  std::string name;   // "agx-orin-jp6"
  std::string board;  // "agx-orin"
  std::string model;
  std::vector<std::string> compatible;
  std::string release;  // content of /etc/nv_tegra_release; empty: no such file
  std::vector<std::vector<int>> cpu_policies;
  std::vector<double> cpu_khz;
  double cpu_floor_khz = 0;  // scaling_min_freq in the presets
  std::string gpu_node;      // device-tree name; empty: no name, as on Thor
  std::string gpu_devfreq;   // real folder of the devfreq device
  std::string gpu_folder;    // folder of load and tpc_pg_mask; empty: none
  std::vector<double> gpu_hz;
  std::string emc;  // "bpmp", "tegra210", "bwmgr"
  std::string emc_cap;
  std::vector<double> emc_hz;
  std::vector<FakeSensorChip> sensors;
  std::vector<const char*> zones;      // temperature zones
  std::vector<const char*> off_zones;  // zones that are powered off
  double memory_bytes = 0;
  std::vector<FakePreset> presets;
  int default_preset = 0;
  bool legacy = false;  // kernel 4.9 and 5.10: rejects an inconsistent limit, does not clamp it
};

// The available fake boards. A name without a release means the newest release: "agx-orin" is
// agx-orin-jp6.
std::vector<std::string> fake_board_names();
// Throws NotFoundError that lists the available boards.
FakeBoardSpec fake_board_spec(const std::string& name);

// How an individual board differs from its type. `time` and `power` are factors on time and power
// of the type in its top mode, the mode with the highest clocks. In another mode, the factor is
// multiplied by (v / v_top)^slope, where v and v_top are the values of the type in this mode and in
// the top mode.
struct FakeSpecimen {
  std::string serial;  // in the device tree; empty: "fake" and the seed
  double time = 1, power = 1;
  double time_slope = 0, power_slope = 0;
  // Parses "serial=orin1,time=1.05,power=0.97,time-slope=0.02,power-slope=-0.1": each key at most
  // once, in any order. Throws UsageError that names `where` for an unknown key or a value out of
  // range.
  static FakeSpecimen parse(const std::string& text, const std::string& where);
  std::string text() const;  // inverse of parse(); empty: no difference from the type
  // Time or power of this specimen. The type has `value` and, in its top mode, `top`.
  double time_s(double value, double top) const;
  double power_w(double value, double top) const;
};
// The specimen in $RIDGEWATT_FAKE_SPECIMEN; without the variable, it equals its type.
FakeSpecimen fake_specimen_of_environment();

// Creates the tree in `folder`. The board is idle in its default preset. The folder must be empty
// or not exist. The tree stores `seed`, which determines the board's randomized twin, and
// `specimen`. Throws IoError, PermissionError.
void create_fake_board(const FakeBoardSpec& spec, const std::string& folder, std::uint64_t seed,
                       const FakeSpecimen& specimen = {});

// Name, seed and specimen of the fake board in a folder; the name is empty if there is none.
struct FakeBoardMark {
  std::string name;
  std::uint64_t seed = 0;
  FakeSpecimen specimen = {};
};
FakeBoardMark fake_board_mark(const std::string& folder);

}  // namespace ridgewatt::platform
