#include "ridgewatt/cli/options/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::cli {
namespace {

using Units = std::vector<std::pair<std::string, double>>;

constexpr double kMostOfAll = 1e15;
constexpr double kMinute = 60, kHour = 3600, kDay = 86400;

// The units of one kind as multiples of `bare`, one of them.
Units relative_to(Units units, const std::string& bare) {
  const double scale = std::find_if(units.begin(), units.end(), [&](const auto& unit) {
                         return unit.first == bare;
                       })->second;
  for (auto& unit : units) unit.second /= scale;
  return units;
}

Quantity in(const std::string& kind, const std::string& bare, const Units& units, double most) {
  return {kind, bare, relative_to(units, bare), 0, most};
}

const Units kTimes = {{"s", 1},         {"ms", 1e-3}, {"us", 1e-6},
                      {"min", kMinute}, {"h", kHour}, {"d", kDay}};
const Units kBytes = {{"B", 1},        {"kB", 1e3},        {"MB", 1e6},          {"GB", 1e9},
                      {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
const Units kFrequencies = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};

bool same_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// As written, else the only one of that name in another case.
std::optional<double> unit_scale(const Quantity& quantity, std::string_view name) {
  if (name.empty()) return 1;
  std::optional<double> found;
  int matches = 0;
  for (const auto& [unit, scale] : quantity.units) {
    if (unit == name) return scale;
    if (same_ignoring_case(unit, name)) {
      found = scale;
      ++matches;
    }
  }
  return matches == 1 ? found : std::nullopt;
}

// "30, 30W or 30mW": how it may be written.
std::string examples(const Quantity& quantity) {
  if (quantity.integral) return "write a whole number";
  if (quantity.units.empty()) return "write a number";
  std::string text = "write 30";
  for (std::size_t i = 0; i < std::min<std::size_t>(quantity.units.size(), 3); ++i) {
    const bool last = i + 1 == std::min<std::size_t>(quantity.units.size(), 3);
    text += (last ? " or 30" : ", 30") + quantity.units[i].first;
  }
  return text;
}

std::string with_unit(double value, const Quantity& quantity) {
  return format_exact(value) + (quantity.unit.empty() ? "" : " " + quantity.unit);
}

std::string range_text(const Quantity& quantity) {
  const bool bounded = quantity.most < kMostOfAll;
  std::string text = quantity.open ? "above " : "at least ";
  text += with_unit(quantity.least, quantity);
  if (bounded) text += " and at most " + with_unit(quantity.most, quantity);
  return text;
}

// A whole number of any size; 1e6 is one too.
std::optional<std::string> whole_number(const std::string& text, double value) {
  std::uint64_t exact = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, exact);
  if (error == std::errc() && stop == end) return text;
  if (value != std::floor(value) || std::abs(value) > 9007199254740992.0) return std::nullopt;
  return fmt::format("{:.0f}", value);
}

}  // namespace

Quantity Quantity::positive() const {
  Quantity result = *this;
  result.least = 0;
  result.open = true;
  return result;
}

Quantity Quantity::within(double lowest, double highest) const {
  Quantity result = *this;
  result.least = lowest;
  result.most = highest;
  result.open = false;
  return result;
}

Quantity Quantity::whole() const {
  Quantity result = *this;
  result.integral = true;
  return result;
}

Quantity count() {
  return {"whole number", "", {}, 0, 1e9, false, true};
}
Quantity number() {
  return {"number", "", {}, 0, kMostOfAll};
}
Quantity share() {
  return {"share", "", {{"%", 0.01}}, 0, 1};
}
Quantity percent() {
  return {"percentage", "%", {{"%", 1}}, 0, 100};
}
Quantity seconds() {
  return in("duration", "s", kTimes, 1e9);
}
Quantity milliseconds() {
  return in("duration", "ms", kTimes, 1e12);
}
Quantity hours() {
  return in("duration", "h", kTimes, 1e6);
}
Quantity watts() {
  return in("power", "W", {{"W", 1}, {"mW", 1e-3}, {"kW", 1e3}}, 1e6);
}
Quantity joules() {
  return in("energy", "J",
            {{"J", 1}, {"mJ", 1e-3}, {"Wh", kHour}, {"kJ", 1e3}, {"MJ", 1e6}, {"kWh", 1e3 * kHour}},
            1e12);
}
Quantity hertz() {
  return in("rate", "Hz", {{"Hz", 1}, {"/s", 1}, {"/min", 1 / kMinute}, {"kHz", 1e3}}, 1e9);
}
Quantity megahertz() {
  return in("clock", "MHz", kFrequencies, 1e5);
}
Quantity bytes() {
  return in("size", "B", kBytes, 1e15);
}
Quantity kilobytes() {
  return in("size", "kB", kBytes, 1e12);
}
Quantity mebibytes() {
  return in("size", "MiB", kBytes, 1e9);
}
Quantity gigabytes() {
  return in("size", "GB", kBytes, 1e6);
}
Quantity celsius() {
  return {"temperature", "C", {{"C", 1}}, 0, 150};
}

std::string read_quantity(const std::string& text, const Quantity& quantity) {
  const std::string trimmed(trim(text));
  double value = 0;
  const char* begin = trimmed.data() + (trimmed.starts_with('+') ? 1 : 0);
  const auto [stop, error] = std::from_chars(begin, trimmed.data() + trimmed.size(), value);
  const std::string unit(trim(std::string_view(trimmed).substr(
      error == std::errc::invalid_argument ? 0 : static_cast<std::size_t>(stop - trimmed.data()))));
  const auto scale = unit_scale(quantity, unit);
  if (error == std::errc::invalid_argument || !std::isfinite(value) || !scale) {
    throw UsageError(fmt::format("'{}' is not a {}", text, quantity.kind), "", examples(quantity));
  }
  value *= *scale;
  const bool over = error == std::errc::result_out_of_range || value > quantity.most;
  const bool under = quantity.open ? !(value > quantity.least) : value < quantity.least;
  if (over || under) {
    throw UsageError(fmt::format("must be {}, is {}", range_text(quantity), trimmed));
  }
  if (!quantity.integral) return format_exact(value);
  const auto whole = whole_number(trimmed, value);
  if (!whole) throw UsageError(fmt::format("'{}' is not a whole number", text));
  return *whole;
}

CLI::Option* input_file(CLI::Option* option) {
  return option->type_name("FILE");
}

CLI::Option* output_file(CLI::Option* option) {
  return option->type_name("OUTPUT");
}

CLI::Option* quantity(CLI::Option* option, const Quantity& quantity) {
  option->type_name(quantity.unit.empty() ? (quantity.integral ? "N" : "X") : quantity.unit);
  return option->transform(CLI::Validator(
      [quantity](std::string& text) {
        try {
          text = read_quantity(text, quantity);
          return std::string();
        } catch (const UsageError& error) {
          return std::string(error.what());
        }
      },
      "", "quantity"));
}

}  // namespace ridgewatt::cli
