// Numbers with units, as people write them. A quantity says what a number means, the unit of a bare
// one, the units that may be written behind it, and where it may lie:
//
//   constexpr Quantity limit = units::watts().positive();
//   read_quantity("30", limit);                           // "30"; so are "30W" and "0.03kW"
//   quantity_value("500us", units::milliseconds());       // 0.0005: in SI
//
// The command line, the HTTP interface and the Python package read every number by these rows.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ridgewatt {

struct UnitName {
  std::string_view name;
  double si;  // how many of the SI unit (of a percentage: how many percent)
};

struct Quantity {
  std::string_view kind;            // "power", for messages
  std::string_view unit;            // of a bare number; empty: it has none
  std::span<const UnitName> units;  // accepted
  double least = 0;
  double most = 0;
  bool open = false;      // `least` itself is refused
  bool integral = false;  // whole numbers alone

  constexpr Quantity positive() const {  // above zero
    Quantity result = *this;
    result.least = 0;
    result.open = true;
    return result;
  }
  constexpr Quantity within(double lowest, double highest) const {  // both ends allowed
    Quantity result = *this;
    result.least = lowest;
    result.most = highest;
    result.open = false;
    return result;
  }
  constexpr Quantity whole() const {  // integers alone
    Quantity result = *this;
    result.integral = true;
    return result;
  }
  // How many of the SI unit a bare number is.
  constexpr double scale() const {
    for (const UnitName& one : units) {
      if (one.name == unit) return one.si;
    }
    return 1;
  }
  // The same with bare numbers in SI.
  constexpr Quantity in_si() const {
    Quantity result = *this;
    for (const UnitName& one : units) {
      if (one.si != 1) continue;
      if (!unit.empty()) result.unit = one.name;
      result.least = to_si(least);
      result.most = to_si(most);
      break;
    }
    return result;
  }
  // Of a bare number. Dividing by a thousand is exact where multiplying by 0.001 is not.
  constexpr double to_si(double value) const {
    return scale() < 1 ? value / (1 / scale()) : value * scale();
  }
  constexpr double from_si(double value) const {
    return scale() < 1 ? value * (1 / scale()) : value / scale();
  }
};

namespace units {

inline constexpr double kMostOfAll = 1e15;
inline constexpr UnitName kTimes[] = {{"s", 1},    {"ms", 1e-3}, {"us", 1e-6},
                                      {"min", 60}, {"h", 3600},  {"d", 86400}};
inline constexpr UnitName kBytes[] = {
    {"B", 1},        {"kB", 1e3},        {"MB", 1e6},          {"GB", 1e9},
    {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
inline constexpr UnitName kFrequencies[] = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
inline constexpr UnitName kRates[] = {{"Hz", 1}, {"/s", 1}, {"/min", 1 / 60.0}, {"kHz", 1e3}};
inline constexpr UnitName kPowers[] = {{"W", 1}, {"mW", 1e-3}, {"kW", 1e3}};
inline constexpr UnitName kEnergies[] = {{"J", 1},    {"mJ", 1e-3}, {"Wh", 3600},
                                         {"kJ", 1e3}, {"MJ", 1e6},  {"kWh", 3.6e6}};
inline constexpr UnitName kShares[] = {{"%", 0.01}};
inline constexpr UnitName kPercentages[] = {{"%", 1}};
inline constexpr UnitName kTemperatures[] = {{"C", 1}};

// clang-format off
constexpr Quantity count() { return {"whole number", "", {}, 0, 1e9, false, true}; }
constexpr Quantity number() { return {"number", "", {}, 0, kMostOfAll}; }  // not negative
constexpr Quantity share() { return {"share", "", kShares, 0, 1}; }  // 0.05 or 5%
constexpr Quantity percent() { return {"percentage", "%", kPercentages, 0, 100}; }
constexpr Quantity seconds() { return {"duration", "s", kTimes, 0, 1e9}; }
constexpr Quantity milliseconds() { return {"duration", "ms", kTimes, 0, 1e12}; }
constexpr Quantity hours() { return {"duration", "h", kTimes, 0, 1e6}; }
constexpr Quantity watts() { return {"power", "W", kPowers, 0, 1e6}; }
constexpr Quantity joules() { return {"energy", "J", kEnergies, 0, 1e12}; }
constexpr Quantity hertz() { return {"rate", "Hz", kRates, 0, 1e9}; }
constexpr Quantity megahertz() { return {"clock", "MHz", kFrequencies, 0, 1e5}; }
constexpr Quantity bytes() { return {"size", "B", kBytes, 0, 1e15}; }
constexpr Quantity kilobytes() { return {"size", "kB", kBytes, 0, 1e12}; }
constexpr Quantity mebibytes() { return {"size", "MiB", kBytes, 0, 1e9}; }
constexpr Quantity gigabytes() { return {"size", "GB", kBytes, 0, 1e6}; }
constexpr Quantity celsius() { return {"temperature", "C", kTemperatures, 0, 150}; }
// clang-format on

}  // namespace units

// The number that `text` says, in the unit of a bare one, as text that reads back the same.
// Throws UsageError: no number, an unknown unit, out of range, not whole.
std::string read_quantity(std::string_view text, const Quantity& quantity);
// The same in SI.
double quantity_value(std::string_view text, const Quantity& quantity);
// "above 0 W and at most 1000000 W": where a bare number may lie.
std::string range_text(const Quantity& quantity);

}  // namespace ridgewatt
