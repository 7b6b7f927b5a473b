#include "ridgewatt/device/measured_roof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt {
namespace {

constexpr std::string_view kModePrefix = "mode";  // "mode001.gpu_mhz"
constexpr std::string_view kMeasuredStatus = "measured";

[[noreturn]] void fail(const std::string& where, std::string_view key, std::string_view fault) {
  throw InputError(
      fmt::format("{}: 'microbench.{}' {}", where, escape_terminal(std::string(key)), fault));
}

// Parses the table [microbench]. Throws InputError for unknown keys.
class RoofTable {
 public:
  RoofTable(const std::map<std::string, double>& numbers,
            const std::map<std::string, std::string>& texts, const std::string& where)
      : numbers_(numbers), texts_(texts), where_(where) {}

  MeasuredRoofs read() const {
    MeasuredRoofs roofs;
    for (const auto& [key, text] : texts_) set_text(key, text, roofs);
    if (!texts_.contains("status")) fail(where_, "status", "is missing");
    if (!texts_.contains("target")) fail(where_, "target", "is missing");
    std::map<std::string, MeasuredRoof> modes;
    for (const auto& [key, number] : numbers_) {
      const auto dot = key.find('.');
      if (!key.starts_with(kModePrefix) || dot == std::string::npos) {
        fail(where_, key, "is not a key of [microbench]");
      }
      set_number(key, key.substr(dot + 1), number, modes[key.substr(0, dot)]);
    }
    for (auto& [name, roof] : modes) {
      check(name, roof);
      roofs.modes.push_back(std::move(roof));
    }
    if (roofs.modes.empty())
      fail(where_, kModePrefix, "is missing, but at least one measured mode is required");
    std::sort(roofs.modes.begin(), roofs.modes.end(),
              [](const auto& a, const auto& b) { return a.mode < b.mode; });
    return roofs;
  }

 private:
  void set_text(const std::string& key, const std::string& text, MeasuredRoofs& roofs) const {
    if (key == "machine") {
      roofs.machine = text;
    } else if (key == "origin") {
      roofs.origin = text;
    } else if (key == "status") {
      if (text != kMeasuredStatus) fail(where_, key, "must be \"measured\"");
    } else if (key == "target") {
      const auto target = find_word<RoofTarget>(text);
      if (!target) fail(where_, key, "must be \"gpu\" or \"cpu\"");
      roofs.target = *target;
    } else {
      fail(where_, key, "is not a key of [microbench]");
    }
  }
  void set_number(const std::string& key, const std::string& field, double number,
                  MeasuredRoof& roof) const {
    for (const Knob knob : kKnobs) {
      if (field != knob_field(knob)) continue;
      if (const auto fault = knob_fault(knob, number)) fail(where_, key, *fault);
      return set_in_field_unit(roof.mode, knob, number);
    }
    const auto dot = field.find('.');
    const auto quantity = find_word<RoofQuantity>(field.substr(0, dot));
    const std::string part = dot == std::string::npos ? "" : field.substr(dot + 1);
    if (!quantity || (part != "value" && part != "lo" && part != "hi")) {
      fail(where_, key, "is not a key of [microbench]");
    }
    if (!(number >= 0) || !(number < kLargest)) {
      fail(where_, key, fmt::format("is {}, but must be positive", number));
    }
    MeasuredValue& value = roof.quantities[*quantity];
    (part == "value" ? value.value : part == "lo" ? value.lo : value.hi) = number;
  }
  void check(const std::string& name, const MeasuredRoof& roof) const {
    for (const auto& [quantity, value] : roof.quantities) {
      const std::string key = fmt::format("{}.{}", name, name_of(quantity));
      const bool energy = quantity >= RoofQuantity::kEnergyPerFlop;  // may be zero
      if (!energy && !(value.lo > 0)) fail(where_, key, "needs value, lo and hi, all positive");
      for (const char* part : {".value", ".lo", ".hi"}) {
        if (!numbers_.contains(key + part)) fail(where_, key + part, "is missing");
      }
      if (value.lo > value.value || value.value > value.hi) {
        fail(where_, key, "must have lo <= value <= hi");
      }
    }
    if (roof.quantities.empty()) fail(where_, name, "has no measured value");
  }

  static constexpr double kLargest = 1e18;  // chosen: above any real value in each unit
  const std::map<std::string, double>& numbers_;
  const std::map<std::string, std::string>& texts_;
  const std::string& where_;
};

double rounded(double value) {
  return std::stod(fmt::format("{:.6g}", value));
}

// Returns the clock of the mode or, if the mode does not set it, the highest clock of the board.
// Returns 1 for a knob that the board lacks, so that it is the same in all modes.
double clock_of(const Board& board, const PowerMode& mode, Knob knob) {
  if (mode.has(knob)) return mode.get(knob);
  const auto& levels = board.find_bsp().levels[knob];
  return levels.empty() ? 1 : levels.back();
}

// The processor that runs models.
RoofTarget target_of(const Board& board) {
  return board.has_gpu() ? RoofTarget::kGpu : RoofTarget::kCpu;
}

bool same_clock(double a, double b) {
  constexpr double kSame = 1e-3;  // chosen: less than a step of any clock table
  return std::abs(a - b) <= kSame * b;
}

// Returns a measured quantity, scaled to `mode` in proportion to `clock`. A value that was measured
// at the clocks of `mode` has priority; otherwise the highest counts, because it is a ceiling.
std::optional<CarriedRoof> carried(const Board& board, const PowerMode& mode, RoofQuantity quantity,
                                   Knob clock) {
  if (!board.microbench || board.microbench->target != target_of(board)) return std::nullopt;
  const double wanted_hz = clock_of(board, mode, clock);
  const Knob main = board.has_gpu() ? Knob::kGpuClock : Knob::kCpuCores;
  const double main_level = clock_of(board, mode, main);
  std::optional<CarriedRoof> best;
  for (const auto& roof : board.microbench->modes) {
    const MeasuredValue* found = roof.find(quantity);
    if (found == nullptr) continue;
    const double clock_hz = clock_of(board, roof.mode, clock);
    const double ratio = wanted_hz / clock_hz;
    const CarriedRoof candidate{{found->value * ratio, found->lo * ratio, found->hi * ratio},
                                roof.mode,
                                same_clock(wanted_hz, clock_hz) &&
                                    same_clock(main_level, clock_of(board, roof.mode, main))};
    if (!best || (candidate.measured_here != best->measured_here ? candidate.measured_here
                                                                 : candidate.value > best->value)) {
      best = candidate;
    }
  }
  return best;
}

}  // namespace

const MeasuredValue* MeasuredRoof::find(RoofQuantity quantity) const {
  const auto found = quantities.find(quantity);
  return found == quantities.end() ? nullptr : &found->second;
}

MeasuredRoofs MeasuredRoofs::parse(const std::map<std::string, double>& numbers,
                                   const std::map<std::string, std::string>& texts,
                                   const std::string& where) {
  return RoofTable(numbers, texts, where).read();
}

void MeasuredRoofs::write(std::map<std::string, double>& numbers,
                          std::map<std::string, std::string>& texts) const {
  texts["status"] = kMeasuredStatus;
  texts["target"] = name_of(target);
  if (!machine.empty()) texts["machine"] = machine;
  texts["origin"] = origin;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const std::string name = fmt::format("{}{:03}.", kModePrefix, i + 1);
    for (const Knob knob : kKnobs) {
      if (!modes[i].mode.has(knob)) continue;
      numbers[name + std::string(knob_field(knob))] = knob_in_field_unit(modes[i].mode, knob);
    }
    for (const auto& [quantity, value] : modes[i].quantities) {
      const std::string key = name + std::string(name_of(quantity));
      numbers[key + ".value"] = rounded(value.value);
      numbers[key + ".lo"] = rounded(value.lo);
      numbers[key + ".hi"] = rounded(value.hi);
    }
  }
}

std::optional<CarriedRoof> measured_peak(const Board& board, const PowerMode& mode,
                                         Arithmetic arithmetic) {
  if (arithmetic == Arithmetic::kFp32) {
    return carried(board, mode, RoofQuantity::kFp32,
                   board.has_gpu() ? Knob::kGpuClock : Knob::kCpuCores);
  }
  if (arithmetic != Arithmetic::kFp16) return std::nullopt;
  const auto pipes = carried(board, mode, RoofQuantity::kFp16, Knob::kGpuClock);
  const auto tensor = carried(board, mode, RoofQuantity::kTensorFp16, Knob::kGpuClock);
  return tensor && (!pipes || tensor->value >= pipes->value) ? tensor : pipes;
}

std::optional<CarriedRoof> measured_bandwidth(const Board& board, const PowerMode& mode) {
  return carried(board, mode, RoofQuantity::kBandwidth, Knob::kMemClock);
}

const MeasuredRoof* measured_roof(const Board& board, const PowerMode& mode) {
  if (!board.microbench || board.microbench->target != target_of(board)) return nullptr;
  for (const auto& roof : board.microbench->modes) {
    const bool same = std::all_of(kKnobs.begin(), kKnobs.end(), [&](Knob knob) {
      return same_clock(clock_of(board, mode, knob), clock_of(board, roof.mode, knob));
    });
    if (same) return &roof;
  }
  return nullptr;
}

}  // namespace ridgewatt
