// Options of heat: a file of thermal constants, and what is around the board.
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/cli/command.h"
#include "ridgewatt/thermal/hold.h"
#include "ridgewatt/thermal/thermal_file.h"

namespace ridgewatt::cli {

// --thermal FILE, --ambient, --fan and --trip: for how long a power is held.
struct ThermalOptions {
  std::string file;
  double ambient_celsius = 25;
  double fan = 1;
  double trip_celsius = 0;

  // `with_file`: as an option; else the command has the file as its own argument.
  void add_to(CLI::App& command, bool with_file);
  // UsageError where one of the others is given without the file.
  void check(const CLI::App& command) const;
  bool given() const { return !file.empty(); }
  // The constants of the file, and a question that lacks but the power.
  thermal::ThermalFile read() const;
  thermal::HoldQuestion question(const CLI::App& command) const;
};

// Date of today in UTC, "2026-11-23".
std::string today_text();

}  // namespace ridgewatt::cli
