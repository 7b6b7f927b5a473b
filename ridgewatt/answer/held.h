// For how long the answers of `estimate` and `tune` can be held, by a board's thermal constants.
//
//   add_holds(found, read_thermal_file("thermal.toml"), {.ambient_celsius = 35});
//   found.held.front().hold.holds_s;     // 870: throttles after 14.5 minutes; nothing: holds
//   found.held.front().sustained_time_s; // of a minibatch from then on
#pragma once

#include <optional>

#include "ridgewatt/thermal/hold.h"
#include "ridgewatt/thermal/thermal_file.h"

namespace ridgewatt::answer {

struct EstimateAnswer;
struct TuneAnswer;

struct HeldRow {
  thermal::HoldAnswer hold;
  // What the board gets down to when it throttles: it takes the GPU's clock down step by step until
  // the power is the one that it holds for ever, and goes back and forth between two steps. The
  // mode's own where it holds; nothing where no step is cool enough, or none is known.
  std::optional<double> sustained_time_s, sustained_power_w;
};

// `question` lacks but the power. UsageError where the file is of another board, no trip is known,
// or rows are of several boards or runtimes.
void add_holds(EstimateAnswer& found, const thermal::ThermalFile& file,
               thermal::HoldQuestion question);
// Of the answer, and of what it is compared with.
void add_holds(TuneAnswer& found, const thermal::ThermalFile& file, thermal::HoldQuestion question);

}  // namespace ridgewatt::answer
