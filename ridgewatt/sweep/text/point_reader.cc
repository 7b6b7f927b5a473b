#include "ridgewatt/sweep/point_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

constexpr double kMostBatch = 1e9;
constexpr double kMostClock = 1e9;  // chosen: in MHz, of files whose unit is to be guessed

}  // namespace

PointReader::PointReader(const CsvReader& csv, Clocks clocks)
    : csv_(csv), clocks_(clocks), batch_(csv.column("batch")), governor_(csv.column("governor")) {
  for (const Knob knob : kKnobs) {
    knobs_[knob] = csv.column(knob_field(knob));
  }
}

bool PointReader::has_knobs() const {
  for (const auto& column : knobs_) {
    if (column) return true;
  }
  return false;
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
      throw InputError(fmt::format("batch must be a whole number from 1, is {:g}", value),
                       csv_.where());
    }
    point.batch = static_cast<int>(value);
  }
  if (governor_) point.mode.governor = csv_.field(*governor_);
  return point;
}

}  // namespace ridgewatt
