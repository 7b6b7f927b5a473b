#include "ridgewatt/device/mode_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/quantity.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

constexpr double kMostLimit_w = 1e5;
constexpr double kAny = units::kMostOfAll;  // knob_fault() states the range of a knob
constexpr const char* kModeTextHint =
    "write cores=4,cpu=1113.6,gpu=612,mem=2133,governor=NAME or limit=150";

// The names of the parts of a mode, with synonyms.
const NameSet& part_names() {
  static const NameSet kNames = [] {
    NameSet set{{"governor", "limit"},
                {{"cpu_cores", "cores"},
                 {"cpus", "cores"},
                 {"memory", "mem"},
                 {"emc", "mem"},
                 {"power_limit", "limit"}}};
    for (const Knob knob : kKnobs) {
      set.names.emplace_back(short_name(knob));
      if (knob_field(knob) == "cpu_cores") continue;
      set.synonyms.push_back({std::string(knob_field(knob)), short_name(knob)});
      set.synonyms.push_back({std::string(short_name(knob)) + "_clock", short_name(knob)});
    }
    return set;
  }();
  return kNames;
}

// Throws UsageError for a repeated part, and for both a governor and a power limit, which
// PowerMode stores in the same field.
void refuse_repeated(const std::string& name, std::set<std::string>& given,
                     const std::string& whole) {
  if (!given.insert(name).second) {
    throw UsageError(name + " is given twice", whole, "give each knob once");
  }
  if (given.contains("governor") && given.contains("limit")) {
    throw UsageError("a mode cannot have both a governor and a power limit", whole,
                     "omit one of them");
  }
}

// The number in the unit of the quantity, or nothing if the text is no such quantity.
std::optional<double> number_in_unit(const std::string& text, const Quantity& quantity) {
  try {
    return parse_double(read_quantity(text, quantity));
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

bool set_part(PowerMode& mode, std::string_view part, const std::string& text,
              const std::string& whole, std::set<std::string>& given) {
  const auto name = find_meant(part, part_names());
  if (!name) {
    throw UsageError("'" + escape_terminal(part) + "' is not a knob of a power mode", "",
                     did_you_mean(part, part_names(), kModeTextHint));
  }
  refuse_repeated(*name, given, whole);
  if (*name == "governor") {
    mode.governor = text;
    return !text.empty();
  }
  if (*name == "limit") {
    constexpr Quantity kLimit = units::watts().within(0, kMostLimit_w);
    const auto limit_w = number_in_unit(text, kLimit);
    if (!limit_w || *limit_w == 0) return false;
    set_power_limit(mode, *limit_w);
    return true;
  }
  for (const Knob knob : kKnobs) {
    if (*name != short_name(knob)) continue;
    const Quantity quantity = knob == Knob::kCpuCores ? units::number() : units::megahertz();
    const auto value = number_in_unit(text, quantity.within(-kAny, kAny));
    if (!value) return false;
    if (const auto fault = knob_fault(knob, *value)) {
      throw UsageError(fmt::format("{} is {:g}", *name, *value), whole, std::string(*fault));
    }
    set_in_field_unit(mode, knob, *value);
    return true;
  }
  return false;
}

}  // namespace

const char* short_name(Knob knob) {
  switch (knob) {
    case Knob::kCpuCores:
      return "cores";
    case Knob::kCpuClock:
      return "cpu";
    case Knob::kGpuClock:
      return "gpu";
    case Knob::kMemClock:
      return "mem";
  }
  return "";
}

PowerMode parse_mode_text(const std::string& text) {
  PowerMode mode;
  std::set<std::string> given;
  for (const auto& part : split(text, ',')) {
    const auto words = split(part, '=');
    if (words.size() != 2 ||
        !set_part(mode, trim(words[0]), std::string(trim(words[1])), text, given)) {
      throw UsageError(fmt::format("'{}' is not a setting of a power mode", part), text,
                       kModeTextHint);
    }
  }
  return mode;
}

std::string mode_text(const PowerMode& mode) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  };
  for (const Knob knob : kKnobs) {
    if (mode.has(knob)) add(short_name(knob), fmt::format("{}", knob_in_field_unit(mode, knob)));
  }
  if (const auto limit_w = power_limit_w(mode)) {
    add("limit", fmt::format("{}", *limit_w));
  } else if (!mode.governor.empty()) {
    add("governor", mode.governor);
  }
  return text;
}

std::vector<std::string> rounded_clocks(const PowerMode& asked, const PowerMode& applied) {
  constexpr double kReadingError =
      0.001;  // chosen: boards read back a level with an error of some 100 kHz
  std::vector<std::string> lines;
  for (const Knob knob : kKnobs) {
    if (!asked.has(knob) || !applied.has(knob)) continue;
    const double wanted = knob_in_field_unit(asked, knob), set = knob_in_field_unit(applied, knob);
    if (std::abs(set - wanted) <= kReadingError * wanted) continue;
    lines.push_back(fmt::format(
        "{} = {:g} MHz is not a clock of the board; the nearest clock is used, {:g} MHz",
        short_name(knob), wanted, set));
  }
  return lines;
}

std::string mode_options(const PowerMode& mode) {
  std::string text;
  for (const Knob knob : kKnobs) {
    if (!mode.has(knob)) continue;
    std::string name(knob_field(knob));
    std::replace(name.begin(), name.end(), '_', '-');
    text += fmt::format("{}--{} {}", text.empty() ? "" : " ", name, knob_in_field_unit(mode, knob));
  }
  return text;
}

}  // namespace ridgewatt
