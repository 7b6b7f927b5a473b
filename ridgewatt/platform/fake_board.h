// Fake boards: a tree of kernel files laid out as a Jetson's, for tests and for trying the program
// without a board.
//
// What is faithful: paths, labels, units, tables and presets of each generation; all reads and
// writes are real file operations. What a plain file cannot do, refuse or round a write, or fail a
// read, is done by FakeSysfs (fake_sysfs.h), which stands where the kernel stands: between
// the program and the file. Reading by other means (cat) shows the same values but not the errors.
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
  std::string release;  // /etc/nv_tegra_release; empty: none
  std::vector<std::vector<int>> cpu_policies;
  std::vector<double> cpu_khz;
  double cpu_floor_khz = 0;  // scaling_min_freq of the presets
  std::string gpu_node;      // device-tree name; empty: Thor's entries without one
  std::string gpu_devfreq;   // the real folder of the devfreq device
  std::string gpu_folder;    // load, tpc_pg_mask; empty: none
  std::vector<double> gpu_hz;
  std::string emc;  // "bpmp", "tegra210", "bwmgr"
  std::string emc_cap;
  std::vector<double> emc_hz;
  std::vector<FakeSensorChip> sensors;
  std::vector<const char*> zones;      // temperature zones
  std::vector<const char*> off_zones;  // zones without power
  double memory_bytes = 0;
  std::vector<FakePreset> presets;
  int default_preset = 0;
  bool legacy = false;  // kernel 4.9 and 5.10: a limit on the wrong side is refused, not clamped
};

// Boards that can be faked: agx-orin-jp5, agx-orin-jp6, orin-nano, agx-xavier, xavier-nx-jp4,
// xavier-nx-jp5, nano, thor. "agx-orin" and "xavier-nx" mean the newer release.
std::vector<std::string> fake_board_names();
// Throws NotFoundError naming the boards that there are.
FakeBoardSpec fake_board_spec(const std::string& name);

// What one board differs by from the others of its kind. `time` and `power` are factors on what the
// kind takes and draws in its top mode; elsewhere the factor changes with the kind's own value v:
// factor x (v / v in the top mode)^slope.
struct FakeSpecimen {
  std::string serial;  // in the device tree; empty: "fake" and the seed
  double time = 1, power = 1;
  double time_slope = 0, power_slope = 0;
  // "serial=orin1,time=1.05,power=0.97,time-slope=0.02,power-slope=-0.1": each at most once, in any
  // order; UsageError naming `where` for what is not one of these or out of bounds.
  static FakeSpecimen parse(const std::string& text, const std::string& where);
  std::string text() const;  // parse() reads it back; empty: as its kind
  // What this specimen takes or draws where its kind takes `value`, and `top` in the top mode.
  double time_s(double value, double top) const;
  double power_w(double value, double top) const;
};
// That of $RIDGEWATT_FAKE_SPECIMEN; without it as its kind.
FakeSpecimen fake_specimen_of_environment();

// Lays the tree out in `folder`, which must not exist or be empty, in its default preset and idle.
// `seed` is kept for the perturbed twin that drives the board, and what the specimen differs by.
// Throws IoError, PermissionError.
void create_fake_board(const FakeBoardSpec& spec, const std::string& folder, std::uint64_t seed,
                       const FakeSpecimen& specimen = {});

// Name, seed and specimen of the fake board in `folder`; empty name when it holds none.
struct FakeBoardMark {
  std::string name;
  std::uint64_t seed = 0;
  FakeSpecimen specimen = {};
};
FakeBoardMark fake_board_mark(const std::string& folder);

}  // namespace ridgewatt::platform
