// Fits the thermal constants of a board to a soak (a long run under load) or to a recorded trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/held.h"
#include "ridgewatt/measure/soak.h"
#include "ridgewatt/platform/local_device.h"
#include "ridgewatt/thermal/thermal_file.h"

namespace ridgewatt::answer {

// Returns the content of the file for --thermal, with its origin. `program` describes the load of
// the soak. Absent if the temperature hardly changed.
std::optional<thermal::ThermalFile> soaked_constants(const measure::SoakSummary& summary,
                                                     const platform::LocalDevice& device,
                                                     const std::string& program);

struct FittedTrace {
  thermal::ThermalFile file;
  std::string zone;  // thermal zone of the trace
  std::size_t rows = 0;
};
// Fits the constants to a trace. Reads only the ambient and trip temperatures of `heat`. Empty
// `zone`: the default zone of the trace. `board` may be empty.
FittedTrace constants_of_trace(const std::string& path, const std::string& zone,
                               const std::string& board, Provenance provenance,
                               const HeatQuestion& heat);
// Returns for how long the board can sustain each requested power.
std::vector<thermal::HoldAnswer> how_long(const HoldRequest& asked, std::uint64_t seed);

}  // namespace ridgewatt::answer
