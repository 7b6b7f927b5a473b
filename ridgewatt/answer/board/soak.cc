#include "ridgewatt/answer/soak.h"

#include <fmt/format.h>

#include "ridgewatt/answer/parameters/access.h"
#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/platform/jetson_identity.h"
#include "ridgewatt/thermal/heat_trace.h"
#include "ridgewatt/thermal/hold.h"

namespace ridgewatt::answer {

std::optional<thermal::ThermalFile> soaked_constants(const measure::SoakSummary& summary,
                                                     const platform::LocalDevice& device,
                                                     const std::string& program) {
  if (!summary.fit) return std::nullopt;
  thermal::ThermalFile file;
  file.fit = *summary.fit;
  const auto jetson = platform::identify_jetson(*device.sysfs);
  if (jetson) file.board = jetson->board;
  file.provenance = device.provenance();
  file.origin = fmt::format("{}, {:.0f} min of {}; ridgewatt soak", today_text(),
                            summary.duration_s / 60, program);
  return file;
}

FittedTrace constants_of_trace(const std::string& path, const std::string& zone,
                               const std::string& board, Provenance provenance,
                               const HeatQuestion& heat) {
  thermal::ThermalFitOptions options;
  options.ambient_celsius = heat.ambient_celsius;
  const thermal::HeatTrace trace = thermal::read_heat_trace(path, zone);
  FittedTrace found{{thermal::fit_thermal(trace, options)}, trace.zone, trace.rows.size()};
  const double ambient_celsius = found.file.fit.ambient_celsius;
  if (heat.trip_celsius && *heat.trip_celsius <= ambient_celsius) {
    throw UsageError(fmt::format("the trip temperature of {:.1f} C is not above the ambient "
                                 "temperature of {:.1f} C",
                                 *heat.trip_celsius, ambient_celsius),
                     "--trip", "give the temperature at which the board throttles");
  }
  found.file.fit.trip_celsius = heat.trip_celsius;
  found.file.board = board;
  found.file.provenance = provenance;
  found.file.origin = fmt::format("{}, {} of {}; ridgewatt thermal fit", today_text(),
                                  counted(found.rows, "row"), file_name(path));
  return found;
}

namespace {

constexpr Parameter kHoldRows[] = {
    {.name = "thermal",
     .help = "Thermal constants",
     .access = access_as<&HoldRequest::heat, &HeatQuestion::file>(Input::kFile),
     .presence = Presence::kRequired,
     .positional = "FILE"},
    {.name = "power",
     .help = "Powers of the board, as measured at a chip temperature of 50 C",
     .access = access<&HoldRequest::powers_w>,
     .quantity = units::watts().positive(),
     .presence = Presence::kRequired},
};

}  // namespace

const ParameterTable& thermal_hold_parameters() {
  static const ParameterTable table = table_of<HoldRequest>(
      "thermal hold",
      {{kHoldRows, &whole}, {heat_rows().subspan(1), &member_part<&HoldRequest::heat>}},
      "For how long the board can hold a power before it throttles",
      "ridgewatt thermal hold thermal.toml --power 30,40");
  return table;
}

std::vector<thermal::HoldAnswer> how_long(const HoldRequest& asked, std::uint64_t seed) {
  const thermal::ThermalFile file = thermal::read_thermal_file(asked.heat.file);
  thermal::HoldQuestion question = asked.heat.hold();
  question.seed = seed;
  std::vector<thermal::HoldAnswer> answers;
  for (const double power_w : asked.powers_w) {
    question.power_w = power_w;
    answers.push_back(thermal::how_long(file, question));
  }
  return answers;
}

}  // namespace ridgewatt::answer
