#include "ridgewatt/sweep/point_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/device/mode_text.h"

namespace ridgewatt {
namespace {

constexpr double kMostBatch = 1e9;
constexpr double kMostClock = 1e9;  // chosen: in MHz, for files whose unit must be guessed

std::optional<std::size_t> column_of(const CsvReader& csv, Knob knob) {
  const auto column = csv.column(knob_field(knob)), other = csv.column(short_name(knob));
  if (column && other) {
    throw InputError(
        fmt::format("the columns {} and {} are the same knob", knob_field(knob), short_name(knob)),
        csv.source(), "remove one of them");
  }
  return column ? column : other;
}

// Rejects a mistyped knob. Otherwise, the knob would count as not varied.
void refuse_near_misses(const CsvReader& csv) {
  std::vector<std::string> names = {"batch", "governor"};
  for (const Knob knob : kKnobs) {
    names.emplace_back(knob_field(knob));
    names.emplace_back(short_name(knob));
  }
  for (const auto& column : csv.header()) {
    if (std::find(names.begin(), names.end(), column) != names.end()) continue;
    for (const auto& name : names) {
      // Too many three-letter words differ by one letter.
      if (name.size() < 4 || edit_distance(column, name) > 1) continue;
      throw InputError(fmt::format("unknown column '{}'", escape_terminal(column)), csv.source(),
                       fmt::format("did you mean {}?", name));
    }
  }
}

}  // namespace

PointReader::PointReader(const CsvReader& csv, Clocks clocks)
    : csv_(csv), clocks_(clocks), batch_(csv.column("batch")), governor_(csv.column("governor")) {
  for (const Knob knob : kKnobs) {
    knobs_[knob] = column_of(csv, knob);
  }
  refuse_near_misses(csv);
}

bool PointReader::has_knobs() const {
  for (const auto& column : knobs_) {
    if (column) return true;
  }
  return false;
}

bool PointReader::reads(std::size_t column) const {
  return batch_ == column || governor_ == column ||
         std::find(knobs_.begin(), knobs_.end(), column) != knobs_.end();
}

OperatingPoint PointReader::read() const {
  OperatingPoint point;
  for (const Knob knob : kKnobs) {
    const auto column = knobs_[knob];
    if (!column || csv_.field(*column).empty()) continue;
    const double value = csv_.number(*column);
    const bool any_clock = clocks_ == Clocks::kAnyPositive && knob != Knob::kCpuCores &&
                           value > 0 && value <= kMostClock;
    if (const auto fault = knob_fault(knob, value); fault && !any_clock) {
      throw InputError(fmt::format("{} is {:g}", knob_field(knob), value), csv_.where(),
                       std::string(*fault));
    }
    set_in_field_unit(point.mode, knob, value);
  }
  if (batch_ && !csv_.field(*batch_).empty()) {
    const double value = csv_.number(*batch_);
    if (!(value >= 1 && value <= kMostBatch) || value != std::floor(value)) {
      throw InputError(fmt::format("batch must be a whole number of 1 or more, but is {:g}", value),
                       csv_.where());
    }
    point.batch = static_cast<int>(value);
  }
  if (governor_) point.mode.governor = csv_.field(*governor_);
  return point;
}

}  // namespace ridgewatt
