// How long a board can hold the modes in answers of `estimate` and `tune`, by its thermal
// constants.
//
//   add_holds(found, read_thermal_file("thermal.toml"), {.ambient_celsius = 35});
//   found.held.front().hold.holds_s;     // 870: throttles after 14.5 minutes; absent: holds
//   found.held.front().sustained_time_s; // of a minibatch from then on
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/thermal/hold_answer.h"

#pragma GCC visibility push(default)

namespace ridgewatt::thermal {
struct HoldQuestion;
struct ThermalFile;
}  // namespace ridgewatt::thermal

namespace ridgewatt::answer {

struct EstimateAnswer;
struct TuneAnswer;

// A file of thermal constants, and the surroundings of the board.
struct HeatQuestion {
  std::string file = {};                       // of `soak` or `thermal fit`; empty: not asked
  std::optional<double> ambient_celsius = {};  // absent: as during the trace
  std::optional<double> fan = {};              // share of full speed; absent: as during the trace
  std::optional<double> trip_celsius = {};     // absent: the board's

  thermal::HoldQuestion hold() const;  // without a power
};

// How long each power is held.
struct HoldRequest {
  HeatQuestion heat = {};
  std::vector<double> powers_w = {};  // at 50 C
};

struct HeldRow {
  thermal::HoldAnswer hold;
  // Time and power after throttling: the board lowers the GPU clock to the sustained power and
  // alternates between two steps. If the mode holds, these are its own time and power. Absent if no
  // step is cool enough or known.
  std::optional<double> sustained_time_s, sustained_power_w;
};

// The rows give the power of `question`. Throws UsageError if the file belongs to another board, no
// trip point is known, or the rows have several boards or runtimes.
void add_holds(EstimateAnswer& found, const thermal::ThermalFile& file,
               thermal::HoldQuestion question);
// Adds holds to the answer and to the points that it is compared with.
void add_holds(TuneAnswer& found, const thermal::ThermalFile& file, thermal::HoldQuestion question);
// The same with the file of `heat`; does nothing without a file.
void add_holds(EstimateAnswer& found, const HeatQuestion& heat);
void add_holds(TuneAnswer& found, const HeatQuestion& heat);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
