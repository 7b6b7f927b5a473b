// A board: what is known about a Jetson before anything is measured. Its knob tables and presets
// (which belong to a BSP, the board support package that is installed), its peaks in any power
// mode, its memory, how to recognize it, and where each of these facts comes from.
//
//   const Board board = load_board("agx-orin");        // embedded; also a path, or NAME@BSP
//   const KnobSpace space = knob_space(board);         // 18,096 power modes
//   peak_flops(board, space.top(), Arithmetic::kFp16);  // 42.6e12
//
// Boards come from boards/*.toml (format: docs/reference/board_file.md), embedded into the library
// at build.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/arithmetic.h"
#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/device/measured_roof.h"
#include "ridgewatt/device/power_mode.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

// A power mode that the vendor ships (nvpmodel). Its caps are snapped to the knob tables.
struct Preset {
  int id = 0;
  std::string name;
  PowerMode mode;
  int sms = 0;  // streaming multiprocessors left on by its TPC mask; 0: not known
};

// What one release of the board's software offers.
struct Bsp {
  std::string name;   // "jp5.0"
  std::string title;  // "JetPack 5.0"
  KnobSpace::Levels levels;
  std::vector<Preset> presets;
  int default_preset = 0;  // id of the preset after installation
  // Of a discrete GPU: what `nvidia-smi -pl` can be set to, ascending; each is a preset. Its
  // firmware lowers the GPU's clock to hold the limit.
  std::vector<double> power_limits_w;
  bool partial = false;  // the tables have only the known clocks, not all of the board's
};

// Where numbers come from: `key` is a place in the board file ("gpu.sms") or all places below it.
struct Fact {
  std::string key;
  std::string status;  // "datasheet", "seen", "derived" or "unverified"
  std::string source;
};

// Fitted parameters of the board's twin, by the keys of the board file's [twin] table; nested
// tables are joined by dots ("time.launch_s"). twin/twin.cc defines their meaning.
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
  std::vector<std::string> modules;     // part numbers, "p3701-0005"
  std::vector<std::string> compatible;  // device-tree strings; a trailing * matches any ending

  std::string cpu_type;
  int cpu_cores = 0;
  bool discrete_gpu = false;      // the CPU is a host's: not a knob, and not in the power
  double cpu_flop_per_cycle = 0;  // FP32, per core; 0: not known

  std::string gpu_architecture;  // empty: the board is a processor without a GPU
  int sms = 0;                   // with nothing switched off
  int tpc_slots = 0;             // bits of the TPC mask; 0: the board has none
  int sms_per_tpc = 0;           // 0 when there is no mask
  int cores_per_sm = 0;
  // Dense rates per SM and clock cycle, of tensor cores if there are any. 0: the GPU has none.
  // Absent: unknown; functions that need the rate throw.
  std::optional<double> fp16_flop_per_sm_cycle;
  std::optional<double> bf16_flop_per_sm_cycle;
  std::optional<double> tf32_flop_per_sm_cycle;
  std::optional<double> int8_op_per_sm_cycle;
  std::optional<double> fp8_flop_per_sm_cycle;
  std::optional<double> fp4_flop_per_sm_cycle;

  // Bytes per GPU cycle: of the L1 cache and shared memory of one multiprocessor, and of the L2
  // cache in total. Absent: unknown.
  std::optional<double> l1_bytes_per_sm_cycle;
  std::optional<double> l2_bytes_per_cycle;

  double memory_bytes = 0;          // fitted, shared by CPU and GPU
  double visible_memory_bytes = 0;  // total that Linux reports; `memory_bytes` when not known
  double system_memory_bytes = 0;   // held by the system before any workload runs
  double memory_bus_bits = 0;
  // STREAM triad at the highest memory clock, lowest and highest that were measured.
  struct Triad {
    double lo_bytes_per_s = 0;
    double hi_bytes_per_s = 0;
  };
  std::optional<Triad> triad;
  // The continuous power limit of the module: its largest power budget or the maximum of the data
  // sheet.
  std::optional<double> power_limit_w;
  // CPU cycles in which a training's main process takes a minibatch over from a loader worker, in
  // all and per byte, where they were measured.
  struct HandOver {
    double cycles = 0;
    double cycles_per_byte = 0;
  };
  HandOver hand_over;
  bool has_gpu() const { return !gpu_architecture.empty(); }

  std::vector<Bsp> bsps;
  std::string default_bsp;
  std::string bsp;       // the one selected
  std::string relative;  // the board whose twin replaces a missing one; may be empty
  std::vector<Fact> facts;
  TwinTable twin;
  std::map<std::string, TwinTable> runtimes;  // changes to it, by runtime: [runtime.NAME]
  std::optional<MeasuredRoofs> microbench;    // results of microbenchmarks on it
  std::string source;                         // path of the board file, or "embedded NAME.toml"
  std::string toml;                           // its text

  // The BSP of that name, or the selected one. Throws NotFoundError with the known names. Returns a
  // reference into the board; for a temporary board, a copy.
  const Bsp& find_bsp(std::string_view bsp_name = "") const&;
  Bsp find_bsp(std::string_view bsp_name = "") const&& { return this->find_bsp(bsp_name); }
};

// Names of the embedded boards, sorted.
std::vector<std::string> list_boards();
// An embedded board by name or alias, or a board file by path (anything with a '/' or ending in
// .toml). "@BSP" after a name selects a BSP, "agx-orin@jp5.1". NotFoundError, InputError.
Board load_board(const std::string& name_or_path);
// Board from the text of a board file. InputError says which key of `source` is wrong.
Board parse_board(std::string_view toml, const std::string& source);
// The board file of `board` with its [twin] table replaced; every other byte stays.
std::string board_toml_with_twin(const Board& board, const TwinTable& twin);
// The same with its [runtime.NAME] tables replaced.
std::string board_toml_with_runtimes(const Board& board,
                                     const std::map<std::string, TwinTable>& runtimes);
// The same with its [microbench] table replaced.
std::string board_toml_with_microbench(const Board& board, const MeasuredRoofs& roofs);
// Name (with "@BSP" where the device tree says so, for example "-super") of the embedded board that
// matches a device tree's `compatible` list, whose most specific string is first. Empty if none
// matches.
std::optional<std::string> find_board(std::span<const std::string> compatible);

// All fixed clocks of a BSP (default: the selected one): core counts 1 to all, times the tables.
KnobSpace knob_space(const Board& board, std::string_view bsp_name = "");
// The same, with every power limit at the highest clocks where there are limits.
KnobSpace mode_space(const Board& board);
// These functions return a reference into the board. For a temporary board they return a copy,
// because in `for (.. : presets(load_board(name)))` a reference would dangle.
const std::vector<Preset>& presets(const Board& board, std::string_view bsp_name = "");
inline std::vector<Preset> presets(const Board&& board, std::string_view bsp_name = "") {
  return presets(board, bsp_name);
}
// By name, ignoring case and the prefix "MODE_". "30W" also means "MODE_30W_ALL" if no other preset
// begins with it. Throws NotFoundError with the known names (also of other BSPs), or UsageError
// with the matching names if there are several.
const Preset& find_preset(const Board& board, std::string_view preset_name);
inline Preset find_preset(const Board&& board, std::string_view preset_name) {
  return find_preset(board, preset_name);
}
// Name of the preset with exactly this mode, "A, B" if two have it; empty if none has.
std::string preset_name(const Board& board, const PowerMode& mode);
// The name of the first preset with this mode, otherwise its knobs.
std::string mode_name(const Board& board, const PowerMode& mode);
// The power in a preset's name, "MODE_30W_ALL": 30. It is the vendor's budget, not a cap.
std::optional<double> power_in_name_w(std::string_view preset_name);

// SMs that a TPC mask leaves on: a set bit switches one TPC off. All when there is no mask.
int sms_for_tpc_mask(const Board& board, unsigned mask);
// Dense rate per SM and clock cycle in FLOP (INT8: operations); 0: the GPU has none; absent: not
// stated. FP32 is 2 x cores per SM. TF32, if its key is absent, is half the BF16 rate, as on every
// GPU with either (NVIDIA, A100 white paper: 156 and 312 TFLOPS).
std::optional<double> stated_rate(const Board& board, Arithmetic arithmetic);
// True when a rate above 0 is stated.
bool supports(const Board& board, Arithmetic arithmetic);
// Dense peak in FLOP/s (INT8: op/s): SMs x rate per SM and cycle x GPU clock. `sms` 0: all. An
// absent GPU clock (also under a governor) counts as the highest. Throws NotSupportedError for a
// precision without a rate, or whose rate is not stated.
double peak_flops(const Board& board, const PowerMode& mode, Arithmetic arithmetic, int sms = 0);
// DRAM peak in byte/s: bus width / 8 x 2 (double data rate) x memory clock; absent: the highest.
double peak_bandwidth(const Board& board, const PowerMode& mode);
// A measured roof in a mode: measured at its clocks, or carried from `from` in proportion to the
// GPU clock (peaks) or the memory clock (bandwidth).
struct CarriedRoof : MeasuredValue {
  PowerMode from;
  bool measured_here = false;
};
// Absent if no microbenchmark of the board's GPU measured it.
std::optional<CarriedRoof> measured_peak(const Board& board, const PowerMode& mode,
                                         Arithmetic arithmetic);
std::optional<CarriedRoof> measured_bandwidth(const Board& board, const PowerMode& mode);
// Everything that was measured in exactly this mode, as a pointer into the board; null if nothing
// was.
const MeasuredRoof* measured_roof(const Board& board, const PowerMode& mode);
const MeasuredRoof* measured_roof(const Board&& board, const PowerMode& mode) = delete;
// The upper bound of the FLOP rate of any kernel: the measured peak, otherwise `peak_flops`.
double compute_ceiling(const Board& board, const PowerMode& mode, Arithmetic arithmetic);
// The upper bound of the DRAM bandwidth of any kernel: the measured bandwidth; otherwise the
// highest measured triad of the board file, in proportion to the memory clock; otherwise the peak.
double bandwidth_ceiling(const Board& board, const PowerMode& mode);
// The key of the board file that the ceiling comes from.
std::string_view bandwidth_ceiling_key(const Board& board);
// A cache that the board file states, at the mode's GPU clock. Fastest first.
struct CacheLevel {
  std::string name;  // "L2"
  double bandwidth_bytes_per_s = 0;
  std::string key;  // of the board file
};
std::vector<CacheLevel> cache_levels(const Board& board, const PowerMode& mode);
// FP32 peak of the online cores in FLOP/s; 0 when the rate is not known.
double peak_cpu_flops(const Board& board, const PowerMode& mode);
// The fact that covers `key`: the one with the longest matching prefix; null when there is none.
const Fact* find_fact(const Board& board, std::string_view key);
inline std::optional<Fact> find_fact(const Board&& board, std::string_view key) {
  const Fact* fact = find_fact(board, key);
  return fact == nullptr ? std::nullopt : std::optional(*fact);
}

}  // namespace ridgewatt

#pragma GCC visibility pop
