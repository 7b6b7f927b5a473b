// How long a board can run in the modes of an `estimate` or `tune` answer until it throttles, from
// the thermal constants of the board.
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
  std::string file = {};  // written by `soak` or `thermal fit`; empty: no limits
  std::optional<double> ambient_celsius = {};  // absent: as during the recorded trace
  std::optional<double> fan = {};  // share of full speed; absent: as during the recorded trace
  std::optional<double> trip_celsius = {};  // absent: the board's

  thermal::HoldQuestion hold() const;  // its `power_w` is 0
};

// Parameters of `thermal hold`.
struct HoldRequest {
  HeatQuestion heat = {};
  std::vector<double> powers_w = {};  // powers to check, each as drawn by a chip at 50 C
};

struct HeldRow {
  thermal::HoldAnswer hold;
  // Time and power of a minibatch after throttling: the board lowers the GPU clock to the sustained
  // power and alternates between two neighboring steps. If the mode holds, these are its own time
  // and power. Absent if no lower step is cool enough.
  std::optional<double> sustained_time_s, sustained_power_w;
};

// Fills `found.held`, one per row. Ignores question.power_w and uses the power of each row. Throws
// UsageError if the file belongs to another board, if no trip temperature is known, or if the
// answer compares boards or runtimes.
void add_holds(EstimateAnswer& found, const thermal::ThermalFile& file,
               thermal::HoldQuestion question);
// Adds a hold to the best point and to each compared point.
void add_holds(TuneAnswer& found, const thermal::ThermalFile& file, thermal::HoldQuestion question);
// Adds holds from the constants in the file `heat.file`. Does nothing if `heat.file` is empty.
void add_holds(EstimateAnswer& found, const HeatQuestion& heat);
void add_holds(TuneAnswer& found, const HeatQuestion& heat);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
