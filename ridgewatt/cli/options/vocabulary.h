// The language of options: numbers with units. A bare number has the unit that the help shows; the
// units of its kind may be written behind it:
//
//   quantity(command.add_option("--max-power", max_power_w, "Power limit"), watts().positive());
//   // --max-power 30, 30W, "30 W", 0.03kW; nan, inf, -1, 1e400 and "" are refused in one line
//
// The target holds the value in the unit of the bare number, so its name says that unit. Every
// option that takes a number is declared through quantity(); a test over all commands checks it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ridgewatt::cli {

// What a number means and where it may lie.
struct Quantity {
  std::string kind;                                   // "power", for messages
  std::string unit;                                   // of a bare number; empty: it has none
  std::vector<std::pair<std::string, double>> units;  // accepted: the name and how many `unit`
  double least = 0;
  double most = 0;
  bool open = false;      // `least` itself is refused
  bool integral = false;  // whole numbers alone

  Quantity positive() const;                         // above zero
  Quantity within(double least, double most) const;  // both ends allowed
  Quantity whole() const;                            // integers alone
};

Quantity count();         // 0, 1, 2 ...
Quantity number();        // any finite number that is not negative
Quantity share();         // 0.05 or 5%, 0 to 1
Quantity percent();       // 5 or 5%
Quantity seconds();       // us, ms, s, min, h, d
Quantity milliseconds();  // the same, bare: ms
Quantity hours();         // the same, bare: h
Quantity watts();         // mW, W, kW
Quantity joules();        // mJ, J, kJ, MJ, Wh, kWh
Quantity hertz();         // 1/s: Hz, kHz, /s, /min
Quantity megahertz();     // Hz, kHz, MHz, GHz
Quantity bytes();         // B, kB, MB, GB, KiB, MiB, GiB
Quantity kilobytes();     // the same, bare: kB
Quantity mebibytes();     // the same, bare: MiB
Quantity gigabytes();     // the same, bare: GB
Quantity celsius();       // C

// The number that `text` says, in the unit of a bare one, as text that reads back the same.
// Throws UsageError: no number, an unknown unit, out of range, not whole.
std::string read_quantity(const std::string& text, const Quantity& quantity);

// Makes `option` name a file that is read, or one that is written (or a folder or store of files).
// The help shows FILE and OUTPUT; the test of hostile files tries every one of them.
CLI::Option* input_file(CLI::Option* option);
CLI::Option* output_file(CLI::Option* option);

// Makes `option`, of one number or of a list, take a quantity; returns it.
CLI::Option* quantity(CLI::Option* option, const Quantity& quantity);

}  // namespace ridgewatt::cli
