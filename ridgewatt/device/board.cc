#include "ridgewatt/device/board.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/device/preset_text.h"

namespace ridgewatt {
namespace {

// Returns the clock of the mode or, if the mode does not set it, the highest clock of the selected
// BSP. 0: the board has no such clock.
double clock_hz(const Board& board, const PowerMode& mode, Knob knob) {
  if (mode.has(knob)) return mode.get(knob);
  const auto& levels = board.find_bsp().levels[knob];
  return levels.empty() ? 0 : levels.back();
}

std::vector<std::string> preset_names(const Bsp& bsp) {
  std::vector<std::string> names;
  for (const auto& preset : bsp.presets) names.push_back(preset.name);
  return names;
}

NotFoundError unknown_preset(const Board& board, std::string_view wanted) {
  const NameSet here = preset_name_set(preset_names(board.find_bsp()));
  std::vector<std::string> elsewhere;
  for (const auto& bsp : board.bsps) {
    if (bsp.name == board.bsp || presets_meant(preset_names(bsp), wanted).empty()) continue;
    elsewhere.push_back(fmt::format("{}@{}", board.name, bsp.name));
  }
  const std::string advice =
      elsewhere.empty() ? hint_for(wanted, here)
                        : fmt::format("choose one of {}; {} has it", fmt::join(here.names, ", "),
                                      fmt::join(elsewhere, ", "));
  return NotFoundError(
      fmt::format("there is no preset '{}' of board {} with BSP {}", wanted, board.name, board.bsp),
      "", advice);
}

}  // namespace

const Bsp& Board::find_bsp(std::string_view bsp_name) const& {
  const std::string_view wanted = bsp_name.empty() ? std::string_view(bsp) : bsp_name;
  NameSet all;
  for (const auto& candidate : bsps) {
    if (same_word(candidate.name, wanted)) return candidate;
    all.names.push_back(candidate.name);
  }
  throw NotFoundError(fmt::format("there is no BSP '{}' of board {}", wanted, name), "",
                      hint_for(wanted, all));
}

KnobSpace knob_space(const Board& board, std::string_view bsp_name) {
  return KnobSpace(board.find_bsp(bsp_name).levels);
}

KnobSpace mode_space(const Board& board) {
  if (board.find_bsp().power_limits_w.empty()) return knob_space(board);
  std::vector<PowerMode> modes = knob_space(board).modes();
  for (const auto& preset : presets(board)) modes.push_back(preset.mode);
  return KnobSpace(std::move(modes));
}

const std::vector<Preset>& presets(const Board& board, std::string_view bsp_name) {
  return board.find_bsp(bsp_name).presets;
}

const Preset& find_preset(const Board& board, std::string_view preset_name) {
  const auto& all = presets(board);
  const auto fitting = presets_meant(preset_names(board.find_bsp()), preset_name);
  if (fitting.size() == 1) return all[fitting.front()];
  if (fitting.empty()) throw unknown_preset(board, preset_name);
  std::vector<std::string> meant;
  for (const auto i : fitting) {
    meant.push_back(fmt::format("{} ({})", all[i].name, describe(all[i].mode)));
  }
  throw UsageError(fmt::format("'{}' is the name of {} presets of {}@{}", preset_name,
                               fitting.size(), board.name, board.bsp),
                   "", fmt::format("name one: {}", fmt::join(meant, "; ")));
}

std::string preset_name(const Board& board, const PowerMode& mode) {
  std::vector<std::string_view> names;
  for (const auto& preset : presets(board)) {
    if (preset.mode == mode) names.push_back(preset.name);
  }
  if (names.empty()) return {};
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string mode_name(const Board& board, const PowerMode& mode) {
  const auto& known = presets(board);
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Preset& preset) { return preset.mode == mode; });
  return found == known.end() ? describe(mode) : found->name;
}

std::optional<double> power_in_name_w(std::string_view preset_name) {
  for (const auto& word : split(preset_name, '_')) {
    if (!word.ends_with('W')) continue;
    const auto watts = parse_double(word.substr(0, word.size() - 1));
    if (watts && *watts > 0) return watts;
  }
  return std::nullopt;
}

int sms_on(const Board& board, const PowerMode& mode) {
  for (const auto& preset : presets(board)) {
    if (preset.sms > 0 && preset.mode == mode) return preset.sms;
  }
  return board.sms;
}

std::vector<std::string> sms_off_texts(const Board& board, const std::vector<PowerMode>& modes) {
  std::vector<std::string> texts;
  for (const auto& preset : presets(board)) {
    if (preset.sms <= 0 || preset.sms >= board.sms) continue;
    if (!contains(modes, preset.mode)) continue;
    texts.push_back(fmt::format("{} leaves {} of {} SMs on", preset.name, preset.sms, board.sms));
  }
  return texts;
}

int sms_for_tpc_mask(const Board& board, unsigned mask) {
  if (board.tpc_slots == 0) return board.sms;
  const unsigned slots = (1u << static_cast<unsigned>(board.tpc_slots)) - 1u;
  return board.sms_per_tpc * (board.tpc_slots - std::popcount(mask & slots));
}

std::optional<double> stated_rate(const Board& board, Arithmetic arithmetic) {
  const auto& rates = board.flop_per_sm_cycle;
  if (arithmetic == Arithmetic::kFp32) return 2.0 * board.cores_per_sm;
  const std::optional<double>& bf16 = rates[Arithmetic::kBf16];
  if (arithmetic == Arithmetic::kTf32 && !rates[arithmetic] && bf16) return *bf16 / 2;
  return rates[arithmetic];
}

bool supports(const Board& board, Arithmetic arithmetic) {
  return stated_rate(board, arithmetic).value_or(0) > 0;
}

double peak_flops(const Board& board, const PowerMode& mode, Arithmetic arithmetic, int sms) {
  if (!board.has_gpu()) {
    throw NotSupportedError(
        fmt::format("the peak rate of {} was not measured on this processor", name_of(arithmetic)),
        board.source, "choose another --precision");
  }
  const auto rate = stated_rate(board, arithmetic);
  if (!rate) {
    throw NotSupportedError(
        fmt::format("the board file states no peak rate for {}", name_of(arithmetic)), board.source,
        "see docs/reference/board_file.md for its key under [gpu]");
  }
  if (*rate <= 0) {
    throw NotSupportedError(
        fmt::format("the GPU of {} has no units for {}", board.title, name_of(arithmetic)), "",
        "choose another --precision, or another board");
  }
  return (sms > 0 ? sms : board.sms) * *rate * clock_hz(board, mode, Knob::kGpuClock);
}

double peak_bandwidth(const Board& board, const PowerMode& mode) {
  return board.memory_bus_bits / 8 * 2 * clock_hz(board, mode, Knob::kMemClock);
}

double compute_ceiling(const Board& board, const PowerMode& mode, Arithmetic arithmetic) {
  if (const auto measured = measured_peak(board, mode, arithmetic)) return measured->value;
  return peak_flops(board, mode, arithmetic, sms_on(board, mode));
}

double bandwidth_ceiling(const Board& board, const PowerMode& mode) {
  if (const auto measured = measured_bandwidth(board, mode)) return measured->value;
  if (!board.triad) return peak_bandwidth(board, mode);
  const double top_hz = clock_hz(board, PowerMode{}, Knob::kMemClock);
  return board.triad->hi_bytes_per_s * clock_hz(board, mode, Knob::kMemClock) / top_hz;
}

std::string_view bandwidth_ceiling_key(const Board& board) {
  if (measured_bandwidth(board, PowerMode{})) return "microbench";
  return board.triad ? "memory.triad_gb_per_s" : "memory.bus_bits";
}

std::vector<CacheLevel> cache_levels(const Board& board, const PowerMode& mode) {
  const double gpu_hz = clock_hz(board, mode, Knob::kGpuClock);
  std::vector<CacheLevel> levels;
  if (board.l1_bytes_per_sm_cycle) {
    levels.push_back({"L1 and shared memory",
                      sms_on(board, mode) * *board.l1_bytes_per_sm_cycle * gpu_hz,
                      "gpu.l1_bytes_per_sm_cycle"});
  }
  if (board.l2_bytes_per_cycle) {
    levels.push_back({"L2", *board.l2_bytes_per_cycle * gpu_hz, "gpu.l2_bytes_per_cycle"});
  }
  return levels;
}

const Fact* find_fact(const Board& board, std::string_view key) {
  const Fact* best = nullptr;
  for (const auto& fact : board.facts) {
    const bool covers = key == fact.key || (key.substr(0, fact.key.size()) == fact.key &&
                                            key.substr(fact.key.size(), 1) == ".");
    if (covers && (best == nullptr || fact.key.size() > best->key.size())) best = &fact;
  }
  return best;
}

}  // namespace ridgewatt
