#include "ridgewatt/base/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

// Matches the exact name, else a single unit that differs only in case.
std::optional<double> unit_scale(const Quantity& quantity, std::string_view name) {
  if (name.empty()) return 1;
  std::optional<double> found;
  int matches = 0;
  for (const auto& [unit, scale] : quantity.units) {
    if (unit == name) return scale / quantity.scale();
    if (lower_case(unit) == lower_case(name)) {
      found = scale / quantity.scale();
      ++matches;
    }
  }
  return matches == 1 ? found : std::nullopt;
}

// Examples of valid input: "30, 30W or 30mW".
std::string examples(const Quantity& quantity) {
  if (quantity.integral) return "write a whole number";
  if (quantity.units.empty()) return "write a number";
  std::string text = "write 30";
  for (std::size_t i = 0; i < std::min<std::size_t>(quantity.units.size(), 3); ++i) {
    const bool last = i + 1 == std::min<std::size_t>(quantity.units.size(), 3);
    text += (last ? " or 30" : ", 30") + std::string(quantity.units[i].name);
  }
  return text;
}

std::string with_unit(double value, const Quantity& quantity) {
  return format_exact(value) + (quantity.unit.empty() ? "" : " " + std::string(quantity.unit));
}

// Parses an integer of any size; 1e6 is valid.
std::optional<std::string> whole_number(const std::string& text, double value) {
  std::uint64_t exact = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, exact);
  if (error == std::errc() && stop == end) return text;
  if (value != std::floor(value) || std::abs(value) > 9007199254740992.0) return std::nullopt;
  return fmt::format("{:.0f}", value);
}

}  // namespace

std::string range_text(const Quantity& quantity) {
  const bool bounded = quantity.most < units::kMostOfAll;
  std::string text = quantity.open ? "above " : "at least ";
  text += with_unit(quantity.least, quantity);
  if (bounded) text += " and at most " + with_unit(quantity.most, quantity);
  return text;
}

std::string read_quantity(std::string_view text, const Quantity& quantity) {
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
    throw UsageError(fmt::format("must be {}, but is {}", range_text(quantity), trimmed));
  }
  if (!quantity.integral) return format_exact(value);
  const auto whole = whole_number(trimmed, value);
  if (!whole) throw UsageError(fmt::format("'{}' is not a whole number", text));
  return *whole;
}

double quantity_value(std::string_view text, const Quantity& quantity) {
  return quantity.to_si(*parse_double(read_quantity(text, quantity)));
}

}  // namespace ridgewatt
