#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "ridgewatt/base/environment.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/platform/fake_board.h"

namespace ridgewatt::platform {
namespace {

struct SpecimenNumber {
  const char* name;
  double FakeSpecimen::*field;
  double lowest, highest;
};
constexpr std::array kSpecimenNumbers = {
    SpecimenNumber{"time", &FakeSpecimen::time, 0.1, 10},
    SpecimenNumber{"power", &FakeSpecimen::power, 0.1, 10},
    SpecimenNumber{"time-slope", &FakeSpecimen::time_slope, -0.9, 1},
    SpecimenNumber{"power-slope", &FakeSpecimen::power_slope, -0.9, 1}};
constexpr std::size_t kLongestSerial = 32;

bool is_serial(const std::string& text) {
  return !text.empty() && text.size() <= kLongestSerial &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
         });
}

void set_number(FakeSpecimen& specimen, const std::string& name, const std::string& value,
                const std::string& where) {
  for (const auto& number : kSpecimenNumbers) {
    if (name != number.name) continue;
    const auto parsed = parse_double(value);
    if (!parsed || !(*parsed >= number.lowest && *parsed <= number.highest)) {
      throw UsageError(fmt::format("{} of the fake board is '{}'", name, value), where,
                       fmt::format("must be {} to {}", number.lowest, number.highest));
    }
    specimen.*number.field = *parsed;
    return;
  }
  throw UsageError(fmt::format("'{}' is not a key of a fake board", name), where,
                   "use serial, time, power, time-slope or power-slope");
}

double differing(double value, double top, double factor, double slope) {
  return factor * value * (slope == 0 ? 1 : std::pow(value / top, slope));
}

}  // namespace

FakeSpecimen FakeSpecimen::parse(const std::string& text, const std::string& where) {
  FakeSpecimen specimen;
  std::set<std::string> seen;
  if (trim(text).empty()) return specimen;
  for (const auto& part : split(text, ',')) {
    const auto equals = part.find('=');
    const std::string name(trim(part.substr(0, equals)));
    const std::string value(equals == std::string::npos ? "" : trim(part.substr(equals + 1)));
    if (!seen.insert(name).second) {
      throw UsageError(fmt::format("{} of the fake board is given twice", name), where);
    }
    if (name != "serial") {
      set_number(specimen, name, value, where);
      continue;
    }
    if (!is_serial(value)) {
      throw UsageError(
          fmt::format("serial of the fake board is '{}'", value), where,
          fmt::format("must be 1 to {} letters, digits, '-', '_' or '.'", kLongestSerial));
    }
    specimen.serial = value;
  }
  return specimen;
}

std::string FakeSpecimen::text() const {
  const FakeSpecimen kind;
  std::string text = serial.empty() ? "" : "serial=" + serial;
  for (const auto& number : kSpecimenNumbers) {
    if (this->*number.field == kind.*number.field) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", number.name,
                        format_exact(this->*number.field));
  }
  return text;
}

double FakeSpecimen::time_s(double value, double top) const {
  return differing(value, top, time, time_slope);
}

double FakeSpecimen::power_w(double value, double top) const {
  return differing(value, top, power, power_slope);
}

FakeSpecimen fake_specimen_of_environment() {
  constexpr const char* kVariable = "RIDGEWATT_FAKE_SPECIMEN";
  return FakeSpecimen::parse(environment_variable(kVariable).value_or(""), kVariable);
}

}  // namespace ridgewatt::platform
