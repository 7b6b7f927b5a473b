#include "ridgewatt/device/board.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cctype>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

// The mode's clock, or the highest of the selected BSP where the mode leaves it open.
double clock_hz(const Board& board, const PowerMode& mode, Knob knob) {
  if (mode.has(knob)) return mode.get(knob);
  return board.find_bsp().levels[static_cast<std::size_t>(knob)].back();
}

double rate_per_sm_cycle(const Board& board, Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kFp32:
      return 2.0 * board.cores_per_sm;
    case Arithmetic::kFp16:
      return board.fp16_flop_per_sm_cycle;
    case Arithmetic::kBf16:
      return board.bf16_flop_per_sm_cycle;
    case Arithmetic::kInt8:
      return board.int8_op_per_sm_cycle;
  }
  return 0;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

}  // namespace

std::string_view arithmetic_name(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kFp32:
      return "fp32";
    case Arithmetic::kFp16:
      return "fp16";
    case Arithmetic::kBf16:
      return "bf16";
    case Arithmetic::kInt8:
      return "int8";
  }
  return "";
}

const Bsp& Board::find_bsp(std::string_view bsp_name) const {
  const std::string_view wanted = bsp_name.empty() ? std::string_view(bsp) : bsp_name;
  std::vector<std::string_view> names;
  for (const auto& candidate : bsps) {
    if (candidate.name == wanted) return candidate;
    names.push_back(candidate.name);
  }
  throw NotFoundError(fmt::format("no BSP '{}' of board {}", wanted, name), "",
                      fmt::format("choose one of {}", fmt::join(names, ", ")));
}

KnobSpace knob_space(const Board& board, std::string_view bsp_name) {
  return KnobSpace(board.find_bsp(bsp_name).levels);
}

const std::vector<Preset>& presets(const Board& board, std::string_view bsp_name) {
  return board.find_bsp(bsp_name).presets;
}

const Preset& find_preset(const Board& board, std::string_view preset_name) {
  std::vector<std::string_view> names;
  for (const auto& preset : presets(board)) {
    if (equal_ignoring_case(preset.name, preset_name)) return preset;
    names.push_back(preset.name);
  }
  throw NotFoundError(fmt::format("no preset '{}' of board {}", preset_name, board.name), "",
                      fmt::format("choose one of {}", fmt::join(names, ", ")));
}

int sms_for_tpc_mask(const Board& board, unsigned mask) {
  if (board.tpc_slots == 0) return board.sms;
  const unsigned slots = (1u << static_cast<unsigned>(board.tpc_slots)) - 1u;
  return board.sms_per_tpc * (board.tpc_slots - std::popcount(mask & slots));
}

bool supports(const Board& board, Arithmetic arithmetic) {
  return rate_per_sm_cycle(board, arithmetic) > 0;
}

double peak_flops(const Board& board, const PowerMode& mode, Arithmetic arithmetic, int sms) {
  if (!supports(board, arithmetic)) {
    throw NotSupportedError(
        fmt::format("{} is not known to support {}", board.title, arithmetic_name(arithmetic)));
  }
  return (sms > 0 ? sms : board.sms) * rate_per_sm_cycle(board, arithmetic) *
         clock_hz(board, mode, Knob::kGpuClock);
}

double peak_bandwidth(const Board& board, const PowerMode& mode) {
  return board.memory_bus_bits / 8 * 2 * clock_hz(board, mode, Knob::kMemClock);
}

double peak_cpu_flops(const Board& board, const PowerMode& mode) {
  const int cores = mode.cpu_cores > 0 ? mode.cpu_cores : board.cpu_cores;
  return cores * board.cpu_flop_per_cycle * clock_hz(board, mode, Knob::kCpuClock);
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
