#include "ridgewatt/cli/options/thermal_options.h"

#include <fmt/format.h>

#include <ctime>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {

void ThermalOptions::add_to(CLI::App& command, bool with_file) {
  if (with_file) {
    input_file(command.add_option("--thermal", file,
                                  "Thermal constants of the board (soak, thermal fit): also for "
                                  "how long each mode is held"));
  }
  quantity(command.add_option("--ambient", ambient_celsius,
                              "Temperature around the board; else that of the trace"),
           celsius().within(-60, 100));
  quantity(command.add_option("--fan", fan, "Its speed as a share; else that of the trace"),
           share());
  quantity(command.add_option("--trip", trip_celsius,
                              "Temperature at which the board throttles; else that of the file"),
           celsius());
}

void ThermalOptions::check(const CLI::App& command) const {
  if (!given()) {
    refuse_without_effect(command, {"--ambient", "--fan", "--trip"}, "without --thermal");
  }
}

thermal::ThermalFile ThermalOptions::read() const {
  return thermal::read_thermal_file(file);
}

thermal::HoldQuestion ThermalOptions::question(const CLI::App& command) const {
  thermal::HoldQuestion question;
  const auto given = [&](const char* option) {
    const auto* found = command.get_option_no_throw(option);
    return found != nullptr && found->count() > 0;
  };
  if (given("--ambient")) question.ambient_celsius = ambient_celsius;
  if (given("--fan")) question.fan = fan;
  if (given("--trip")) question.trip_celsius = trip_celsius;
  return question;
}

std::string today_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

}  // namespace ridgewatt::cli
