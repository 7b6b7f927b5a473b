// The options of a command, a line each:
//
//   const OptionAdder add(*command);
//   add.number("--repeats", options->repeats, count().within(1, 100), "Runs of each");
//   add.optional("--max-power", options->max_power_w, watts().positive(), "Power cap");
//   add.input("FILE", options->path, "Sweep CSV")->required();
#pragma once

#include <string>
#include <utility>

#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {

class OptionAdder {
 public:
  // `group`: the heading of these options in the help; empty: the default heading.
  explicit OptionAdder(CLI::App& command, std::string group = {})
      : command_(command), group_(std::move(group)) {}

  // A number; the help shows its default. `optional`: a number without a default.
  template <class T>
  CLI::Option* number(const std::string& name, T& target, const Quantity& unit,
                      const std::string& help) const {
    return optional(name, target, unit, help)->capture_default_str();
  }
  template <class T>
  CLI::Option* optional(const std::string& name, T& target, const Quantity& unit,
                        const std::string& help) const {
    return quantity(text(name, target, help), unit);
  }
  // Numbers separated by commas; the help shows the default.
  template <class T>
  CLI::Option* numbers(const std::string& name, T& target, const Quantity& unit,
                       const std::string& help) const {
    return number(name, target, unit, help)->delimiter(',');
  }
  // Text or a list of texts. `named`: the help shows the default.
  template <class T>
  CLI::Option* text(const std::string& name, T& target, const std::string& help) const {
    return grouped(command_.add_option(name, target, help));
  }
  template <class T>
  CLI::Option* named(const std::string& name, T& target, const std::string& help) const {
    return text(name, target, help)->capture_default_str();
  }
  // One of the names of an enum, or several.
  template <class E>
  CLI::Option* choice(const std::string& name, E& target, const std::string& help) const {
    return grouped(listed_choice(command_, name, target, help)->capture_default_str());
  }
  template <class T>
  CLI::Option* input(const std::string& name, T& target, const std::string& help) const {
    return input_file(text(name, target, help));
  }
  template <class T>
  CLI::Option* output(const std::string& name, T& target, const std::string& help) const {
    return output_file(text(name, target, help));
  }
  CLI::Option* flag(const std::string& name, bool& target, const std::string& help) const {
    return grouped(command_.add_flag(name, target, help));
  }

  // Options of several commands.
  void sampling(double& rate_hz) const {
    number("--sampling-hz", rate_hz, hertz().within(1, 1000), "Power sampling rate");
  }
  void threads(int& count_of, const char* help = "Threads; 0: all") const {
    number("--threads", count_of, count().within(0, 1024), help);
  }

 private:
  CLI::Option* grouped(CLI::Option* option) const {
    return group_.empty() ? option : option->group(group_);
  }

  CLI::App& command_;
  std::string group_;
};

}  // namespace ridgewatt::cli
