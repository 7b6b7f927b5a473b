// The thermal constants of a board, from a soak or a recorded trace.
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

// The file for --thermal, with its origin (`program` was the load); empty if the temperature hardly
// changed.
std::optional<thermal::ThermalFile> soaked_constants(const measure::SoakSummary& summary,
                                                     const platform::LocalDevice& device,
                                                     const std::string& program);

struct FittedTrace {
  thermal::ThermalFile file;
  std::string zone;  // of the trace
  std::size_t rows = 0;
};
// Fits the constants to a trace (`heat`: ambient and trip). `zone` and `board` may be empty.
FittedTrace constants_of_trace(const std::string& path, const std::string& zone,
                               const std::string& board, Provenance provenance,
                               const HeatQuestion& heat);
// How long the board can sustain each requested power.
std::vector<thermal::HoldAnswer> how_long(const HoldRequest& asked, std::uint64_t seed);

}  // namespace ridgewatt::answer
