// Numbers with units, as people write them. A Quantity states the meaning of a number, its default
// unit, the accepted units and the allowed range:
//
//   constexpr Quantity limit = units::watts().positive();
//   read_quantity("30", limit);                      // "30"; also for "30W" and "0.03kW"
//   quantity_value("500us", units::milliseconds());  // 0.0005, in SI units
//
// The command line, the HTTP interface and the Python package parse all numbers by these
// quantities.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ridgewatt {

struct UnitName {
  std::string_view name;
  double si;  // size in SI units; 0.01 for "%", but 1 in a Quantity that is a percentage
};

struct Quantity {
  std::string_view kind;            // for messages: "power"
  std::string_view unit;            // of a number without a unit; empty: none
  std::span<const UnitName> units;  // accepted units
  // Range of the number in `unit`.
  double least = 0;
  double most = 0;
  bool open = false;      // whether `least` itself is excluded
  bool integral = false;  // whether only integers are allowed

  constexpr Quantity positive() const {  // greater than 0
    Quantity result = *this;
    result.least = 0;
    result.open = true;
    return result;
  }
  constexpr Quantity within(double lowest, double highest) const {  // including both ends
    Quantity result = *this;
    result.least = lowest;
    result.most = highest;
    result.open = false;
    return result;
  }
  constexpr Quantity whole() const {  // integers only
    Quantity result = *this;
    result.integral = true;
    return result;
  }
  // Returns the size of `unit` in SI units.
  constexpr double scale() const {
    for (const UnitName& one : units) {
      if (one.name == unit) return one.si;
    }
    return 1;
  }
  // Returns the same quantity with the SI unit as `unit`.
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
  // Convert a number in `unit` to SI units and back. They divide by 1000 in place of multiplying by
  // 0.001, because 0.001 is not exact in binary.
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
constexpr Quantity share() { return {"share", "", kShares, 0, 1}; }  // as 0.05 or 5%
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

// Returns the number in `text`, converted to `quantity.unit`, as text that parses to the same
// double. Throws UsageError if it is not a number, has an unknown unit, is out of range or is not
// an integer.
std::string read_quantity(std::string_view text, const Quantity& quantity);
// Returns the number in SI units.
double quantity_value(std::string_view text, const Quantity& quantity);
// Returns the allowed range in `quantity.unit`, such as "above 0 W and at most 1000000 W".
std::string range_text(const Quantity& quantity);

}  // namespace ridgewatt
