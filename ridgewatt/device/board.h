// A board: what is known about a Jetson or other machine before anything is measured. It has knob
// tables and presets for each BSP (board support package), peak rates, memory, identification, and
// the source of each fact.
//
//   const Board board = load_board("agx-orin");        // embedded; also a path, or NAME@BSP
//   const KnobSpace space = knob_space(board);         // 18,096 power modes
//   peak_flops(board, space.top(), Arithmetic::kFp16);  // 42.6e12
//
// Boards are read from boards/*.toml, which are embedded into the library when it is built.
// docs/reference/board_file.md describes the format.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_array.h"
#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/arithmetic.h"
#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/device/measured_roof.h"
#include "ridgewatt/device/power_mode.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

// A power mode that the vendor ships (nvpmodel). Its limits are rounded to values in the knob
// tables.
struct Preset {
  int id = 0;
  std::string name;
  PowerMode mode;
  int sms = 0;  // streaming multiprocessors that its TPC mask leaves enabled; 0: unknown
};

// Knob tables and presets of one release of the board's software.
struct Bsp {
  std::string name;   // "jp5.0"
  std::string title;  // "JetPack 5.0"
  KnobSpace::Levels levels;
  std::vector<Preset> presets;
  int default_preset = 0;  // id of the preset that is active after installation
  // For a discrete GPU: the power limits of `nvidia-smi -pl`, ascending. Each is also a preset. The
  // firmware lowers the GPU clock to stay within the limit.
  std::vector<double> power_limits_w;
  bool partial = false;  // the tables contain only the known clocks, not all clocks of the board
};

// The source of a number. `key` is a key in the board file ("gpu.sms") or a prefix of several keys.
struct Fact {
  std::string key;
  std::string status;  // "datasheet", "seen", "derived" or "unverified"
  std::string source;
};

// Fitted parameters of the board's twin, by the keys of the [twin] table in the board file. Keys of
// nested tables are joined by dots ("time.launch_s"). twin/twin.cc defines their meaning.
struct TwinTable {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;  // provenance, units and remarks
  bool empty() const { return numbers.empty() && texts.empty(); }
};

struct Board {
  std::string name;  // "agx-orin"
  std::string title;
  std::string soc;  // "tegra234"
  std::vector<std::string> aliases;
  std::vector<std::string> modules;     // part numbers, such as "p3701-0005"
  std::vector<std::string> compatible;  // device-tree strings; a trailing * matches any suffix

  std::string cpu_type;
  int cpu_cores = 0;
  // Whether the CPU belongs to a host. Such a CPU is not a knob, and its power is not measured.
  bool discrete_gpu = false;
  double cpu_flop_per_cycle = 0;  // FP32, per core; 0: unknown

  std::string gpu_architecture;  // empty: no GPU
  int sms = 0;                   // all streaming multiprocessors
  int tpc_slots = 0;             // bits of the TPC mask; 0: the board has no mask
  int sms_per_tpc = 0;           // 0 without a mask
  int cores_per_sm = 0;
  // Dense rates per SM and clock cycle, of tensor cores if there are any, as the board file states
  // them (see stated_rate()). 0: not supported by the GPU. Absent: unknown; functions that need the
  // rate throw. The rate of FP32 follows from cores_per_sm.
  EnumArray<Arithmetic, std::optional<double>, kArithmetics.size()> flop_per_sm_cycle = {};

  // Bytes per GPU clock cycle: L1 cache and shared memory per SM, and the L2 cache in total.
  // Absent: unknown.
  std::optional<double> l1_bytes_per_sm_cycle;
  std::optional<double> l2_bytes_per_cycle;

  double memory_bytes = 0;          // installed memory; CPU and GPU share it
  double visible_memory_bytes = 0;  // total reported by Linux; `memory_bytes` if unknown
  double system_memory_bytes = 0;   // used by the system without any workload
  double memory_bus_bits = 0;
  // Range of the bandwidths measured with the STREAM triad at the highest memory clock.
  struct Triad {
    double lo_bytes_per_s = 0;
    double hi_bytes_per_s = 0;
  };
  std::optional<Triad> triad;
  // Continuous power limit of the module: its largest power budget, or the maximum in the data
  // sheet. Absent: unknown.
  std::optional<double> power_limit_w;
  // CPU cycles that the main process of a training needs to receive a minibatch from a loader
  // worker: constant part, and part per byte. 0: not measured.
  // `memory_share` is the share of the time at the highest clocks that is inversely proportional to
  // the memory clock instead of the CPU clock.
  struct HandOver {
    double cycles = 0;
    double cycles_per_byte = 0;
    double memory_share = 0;
  };
  HandOver hand_over;
  // The lowest clocks (Hz) that nvpmodel allows a governor in every preset. 0: that of the table.
  KnobArray<double> governor_least{};
  bool has_gpu() const { return !gpu_architecture.empty(); }

  std::vector<Bsp> bsps;
  std::string default_bsp;
  std::string bsp;       // the selected BSP
  std::string relative;  // board whose twin is scaled if this board has none; may be empty
  // The board with the same chip whose [runtime.NAME] tables are used if this board has none; or
  // empty.
  std::string engines;
  std::vector<Fact> facts;
  TwinTable twin;
  // Parameters that a runtime changes, from [runtime.NAME].
  std::map<std::string, TwinTable> runtimes;
  std::optional<MeasuredRoofs> microbench;  // absent: no microbenchmarks
  std::string source;                       // path of the board file, or "embedded NAME.toml"
  std::string toml;                         // text of the board file

  // Returns the BSP with this name, or the selected BSP. Throws NotFoundError, which lists the
  // names. Returns a reference into the board or, for a temporary board, a copy.
  const Bsp& find_bsp(std::string_view bsp_name = "") const&;
  Bsp find_bsp(std::string_view bsp_name = "") const&& { return this->find_bsp(bsp_name); }
};

// Returns the names of the embedded boards, sorted.
std::vector<std::string> list_boards();
// Loads an embedded board by name or alias, or a board file by path (text that contains '/' or ends
// in .toml). "agx-orin@jp5.1" selects a BSP. Throws NotFoundError for an unknown board or BSP, and
// InputError for an invalid file.
Board load_board(const std::string& name_or_path);
// Parses the text of a board file. Throws InputError, which names `source` and the key.
Board parse_board(std::string_view toml, const std::string& source);
// Returns the text of the board file with its [twin] table replaced and all other bytes unchanged.
std::string board_toml_with_twin(const Board& board, const TwinTable& twin);
// Returns the text of the board file with its [runtime.NAME] tables replaced.
std::string board_toml_with_runtimes(const Board& board,
                                     const std::map<std::string, TwinTable>& runtimes);
// Returns the text of the board file with its [microbench] table replaced.
std::string board_toml_with_microbench(const Board& board, const MeasuredRoofs& roofs);
// Returns the name of the embedded board that matches the `compatible` list of a device tree, most
// specific string first. The name includes "@BSP" if the device tree determines the BSP ("-super").
// Absent if no board matches.
std::optional<std::string> find_board(std::span<const std::string> compatible);

// Returns all combinations of knob values of a BSP (default: the selected one), with fixed clocks.
// The number of CPU cores ranges from 1 to all.
KnobSpace knob_space(const Board& board, std::string_view bsp_name = "");
// Returns knob_space() and one mode for each power limit of a discrete GPU.
KnobSpace mode_space(const Board& board);
// The following functions return a reference into the board. For a temporary board they return a
// copy, because in `for (.. : presets(load_board(name)))` a reference would dangle.
const std::vector<Preset>& presets(const Board& board, std::string_view bsp_name = "");
inline std::vector<Preset> presets(const Board&& board, std::string_view bsp_name = "") {
  return presets(board, bsp_name);
}
// Finds a preset by name, ignoring case and the prefix "MODE_". "30W" also finds "MODE_30W_ALL" if
// no other preset starts with "30W_". Throws NotFoundError if no preset matches and UsageError if
// several do. The message lists the presets, also matching ones of other BSPs.
const Preset& find_preset(const Board& board, std::string_view preset_name);
inline Preset find_preset(const Board&& board, std::string_view preset_name) {
  return find_preset(board, preset_name);
}
// Returns the name of the preset with exactly this mode, "A, B" if two presets have it, or an empty
// text.
std::string preset_name(const Board& board, const PowerMode& mode);
// Returns the name of the first preset with this mode, or else its knob values.
std::string mode_name(const Board& board, const PowerMode& mode);
// Returns the power in the name of a preset: 30 for "MODE_30W_ALL". This is the vendor's budget,
// not an enforced limit. Absent if the name has no power.
std::optional<double> power_in_name_w(std::string_view preset_name);

// Returns the number of SMs that a TPC mask leaves enabled; a set bit disables one TPC. Returns all
// SMs if the board has no mask.
int sms_for_tpc_mask(const Board& board, unsigned mask);
// Returns the dense rate per SM and clock cycle in FLOP (INT8: operations). 0: not supported;
// absent: unknown. FP32 is 2 x cores per SM. If the key of TF32 is absent, its rate is half of the
// BF16 rate, as on every GPU that has both (NVIDIA, A100 white paper: 156 and 312 TFLOPS).
std::optional<double> stated_rate(const Board& board, Arithmetic arithmetic);
// Returns whether the rate is known and above 0.
bool supports(const Board& board, Arithmetic arithmetic);
// Returns the dense peak in FLOP/s (INT8: operations/s): SMs x rate per SM and cycle x GPU clock.
// `sms` = 0: all. If the GPU clock is absent or set by a governor, the highest clock is used.
// Throws NotSupportedError if the rate is 0 or unknown, or if the board has no GPU.
double peak_flops(const Board& board, const PowerMode& mode, Arithmetic arithmetic, int sms = 0);
// Returns the DRAM peak in byte/s: bus width / 8 x 2 (double data rate) x memory clock. If the
// clock is absent, the highest is used.
double peak_bandwidth(const Board& board, const PowerMode& mode);
// A measured rate, converted to a mode. If it was not measured at the clocks of that mode, it is
// scaled from the mode `from` in proportion to the GPU clock (compute) or memory clock (bandwidth).
struct CarriedRoof : MeasuredValue {
  PowerMode from;
  // Whether it was measured at the clocks of the mode.
  bool measured_here = false;
};
// Absent if no microbenchmark of the GPU (without a GPU: of the CPU) measured the rate.
std::optional<CarriedRoof> measured_peak(const Board& board, const PowerMode& mode,
                                         Arithmetic arithmetic);
std::optional<CarriedRoof> measured_bandwidth(const Board& board, const PowerMode& mode);
// Returns everything that was measured in exactly this mode. Points into the board; null if nothing
// was measured.
const MeasuredRoof* measured_roof(const Board& board, const PowerMode& mode);
const MeasuredRoof* measured_roof(const Board&& board, const PowerMode& mode) = delete;
// Returns the upper bound of the rate of any kernel in FLOP/s: the measured peak, or else
// peak_flops().
double compute_ceiling(const Board& board, const PowerMode& mode, Arithmetic arithmetic);
// Returns the upper bound of the DRAM bandwidth of any kernel in byte/s: the measured bandwidth, or
// else the highest triad of the board file scaled to the memory clock, or else the peak.
double bandwidth_ceiling(const Board& board, const PowerMode& mode);
// Returns the key in the board file from which bandwidth_ceiling() is computed.
std::string_view bandwidth_ceiling_key(const Board& board);
// A cache whose bandwidth is in the board file, at the GPU clock of a mode.
struct CacheLevel {
  std::string name;  // "L2"
  double bandwidth_bytes_per_s = 0;
  std::string key;  // in the board file
};
// Returns the caches, fastest first.
std::vector<CacheLevel> cache_levels(const Board& board, const PowerMode& mode);
// Returns the fact with the longest key that is `key` or a prefix of it; null if there is none.
const Fact* find_fact(const Board& board, std::string_view key);
inline std::optional<Fact> find_fact(const Board&& board, std::string_view key) {
  const Fact* fact = find_fact(board, key);
  return fact == nullptr ? std::nullopt : std::optional(*fact);
}

}  // namespace ridgewatt

#pragma GCC visibility pop
